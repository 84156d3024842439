#!/usr/bin/env bash
# test_foreign.sh - files that others made: nothing in them reaches a terminal as a command, and a database with
# definitions or rows that weir did not write is refused.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
[ -n "$has_python" ] || { echo 'skipped: there is no python3'; exit 77; }

# Every place that takes a text of its own, with an override of direction. The reader of scenarios
# refuses escape sequences, C0 and C1.
sed 's/BAD/\\u202E/' >evil.yaml <<'END'
name: "evilBAD"
title: "aboutBAD"
seed: 1
until: 100us
topology: {kind: single, hosts: 4, rate: 10Gbps, delay: 1us}
switch: {buffer: 100KB, policy: dt}
transports: {t: {kind: cubic}}
traffic: [{kind: long, tag: "tagBAD", transport: t, sources: h0-h1, destinations: h2}]
END
sed 's/BAD/\\u202E/g' >evil-sweep.yaml <<'END'
name: "sweepBAD"
title: "aboutBAD"
seed: 1
until: 100us
topology: {kind: single, hosts: 4, rate: 10Gbps, delay: 1us}
switch: {buffer: 100KB, policy: dt}
transports: {t: {kind: cubic}}
traffic: [{kind: long, tag: long, transport: t, sources: h0-h1, destinations: h2}]
sweep:
  policy: {labels: ["DTBAD", "LQDBAD"], switch.policy: [dt, lqd]}
figures: [{kind: bar, title: "titleBAD", x: policy, y: long.goodput}]
END

# expect_clean COMMAND...: whatever it prints, and however it ends, holds no control that a terminal obeys.
expect_clean() {
    local status=0
    "$@" >out 2>err || status=$?
    [ "$status" -lt 128 ] || expect_equal "exit status of '$*'" "$status" 'below 128'
    python3 - "$*" out err <<'END' || failures=$((failures + 1))
import re, sys
for name in sys.argv[2:]:
    data = open(name, "rb").read()
    text = data.decode("utf-8", "replace")
    found = re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufffd]", text)
    if found:
        sys.exit(f"FAIL '{sys.argv[1]}' prints {found[:5]!r} to std{name}")
END
}

for file in evil.yaml evil-sweep.yaml; do
    expect_clean "$WEIR" run "$file" --output "$file.db"
    expect_clean "$WEIR" run "$file" --print-config
    expect_clean "$WEIR" run "$file" --json
    expect_clean "$WEIR" run "$file" --csv -
    expect_clean "$WEIR" run "$file" --records -
    expect_clean "$WEIR" show "$file.db"
    expect_clean "$WEIR" export --csv "$file.db"
    expect_clean "$WEIR" export --json "$file.db"
    expect_clean "$WEIR" report "$file.db" --output -
done
expect_clean "$WEIR" run "$(printf 'no\033]0;such\a')"
expect_clean "$WEIR" show evil.yaml
printf 'name: \233raw\n' >raw.yaml
expect_clean "$WEIR" run raw.yaml
printf 'a\033[2J: 1\n' >key.yaml
expect_clean "$WEIR" run key.yaml
cp evil-sweep.yaml "$(printf 'name\033[2J\302\233.yaml')"
expect_clean "$WEIR" run "$(printf 'name\033[2J\302\233.yaml')"

finish
