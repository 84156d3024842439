#!/usr/bin/env bash
# Flows and queries that the end of a run cuts off are named, and what they leave uncertain is marked, everywhere.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/apps/sweep.sh
source "$root/tests/apps/sweep.sh"

# Bursts of four flows every 50 us take less than that. At 1 ms all are finished, at 1.045 ms the last is not: it is
# older than the finished ones took, except for a flow that starts later.
cat >cut.yaml <<'END'
name: cut
until: 1.045ms
topology: {kind: single, hosts: 5, rate: 10Gbps, delay: 1us}
switch: {buffer: 400KB, policy: dt}
transports: {t: {kind: dctcp}, slow: {kind: udp, rate: 100Mbps}}
traffic:
  - {kind: incast, transport: t, tag: burst, sources: h0-h3, destination: h4, bytes: 20KB, interval: 50us, rounds: 20}
  - {kind: incast, transport: slow, tag: burst, sources: h0, destination: h1, bytes: 20KB, from: 900us, rounds: 1}
  - {kind: long, transport: t, tag: endless, sources: h2, destinations: h3}
END
expect_run 0 '' "$WEIR" run cut.yaml
expect_match 'what is unfinished' "$output" '^unfinished: 1 flow \(burst 1\), 1 query \(burst 1\)$'
expect_match 'flows, p50 known, mean of the finished' "$output" \
    '^burst +81 +80 +1 +[0-9.]+us † +[0-9.]+us +≥ 145us '
expect_match 'queries' "$output" '^burst +21 +20 +1 +[0-9.]+us † +[0-9.]+us +≥ 145us +≥ 145us '
expect_match 'endless flows are not' "$output" '^endless +1 +0 +0 +- '
expect_match 'the legend' "$output" '^≥ a lower bound: '
expect_match 'the other legend' "$output" '^† without what did not finish'
expect_run 0 '' "$WEIR" run cut.yaml --json
expect_equal 'in JSON' "$(from_json '(d["tags"][0]["unfinished"], [k for k, v in d["censored"].items() if k.startswith("burst.fct.") and v == "bound"],
    [k for k, v in d["censored"].items() if k.startswith("burst.fct.") and v == "partial"],
    d["tags"][1]["unfinished"], d["measures"]["unfinished"], d["measures"]["burst.fct.known"])')" \
    "(1, ['burst.fct.max', 'burst.fct.p99', 'burst.fct.p999'], ['burst.fct.mean'], 0, 1.0, $(python3 -c 'print(80 / 81)'))"
expect_run 0 '' "$WEIR" run cut.yaml --csv -
expect_equal 'in CSV' "$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
    NR == 2 {printf "%s %.4f %s %.4f", $at["unfinished"], $at["fct.known"], $at["queries_unfinished"], $at["qct.known"]}' <<<"$output")" '1 0.9877 1 0.9524'

# A sweep, in which one point is cut off.
cat >>cut.yaml <<'END'
sweep: {until: {until: [1.045ms, 3ms]}}
figures:
  - {kind: line, title: p99, x: until, y: burst.qct.p99}
  - {kind: line, title: mean, x: until, y: burst.qct.mean}
  - {kind: bar, title: bound, x: until, y: burst.qct.mean, unfinished: as-bound}
  - {kind: line, title: out, x: until, y: burst.qct.p99, unfinished: leave-out}
  - {kind: cdf, title: cdf, lines: until, curve: burst.qct.cdf}
claims:
  - {id: soon, text: Soon., rule: at-most, paper: 10ms, value: burst.qct.p99}
END
expect_run 0 '' "$WEIR" run cut.yaml -o sweep.db
expect_match 'marks of a sweep' "$output" '^1.045ms +≥ 145 us +[0-9.]+ us † +≥ [0-9.]+ us +[0-9.]+ us$'
expect_match 'no mark' "$output" '^ +3ms +1\.[0-9]+ ms +[0-9.]+ us +[0-9.]+ us +1\.[0-9]+ ms$'
expect_match 'counts by point' "$output" '^1.045ms +1 +1 +1 +1$'
expect_match 'a claim' "$output" '^soon .* met, censored at 1 of 2 points$'
expect_match 'in all' "$output" '^1 flow and 1 query in 1 of 2 runs did not finish$'
shown=$(sed '/^results in/d' <<<"$output")
expect_run 0 '' "$WEIR" show sweep.db
expect_equal 'the same again' "$(tail -n +4 <<<"$output")" "$shown"

expect_run 0 '' "$WEIR" export --csv sweep.db
expect_equal 'marks as columns' "$(python3 -c 'import csv, sys
print([(r["burst.qct.bound"], r["burst.qct.partial"], r["unfinished"]) for r in csv.DictReader(sys.stdin)])' <<<"$output")" \
    "[('max p99 p999', 'mean', '1'), ('', '', '0')]"
expect_run 0 '' "$WEIR" export --json sweep.db
expect_equal 'marks as fields' "$(from_json '([r["censored"].get(n) for r in d["runs"] for n in
    ("burst.qct.p99", "burst.qct.mean", "burst.qct.p50")], [(c["censored"], c["censoring"]) for c in d["claims"]])')" \
    "(['bound', 'partial', None, None, None, None], [(1, '')])"

expect_run 0 '' "$WEIR" report sweep.db -o page.html
expect_match 'the guide' "$(cat page.html)" '<strong>1 flow and 1 query in 1 of 2 runs did not finish\.</strong>'
expect_match 'a chart' "$(cat page.html)" '<text class="ink"[^>]*>≥</text>'
expect_match 'its legend' "$(cat page.html)" '>lower bound</text>'
expect_match 'its note' "$(cat page.html)" '<figcaption>.*≥ a lower bound: '
expect_match 'its data' "$(cat page.html)" '"signs":\["≥",""\]'
expect_match 'its numbers' "$(cat page.html)" '<td>≥ 0.145</td>'
expect_match 'a distribution' "$(cat page.html)" 'A line that ends below 1: the rest did not finish'
expect_match 'the table' "$(cat page.html)" '<td>≥ 145 us</td>'
expect_match 'a claim in the page' "$(cat page.html)" '<small>censored at 1 of 2 points</small>'
expect_run 0 '' "$WEIR" report sweep.db --format gnuplot -o plots
expect_match 'gnuplot' "$(cat plots/01-*.gp)" '^ 1.045 0.145 NaN NaN ≥ 0x[0-9a-f]{6}$'

# A misspelled treatment.
sed 's/as-bound/as-bounds/' cut.yaml >wrong.yaml
status=0
output=$("$WEIR" run wrong.yaml 2>&1) || status=$?
expect_equal 'status' "$status" 3
expect_match 'the treatments' "$output" "unfinished: .*as-bounds.*as-bound"

# Lossless classes show pauses and headroom without being asked.
cat >pfc.yaml <<'END'
name: pfc
until: 200us
topology: {kind: single, hosts: 3, rate: 10Gbps, delay: 1us}
switch: {buffer: 200KB, lossless: 0, policy: dt, headroom: {name: sih, alpha: 1/16}}
transports: {u: {kind: udp, rate: 10Gbps}}
traffic:
  - {kind: long, transport: u, tag: a, sources: h0-h1, destinations: h2, bytes: 50KB}
sweep: {alpha: {switch.headroom.alpha: [1/16, 4]}}
END
expect_run 0 '' "$WEIR" run pfc.yaml
expect_match 'headings' "$output" '^alpha +pause.time +pause.pauses +headroom.peak +lossless.lost$'
expect_match 'a point' "$output" '^1/16 +[0-9.]+ us +[0-9]+ +0\.[0-9]+ +0$'
expect_run 0 '' "$WEIR" report pfc.db -o pfc.html
expect_match 'columns of the page' "$(cat pfc.html)" 'pause\.<wbr>time</th><th scope="col">pause\.<wbr>pauses</th><th scope="col">headroom\.<wbr>peak</th>'
finish
