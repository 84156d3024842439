#!/usr/bin/env bash
# A sweep over the ranks of mpirun: the same database as without, from however many; ranks that would make something else
# are left out; a rank, rank 0 or mpirun is killed, the disk is full, and the next start makes the rest.
#
#   test_ranks.sh openmpi|mpich
# shellcheck disable=SC2317 # functions that others call by name
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/apps/sweep.sh
source "$root/tests/apps/sweep.sh"
kind=$1
case $kind in
openmpi) name='Open MPI' word='Open MPI' more=(--oversubscribe) package=libopenmpi-dev installs='tools/deps test' environment=(OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE) ;;
mpich) name=MPICH word=HYDRA more=() package=libmpich-dev installs='make test-mpich' environment=(PMI_RANK PMI_SIZE) ;;
esac
export TMPDIR=$scratch/tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated
export OMPI_MCA_btl=^tcp # Open MPI 5 complains of a machine without a network
mkdir "$TMPDIR"

# Rank 1 in another folder. mpirun has a way to say so, which crashes in Debian 13: github.com/open-mpi/ompi/issues/13303.
# shellcheck disable=SC2016 # the shells of the ranks
elsewhere=(bash -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] || cd other; exec "$@"' -)

write_sweep sweep.yaml
sweep=(sweep.yaml --seeds 8 --set measure=null) # 32 runs
"$WEIR" run "${sweep[@]}" --quiet -o whole.db >out
table=$(sed 's/whole.db/X.db/g' out)
whole=$(dump whole.db)
# The first eight runs end, those after them never do: whatever happens then happens in the middle of a sweep.
endless=(--set 'sweep.length={until: [10ms, 100000s]}')
finite=(--set 'sweep.length={until: [10ms]}')
"$WEIR" run "${sweep[@]}" "${finite[@]}" --quiet -o finite.db >out
rest=$(dump finite.db)

# Whatever happens, nobody is left. Databases of jobs that are killed have their whole name, which nobody else has.
clean_up() {
    pkill -9 -f -- "-o $scratch/" || true
    umount "$scratch/disk" 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT

# expect_same DATABASE CONTENT
expect_same() {
    if [ "$(dump "$1")" != "$2" ]; then
        expect_equal "the content of $1" "$(diff <(printf '%s\n' "$2") <(dump "$1") | head -n 5)" ''
    fi
}
has_runs() { [ "$(ask "$1" 'SELECT count(*) FROM run' 2>/dev/null || echo 0)" -ge "$2" ]; }
# processes DATABASE: all of the job that writes to it; those of mpirun have it in their line too.
processes() { pgrep -f -- "-o $1\$" || true; }
are_gone() { [ -z "$(processes "$1")" ]; }

test_all() {
    local ranks status pid rank

    echo "$name: 1, 2 and 4 ranks"
    for ranks in 1 2 4; do
        status=0
        "${mpirun[@]}" -n "$ranks" "$WEIR" run "${sweep[@]}" --quiet -o "$ranks.db" >out 2>err </dev/null || status=$?
        expect_equal "$name: $ranks ranks" "$status $(cat err)" '0 '
        expect_equal "$name: the table of $ranks ranks" "$(sed "s/$ranks.db/X.db/g; s/\x1b\[[0-9;]*m//g" out)" "$table"
        expect_same "$ranks.db" "$whole"
        rm "$ranks.db"
    done

    echo "$name: a profile"
    "${mpirun[@]}" -n 2 "$WEIR" run "${sweep[@]}" --quiet --profile -o profile.db >out 2>err </dev/null
    expect_match "$name: a profile" "$(cat err)" '^profile: sweep.yaml: 32 runs in [0-9.]+m?s on 2 ranks, [12] at a time, busy [0-9.]+ % \([0-9.]+m?s in runs\), the longest '
    expect_match "$name: of rank 0" "$(cat err)" '^profile: rank 0: [0-9]+ runs?, 1 at a time, busy [0-9.]+ % \([0-9.]+m?s in runs\), the longest [0-9.]+m?s \([0-9a-f]{16}\)$'
    expect_equal "$name: runs of both ranks" "$(awk '/^profile: rank/ {runs += $4} END {print runs}' err)" 32
    rm profile.db

    # start_endless DATABASE OPTION...: until the first runs are stored. Sets $pid, $rank: mpirun and the processes it
    # started, rank 0 first.
    start_endless() {
        local database=$1 parent
        shift
        "${mpirun[@]}" "$@" -n 3 "$WEIR" run "${sweep[@]}" "${endless[@]}" -o "$database" >out 2>err </dev/null &
        pid=$!
        wait_until "$name: runs in $database" has_runs "$database" 8
        parent=$pid
        if [ "$(pgrep -c -P "$parent")" = 1 ]; then # MPICH has another process in between
            parent=$(pgrep -P "$parent")
        fi
        mapfile -t rank < <(ranks_of "$parent" "$database")
        expect_equal "$name: ranks" "${#rank[@]}" 3
        # The process that reads and writes is confined; the one that speaks MPI, its first child, is another.
        expect_match "$name: filter of rank 0" "$(cat "/proc/${rank[0]}/status")" '^Seccomp:[[:space:]]*2$'
        expect_no_match "$name: libraries of rank 0" "$(cat "/proc/${rank[0]}/maps")" 'libmpi'
    }
    # resume DATABASE: nobody is left, what was finished is there, and the rest is made.
    resume() {
        wait_until "$name: the processes of $1 are gone" are_gone "$1"
        expect_equal "$name: finished in $1" "$(ask "$1" 'SELECT count(*) FROM run')" 8
        status=0
        "${mpirun[@]}" -n 2 "$WEIR" run "${sweep[@]}" "${finite[@]}" -o "$1" >out 2>err </dev/null || status=$?
        expect_equal "$name: resuming $1" "$status $(cat err)" "0 weir: $1: resuming: 8 of 32 runs are done"
        expect_same "$1" "$rest"
        rm "$1"
    }

    echo "$name: a rank, rank 0 and mpirun are killed"
    for rank_to_kill in 2 0; do
        start_endless "$scratch/rank.db"
        kill -9 "${rank[rank_to_kill]}"
        status=0
        wait "$pid" || status=$?
        expect_match "$name: status after a kill" "$status" '^[1-9]'
        resume "$scratch/rank.db"
    done
    start_endless "$scratch/mpirun.db"
    kill -9 "$pid"
    wait "$pid" 2>/dev/null || true
    resume "$scratch/mpirun.db"

    echo "$name: SIGTERM"
    start_endless "$scratch/term.db"
    kill -TERM "$pid"
    wait "$pid" || true
    resume "$scratch/term.db"

    if mkdir -p disk && mount -t tmpfs -o size=400k tmpfs disk 2>/dev/null; then
        echo "$name: a full disk"
        status=0
        "${mpirun[@]}" -n 2 "$WEIR" run "${sweep[@]}" --quiet -o disk/small.db >out 2>err </dev/null || status=$?
        expect_equal "$name: status with a full disk" "$status" 4
        expect_match "$name: message with a full disk" "$(cat err)" '^weir: disk/small.db: the disk is full '
        mount -o remount,size=20m disk
        expect_match "$name: finished before" "$(ask disk/small.db 'SELECT count(*) FROM run')" '^[1-9]'
        "${mpirun[@]}" -n 2 "$WEIR" run "${sweep[@]}" --quiet -o disk/small.db >out 2>err </dev/null
        expect_same disk/small.db "$whole"
        umount disk
    else
        echo 'skipped: the full disk: cannot mount a small one'
    fi

    echo "$name: ranks that would make something else are left out"
    mkdir -p other
    rm -f other/*
    # Rank 0 may have made all runs before rank 1 has looked: then once more.
    leaves_out() {
        rm -f other.db
        "${mpirun[@]}" -n 2 "${elsewhere[@]}" "$WEIR" run "${sweep[@]}" -o other.db >out 2>err </dev/null
        grep -q "$1" err
    }
    wait_until "$name: a rank without the file" leaves_out \
        '^weir: rank 1 on .*: sweep.yaml: cannot open: No such file or directory: goes on without it$'
    expect_same other.db "$whole"
    sed 's/load: 0.3/load: 0.4/' sweep.yaml >other/sweep.yaml
    wait_until "$name: a rank with another file" leaves_out \
        '^weir: rank 1 on .* would make other runs than rank 0, or is another weir: goes on without it '
    expect_same other.db "$whole"
    rm other.db

    echo "$name: what does not go with ranks"
    expect_mistake() {
        local message=$1
        shift
        "${mpirun[@]}" -n 2 "$WEIR" run "$@" >out 2>err </dev/null && expect_equal "status of $*" 0 2
        expect_equal "$name: messages of $*" "$(grep -c '^weir: ' err)" 1
        expect_match "$name: message of $*" "$(cat err)" "^weir: $message"
    }
    expect_mistake 'none.yaml: cannot open' none.yaml
    expect_mistake 'run: -: the other machines cannot read it' -
    expect_mistake 'run: --records does not go with several ranks' "${sweep[@]}" --records flows.csv -o none.db
    expect_mistake 'run: --part does not go with mpirun' "${sweep[@]}" --part 1/2
    rm -f none.db
    "${mpirun[@]}" -n 2 "$WEIR" run "${sweep[@]}" --list >out 2>err </dev/null
    expect_equal "$name: --list once" "$(grep -c 'policy=' out)" 32
}

# A job that goes on without a rank: MPICH has no such thing.
test_survival() {
    local pid rank status=0
    echo "Open MPI: the job survives a rank"
    "${mpirun[@]}" --enable-recovery -n 4 "$WEIR" run "${sweep[@]}" --set until=40ms --profile -o "$scratch/lost.db" >out 2>err </dev/null &
    pid=$!
    is_at_work() {
        rank=$(ranks_of "$pid" "$scratch/lost.db" | sed -n 4p)
        [ -n "$rank" ] && [ "$(pgrep -c -P "$rank")" = 2 ] # its courier and a run
    }
    is_stopped_at_work() { # what it makes is never done
        is_at_work && kill -STOP "$rank" || return 1
        [ "$(pgrep -c -P "$rank")" = 2 ] || { kill -CONT "$rank" && return 1; }
    }
    wait_until 'rank 3 is at work' is_stopped_at_work
    wait_until 'runs of the others' has_runs lost.db 4
    kill -9 "$rank"
    wait "$pid" || status=$?
    expect_equal 'status without a rank' "$status" 0
    expect_match 'the lost rank' "$(cat err)" '^weir: rank 3 on .* is lost: 1 run is made again$'
    expect_match 'its line of the profile' "$(cat err)" '^profile: rank 3: [0-9]+ runs?(, .*)?, lost: 1 of its runs made again$'
    "$WEIR" run "${sweep[@]}" --set until=40ms --quiet -o alone.db >out
    expect_same lost.db "$(dump alone.db)"
    wait_until 'nobody is left' are_gone "$scratch/lost.db"
}

# Neither a stopped rank nor one whose run was stopped is waited for, although their couriers are there.
test_stopped() {
    local pid rank stopped begin status
    for which in rank run; do
        echo "Open MPI: a stopped $which"
        "${mpirun[@]}" --enable-recovery -n 3 "$WEIR" run "${sweep[@]}" --set until=400ms -o "$scratch/stopped.db" >out 2>err </dev/null &
        pid=$!
        stop_one() {
            rank=$(ranks_of "$pid" "$scratch/stopped.db" | sed -n 3p)
            [ -n "$rank" ] && [ "$(pgrep -c -P "$rank")" = 2 ] || return 1 # its courier and a run
            stopped=$rank
            [ "$which" = rank ] || stopped=$(pgrep -n -P "$rank")
            kill -STOP "$stopped" || return 1
            [ "$(pgrep -c -P "$rank")" = 2 ] || { kill -CONT "$stopped" && return 1; }
        }
        wait_until "a $which that can be stopped" stop_one
        begin=$SECONDS
        status=0
        wait "$pid" || status=$?
        expect_match "seconds until the end with a stopped $which: $((SECONDS - begin))" "$((SECONDS - begin >= 29))" 1
        expect_equal "status with a stopped $which; $(cat err)" "$status" 0
        expect_match "a stopped $which" "$(cat err)" 'weir: rank 2 on .* is lost: 1 run is made again'
        "$WEIR" run "${sweep[@]}" --set until=400ms --quiet -o alone.db >out
        expect_same stopped.db "$(dump alone.db)"
        wait_until 'nobody is left' are_gone "$scratch/stopped.db"
        rm stopped.db alone.db
    done
}

# A weir that has no module says what is missing, once, and whoever has no mpirun sees nothing of it.
cp "$WEIR" "$scratch/weir-alone"
as_rank() { env "${environment[0]}=$1" "${environment[1]}=$2" "$scratch/weir-alone" run "${sweep[@]}" -o none.db --quiet; }
expect_run 4 "weir: started by $name as rank 0 of 2, and this weir was built without it (build weir where $package is installed, or leave mpirun out: --jobs uses the processors of one machine)" \
    as_rank 0 2
expect_run 4 '' as_rank 1 2
expect_run 0 '' as_rank 0 1
expect_same none.db "$whole"
# srun says it in other words, or nothing: then each task is alone, and the first one says so.
if [ "$kind" = openmpi ]; then
    expect_run 4 "weir: started by srun (Open MPI) as rank 0 of 6, and this weir was built without it (build weir where $package is installed, or leave mpirun out: --jobs uses the processors of one machine)" \
        env PMIX_RANK=0 SLURM_STEP_NUM_TASKS=6 'SLURM_STEP_TASKS_PER_NODE=2(x3)' "$scratch/weir-alone" run "${sweep[@]}" -o none.db
fi
as_task() { env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID="$1" "$WEIR" run "${sweep[@]}" -o none.db "${@:2}"; }
expect_run 0 "weir: warning: srun has started 2 tasks without MPI, and each makes these runs by itself ('srun --mpi=pmix' lets them share the runs)
weir: none.db: all 32 runs are done (--again repeats them)" as_task 0
expect_run 0 'weir: none.db: all 32 runs are done (--again repeats them)' as_task 1
expect_run 0 '' as_task 0 --quiet
expect_run 0 'weir: none.db.runs: part 1 of 32: 1 of 1 runs are done' as_task 0 --part 1/32
rm -r none.db.runs
rm none.db

for command in "mpirun.$kind" mpirun; do
    if [ -e "$(dirname "$WEIR")/weir-mpi-$kind.so" ] && [[ "$("$command" --version 2>/dev/null)" == *"$word"* ]]; then
        mpirun=("$command" "${more[@]}")
        test_all
        [ "$kind" = mpich ] || test_survival
        if [ "$kind" = openmpi ] && [ "${WEIR_TEST_ROUNDS:-1}" -gt 1 ]; then
            test_stopped
        elif [ "$kind" = openmpi ]; then
            echo 'skipped: a stopped rank: it is waited for twice for half a minute (make test-long)'
        fi
        finish
        exit
    fi
done
[ "$failures" -eq 0 ] || exit 1
echo "skipped: weir was built without $name, or its mpirun is missing ($installs installs it)"
exit 77
