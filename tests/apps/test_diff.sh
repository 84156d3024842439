#!/usr/bin/env bash
# `weir diff`: two results, paired by point and seed; and `weir show --relative-to`, tables that fit a terminal.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

cat >a.yaml <<'Y'
name: a
until: 2ms
seeds: 3
topology: {kind: single, hosts: 6, rate: 10Gbps, delay: 1us}
switch: {buffer: 60KB, policy: dt}
transports: {t: {kind: cubic, min_rto: 200us}}
traffic:
  - {kind: query, tag: query, transport: t, sources: h1-h5, destinations: h0, bytes: 10KB, rate: 4000/s}
sweep:
  policy: {labels: [DT, LQD], switch.policy: [dt, lqd]}
  size: {traffic.query.bytes: [10KB, 20KB]}
figures:
  - {kind: line, title: Mean, x: size, lines: policy, y: query.qct.mean}
Y
"$WEIR" run --quiet a.yaml >/dev/null
"$WEIR" run --quiet --set topology.rate=1Gbps -o b.db a.yaml >/dev/null

expect_run 0 '' "$WEIR" diff a.db a.db
expect_match 'the same' "$output" '0 of [0-9]+ numbers differ, ([0-9]+) are equal, of 0 the seeds do not tell$'
expect_run 1 '' "$WEIR" diff --measure qct.mean a.db b.db
expect_match 'columns' "$output" 'policy +size +measure +A +B +change'
expect_match 'with intervals' "$output" 'LQD +10KB +query.qct.mean +[0-9.]+ us +[0-9.]+ us +\+[0-9.]+ % ± [0-9.]+ %'
expect_match 'how many' "$output" '[234] of 4 numbers differ, 0 are equal, of [012] the seeds do not tell$'
expect_no_match 'the same code' "$output" 'their code differs'
expect_run 1 '' "$WEIR" diff --all a.db b.db
expect_match 'flows of a tag' "$output" ' query\.fct\.mean '
expect_no_match 'and not once more by size, where all are of one' "$output" ' query\.(short|medium|long)\.fct'
expect_run 1 '' "$WEIR" diff --measure short.fct.mean a.db b.db
expect_match 'unless they are asked for' "$output" ' query\.short\.fct\.mean '
if [ -n "$has_python" ]; then # runs of B by another build of lqd
    cp b.db d.db
    python3 -c 'import sqlite3
db = sqlite3.connect("d.db")
db.executescript("DROP TABLE seal; PRAGMA user_version=2; UPDATE run SET code = replace(code, \"lqd=\", \"lqd=f\")")'
    "$WEIR" diff --measure qct.mean a.db d.db >out 2>err || true
    expect_match 'whose code differs' "$(cat out err)" '^their code differs in lqd$'
    rm d.db
fi
sed "s/10KB, 20KB/30KB/" a.yaml >c.yaml
"$WEIR" run --quiet -o c.db c.yaml >/dev/null
expect_run 3 "weir: a.db and c.db have no point in common (expected the same axes and labels)" "$WEIR" diff a.db c.db
expect_run 3 "weir: diff: --measure: no run of both has 'nothing' (weir measures lists the names)" \
    "$WEIR" diff --measure nothing a.db b.db

# Relative to a policy: its own column is 1.
expect_run 0 '' "$WEIR" show --relative-to DT a.db
expect_match 'what it says' "$output" 'Mean: query: mean query completion time, relative to DT'
expect_match 'itself' "$output" '^ +10 +1 +'
expect_match 'that it is a mean of ratios' "$output" '^means over [0-9]+ seeds of the ratio, taken seed by seed;'
expect_run 3 "weir: 'dt' is no line or bar of any figure (did you mean 'DT'?)" "$WEIR" show --relative-to dt a.db
expect_run 3 "weir: 'XYZZY' is no line or bar of any figure (expected one of those that \`weir show\` has)" \
    "$WEIR" show --relative-to XYZZY a.db

# A narrow terminal gets headings of several lines, a very narrow one the table in parts.
for width in 100 60 30; do
    longest=$(COLUMNS=$width "$WEIR" run --quiet --only policy=DT --only size=10KB --seeds 1 -o d.db a.yaml |
        sed -n '/^ *tag/,/^$/p' | awk '{ n = length($0); if (n > most) most = n } END { print most }')
    expect_equal "at most $width columns" "$((longest <= width))" 1
done
finish
