#!/usr/bin/env bash
# run.sh - the tests of the report's page in a browser: makes up results, writes their reports and drives Chromium
# through them. Exit status 77: something for it is missing.
#
# WEIR is the command, FAKE_RESULTS the program of fake_results.c, WEIR_ROOT the source tree. With PICTURES=FOLDER there are
# pictures of pages with real results instead, for the docs, which fail where a text is cut or a page runs out of its
# window (`make pictures`); with WEIR_SWITCH also of a trace that a switch has recorded.
set -euo pipefail
here=$WEIR_ROOT/tests/browser

skip() {
    echo "skipped: $1 (tools/deps test)"
    exit 77
}
command -v node >/dev/null || skip 'node is missing'
[ -d "$here/node_modules/playwright-core" ] || skip 'playwright-core is missing'
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip 'chromium is missing'
export CHROMIUM
[ -d "$WEIR_ROOT/show/node_modules/uplot" ] || skip 'uPlot is missing'

scratch=$(mktemp -d)
switch_pid=
trap '[ -z "$switch_pid" ] || kill -KILL "$switch_pid" 2>/dev/null || true; rm -rf "$scratch"' EXIT

# record_switch FILE: frames of captures go through weir-switch, without devices; it stops when all have come to their end.
record_switch() {
    local port left
    local -a devices=()
    python3 "$here/frames.py" .
    for port in 0 1 2 3; do
        devices+=(--device "net_pcap$port,rx_pcap=in$port.pcap,tx_pcap=out$port.pcap")
    done
    "$WEIR_SWITCH" "${devices[@]}" --control ./control --trace "$1" "$here/switch.yaml" >switch.log 2>&1 &
    switch_pid=$!
    for _ in $(seq 240); do
        left=$("$WEIR" switch counters --json --control ./control 2>/dev/null | python3 -c '
import json, sys
queues = json.load(sys.stdin)["queues"]
print(2160 - sum(q["SAI_QUEUE_STAT_PACKETS"] + sum(q["lost_by_cause"].values()) for q in queues))' 2>/dev/null) || left=2160
        [ "$left" -gt 0 ] || break
        sleep 0.25
    done
    [ "$left" -eq 0 ] || { cat switch.log && return 1; }
    "$WEIR" switch stop --control ./control >/dev/null
    wait "$switch_pid"
    switch_pid=
}

examples=$WEIR_ROOT/scenarios/examples
if [ -n "${PICTURES-}" ]; then
    mkdir -p "$PICTURES"
    cd "$scratch"
    "$WEIR" run "$WEIR_ROOT/scenarios/demo.yaml" -o demo.db >/dev/null
    { cat "$examples/leaf-spine-websearch.yaml" && cat "$here/fabric_sweep.yaml"; } >fabric.yaml
    "$WEIR" run fabric.yaml -o fabric.db >/dev/null
    "$WEIR" run "$WEIR_ROOT/scenarios/gallery/headroom.yaml" -o lossless.db >/dev/null
    for name in demo fabric lossless; do
        "$WEIR" report "$name.db" >/dev/null
    done
    "$WEIR" run "$examples/burst-meets-long-flows.yaml" --set switch.policy=occamy --trace s0=s0.wtr >/dev/null
    "$WEIR" replay --timeline timeline.html s0.wtr >/dev/null
    if [ -x "${WEIR_SWITCH-}" ]; then
        record_switch switch.wtr
        "$WEIR" replay --timeline switch.html switch.wtr >/dev/null
    else
        echo 'without pictures of a switch: weir-switch is not built (libdpdk-dev)'
    fi
    node "$here/pictures.js" "$scratch" "$PICTURES"
    exit
fi
"$FAKE_RESULTS" "$here/demo.yaml" "$scratch/demo.db" query
"$FAKE_RESULTS" "$here/demo.yaml" "$scratch/missing.db" query 7
"$FAKE_RESULTS" "$here/hostile.yaml" "$scratch/hostile.db" '</script><script>alert("tag")</script>' 1
sed -e '/^paper:/d' -e 's/^    rule:/    expected: yes\n    rule:/' "$here/demo.yaml" >"$scratch/ours.yaml"
"$FAKE_RESULTS" "$scratch/ours.yaml" "$scratch/ours.db" query
for name in demo missing hostile ours; do
    "$WEIR" report "$scratch/$name.db" >/dev/null
done
# Timelines: of a policy that refuses and expels, and of one that pauses, in a file with a name that is markup.
(
    cd "$scratch"
    "$WEIR" run "$examples/burst-meets-long-flows.yaml" --set switch.policy=occamy --trace s0=occamy.wtr >/dev/null
    "$WEIR" run "$examples/lossless-incast.yaml" --set until=500us --trace s0=lossless.wtr >/dev/null
    cp lossless.wtr '<img src=x onerror=alert(1)>.wtr'
    "$WEIR" replay --no-naive --timeline timeline.html occamy.wtr >/dev/null
    "$WEIR" replay --no-naive --timeline pauses.html '<img src=x onerror=alert(1)>.wtr' >/dev/null
    {
        echo 'num_ranks 8'
        for rank in 0 1 2 3 4 5 6; do
            printf 'rank %d {\nc: calc %d\ns: send 500000b to 7\ns requires c\n}\n' "$rank" "$((1000 * rank))"
        done
        echo 'rank 7 {'
        for rank in 0 1 2 3 4 5 6; do echo "r$rank: recv 500000b from $rank"; done
        echo '}'
    } >ranks.goal
    cat >ranks.yaml <<'END'
until: 100ms
topology: {kind: single, hosts: 8, rate: 100Gbps, delay: 1us}
switch: {buffer: 400KB, classes: 2, lossless: 0, headroom: sih, policy: dt}
transports: {t: {kind: none, class: 0, ack_class: 1}}
traffic: [{kind: job, tag: step, transport: t, file: ranks.goal}]
END
    "$WEIR" run --quiet ranks.yaml --timeline ranks.html >/dev/null
)
node "$here/report.js" "$scratch" "$@"
