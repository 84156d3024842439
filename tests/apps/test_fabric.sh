#!/usr/bin/env bash
# One run over the ranks of mpirun: every file that it writes, and what is stored, is that of one process, by however many
# ranks and threads; a rank, rank 0 or mpirun is killed, the disk is full, and the next start makes the run; what cannot be is
# said once.
#
#   test_fabric.sh openmpi|mpich
# shellcheck disable=SC2317 # functions that others call by name
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/apps/sweep.sh
source "$root/tests/apps/sweep.sh"
# shellcheck source=tests/apps/networks.sh
source "$root/tests/apps/networks.sh"
kind=$1
case $kind in
openmpi) name='Open MPI' word='Open MPI' more=(--oversubscribe) installs='tools/deps test' ;;
mpich) name=MPICH word=HYDRA more=() installs='make test-mpich' ;;
esac
export TMPDIR=$scratch/tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated
export OMPI_MCA_btl=^tcp # Open MPI 5 complains of a machine without a network
mkdir "$TMPDIR"

# Rank 1 in another folder: test_ranks.sh.
# shellcheck disable=SC2016 # the shells of the ranks
elsewhere=(bash -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] || cd other; exec "$@"' -)

networks 1000 'policy: occamy'

# Whatever happens, nobody is left. Databases of jobs that are killed have their whole name, which nobody else has.
clean_up() {
    pkill -9 -f -- "-o $scratch/" || true
    umount "$scratch/disk" 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT
processes() { pgrep -f -- "-o $1\$" || true; }
are_gone() { [ -z "$(processes "$1")" ]; }

# all FOLDER COMMAND...: every output of a run goes there, its database as text.
all() {
    local folder=$1
    shift
    mkdir -p "$folder"
    "$@" --quiet --output "$folder/r.db" --records "$folder/records.csv" --series "$folder/series.csv" \
        --losses "$folder/losses.csv" --pauses "$folder/pauses.csv" --csv "$folder/tags.csv" --json >"$folder/all.json" </dev/null
    dump "$folder/r.db" >"$folder/database"
    rm "$folder/r.db"
}

test_all() {
    local file ranks threads status pid rank
    for file in lossy lossless; do
        echo "$name: $file by 2 and 4 ranks, with 1 and 2 threads"
        all 1 "$WEIR" run $file.yaml
        expect_equal "$file: flows" "$(($(wc -l <1/records.csv) > 15))" 1
        expect_equal "$file: series or pauses" "$(($(cat 1/series.csv 1/pauses.csv | wc -l) > 20))" 1
        for ranks in 2 4; do
            threads=$((3 - ranks / 2))
            all $ranks "${mpirun[@]}" -n $ranks "$WEIR" run $file.yaml --threads $threads
            expect_equal "$name: $file with $ranks ranks" "$(diff -rq 1 $ranks)" ''
            rm -r $ranks
        done
        rm -r 1
    done

    echo "$name: two machines by name, two ranks on the first: letters go by memory there, and else by MPI"
    all 1 "$WEIR" run lossless.yaml
    # shellcheck disable=SC2016 # the shells of the ranks
    all 3 "${mpirun[@]}" -n 3 bash -c 'WEIR_MACHINE=$((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} / 2)) exec "$@"' - \
        "$WEIR" run lossless.yaml
    expect_equal "$name: two machines" "$(diff -rq 1 3)" ''
    rm -r 1 3

    echo "$name: a profile"
    "${mpirun[@]}" -n 2 "$WEIR" run lossless.yaml --profile --json -o p.db >out 2>err </dev/null
    expect_match 'of the run' "$(cat err)" '^profile: .* on 2 ranks with 1 thread, [0-9]+ windows'
    expect_match 'of a rank' "$(cat err)" '^profile: rank 1: [0-9]+ hosts, [0-9]+ switches, ran them [0-9.]+ %, waited for letters [0-9.]+ %, wrote and read them [0-9.]+ %, [1-9][0-9]* packets and [0-9.]+[KM]B to others$'
    expect_match 'of the cut' "$(cat err)" '^profile: [1-9][0-9]* links between ranks, [1-9][0-9]* packets crossed'

    if command -v taskset >/dev/null; then
        "${mpirun[@]}" -n 2 taskset -c "$(taskset -pc $$ | sed -E 's/.*: ([0-9]+).*/\1/')" "$WEIR" run lossless.yaml --threads 2 \
            -o p.db >out 2>err </dev/null
        expect_equal "$name: more threads than processors" "$(grep '^weir: ' err)" \
            'weir: warning: 2 threads have 1 processor, and wait for one another (expected --threads 1, or mpirun --bind-to none, if it has bound its ranks to cores)'
    fi

    echo "$name: progress, by rank 0 alone"
    "${mpirun[@]}" -n 2 "$WEIR" run lossless.yaml --set until=1000s --set 'traffic.0.rounds=1000000' \
        --set 'traffic.0.interval=1ms' -o "$scratch/progress.db" >out 2>err </dev/null &
    pid=$!
    has_line() { grep -q simulated err; }
    wait_until "$name: a line of progress" has_line
    kill -9 "$pid"
    wait "$pid" 2>/dev/null || true
    wait_until "$name: nobody is left" are_gone "$scratch/progress.db"
    expect_equal "$name: lines of progress" "$(grep -c simulated err)" 1
    expect_match "$name: progress" "$(cat err)" '^[0-9.]+[mu]?s of 1000s simulated \([0-9]+ %\), .*, ETA [0-9]+h[0-9]{2}m$'

    # Of a sweep, one run; what does not fit a switch that another rank has is said once.
    "$WEIR" run lossless.yaml --seeds 2 --only seed=2 --quiet --json -o one.db >one.json
    "${mpirun[@]}" -n 2 "$WEIR" run lossless.yaml --seeds 2 --only seed=2 --quiet --json -o two.db >two.json </dev/null
    expect_equal "$name: --only" "$(diff one.json two.json)" ''

    echo "$name: a rank, rank 0 and mpirun are killed"
    "$WEIR" run lossless.yaml --quiet -o whole.db >out
    for victim in early 1 0 mpirun; do # early: rank 1, while MPI starts
        local database=$scratch/kill-$victim.db parent
        "${mpirun[@]}" -n 3 "$WEIR" run lossless.yaml --set until=1000s --set 'traffic.0.rounds=1000000' \
            --set 'traffic.0.interval=1ms' -o "$database" >out 2>err </dev/null &
        pid=$!
        is_at_work() { # each rank has a courier, and has waited for others many times
            parent=$pid
            [ "$(pgrep -c -P "$parent")" != 1 ] || parent=$(pgrep -P "$parent") # MPICH has another process in between
            mapfile -t rank < <(ranks_of "$parent" "$database")
            [ "${#rank[@]}" = 3 ] && [ "$(pgrep -c -P "${rank[1]}")" = 1 ] && { [ "$victim" = early ] ||
                [ "$(awk '/^voluntary/ {print $2}' "/proc/${rank[1]}/status")" -gt 100 ]; }
        }
        wait_until "$name: three ranks" is_at_work
        case $victim in
        early) kill -9 "${rank[1]}" ;;
        mpirun) kill -9 "$pid" ;;
        *)
            expect_match "$name: filter of rank 1" "$(cat "/proc/${rank[1]}/status")" '^Seccomp:[[:space:]]*2$'
            expect_no_match "$name: libraries of rank 1" "$(cat "/proc/${rank[1]}/maps")" 'libmpi'
            kill -9 "${rank[victim]}"
            ;;
        esac
        status=0
        wait "$pid" 2>/dev/null || status=$?
        expect_match "$name: status after a kill of $victim" "$status" '^[1-9]'
        wait_until "$name: the processes of $database are gone" are_gone "$database"
        rm -f "$database"*
        "${mpirun[@]}" -n 2 "$WEIR" run lossless.yaml --quiet -o "$database" >out 2>err </dev/null
        expect_equal "$name: the run again" "$(diff <(dump whole.db) <(dump "$database"))" ''
    done

    if mkdir -p disk && mount -t tmpfs -o size=16k tmpfs disk 2>/dev/null; then
        echo "$name: a full disk, before the run and after it"
        rm whole.db
        "$WEIR" run lossy.yaml --quiet -o whole.db >out
        for size in 16k 100k; do
            mount -o remount,size=$size disk
            status=0
            "${mpirun[@]}" -n 2 "$WEIR" run lossy.yaml --quiet -o "$scratch/disk/small.db" >out 2>err </dev/null || status=$?
            expect_equal "$name: status with a disk of $size" "$status $(grep -c '^weir: ' err)" '4 1'
            expect_match "$name: message with a disk of $size" "$(cat err)" "^weir: $scratch/disk/small.db: the disk is full "
            wait_until "$name: nobody is left" are_gone "$scratch/disk/small.db"
        done
        mount -o remount,size=20m disk
        "${mpirun[@]}" -n 2 "$WEIR" run lossy.yaml --quiet -o disk/small.db >out 2>err </dev/null
        expect_equal "$name: the run again" "$(diff <(dump whole.db) <(dump disk/small.db))" ''
        umount disk
    else
        echo 'skipped: the full disk: cannot mount a small one'
    fi

    echo "$name: mistakes"
    # expect_mistake STATUS MESSAGE OPTION...
    expect_mistake() {
        local code=$1 message=$2
        shift 2
        status=0
        "${mpirun[@]}" -n 3 "$WEIR" run "$@" >out 2>err </dev/null || status=$?
        expect_equal "$name: status of $*" "$status" "$code"
        expect_equal "$name: messages of $*" "$(grep -c '^weir: ' err)" 1
        expect_match "$name: message of $*" "$(cat err)" "^weir: $message"
    }
    expect_mistake 2 'run: --trace does not go with mpirun and one run' lossy.yaml --trace s0=s0.wtr
    expect_mistake 2 'run: --rows does not go with mpirun and one run' lossy.yaml --rows rows.csv
    expect_mistake 3 'lossy.yaml:3:9: training rows, and oracles that learn from them, need all switches in one process' lossy.yaml \
        --set 'switch.policy=credence' --set 'switch.oracle={online: {every: 500, rows: 2000}}'
    expect_mistake 3 '.*switch 0 with 4 ports: .*headroom needs' lossless.yaml --set switch.buffer=20KB
    expect_mistake 4 'the run took longer than 0.2s, its limit' lossless.yaml --set limits.time=200ms --set until=1000s \
        --set 'traffic.0.rounds=1000000' --set 'traffic.0.interval=1ms'
    mkdir -p other
    sed 's/load: 50%/load: 51%/' lossless.yaml >other/lossless.yaml
    for expected in 'rank 1 would make another run than rank 0' 'rank 1 on .*: lossless.yaml: cannot open'; do
        status=0
        "${mpirun[@]}" -n 2 "${elsewhere[@]}" "$WEIR" run lossless.yaml -o o.db >out 2>err </dev/null || status=$?
        expect_equal "$name: status with another file" "$status" 4
        expect_match "$name: message with another file" "$(cat err)" "^weir: $expected"
        rm -f other/lossless.yaml
    done
}

for command in "mpirun.$kind" mpirun; do
    if [ -e "$(dirname "$WEIR")/weir-mpi-$kind.so" ] && [[ "$("$command" --version 2>/dev/null)" == *"$word"* ]]; then
        mpirun=("$command" "${more[@]}")
        test_all
        finish
        exit
    fi
done
echo "skipped: weir was built without $name, or its mpirun is missing ($installs installs it)"
exit 77
