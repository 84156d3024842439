#!/usr/bin/env bash
# Every allocation of a command fails in turn, wherever it is made: in weir, in the C library, in jansson, in zstd. Each
# time the command ends with status 4 and one line, prints nothing else and leaves no file behind. The C library can do
# without some (the buffer of a stream, making a text's memory smaller): then everything is as it always is.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
: "${RECORD:?the path of the record program}"
if [ -z "${FAILING_MALLOC:-}" ]; then
    echo "skipped: the address sanitizer brings its own allocator, which cannot be replaced"
    exit 77
fi
shopt -s dotglob nullglob
samples=${WEIR_TEST_ROUNDS:-1}00 # allocations that fail per command, at most twice as many

# run_failing N COMMAND...: runs it with its N-th allocation failing; 0: none. Sets $status.
run_failing() {
    local n=$1
    shift
    status=0
    LD_PRELOAD=$FAILING_MALLOC WEIR_FAIL_ALLOC=$n WEIR_COUNT_ALLOC=$scratch/count "$@" >stdout 2>stderr || status=$?
}

# All that a command printed and wrote.
snapshot() {
    cat stdout stderr
    (cd written && cksum -- * </dev/null)
}

expect_normal() {
    expect_equal "exit status of $1" "$status" 0
    if [ "$(snapshot)" != "$normal" ]; then
        expect_equal "outcome of $1: difference" "$(diff <(printf '%s\n' "$normal") <(snapshot) | head -n 5)" ''
    fi
    rm -f written/*
}

expect_out_of_memory() {
    local lines left=(written/*)
    mapfile -t lines <stderr
    if [ "$status" != 4 ] || [ "${#lines[@]}" != 1 ] || [[ ${lines[0]} != 'weir: '* ]] || [ -s stdout ] ||
        [ "${#left[@]}" != 0 ]; then
        expect_equal "$1" "status $status, stderr '${lines[*]}', stdout '$(head -c 200 stdout)', files '${left[*]}'" \
            "status 4, one line on stderr, nothing on stdout, no files"
        rm -f written/*
    fi
}

# fail_each COMMAND...: it may write files to the folder `written`.
fail_each() {
    local count n step noticed=0 normal
    run_failing 0 "$@"
    count=$(<count)
    normal=$(snapshot)
    expect_normal "$*"
    step=$((count > 2 * samples ? count / samples : 1))
    for ((n = 1; n <= count; n += step)); do
        run_failing "$n" "$@"
        if [ "$status" = 0 ]; then
            expect_normal "'$*' with allocation $n of $count failing"
        else
            noticed=$((noticed + 1))
            expect_out_of_memory "'$*' with allocation $n of $count failing"
        fi
    done
    run_failing $((count + 1)) "$@"
    expect_normal "'$*' with no allocation failing"
    if [ "$noticed" = 0 ]; then
        expect_equal "failures that '$*' noticed" 0 'some'
    fi
}

mkdir written
"$RECORD" credence 1 300 trace.wtr
"$RECORD" --plain trace.wtr trace.raw
"$WEIR" slot run --policy cs --slots 20 --save-arrivals arrivals >/dev/null

fail_each "$WEIR" policies
fail_each "$WEIR" policies occamy
fail_each "$WEIR" policies --json
fail_each "$WEIR" policies --json tdt
fail_each "$WEIR" headroom --chip trident2
fail_each "$WEIR" headroom --chip trident2 --json
fail_each "$WEIR" headroom --trend
fail_each "$WEIR" slot run --policy dt:alpha=2 --slots 20
fail_each "$WEIR" slot run --policy credence --policy dt --arrivals arrivals --optimum --csv written/csv \
    --save-arrivals written/arrivals
fail_each "$WEIR" slot run --policy credence --oracle flip=0.1 --slots 20 --json --csv written/csv --rows written/rows \
    --trace written/trace
fail_each "$WEIR" slot run --traffic onoff --slots 20 --json
fail_each "$WEIR" slot run --policy dt --slots 20 --csv -
fail_each "$WEIR" slot fig14 --slots 20 --seeds 1 --csv written/csv
fail_each "$WEIR" slot fig14 --slots 20 --seeds 1 --csv -
fail_each "$WEIR" slot fig14 --slots 20 --seeds 1 --csv written/csv --json
fail_each "$WEIR" slot fig14 --slots 20 --seeds 1 --csv written/csv --sweep
fail_each "$WEIR" replay trace.wtr
fail_each "$WEIR" replay --json trace.wtr trace.raw
cat >tiny.yaml <<'END'
name: tiny
until: 2ms
topology: {kind: explicit, hosts: 3, switches: 1, links: [{a: h0, b: s0}, {a: h1, b: s0}, {a: h2, b: s0}]}
switch: {buffer: 30KB, policy: {name: dt, alpha: 1}}
transports:
  tcp: {kind: newreno, min_rto: 1ms}
traffic:
  - {kind: incast, tag: burst, transport: tcp, sources: h1-h2, destination: h0, bytes: 50KB}
  - {kind: poisson, transport: tcp, sizes: [[1KB, 0.5], [2KB, 1]], load: 0.01}
  - {kind: list, transport: tcp, file: flows.txt}
failures: [{when: 1us, at: s0, to: h0}, {when: 2us, at: s0, to: h0, state: up}]
measure: {goodput_interval: 1ms, probes: [{at: s0, to: h0, interval: 100us}]}
END
printf '0 1 2 3000 x\n' >flows.txt
cat >lossless.yaml <<'END'
until: 1ms
topology: {kind: dumbbell, left: 2, right: 1}
switch: {buffer: 1MiB, classes: 2, lossless: 0, headroom: sih, policy: dt}
transports: {rdma: {kind: none, class: 0, ack_class: 1}}
traffic: [{kind: incast, transport: rdma, sources: h0-h1, destination: h2, bytes: 100KB}]
END
fail_each "$WEIR" headroom lossless.yaml
fail_each "$WEIR" headroom lossless.yaml --json
fail_each "$WEIR" run --reference
fail_each "$WEIR" run --print-config tiny.yaml --set switch.buffer=20KB --seed 2
fail_each "$WEIR" run tiny.yaml
fail_each "$WEIR" run tiny.yaml --json --records written/r --series written/s --csv written/t
fail_each "$WEIR" run tiny.yaml --records -
fail_each "$WEIR" run lossless.yaml --json --pauses written/p
fail_each "$WEIR" run tiny.yaml --losses written/l --trace s0=written/t
fail_each "$WEIR" run tiny.yaml --rows written/r.zst
cat >job.yaml <<'END'
until: 1ms
topology: {kind: dumbbell, left: 2, right: 1}
switch: {buffer: 40KB, classes: 2, lossless: 0, headroom: sih, policy: dt}
transports: {rdma: {kind: none, class: 0, ack_class: 1}}
traffic: [{kind: collective, transport: rdma, operation: all-to-all, bytes: 30KB}]
END
fail_each "$WEIR" run job.yaml --timeline written/h.html --flows written/f.cm
fail_each "$WEIR" run job.yaml --json --timeline written/e.json --flows written/f.csv
fail_each "$WEIR" run job.yaml --timeline written/o.csv
asking=(--set switch.policy=credence --set "switch.oracle={model: $WEIR_ROOT/tests/golden/credence.forest, flip: 0.1}")
"$WEIR" run tiny.yaml "${asking[@]}" >/dev/null # its place in the database
fail_each "$WEIR" run tiny.yaml "${asking[@]}"

# Results. A sweep that is there already is planned and shown again.
cat >sweep.yaml <<'END'
until: 1ms
topology: {kind: single, hosts: 3}
switch: {buffer: 30KB, policy: dt}
transports: {tcp: {kind: newreno}}
traffic: [{kind: incast, tag: burst, transport: tcp, sources: h1-h2, destination: h0, bytes: 50KB}]
sweep: {policy: {switch.policy: [dt, lqd]}}
claims: [{id: c, text: A claim., rule: holds, value: lost.total >= 0}]
END
"$WEIR" run sweep.yaml >/dev/null
fail_each "$WEIR" run --schema
fail_each "$WEIR" run sweep.yaml --quiet
fail_each "$WEIR" run sweep.yaml --list
fail_each "$WEIR" show sweep.db
fail_each "$WEIR" show --runs sweep.db
fail_each "$WEIR" export --csv sweep.db
fail_each "$WEIR" export --csv --curves --cost sweep.db -o written/x
fail_each "$WEIR" export --json --curves sweep.db -o written/x
finish
