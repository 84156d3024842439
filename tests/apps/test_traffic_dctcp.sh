#!/usr/bin/env bash
# Our DCTCP in this kernel, as root: registered, held and taken away; flows over it between two network namespaces of
# their own; and its window under marks, which says whether it is DCTCP. WEIR_TRAFFIC is the program, MARK the filter of
# mark.bpf.c.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
: "${WEIR_TRAFFIC:?the path of the weir-traffic command}" "${MARK:?the path of mark.bpf.o}"
skip() {
    echo "skipped: $1"
    exit 77
}
[ "$(id -u)" -eq 0 ] || skip 'BPF and network namespaces need root'
[ -r /sys/kernel/btf/vmlinux ] || skip 'the kernel has no BTF'
for tool in ip tc ss ethtool; do
    command -v "$tool" >/dev/null || skip "no $tool"
done
spaces=("weir-dctcp-$$-a" "weir-dctcp-$$-b")
pids=()
clean_up() {
    for pid in "${pids[@]}"; do
        kill -KILL "$pid" 2>/dev/null || true
    done
    for space in "${spaces[@]}"; do
        ip netns del "$space" 2>/dev/null || true
    done
    rm -rf "$scratch"
}
trap clean_up EXIT
# There is one kernel, and one congestion control of this name in it: whoever else tests it waits.
exec 9</sys/kernel/btf/vmlinux
flock 9
can_enter_namespaces || skip 'no network namespaces here, or none that can be entered'
ip netns add "${spaces[0]}"
ip netns add "${spaces[1]}"

# Registered and taken away. Another may have it: then it is left alone.
if "$WEIR_TRAFFIC" dctcp status >/dev/null; then
    echo 'weir_dctcp is registered already: load and unload are not tried'
else
    expect_run 0 '' "$WEIR_TRAFFIC" dctcp load --gain 1/8 --initial-alpha 0.5
    expect_equal 'load' "$output" 'weir_dctcp is registered'
    expect_run 0 '' "$WEIR_TRAFFIC" dctcp status
    expect_equal 'status' "$output" 'weir_dctcp is registered: gain 0.125, initial alpha 0.5'
    if setpriv --reuid=65534 --regid=65534 --clear-groups python3 -c '' 2>/dev/null; then
        expect_run 0 '' setpriv --reuid=65534 --regid=65534 --clear-groups python3 -c 'import socket
socket.socket().setsockopt(socket.IPPROTO_TCP, 13, b"weir_dctcp")' # TCP_CONGESTION, by somebody who is not root
    fi
    expect_run 0 '' "$WEIR_TRAFFIC" dctcp load --gain 1/8 --initial-alpha 0.5
    expect_equal 'again' "$output" 'weir_dctcp was already registered'
    expect_run 3 "weir-traffic: dctcp: weir_dctcp is registered with gain 0.125 and initial alpha 0.5 (expected the same, or 'weir-traffic dctcp unload' before)" \
        "$WEIR_TRAFFIC" dctcp load
    expect_run 0 '' "$WEIR_TRAFFIC" dctcp unload
    expect_equal 'unload' "$output" 'weir_dctcp is no longer registered'
    expect_run 1 '' "$WEIR_TRAFFIC" dctcp status
    expect_run 0 '' "$WEIR_TRAFFIC" dctcp unload
    expect_equal 'unload again' "$output" 'weir_dctcp was not registered'
    # Held: it goes with the process, however that ends.
    for signal in TERM KILL; do
        "$WEIR_TRAFFIC" dctcp hold >held &
        wait_until 'it is held' grep -q '^ready: ' held
        expect_run 0 '' "$WEIR_TRAFFIC" dctcp status
        kill -"$signal" $!
        wait $! 2>/dev/null || true
        is_free() { ! "$WEIR_TRAFFIC" dctcp status; }
        wait_until 'the kernel takes it back' is_free
        expect_run 1 '' "$WEIR_TRAFFIC" dctcp status
    done
fi
"$WEIR_TRAFFIC" dctcp hold >held &
pids+=($!)
wait_until 'it is held' grep -q '^ready: ' held

# Two hosts and a link of 50 Mb/s from the second to the first.
ip link add eth0 netns "${spaces[0]}" type veth peer name eth0 netns "${spaces[1]}"
for i in 0 1; do
    ip -n "${spaces[$i]}" addr add "10.78.0.$((i + 1))/24" dev eth0
    ip -n "${spaces[$i]}" link set lo up
    ip -n "${spaces[$i]}" link set eth0 up
    ip netns exec "${spaces[$i]}" ethtool -K eth0 tso off gso off gro off >/dev/null 2>&1
done
tc -n "${spaces[1]}" qdisc add dev eth0 root tbf rate 50mbit burst 3000 latency 2s
tc -n "${spaces[0]}" qdisc add dev eth0 clsact

cat >two.yaml <<'END'
until: 300s # all is done before: as long as a slow machine may take
topology: {kind: single, hosts: 2, rate: 10Gbps, delay: 5us}
switch: {buffer: 512KB, policy: dt}
transports: {d: {kind: dctcp}}
traffic:
  - {kind: incast, tag: small, transport: d, sources: h1, destination: h0, bytes: 20KB, rounds: 20, interval: 5ms}
END
# transfer SCENARIO OPTION...: both hosts, in their namespaces.
transfer() {
    local file=$1 host codes='' code
    shift
    local hosts=()
    for host in 0 1; do
        ip netns exec "${spaces[$host]}" "$WEIR_TRAFFIC" run "$file" --host "$host" --addresses 10.78.0.1,10.78.0.2 \
            --scale 1 --records "r$host.csv" "$@" >"out$host" 2>"err$host" &
        hosts+=($!)
    done
    [ -z "${meanwhile:-}" ] || "$meanwhile"
    for host in 0 1; do
        code=0
        wait "${hosts[$host]}" || code=$?
        codes+="$code "
    done
    expect_equal "exit codes of $file $*" "$codes" '0 0 '
    expect_equal "messages of $file $*" "$(cat err0 err1)" ''
}
transfer two.yaml
expect_equal 'flows over weir_dctcp' "$(awk -F, '$1 == "client" && $10 > $9 && $11 == 20000' r0.csv | wc -l)" 20
expect_equal 'at the server' "$(awk -F, '$1 == "server" && $11 == 20000' r1.csv | wc -l)" 20

# A link that is down for a while: TCP's timeouts and retransmissions are counted, and the flow goes on.
# sent_by_server: packets that arrived, of the connection that sends most.
sent_by_server() {
    ip netns exec "${spaces[1]}" ss -Htin state established 'sport = :7700' | grep -oE ' delivered:[0-9]+' | cut -d : -f 2 |
        sort -n | tail -n 1
}
has_sent() { # has_sent PACKETS
    [ "$(sent_by_server || echo 0)" -ge "$1" ]
}
link_goes_down() {
    wait_until 'a flow under way' has_sent 500
    ip -n "${spaces[0]}" link set eth0 down
    sleep 0.7 # or longer: more than a timeout
    ip -n "${spaces[0]}" link set eth0 up
}
sed 's/rounds: 20, interval: 5ms/rounds: 1/; s/20KB/24MB/' two.yaml >one.yaml # 4 s
meanwhile=link_goes_down transfer one.yaml
expect_match 'the flow goes on' "$(cat r0.csv)" '^client,1,1,0,0,0,0,24000000,[0-9]+,[0-9]+,24000000,0,0,0$'
expect_match 'its timeouts' "$(cat r1.csv)" '^server,1,1,0,0,0,0,24000000,-1,-1,24000000,[1-9][0-9]*,([1-9][0-9]*|-1),0$'
echo "a link down: $(tail -n 1 r1.csv)"

# The window of an endless flow, twenty times a second when it has been under way for a while: its mean, and the part that
# was marked. Then both hosts may end.
sample() {
    wait_until 'a flow that has settled' has_sent 2000
    for _ in $(seq 30); do
        ip netns exec "${spaces[1]}" ss -tin state established 'sport = :7700' >>samples
        sleep 0.05
    done
    kill -TERM "${hosts[@]}"
}
cat >long.yaml <<'END'
until: 600s
topology: {kind: single, hosts: 2, rate: 10Gbps, delay: 5us}
switch: {buffer: 512KB, policy: dt}
transports: {d: {kind: dctcp}}
traffic: [{kind: long, transport: d, sources: h1, destinations: h0}]
END
# window NAME SECTION OPTION...: sets window and marked (both in thousandths), with that filter at the receiver.
window() {
    local name=$1 section=$2
    shift 2
    tc -n "${spaces[0]}" filter del dev eth0 ingress 2>/dev/null || true
    tc -n "${spaces[0]}" filter add dev eth0 ingress bpf da obj "$MARK" sec "$section" 2>tc.err ||
        skip "tc cannot attach a BPF program: $(tail -n 1 tc.err)"
    : >samples
    meanwhile=sample transfer long.yaml "$@"
    expect_match "congestion control of $name" "$(cat samples)" "^[[:space:]]+$name "
    window=$(grep -oE ' cwnd:[0-9]+' samples | awk -F: '{ sum += $2 } END { printf "%d", 1000 * sum / (NR ? NR : 1) }')
    marked=$(grep -oE ' delivered(_ce)?:[0-9]+' samples | tail -n 2 |
        awk -F: '/_ce/ { ce = $2 } !/_ce/ { all = $2 } END { printf "%d", 1000 * ce / (all ? all : 1) }')
    echo "$name, $section: mean window $window, marked $marked (thousandths)"
}
window weir_dctcp classifier/all
# Everything is marked: alpha is 1, and every window is half of the last, down to the smallest.
expect_equal 'the part that was marked, all' "$((marked > 990))" 1
expect_equal "a window of 2 (in thousandths: $window)" "$((window >= 1900 && window <= 2300))" 1
window weir_dctcp classifier/tenth
expect_equal "a tenth is marked, and echoed so (in thousandths: $marked)" "$((marked >= 85 && marked <= 115))" 1
proportional=$window
for space in "${spaces[@]}"; do
    ip netns exec "$space" sysctl -qw net.ipv4.tcp_ecn=1
done
window reno classifier/tenth --congestion d=reno
# The same marks: Reno halves its window for each, DCTCP takes a twentieth.
expect_equal "window of DCTCP ($proportional) beside Reno's ($window)" "$((proportional * 10 > window * 18))" 1
finish
