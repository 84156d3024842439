#!/usr/bin/env bash
# weir run with lossless classes: what is shown, and that a loss or a deadlock that is not expected is an error, of a
# single run, of a sweep, and of a sweep that was resumed.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/apps/sweep.sh
source "$root/tests/apps/sweep.sh"

cat >good.yaml <<'END'
name: good
until: 200us
topology: {kind: single, hosts: 3, rate: 10Gbps, delay: 1us}
switch: {buffer: 200KB, lossless: 0, policy: dt, headroom: {name: sih, alpha: 1/16}}
transports: {u: {kind: udp, rate: 10Gbps}}
traffic:
  - {kind: long, transport: u, tag: a, sources: h0-h1, destinations: h2, bytes: 100MB}
END
expect_run 0 '' "$WEIR" run good.yaml
expect_match 'pauses' "$output" '^paused for [0-9.]+us over ports and classes \(hosts [0-9.]+us, switches 0ps\):$'
expect_match 'how many' "$output" '^[0-9]+ pauses, [0-9]+ resumes, 0 refreshes in [0-9]+ frames; whole ports 0 times$'
expect_match 'none is lost' "$output" '^lossless packets lost: 0$'
expect_match 'headroom' "$output" '^headroom [0-9.]+KB per queue, [0-9.]+KB of 200KB reserved'
expect_run 0 '' "$WEIR" run good.yaml --json
expect_equal 'in JSON' "$(python3 -c 'import json, sys
f = json.load(sys.stdin)["flow_control"]
print(f["paused"]["pauses"] > 0, f["lossless_lost"], f["first_loss"], f["deadlock"], f["violations"])' <<<"$output")" \
    'True 0 None None 0'
expect_equal 'by port and class' "$(python3 -c 'import json, sys
f = json.load(sys.stdin)["flow_control"]
q = f["queues"]
print([(r["at"], r["peer"], r["port"], r["class"]) for r in q])
print(all(sum(r[k + "_sent"] for r in q) == f["paused"][k] for k in ("pauses", "resumes", "refreshes")), sum(r["held_ps"] for r in q) == f["paused"]["hosts_ps"],
    max(r["headroom_peak_bytes"] / r["headroom_bytes"] for r in q if r["headroom_bytes"]) == f["headroom"]["peak"])' \
    <<<"$output")" "[('h0', 's0', 0, 0), ('h1', 's0', 0, 0), ('s0', 'h0', 0, 0), ('s0', 'h1', 1, 0)]
True True True"
json=$output
expect_run 0 '' "$WEIR" run good.yaml --pauses - # instead of the tables
expect_equal 'the same in CSV' "$(python3 -c 'import csv, json, sys
rows = json.loads(sys.argv[1])["flow_control"]["queues"]
print([dict(r) for r in csv.DictReader(sys.stdin)] ==
    [{k: str(v) for k, v in r.items()} for r in rows])' "$json" <<<"$output")" True
expect_run 2 'weir: run: --losses and --pauses are the same file (expected two)' \
    "$WEIR" run good.yaml --losses x --pauses x
rm good.db

# Too little headroom: the run is stored, and fails.
loss() { "$WEIR" run good.yaml --set switch.headroom_size=1000B -o loss.db "$@"; }
status=0
output=$(loss 2>errors) || status=$?
expect_equal 'status of a loss' "$status" 1
expect_match 'the loss' "$(cat errors)" '^weir: good.yaml: [0-9]+ packets of lossless classes were lost, the first at [0-9.]+us at s0 from h[01], class 0, 1518 B \(expected none; '
expect_match 'the headroom' "$(cat errors)" '^weir:   headroom in use: 0B by its queue, of 1KB; 0B in the headroom pool, of 3KB$'
expect_match 'the term' "$(cat errors)" '^weir:   its class was paused at [0-9.]+us, the PAUSE left at [0-9.]+us; the term of the headroom it is in: propagation of the last packet$'
expect_match 'all terms' "$(cat errors)" '^weir:   the terms of its link at most: waiting 1.518KB, propagation of the PAUSE 1.25KB, processing 3.84KB, '
expect_match 'also in the tables' "$output" '^lossless packets lost: [0-9]+; '
status=0
output=$(loss --set pfc.processing=5000B 2>&1) || status=$?
expect_match 'the processing of the scenario' "$output" '^weir:   the terms of its link at most: waiting 1.518KB, propagation of the PAUSE 1.25KB, processing 5KB, '
rm loss.db
loss >/dev/null 2>&1 || status=$?
expect_run 1 '' "$WEIR" show loss.db
expect_match 'shown first' "$(sed -n 4,5p <<<"$output")" '^VIOLATED: 1 of 1 runs lost packets of lossless classes or found a deadlock unexpectedly$'
expect_match 'which run' "$(sed -n 5p <<<"$output")" '^  seed 1: lost [0-9]+ packets of lossless classes, no deadlock \(run [0-9a-f]{16}\)$'
expect_run 1 '' "$WEIR" show --runs loss.db
expect_match 'the state of the run' "$output" '^[0-9a-f]{16}  violated '
expect_run 0 '' "$WEIR" report loss.db -o -
expect_match 'in the report' "$output" '^<li>seed 1: lost [0-9]+ packets of lossless classes, no deadlock</li>$'
expect_equal 'it is stored' "$(ask loss.db "SELECT value FROM measure WHERE name='violations'")" 1.0
status=0
output=$(loss --json 2>/dev/null) || status=$?
expect_equal 'status with --json' "$status" 1
expect_match 'the first loss in JSON' "$output" '"term": "propagation of the last packet"'
expect_run 0 '' loss --set pfc.loss=expected
expect_run 0 '' "$WEIR" show loss.db
expect_equal 'nothing violated' "$(grep -c VIOLATED <<<"$output")" 0
rm loss.db errors

# A sweep goes on, and names the points; it knows them when nothing is left to run.
{
    cat good.yaml
    echo 'seeds: 2'
    echo 'sweep: {size: {switch.headroom_size: [1000B, 20KB]}}'
} >sweep.yaml
for again in first resumed; do
    status=0
    output=$("$WEIR" run sweep.yaml -o sweep.db --quiet 2>errors) || status=$?
    expect_equal "status of the $again sweep" "$status" 1
    expect_match "a point of the $again sweep" "$(cat errors)" '^weir: sweep.db: size=1000B, seed 2: lost [0-9]+ packets of lossless classes, no deadlock \(--only [0-9a-f]{16} says more\)$'
    expect_match "the end of the $again sweep" "$(tail -n 1 errors)" '^weir: sweep.db: 2 of 4 runs lost packets of lossless classes or found a deadlock unexpectedly$'
done
status=0
output=$("$WEIR" show sweep.db) || status=$?
expect_equal 'status of its show' "$status" 1
expect_equal 'points that show names' "$(grep -c '^  size=1000B, seed [12]: lost [0-9]* packets of lossless classes' <<<"$output")" 2
expect_equal 'all are stored' "$(ask sweep.db 'SELECT count(*) FROM run')" 4
status=0
"$WEIR" run sweep.yaml -o expected.db --quiet --set pfc.loss=expected >/dev/null 2>errors || status=$?
expect_equal 'status of a sweep that expects it' "$status $(cat errors)" '0 '
rm ./*.db errors

# Each host sends two hops on: a deadlock.
cat >ring.yaml <<'END'
name: ring
until: 1ms
topology:
  kind: explicit
  hosts: 5
  switches: 5
  links:
    - {a: h0, b: s0}
    - {a: h1, b: s1}
    - {a: h2, b: s2}
    - {a: h3, b: s3}
    - {a: h4, b: s4}
    - {a: s0, b: s1}
    - {a: s1, b: s2}
    - {a: s2, b: s3}
    - {a: s3, b: s4}
    - {a: s4, b: s0}
switch: {buffer: 100KB, lossless: 0, policy: dt, headroom: {name: sih, alpha: 1/4}}
transports: {u: {kind: udp, rate: 10Gbps}}
traffic:
  - {kind: long, transport: u, tag: a, sources: h0, destinations: h2, bytes: 100MB}
  - {kind: long, transport: u, tag: a, sources: h1, destinations: h3, bytes: 100MB}
  - {kind: long, transport: u, tag: a, sources: h2, destinations: h4, bytes: 100MB}
  - {kind: long, transport: u, tag: a, sources: h3, destinations: h0, bytes: 100MB}
  - {kind: long, transport: u, tag: a, sources: h4, destinations: h1, bytes: 100MB}
END
status=0
output=$("$WEIR" run ring.yaml 2>errors) || status=$?
expect_equal 'status of a deadlock' "$status" 1
expect_match 'the deadlock' "$(cat errors)" '^weir: ring.yaml: deadlock from [0-9.]+us on, found at [0-9.]+us: s0 -> s1 -> s2 -> s3 -> s4 -> s0, class 0 \(expected none; '
expect_match 'also in the tables' "$output" '^deadlock from [0-9.]+us on, class 0, 5 queues: s0 -> s1 -> s2 -> s3 -> s4 -> s0$'
status=0
output=$("$WEIR" run ring.yaml --set until=120us 2>&1) || status=$? # one look, and the end
expect_equal 'status of a late deadlock' "$status" 1
expect_match 'at the end' "$output" '^weir: ring.yaml: deadlock from [0-9.]+us on, found at 120us: '
expect_run 0 '' "$WEIR" run ring.yaml --set pfc.watchdog.detect=100us --set pfc.deadlock=expected --losses l.csv
expect_match 'lost to the watchdog' "$output" '^lost ([0-9]+): refused 0, after acceptance 0, unroutable 0, on links 0, by the watchdog \1$'
expect_match 'in the table' "$output" '^lost at .* flushed  watchdog$'
expect_equal 'in the file' "$(python3 -c 'import csv
rows = list(csv.DictReader(open("l.csv")))
print(len(rows) > 0 and all(int(r["lost.watchdog"]) == int(r["lost.total"]) > 0 for r in rows))')" True
expect_run 0 '' "$WEIR" run ring.yaml --set pfc.deadlock=expected
expect_match 'the whole time' "$output" '^seed 1, 1ms of 1ms$'
expect_run 0 '' "$WEIR" run ring.yaml --set pfc.deadlock=stop
expect_match 'stopped' "$output" '^seed 1, 200us of 1ms: stopped at a deadlock$'
expect_match 'onset' "$(ask ring.db "SELECT value FROM measure WHERE name='deadlock.onset'" | tail -n 1)" '^[0-9.e-]+$'
expect_equal 'as a curve' "$("$WEIR" export --csv --curves ring.db | grep -c 'deadlock\.by.*,1$')" 1
finish
