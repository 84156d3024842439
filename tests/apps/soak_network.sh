#!/usr/bin/env bash
# soak_network.sh SECONDS - the switch between four hosts that are network namespaces, for a long time: streams beyond the
# rate of a port, links that go up and down, parameters that change, traces, scrapes, peers and switches that are killed.
# In every round each frame has a fate, mbufs come back, and memory and descriptors of the switch do not grow. As root;
# `make soak`. WEIR_SEED draws other actions.
set -euo pipefail
# shellcheck source=tests/apps/switch_hosts.sh
source "$(dirname "${BASH_SOURCE[0]}")/switch_hosts.sh"
seconds=${1:-1800}
RANDOM=${WEIR_SEED:-1}
end=$(($(date +%s) + seconds))
rounds=0 frames=0 flaps=0 changes=0 kills=0 scrapes=0 traces=0
port=$((20000 + $$ % 20000))

cat >"$scratch/soak.yaml" <<'END'
name: soak
topology: {kind: single, hosts: 4, rate: 10Gbps}
switch: {buffer: 400KB, policy: dt}
dataplane: {scale: 100, sleeps: yes, mbufs: 8192}
END

# inner: the process that is the switch; the one that was started watches over it.
inner() {
    "$WEIR" switch status --control "$control" --json 2>/dev/null | sed -n 's/.*"pid": \([0-9]*\).*/\1/p'
}
# data_kb PID: memory that it asked for, whether touched or not: mbufs are touched little by little.
data_kb() {
    awk '/^VmData/ {print $2}' "/proc/$1/status"
}
trace() {
    "$WEIR" switch trace start "$scratch/soak.wtr" --control "$control" >/dev/null 2>&1 || return 0 # it was never idle
    sleep 0.2
    "$WEIR" switch trace stop --control "$control" >/dev/null
    "$WEIR" replay "$scratch/soak.wtr" >/dev/null || expect_equal 'a trace' 'differs' 'replays'
    traces=$((traces + 1))
}
scrape() {
    ip netns exec "${prefix}s" bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3; cat <&3" |
        grep -c '^weir_' >/dev/null && scrapes=$((scrapes + 1))
}

# One action of those that a switch has to live with.
act() {
    case $((RANDOM % 5)) in
    0 | 1)
        ip -n "${prefix}h2" link set eth0 down
        host link 2 down
        ip -n "${prefix}h2" link set eth0 up
        host link 2 up
        know_neighbours
        flaps=$((flaps + 1))
        ;;
    2)
        "$WEIR" switch set "alpha=$((RANDOM % 8 + 1))/4" --control "$control" >/dev/null
        changes=$((changes + 1))
        ;;
    3) scrape ;;
    4) trace ;;
    esac
}

round() {
    local pid first_kb last_kb first_fds streams=() i
    make_hosts
    ip -n "${prefix}s" link set lo up
    know_neighbours
    chmod 755 "$scratch" # the switch writes traces there as another user
    chown 65534 "$scratch"
    start_switch "" --restart --user 65534 --prometheus "$port" "$scratch/soak.yaml"
    pid=$(inner)
    trace # what is asked for once is there from the second time on
    trace
    scrape
    start_stream 3 2
    streams+=("$stream")
    start_stream 1 2
    streams+=("$stream")
    start_stream 0 1
    streams+=("$stream")
    sleep 1
    first_kb=$(data_kb "$pid") first_fds=$(find "/proc/$pid/fd" | wc -l)
    for ((i = 0; i < 30; i++)); do
        act
        sleep 0.3
    done
    kill -KILL "${streams[@]}" 2>/dev/null || true
    wait "${streams[@]}" 2>/dev/null || true
    pids=("${pids[0]}")
    frames=$((frames + $(ip netns exec "${prefix}s" python3 "$here/switch_network.py" "$control" "$prefix" fates 2))) ||
        failures=$((failures + 1))
    host mbufs "$mbufs"
    last_kb=$(data_kb "$pid")
    [ "$last_kb" -le $((first_kb + 2048)) ] || expect_equal 'memory of the switch in KiB' "$last_kb" "$first_kb"
    # Connections that ended are closed when the loop comes round.
    wait_until 'descriptors are closed' test "$(find "/proc/$pid/fd" | wc -l)" -le "$((first_fds + 1))"
    if ((rounds % 2 == 1)); then # a crash: it comes back by itself, as it was
        kill -SEGV "$pid"
        is_back() { [ -n "$(inner)" ] && [ "$(inner)" != "$pid" ]; }
        wait_until 'the switch is back' is_back
        expect_ping 0 1
        kills=$((kills + 1))
    else # a peer that goes
        ip netns del "${prefix}h3"
        host link 3 down
        kills=$((kills + 1))
    fi
    "$WEIR" switch stop --control "$control" >/dev/null || failures=$((failures + 1))
    wait "${pids[0]}" || expect_equal 'exit status of the switch' "$?" 0
    pids=()
    remove_hosts
    expect_equal 'namespaces that are left' "$(ip netns list | wc -l)" 0
    rounds=$((rounds + 1))
}

while [ "$(date +%s)" -lt "$end" ] && [ "$failures" -eq 0 ]; do
    round
done
echo "soak: $rounds rounds in $seconds s, seed ${WEIR_SEED:-1}"
echo "attack: soak in namespaces, frames: $frames"
echo "attack: soak in namespaces, flaps: $flaps"
echo "attack: soak in namespaces, kills: $kills"
echo "attack: soak in namespaces, changes, traces and scrapes: $((changes + traces + scrapes))"
finish
