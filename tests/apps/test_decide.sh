#!/usr/bin/env bash
# Sweeps until decided: seeds are added where a claim hangs, whoever makes the runs, and a stop changes nothing.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

cat >small.yaml <<'YAML'
name: small
until: 2ms
seeds: until decided, at most 12
topology: {kind: single, hosts: 9, rate: 10Gbps, delay: 1us}
switch: {buffer: 100KB, policy: dt}
transports: {t: {kind: dctcp}}
traffic:
  - {kind: poisson, tag: bg, transport: t, load: 60%, sizes: websearch}
sweep:
  policy: {switch.policy: [dt, lqd]}
  load: {traffic.bg.load: [20%, 40%, 60%]}
claims:
  - {id: large, text: It takes time., rule: invariant, value: bg.fct.mean > 0}
  - {id: open, text: At 60 % flows take longer., rule: holds, where: {policy: [dt, lqd]},
     value: "bg.fct.mean[load=60%] > 1.2 * bg.fct.mean[load=20%]"}
YAML
# try CODE REGEX COMMAND...: the exit status, and what standard error says among more.
try() {
    local code=$1 said=$2 status=0
    shift 2
    output=$("$@" 2>"$scratch/said") || status=$?
    expect_equal "exit status of '$*'" "$status" "$code"
    expect_match "stderr of '$*'" "$(cat "$scratch/said")" "$said"
}
rows() { "$WEIR" show "$1" | grep -v '^\(results\|.* runs, \|small\)'; }
made() { "$WEIR" show "$1" | grep -o '^[0-9]* of [0-9]* runs'; }

try 0 'about [0-9]+ more seeds decide it, [0-9.e-]+ core-hours$' "$WEIR" run --quiet --output one.db small.yaml
expect_match 'what is decided, at once' "$output" '^large .* met'
expect_match 'what is not, with its margin and of what' "$output" '^open .*margin .* of bg.fct.mean .*undecided'
expect_equal '5 seeds of each point, 12 where a claim hangs' "$(made one.db)" '58 of 72 runs'

try 0 '' "$WEIR" run --quiet --output two.db --jobs 1 --only seed=1 small.yaml
try 0 'more seeds decide it' "$WEIR" run --quiet --output two.db small.yaml
expect_equal 'what was begun is ended alike' "$(rows two.db)" "$(rows one.db)"

for _ in 1 2 3 4 5 6 7 8 9; do
    try 0 '.*' "$WEIR" run --quiet --output parts.db --slurm 2 small.yaml
    for part in 1 2; do
        try 0 '.*' "$WEIR" run --quiet --output parts.db --part $part/2 small.yaml
    done
done
try 0 '.*' "$WEIR" run --quiet --output parts.db small.yaml
expect_equal 'parts come to the same' "$(rows parts.db)" "$(rows one.db)"

try 0 'more seeds decide it' "$WEIR" run --quiet --output few.db --jobs 1 --set seeds=5 --decide 0.001s small.yaml
expect_equal 'a small budget is one look' "$(made few.db)" '34 of 300 runs'
try 2 "is no time of one core \(expected one such as 90s, 20min or 2.5h\)" "$WEIR" run --decide 5 small.yaml
try 3 "is no number of seeds \(expected one, or .until decided, at most N." \
    "$WEIR" run --set 'seeds=until bored' small.yaml
try 3 '3 until decided' "$WEIR" run --set 'seeds="3 until decided, at most 9"' small.yaml
try 3 'records: .* until decided' "$WEIR" run --output r.db --records f.csv small.yaml
finish
