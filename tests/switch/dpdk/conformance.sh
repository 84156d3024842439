#!/usr/bin/env bash
# conformance.sh - the switch against its own trace and against captures at both ends, for every policy: frames are read
# from captures, go through weir-switch, and are captured again when they leave or are dropped. The trace must replay in
# core and in the naive model; `conformance` then compares it with the captures (conformance.h).
#
#   conformance.sh MODE    completion: everything on one processor; pipeline: modules on two
#
# WEIR, WEIR_SWITCH and CONFORMANCE are the programs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tools/assert.sh
source "$here/../../tools/assert.sh"
: "${WEIR:?}" "${WEIR_SWITCH:?}" "${CONFORMANCE:?}"
mode=${1:-completion}
switch_pid=

stop_switch() {
    [ -z "$switch_pid" ] || kill -KILL "$switch_pid" 2>/dev/null || true
}
trap 'stop_switch; rm -rf "$scratch"' EXIT

settings=()
if [ "$mode" = pipeline ]; then
    mapfile -t cpus < <(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)), sep="\n")')
    if [ ${#cpus[@]} -lt 2 ]; then
        echo "skipped: a pipeline needs two processors"
        exit 77
    fi
    first=${cpus[0]} second=${cpus[1]}
    settings=(--set "dataplane.cpus={rx: [$first], forwarding: $second, tx: [$first], expulsion: $second}")
fi

# run FOLDER ARGUMENT...: the frames of the folder go through a switch; it stops when all have come to their end.
run() {
    local folder=$1 port
    local -a devices=()
    shift
    for port in 0 1 2 3; do
        devices+=(--device "net_pcap$port,rx_pcap=$folder/in$port.pcap,tx_pcap=$folder/out$port.pcap")
    done
    "$WEIR_SWITCH" "${devices[@]}" --control "$folder/control" --trace "$folder/run.trace" \
        --drops "$folder/drops.pcapng" "$@" "$here/conformance.yaml" >"$folder/stdout" 2>"$folder/stderr" &
    switch_pid=$!
    until "$WEIR" switch counters --control "$folder/control" --json >"$folder/counters.json" 2>/dev/null &&
        "$CONFORMANCE" settled "$folder"; do
        if ! kill -0 "$switch_pid" 2>/dev/null; then
            echo "the frames did not come to their end:"
            cat "$folder/stdout" "$folder/stderr"
            return 1
        fi
        sleep 0.05
    done
    "$WEIR" switch stop --control "$folder/control" >/dev/null
    local status=0
    wait "$switch_pid" || status=$?
    switch_pid=
    [ "$status" -eq "${expected:-0}" ] || { echo "FAIL the switch ended with $status instead of $expected"; return 1; }
}

# check NAME FOLDER CAUSE...: judges a run that must have lost packets by each of these causes.
check() {
    local name=$1 folder=$2 cause
    shift 2
    if ! "$WEIR" replay "$folder/run.trace" >"$folder/replay" 2>&1; then
        printf 'FAIL %s: the trace does not replay\n%s\n' "$name" "$(cat "$folder/replay")"
        failures=$((failures + 1))
    fi
    if ! counted=$("$CONFORMANCE" check "$folder" 2>&1); then
        printf 'FAIL %s: the captures do not agree with the trace\n%s\n' "$name" "$counted"
        failures=$((failures + 1))
        return
    fi
    echo "$name: $counted"
    for cause in "$@"; do
        expect_match "$name" "$counted" " $cause=[1-9]"
    done
}

# The causes by which a policy loses packets follow from what it needs; qpo needs no order to push out.
policies() {
    "$WEIR" policies --json | python3 -c '
import json, sys
causes = {"longest": "pushout", "expel": "expelled", "dequeue": "dequeue"}
for policy in json.load(sys.stdin):
    needs = policy["needs"]
    if "oracle" not in needs and ("ingress" in needs) == (sys.argv[1] == "ingress"):
        lost = {causes[need] for need in needs if need in causes}
        if "expelled" in lost:
            lost.discard("pushout")
        print(policy["name"], *sorted(lost or {"pushout" if policy["name"] == "qpo" else "refused"}))' "$1"
}

mkdir "$scratch/lossy" "$scratch/lossless"
"$CONFORMANCE" send "$scratch/lossy" 1
"$CONFORMANCE" send "$scratch/lossless" 2 lossless

# With alpha 8 a queue is above its threshold only in the last tenth of the buffer, and seldom for long: with 2, a queue
# that grew alone has a third too much when a second one comes, whatever the speed of the machine.
declare -A parameters=([occamy]='{name: occamy, alpha: 2}')

tried=0
while read -r policy causes; do
    read -ra causes <<<"$causes"
    run "$scratch/lossy" --set "switch.policy=${parameters[$policy]:-$policy}" "${settings[@]}"
    check "$policy" "$scratch/lossy" marked "${causes[@]}"
    tried=$((tried + 1))
done < <(policies egress)

# Rules that some have besides their usual ones.
while IFS='|' read -r name policy cause; do
    run "$scratch/lossy" --set "switch.policy=$policy" "${settings[@]}"
    check "$name" "$scratch/lossy" marked "$cause"
done <<'VARIANTS'
lqd lowest first|{name: lqd, priority: lowest}|pushout
abm clamped|{name: abm, drain: share, low_drain: clamp}|refused
tdt as its code|{name: tdt, evacuation: min-dt, leave: twice-queue}|refused
VARIANTS
"$CONFORMANCE" doubt "$scratch/lossy" || failures=$((failures + 1))

expected=1 # a capture goes on while it is paused, so lossless frames are lost
while read -r scheme _; do
    run "$scratch/lossless" --set switch.lossless=1 --set "switch.headroom=$scheme" --set switch.buffer=150KB --set dataplane.reaction=0us \
        "${settings[@]}"
    check "$scheme" "$scratch/lossless" marked pauses_sent pauses_heard refused
    tried=$((tried + 1))
done < <(policies ingress)
[ "$tried" -ge 16 ] || { echo "FAIL only $tried policies were tried"; failures=$((failures + 1)); }
finish
