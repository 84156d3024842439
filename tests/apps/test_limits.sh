#!/usr/bin/env bash
# test_limits.sh - small inputs that ask for much: each ends early, with a message that names the limit.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

cat >instant.yaml <<'END'
until: 10s
topology: {kind: single, hosts: 3}
switch: {buffer: 30KB, policy: dt}
transports: {tcp: {kind: newreno}}
traffic:
  - {kind: incast, transport: tcp, sources: h1-h2, destination: h0, bytes: 1000000000B, fan_out: 1000000000}
END
cat >fabric.yaml <<'END'
until: 1ms
topology: {kind: fat-tree, k: 158}
switch: {buffer: 30KB, policy: dt}
transports: {tcp: {kind: newreno}}
traffic:
  - {kind: long, transport: tcp, sources: h1, destinations: h2, bytes: 1KB}
END
cat >small.yaml <<'END'
until: 1ms
topology: {kind: single, hosts: 3}
switch: {buffer: 30KB, policy: dt}
transports: {tcp: {kind: newreno}}
traffic:
  - {kind: long, transport: tcp, sources: h1, destinations: h2, bytes: 1KB}
END

# is_within PROCESS: it hears of SIGINT, which the shell lets what it starts ignore, and the launches take up memory.
is_within() {
    awk '/^SigCgt:/ { hears = $2 ~ /[2367abef]$/ } /^VmRSS:/ { takes = $2 > 50000 } END { exit !(hears && takes) }' \
        "/proc/$1/status"
}
# A billion launches in one instant: the limit of time, and SIGINT.
for threads in 1 2; do
    expect_run 4 'weir: the run took longer than 0.5s, its limit' \
        timeout 600 "$WEIR" run instant.yaml --threads $threads --quiet --set limits.time=500ms --set limits.memory=none
    "$WEIR" run instant.yaml --threads $threads --quiet --set limits.memory=4GB >out 2>err &
    pid=$!
    wait_until "launches with $threads threads" is_within "$pid"
    kill -INT "$pid"
    status=0
    wait "$pid" || status=$?
    expect_equal "SIGINT within an instant, $threads threads" "$status" 130
done
expect_files err fabric.yaml instant.yaml out small.yaml

# Memory counts while it is resident, and while a run is built.
if [ -z "${FAILING_MALLOC:-}" ]; then
    echo 'skipped: the memory limit: the address sanitizer has memory of its own'
else
    for threads in 1 2; do
        expect_run 4 'weir: out of memory: limits.memory is 100MB' \
            timeout 600 "$WEIR" run instant.yaml --threads $threads --quiet --set limits.memory=100MB
    done
    # Flows that stay open until there are too many, in windows that threads run.
    sed 's/fan_out: 1000000000/fan_out: 20, rounds: 1000000, interval: 1us/; s/1000000000B/1MB/; s/until: 10s/until: 1000s/' \
        instant.yaml >rounds.yaml
    expect_run 4 'weir: out of memory: limits.memory is 48MB' \
        timeout 600 "$WEIR" run rounds.yaml --threads 2 --quiet --set limits.memory=48MB
    rm rounds.yaml
    expect_run 4 'weir: out of memory: limits.memory is 100MB' timeout 600 "$WEIR" run fabric.yaml --set limits.memory=100MB
    expect_run 4 'weir: out of memory: limits.memory is 100MB' timeout 600 "$WEIR" run fabric.yaml --seeds 2 --set limits.memory=100MB
    expect_files err fabric.yaml instant.yaml out small.yaml
    expect_run 4 '' timeout 600 "$WEIR" run instant.yaml --seeds 2 --set limits.memory=100MB -o many.db
    expect_match 'a run of many' "$output" '^failed: seed 1: out of memory: limits.memory is 100MB$'
    expect_run 0 '' "$WEIR" run small.yaml --set limits.memory=32MB -o small.db # address space does not count
    rm many.db small.db
fi

# Files that are small and mean much, or that nobody writes.
{
    sed '/^traffic/,$d' small.yaml
    echo 'traffic: ['
    for ((i = 0; i < 100000; i++)); do echo '{kind: long, transport: tcp, sources: h1, destinations: h2},'; done
    echo ']'
} >million.yaml
expect_run 3 'weir: million.yaml:31253:57: more than 250000 values and keys (expected long lists in files of their own)' \
    timeout 600 "$WEIR" run million.yaml
if command -v zstd >/dev/null; then
    head -c 3000000000 /dev/zero | zstd --quiet -3 >bomb.wtr
    sed '/^  - /d' small.yaml >bomb.yaml
    echo '  - {kind: packets, transport: tcp, format: trace, file: bomb.wtr}' >>bomb.yaml
    sed -i 's/newreno/udp/' bomb.yaml
    status=0
    timeout 600 "$WEIR" run bomb.yaml >out 2>err || status=$?
    expect_equal 'a bomb' "$status" 3
    expect_match 'is named' "$(cat err)" "file: 'bomb.wtr': .*unpacks to more than 1000 times its size"
fi
mkfifo pipe
expect_run 3 'weir: pipe: is a pipe (expected a file, or - for standard input)' timeout 600 "$WEIR" run pipe
expect_run 3 'weir: pipe: is not a plain file' timeout 600 "$WEIR" show pipe
sed 's/{kind: long.*/{kind: list, transport: tcp, file: pipe}/' small.yaml >piped.yaml
expect_run 3 "weir: piped.yaml:6:40: file: 'pipe': is not a regular file" timeout 600 "$WEIR" run piped.yaml
expect_run 3 'weir: pipe: cannot be read: is a pipe' timeout 600 "$WEIR" predict --model pipe none.csv
expect_run 0 '' timeout 600 "$WEIR" run <(cat small.yaml) -o piped.db # a pipe of the shell has somebody at its end

# A file that outgrows its limit is a message, whatever the shell does with the signal.
status=0
(ulimit -f 8 && "$WEIR" run small.yaml --seeds 40 --quiet -o grown.db >out 2>err) || status=$?
expect_equal 'a database that cannot grow' "$status $(cat err)" \
    '4 weir: grown.db: the disk is full (make room and start again: finished runs are kept)'

finish
