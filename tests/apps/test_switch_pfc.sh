#!/usr/bin/env bash
# A host sends through two switches in a row, the second one's output half as fast as the link between them, which is a veth pair or a memif:
# PFC between them holds back what comes. Both are stopped for 40 ms again and again, as a busy machine would. With
# headroom for such reactions neither of them loses a lossless frame; without, one does, and says so. What the kernel's
# rings drop is counted apart.
#
# A machine that takes a processor away for longer than was said is noticed by the switch: such a run proves nothing, and
# is made again. WEIR_PFC_FRAMES: frames of a run; by default 40000, and 10^6 in make test-long.
#
# WEIR and WEIR_SWITCH are the programs.
set -euo pipefail
# shellcheck source=tests/apps/switch_hosts.sh
source "$(dirname "${BASH_SOURCE[0]}")/switch_hosts.sh"
rounds=${WEIR_TEST_ROUNDS:-1}
frames=${WEIR_PFC_FRAMES:-$((rounds >= 10 ? 1000000 : rounds * 40000))}

chain() {
    python3 "$here/pfc_chain.py" "$@"
}

# scenario RATES REACTION BUFFER_KB ALPHA: a switch of the row. It pauses early, so that PAUSE has to do its work; what the first
# one holds back, a fiftieth of the frames, has room there.
scenario() {
    cat <<END
name: row
topology: {kind: single, hosts: 2, rates: $1}
switch: {buffer: ${3}KB, policy: dt, lossless: 0, headroom: {name: sih, alpha: $4}}
dataplane:
  sleeps: yes
  huge_pages: no
  classify: none
  learning: no
  mbufs: $((49152 + frames / 30))
  rx_frames: 8192
  reaction: $2
  addresses: {"02:00:00:00:00:02": 1}
END
}

# start N ARGUMENT...: switch N of the row.
start() {
    local n=$1
    shift
    : >"$scratch/stdout$n"
    "$WEIR_SWITCH" --control "$scratch/control$n" "$@" >"$scratch/stdout$n" 2>"$scratch/stderr$n" &
    pids[n]=$!
    until grep -q '^ready' "$scratch/stdout$n"; do
        kill -0 "${pids[n]}" 2>/dev/null || { printf 'FAIL switch %s does not start\n%s\n' "$n" "$(cat "$scratch/stderr$n")"; exit 1; }
        sleep 0.05
    done
}

# both LINK: the two ends, as devices. The second switch is started first: it makes the memif.
both() {
    local ends=("net_af_packet0,iface=link0,framecnt=16384" "net_af_packet0,iface=link1,framecnt=16384")
    rm -f "$scratch/memif" # of a switch that was killed
    [ "$1" = veth ] || ends=("net_memif0,role=client,socket=$scratch/memif,socket-abstract=no" "net_memif0,role=server,socket=$scratch/memif,socket-abstract=no")
    start 1 --device "${ends[1]}" --device "net_null1,no-rx=1" "$scratch/second.yaml"
    start 0 --device net_af_packet1,iface=port,framecnt=16384 --device "${ends[0]}" "$scratch/first.yaml"
}

# look: how far it is.
look() {
    read -r _ _ lost0 missed0 away0 _ < <(chain totals "$scratch/control0")
    read -r _ out1 lost1 missed1 away1 pauses1 < <(chain totals "$scratch/control1")
}

# interrupt: stops one switch for 40 ms, then the other.
interrupt() {
    local n
    for n in 1 0; do
        kill -STOP "${pids[n]}"
        sleep 0.04
        kill -CONT "${pids[n]}"
        sleep 0.06
    done
}

# finish_row CODE CODE: both end so.
finish_row() {
    local n status expected=("$@")
    for n in 0 1; do
        "$WEIR" switch stop --control "$scratch/control$n" >/dev/null
        status=0
        wait "${pids[n]}" || status=$?
        expect_equal "exit status of switch $n" "$status" "${expected[n]}"
    done
    pids=()
}

# lossless LINK: one run; 1: it proves nothing.
lossless() {
    both "$1"
    chain send host "$frames" 23200 &
    look
    while [ $((out1 + missed0 + missed1 + lost0 + lost1)) -lt "$frames" ]; do
        interrupt
        look
    done
    if [ "$away0" -gt 80000 ] || [ "$away1" -gt 80000 ]; then
        echo "$1: a processor was away for $away0 and $away1 us: made again"
        kill -KILL "${pids[@]}"
        wait 2>/dev/null || true
        pids=()
        return 1
    fi
    echo "$1: $frames sent, $out1 out, $missed0 and $missed1 lost by kernel rings, $pauses1 PAUSE frames, away $away0 and $away1 us"
    expect_equal "$1: lossless frames that the switches lost" "$lost0 $lost1" '0 0'
    expect_equal "$1: every frame" "$((out1 + missed0 + missed1))" "$frames"
    expect_equal "$1: it was paused" "$((pauses1 > 0))" 1
    expect_equal "$1: it was interrupted" "$((away0 >= 40000 && away1 >= 40000))" 1
    finish_row 0 0
    if grep -q 'a processor was away' "$scratch/stderr0" "$scratch/stderr1"; then
        echo "$1: a processor was away for too long after the last look: made again"
        return 1
    fi
    expect_equal "$1: what they say" "$(cat "$scratch/stderr0" "$scratch/stderr1")" ''
}

ip link add link0 type veth peer name link1
ip link add host type veth peer name port
for end in link0 link1 host port; do
    echo 1 >"/proc/sys/net/ipv6/conf/$end/disable_ipv6" 2>/dev/null || true
    ip link set "$end" up
done
scenario '[100Mbps, 100Mbps]' 80ms $((9000 + frames / 100)) 1 >"$scratch/first.yaml"
scenario '[100Mbps, 50Mbps]' 80ms 9000 1/256 >"$scratch/second.yaml"
for link in veth memif; do
    for try in 1 2 3 4 5; do
        lossless "$link" && break
        [ "$try" -lt 5 ] || skip "this machine takes processors away for longer than 80 ms"
    done
done

echo "without headroom for reactions"
scenario '[100Mbps, 100Mbps]' 0us 9000 1 >"$scratch/first.yaml"
scenario '[100Mbps, 50Mbps]' 0us 200 1/256 >"$scratch/second.yaml"
both veth
chain send host 1000000 23200 &
pids[2]=$!
for ((i = 0; i < 60; i++)); do
    interrupt
    look
    [ "$lost1" -eq 0 ] || break
done
kill "${pids[2]}"
unset 'pids[2]'
is_told() {
    grep -q '^weir-switch: lossless: ' "$scratch/stderr1"
}
wait_until 'the loss is told while the switch runs' is_told
output=$("$WEIR" switch status --control "$scratch/control1")
expect_match 'status' "$output" '^lossless: [1-9][0-9]* frames lost, sized for reactions of 0'
finish_row 0 1
expect_match 'what it says at its end' "$(tail -n 1 "$scratch/stderr1")" \
    '^weir-switch: lossless: [1-9][0-9]* frames of lossless classes were lost \(expected none\)$'
finish
