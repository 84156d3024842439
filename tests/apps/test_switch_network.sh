#!/usr/bin/env bash
# The software switch between four hosts that are network namespaces, as root: real kernels send and receive, the switch
# takes and gives frames over af_packet. All of it lives in a mount and network namespace of this test, so that it is
# gone with it, however it ends. switch_network.py does what the hosts do.
#
# WEIR and WEIR_SWITCH are the programs.
set -euo pipefail
# shellcheck source=tests/apps/switch_hosts.sh
source "$(dirname "${BASH_SOURCE[0]}")/switch_hosts.sh"

cat >"$scratch/network.yaml" <<'END'
name: network
topology: {kind: single, hosts: 4, rate: 10Gbps}
switch: {buffer: 400KB, policy: dt}
dataplane:
  scale: 100
  sleeps: yes
  mbufs: 8192
  addresses: {"02:00:00:00:00:03": 2} # what is sent to it while its link is down must not be flooded
END
# A burst of 40 kB comes 20 times as fast as its port sends, while another port has a long queue. Theory: DT keeps half of
# the buffer for the old queue and loses 8 of 28 packets; the thresholds of Occamy give each of two queues 8/17, and LQD a
# half, which is enough for all of it. Inputs are paced, so that this does not depend on the hosts, and frames are taken
# one by one; the arbiter may save up tokens, so that expulsion makes good for moments at which the switch does not run.
cat >"$scratch/burst.yaml" <<'END'
name: burst
topology: {kind: single, hosts: 4, rates: [20Gbps, 200Gbps, 10Gbps, 10Gbps]}
switch: {buffer: 100KB, memory_depth: 512, policy: dt}
dataplane:
  sleeps: yes
  burst: 1
  mbufs: 8192
  paced_inputs: yes
  addresses:
    "02:00:00:00:00:01": 0
    "02:00:00:00:00:02": 1
    "02:00:00:00:00:03": 2
    "02:00:00:00:00:04": 3
END

echo "pings, TCP, odd frames"
make_hosts
start_switch "" --trace "$scratch/run.trace" --drops "$scratch/drops.pcapng" "$scratch/network.yaml"
for from in 0 1 2 3; do
    for to in 0 1 2 3; do
        [ "$from" -eq "$to" ] || expect_ping "$from" "$to"
    done
done
host transfer 0 1
host transfer 3 2
host conserve
know_neighbours
mtu_of_cables 9000
host odd 1500
mtu_of_cables 1500
expect_ping 0 1
host conserve cut

echo "a switch that sleeps: what the ring of its device loses is counted"
kill -STOP "${pids[0]}"
host flood 0 1 20000
kill -CONT "${pids[0]}"
host missed 0
host conserve cut

echo "flapping, changes, a killed peer"
ip netns exec "${prefix}h0" ping -q -c 100 -i 0.01 -w 300 10.78.0.2 >"$scratch/ping-others" &
others=$!
start_stream 3 2
flaps=0
# Whether packets wait for the link when it goes down is up to the sender, which may have to wait for a processor.
until [ "$flaps" -ge 3 ] && { python3 "$here/switch_network.py" "$control" "$prefix" flushed 2 >/dev/null || [ "$flaps" -ge 100 ]; }; do
    flaps=$((flaps + 1))
    ip -n "${prefix}h2" link set eth0 down
    host link 2 down
    "$WEIR" switch set alpha=2 --control "$control" >/dev/null
    ip -n "${prefix}h2" link set eth0 up
    host link 2 up
    "$WEIR" switch set alpha=0.5 --control "$control" >/dev/null
done
ip -n "${prefix}s" link set port2 down
host link 2 down
ip -n "${prefix}s" link set port2 up
host link 2 up
wait "$others" || true
expect_match "pings of others meanwhile" "$(cat "$scratch/ping-others")" ' 0% packet loss'
host flushed 2
know_neighbours
expect_ping 0 2
stop_stream
start_stream 0 3
ip netns del "${prefix}h3"
host link 3 down
stop_stream
expect_ping 0 1
expect_ping 1 2
expect_ping 2 0
expect_match "parameter in force" "$("$WEIR" switch status --control "$control" --json)" '"alpha": ?"0.5"'
expect_match "port of the killed peer" "$("$WEIR" switch status --control "$control")" '3 .*down'
stop_switch
expect_run 0 "" "$WEIR" replay "$scratch/run.trace"
remove_hosts

echo "jumbo frames"
make_hosts
mtu_of_cables 9000
start_switch ",framesz=16384,blocksz=16384,framecnt=64" --set dataplane.mtu=9000B "$scratch/network.yaml"
host odd 9000 jumbo "one byte too long" QinQ
host conserve
stop_switch
remove_hosts

declare -A parameters=([dt]="{name: dt, alpha: 1}" [occamy]="{name: occamy, alpha: 8}")
for policy in dt occamy lqd; do
    echo "a burst against long-lived traffic: $policy"
    # A machine that does not run the switch for long changes the outcome: again, and slower.
    for scale in 10000 20000 40000 80000 160000; do
        make_hosts
        know_neighbours
        start_switch "" --scale "$scale" --set "switch.policy=${parameters[$policy]:-$policy}" "$scratch/burst.yaml"
        status=0
        python3 "$here/switch_network.py" "$control" "$prefix" burst "$policy" 100000 20 || status=$?
        host conserve
        stop_switch
        remove_hosts
        [ "$status" -eq 75 ] || break
    done
    expect_equal "exit status of the burst" "$status" 0
done

echo "taps that are moved into other namespaces go on"
make_namespace "${prefix}h0"
make_namespace "${prefix}h1"
start_switch_with "ready: 2 ports" --set topology.hosts=2 --set 'dataplane.addresses={}' \
    --device "net_tap0,iface=t0$$" --device "net_tap1,iface=t1$$" "$scratch/network.yaml"
for i in 0 1; do
    ip link set "t$i$$" netns "${prefix}h$i"
    ip -n "${prefix}h$i" addr add "10.78.0.$((i + 1))/24" dev "t$i$$"
    ip -n "${prefix}h$i" link set "t$i$$" up
done
is_moved() {
    [ "$("$WEIR" switch status --control "$control" | grep -c ' moved ')" -eq 2 ]
}
wait_until 'the switch sees that its taps are elsewhere' is_moved
expect_ping 0 1
expect_match 'what the counters say of losses' "$("$WEIR" switch counters --control "$control")" \
    '^ +1 +missed by the device +not counted$'
"$WEIR" switch stop --control "$control" >/dev/null
wait "${pids[0]}" || failures=$((failures + 1))
pids=()
finish
