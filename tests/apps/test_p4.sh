#!/usr/bin/env bash
# The P4 program on bmv2's simple_switch, in the testbed: ping and TCP, a burst beside a long-lived flow, counters of every
# loss, records against the policy, and nothing left behind. Where p4c or bmv2 is missing: what is refused.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

bed=p$$
cat >p4.yaml <<'END'
name: p4
until: 3ms
topology: {kind: single, hosts: 4, rates: [100Gbps, 100Gbps, 10Gbps, 10Gbps], delay: 0s}
switch: {cell: 80B, buffer: 1310720B, policy: {name: occamy-p4, alpha: 4}}
transports:
  old: {kind: udp, rate: 20Gbps}
  burst: {kind: udp, rate: 27.5Gbps}
traffic:
  - {kind: long, tag: long-lived, transport: old, sources: h0, destinations: h2}
  - {kind: long, tag: burst, transport: burst, sources: h1, destinations: h3, bytes: 600KB, from: 2ms}
testbed: {use: yes, scale: 1000, switch: bmv2}
END

# What the program cannot be is said in one line, whatever is installed.
refused() { # refused SETTING MESSAGE
    expect_run 3 "weir: p4.yaml: $2" "$WEIR" testbed run --set "$1" p4.yaml
}
refused 'switch.policy=lqd' 'switch.policy: bmv2 has no lqd (expected dt or occamy-p4)'
refused 'switch.policy.alpha=3' \
    'switch.policy.alpha: 3 is not in the P4 program (expected a power of two, 1/4 to 16)'
refused 'topology.delay=1us' 'topology.delay: bmv2 delays no frames (expected 0s)'
refused 'switch.classes=2' \
    'switch.classes: bmv2 limits the rate of each class of a port, not of the port (expected 1)'
refused 'testbed.scale=100' \
    'testbed.scale: 100 asks for 40000 SYNC packets per second, too many for bmv2 (expected at most 10000: a larger scale or sync)'
refused 'switch.ecn={kind: step, low: 65pkt}' 'switch.ecn: the P4 program marks nothing (expected none)'
sed 's/bmv2/bmv3/' p4.yaml >bmv3.yaml
expect_run 3 "weir: bmv3.yaml:11:42: switch: 'bmv3' is not possible (did you mean 'bmv2'?)" "$WEIR" run bmv3.yaml

skip() {
    [ "$failures" -eq 0 ] || exit 1
    echo "skipped: $1"
    exit 77
}
[ "$(id -u)" -eq 0 ] || skip 'not root'
for program in ip tc ethtool ping; do
    command -v "$program" >/dev/null || skip "no $program"
done
can_enter_namespaces || skip 'no network namespaces, or none that can be entered'
[ -x "$(dirname "$WEIR")/../weir-traffic/weir-traffic" ] || skip 'weir-traffic is not built'
trap '"$WEIR" testbed down --name "$bed" >/dev/null; rm -rf "$scratch"' EXIT

# left: what there is of the testbed: namespaces, files, programs.
left() {
    ip netns list 2>/dev/null | grep -o "weir-$bed-[a-z0-9]*" || true
    ls -d "/run/weir/testbed-$bed" "/run/weir/lock-$bed" 2>/dev/null || true
    pgrep -af "testbed-$bed/" || true
}
# quietly COMMAND...: without the line that says that this machine has no priority to give.
quietly() {
    local status=0
    "$@" 2>quietly.log || status=$?
    grep -v '^weir: warning: hosts and switch have no priority over other programs: ' quietly.log >&2 || true
    return "$status"
}

# Programs that fail are named, with their words, and nothing is left.
mkdir fake
printf '#!/bin/sh\necho "occamy_v1model.p4(1): error: no luck" >&2\nexit 1\n' >fake/p4c-bm2-ss
printf '#!/bin/sh\necho no luck >&2\nexit 1\n' >fake/simple_switch
cp fake/simple_switch fake/simple_switch_CLI
chmod +x fake/*
expect_run 4 'weir: p4c-bm2-ss: occamy_v1model.p4(1): error: no luck' \
    quietly env PATH="$scratch/fake:$PATH" "$WEIR" testbed up --name "$bed" p4.yaml
expect_equal 'left after a program that p4c refuses' "$(left)" ''
printf '#!/bin/sh\nexit 0\n' >fake/p4c-bm2-ss
expect_run 4 'weir: simple_switch did not start: no luck' \
    quietly env PATH="$scratch/fake:$PATH" "$WEIR" testbed up --name "$bed" p4.yaml
expect_equal 'left after a switch that did not start' "$(left)" ''

if ! command -v p4c-bm2-ss >/dev/null; then
    expect_run 4 "weir: a testbed needs 'p4c-bm2-ss', which is not there (p4lang/p4c, see docs/howto/p4.md)" \
        "$WEIR" testbed run p4.yaml
    skip 'no p4c-bm2-ss'
fi
for program in simple_switch simple_switch_CLI; do
    command -v "$program" >/dev/null || skip "no $program"
done
ask() { # commands on stdin
    ip netns exec "weir-$bed-switch" simple_switch_CLI --thrift-port 9090 2>/dev/null
}
value() { # value DATABASE MEASURE: by run
    "$WEIR" export --csv "$1" | tr -d '"' | awk -F, -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
        NR > 1 { print $column }'
}

# The compiler has nothing to say about the program; the other one is at least P4.
p4c-bm2-ss --std p4-16 -o program.json "$WEIR_ROOT/hw/p4/occamy_v1model.p4" 2>p4c.log || cat p4c.log
expect_equal 'what p4c says' "$(cat p4c.log)" ''

# Ping: every host reaches every other. A host that plays SYNC packet is not believed, and is counted.
expect_run 0 '' quietly "$WEIR" testbed up --name "$bed" p4.yaml
for from in 0 1 2 3; do
    for to in 1 2 3 4; do
        expect_match "ping from h$from to 10.77.0.$to" \
            "$(ip netns exec "weir-$bed-h$from" ping -n -q -c 2 -i 0.01 -w 300 "10.77.0.$to")" ' [1-9][0-9]* received,'
    done
done
if command -v python3 >/dev/null; then
    ip netns exec "weir-$bed-h1" python3 -c '
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("eth0", 0))
for kind in 0x88b5, 0x0800:  # SYNC that says: queue 2 has 65535 cells; and a frame to nobody
    s.send(bytes.fromhex("020000000063020000000002") + kind.to_bytes(2, "big") + bytes([0, 2, 0, 0, 255, 255]) + bytes(40))
'
    unroutable() { echo 'counter_read unroutable 0' | ask | grep -q '[^0-9]2 packets\|packets=2'; }
    wait_until 'two frames to nobody' unroutable
    expect_match 'what queue 2 is believed to hold' "$(echo 'register_read seen_length 2' | ask)" 'seen_length\[2\]= 0$'
fi

# A burst beside a long-lived flow, and what the program wrote down, against the policy.
counters=(entered refused_threshold refused_room sent expelled)
{
    echo 'register_reset record_count'
    printf 'counter_reset %s\n' "${counters[@]}"
} | ask >/dev/null
start_ns=$(awk '{ printf "%.0f", ($1 + 2) * 1e9 }' /proc/uptime)
traffic=$(dirname "$WEIR")/../weir-traffic/weir-traffic
pids=()
for host in 0 1 2 3; do
    ip netns exec "weir-$bed-h$host" chrt --rr 10 "$traffic" run --host "$host" \
        --addresses 10.77.0.1,10.77.0.2,10.77.0.3,10.77.0.4 --start "$start_ns" --records "r$host.csv" --quiet \
        "/run/weir/testbed-$bed/scenario.yaml" >"traffic$host.log" 2>&1 &
    pids+=("$!")
done
for pid in "${pids[@]}"; do
    wait "$pid" || cat traffic?.log
done
is_empty() { # nothing in the buffer, and nothing still to be dropped
    printf 'register_read %s\n' 'used_cells 0' 'owed_cells 2' 'owed_cells 3' | ask | grep -c ']= 0$' | grep -qx 3
}
wait_until 'an empty buffer' is_empty
{
    echo 'register_read record_count 0'
    printf 'register_read %s\n' record_event record_state record_seen
    for name in "${counters[@]}"; do
        printf "counter_read $name %s\n" 2 3
    done
} | ask >dump

# Every packet is in a counter: what came in entered or was refused, what entered was sent or expelled.
counted() { # counted NAME QUEUE
    sed -n "s/.* $1\[$2\]=.*[^0-9]\([0-9]*\) packets.*/\1/p; s/.* $1\[$2\]=.*packets=\([0-9]*\).*/\1/p" dump
}
for queue in 2 3; do
    sent=$(cat r?.csv | awk -F, -v to="$queue" '$1 == "server" && $4 == to { print $14 }')
    expect_match "packets to queue $queue" "$sent" '^[1-9][0-9]{2,}$'
    expect_equal "packets to queue $queue that entered or were refused" \
        "$(($(counted entered "$queue") + $(counted refused_threshold "$queue") + $(counted refused_room "$queue")))" "$sent"
    expect_equal "packets of queue $queue that were sent or expelled" \
        "$(($(counted sent "$queue") + $(counted expelled "$queue")))" "$(counted entered "$queue")"
done
expect_equal 'packets of the burst that arrived' "$(cat r?.csv | awk -F, '$1 == "client" && $4 == 3 { print $14 }')" \
    "$(counted sent 3)"
status=0
"$AGREE" occamy-p4:alpha=4 4 80 16384 1000 8127,8127,813,813 <dump >agree.log || status=$?
cat agree.log
expect_equal 'the program and the policy' "$status" 0
expect_match 'events' "$(cat agree.log)" '^[1-9][0-9]{3,} events$'
# Another alpha, or DT, is seen at once.
for other in occamy-p4:alpha=2 dt:alpha=4; do
    status=0
    "$AGREE" "$other" 4 80 16384 1000 8127,8127,813,813 <dump >other.log || status=$?
    expect_equal "the program and $other" "$status" 1
done
expect_run 0 '' "$WEIR" testbed down --name "$bed"
expect_equal 'left after down' "$(left)" ''

# Runs: Occamy absorbs a burst of which DT of the same alpha loses a part, 45 of 518 packets.
cat >burst.yaml <<END
$(sed 's/^name: .*/name: burst/; s/^until: .*/until: 3.2ms/; s/600KB/750KB/' p4.yaml)
sweep:
  policy: {title: Policy, labels: [DT, Occamy], switch.policy: [{name: dt, alpha: 4}, {name: occamy-p4, alpha: 4}]}
END
expect_run 0 '' quietly "$WEIR" testbed run --quiet --name "$bed" burst.yaml
expect_equal 'left after run' "$(left)" ''
read -r -d '' dt occamy <<<"$(value burst.db burst.missing)" || true
expect_match 'packets of the burst that DT loses' "$dt" '^[1-9][0-9]*$'
expect_equal "packets of the burst that DT loses, $dt, are more than Occamy's, $occamy" "$((dt > occamy))" 1
expect_match 'packets that Occamy drops at dequeue' "$(value burst.db lost.dequeue | tail -n 1)" '^[1-9][0-9]*$'
expect_equal 'packets that DT drops at dequeue' "$(value burst.db lost.dequeue | head -n 1)" 0

# TCP: all flows end.
cat >tcp.yaml <<'END'
name: tcp
until: 200ms
topology: {kind: single, hosts: 3, rate: 10Gbps, delay: 0s}
switch: {cell: 80B, buffer: 400KB, policy: {name: occamy-p4, alpha: 8, sync: 5us}}
transports: {t: {kind: cubic, min_rto: 10ms, initial_rto: 10ms}}
traffic:
  - {kind: incast, tag: t, transport: t, sources: h1-h2, destination: h0, bytes: 100KB}
testbed: {use: yes, scale: 100, switch: bmv2}
END
expect_run 0 '' quietly "$WEIR" testbed run --quiet --name "$bed" tcp.yaml
expect_equal 'TCP flows that ended' "$(value tcp.db t.finished)" 2
expect_equal 'left after TCP' "$(left)" ''

# A switch that is killed: the run fails with its name, and nothing is left.
quietly "$WEIR" testbed run --again --quiet --name "$bed" -o killed.db burst.yaml >killed.log 2>&1 &
pid=$!
running() { [ -e "/run/weir/testbed-$bed/h3.log" ]; }
wait_until 'a run under way' running
pkill -9 -f "^simple_switch .*testbed-$bed/" || true
wait "$pid" || true
expect_match 'a run whose switch was killed' "$(cat killed.log)" 'simple_switch ended in the middle of the run'
gone() { [ -z "$(left)" ]; }
wait_until 'nothing left after a switch that was killed' gone
finish
