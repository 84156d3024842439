#!/usr/bin/env bash
# `weir top`: a sweep while it runs. The runs of this one never end by themselves.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

cat >endless.yaml <<'Y'
name: endless
until: 900000s
topology: {kind: single, hosts: 3, rate: 10Gbps, delay: 1us}
switch: {buffer: 100KB, policy: dt}
transports: {t: {kind: cubic}}
traffic: [{kind: long, transport: t, sources: h1-h2, destinations: h0}]
sweep: {policy: {labels: [DT, LQD, EDT], switch.policy: [dt, lqd, edt]}}
Y
expect_run 3 "weir: endless.db: no sweep is under way (expected a database that \`weir run\` is writing on this machine; \`weir show\` shows what is in it)" \
    "$WEIR" top endless.db
"$WEIR" run --quiet --jobs 2 endless.yaml >/dev/null 2>&1 &
sweep=$!
trap 'kill -KILL $sweep 2>/dev/null || true; rm -rf "$scratch"' EXIT
# seen PATTERN COMMAND...: until its output has the pattern.
has_pattern() {
    local pattern=$1
    shift
    output=$("$@" 2>&1 || true)
    grep -qE "$pattern" <<<"$output"
}
seen() {
    wait_until "'$1'" has_pattern "$@"
}
runs='^endless.db: 0 of 3 runs done, 2 running, 0 failed; [0-9.]+(us|ms|s) simulated \([0-9.]+(us|ms|s) per second\), [0-9.]+ million packets/s; since [0-9][0-9hms]*'
seen "$runs" "$WEIR" top --times 1 endless.db
expect_match 'a line of the whole' "$output" "$runs"
expect_equal 'and no more, in a pipe' "$(wc -l <<<"$output")" 1
if command -v script >/dev/null; then
    row='policy=LQD, seed 1 +[0-9.]+(us|ms|s) +0 % +[0-9.]+(us|ms|s) +[0-9.]+ M +[0-9]+h'
    seen "$row" script -qec "$WEIR top --times 1 endless.db" /dev/null
    expect_match 'on a terminal a row for each run' "$output" 'policy=DT, seed 1 '
    expect_match 'with how far it is, its rates and its end' "$output" "$row"
fi
kill -TERM $sweep
wait $sweep || true
expect_equal 'nothing is left beside the database' "$(ls ./*-live 2>/dev/null || true)" ''
expect_run 3 "weir: endless.db: no sweep is under way (expected a database that \`weir run\` is writing on this machine; \`weir show\` shows what is in it)" \
    "$WEIR" top endless.db
# Of a sweep that was killed the file stays, and does not count.
"$WEIR" run --quiet --jobs 1 endless.yaml >/dev/null 2>&1 &
sweep=$!
trap 'kill -KILL $sweep 2>/dev/null || true; rm -rf "$scratch"' EXIT
seen '0 of 3' "$WEIR" top --times 1 endless.db
kill -KILL $sweep
wait $sweep 2>/dev/null || true
expect_run 3 "weir: endless.db: no sweep is under way (expected a database that \`weir run\` is writing on this machine; \`weir show\` shows what is in it)" \
    "$WEIR" top endless.db
expect_run 2 "weir: top: --control is of a switch (expected no file beside it)" "$WEIR" top --control x endless.db
expect_run 3 "weir: switch: no switch answers at $PWD/none.sock: No such file or directory (is weir-switch running? see --control)" \
    "$WEIR" top --control "$PWD/none.sock" --times 1
finish
