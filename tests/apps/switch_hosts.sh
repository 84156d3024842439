# switch_hosts.sh - for tests of the switch between four hosts that are network namespaces: source it first. It starts the
# script again in a mount and network namespace of its own, or skips. switch_network.py does what the hosts do.
#
# WEIR and WEIR_SWITCH are the programs.
# shellcheck shell=bash
skip() {
    echo "skipped: $1"
    exit 77
}
if [ -z "${WEIR_NETWORK_INSIDE:-}" ]; then
    [ "$(id -u)" -eq 0 ] || skip "network namespaces need root"
    [ -x "${WEIR_SWITCH:-}" ] || skip "weir-switch is not built"
    for tool in ip ethtool ping unshare python3; do
        command -v "$tool" >/dev/null || skip "$tool is missing (tools/deps test)"
    done
    mkdir -p /run/netns
    unshare --mount --net true 2>/dev/null || skip "no namespace can be made here"
    WEIR_NETWORK_INSIDE=yes exec unshare --mount --net "$BASH" "$0" "$@"
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/apps/lib.sh
source "$here/lib.sh"
mount -t tmpfs none /run/netns 2>/dev/null || skip "nothing can be mounted here"
can_enter_namespaces || skip "no network namespace can be entered here"
ip link add w0 type veth peer name w1 2>/dev/null || skip "no veth pair can be made here"
ip link del w0

prefix=w$$ # of the namespaces; the switch is in ${prefix}s
control=$scratch/control
pids=()
cleanup() {
    [ ${#pids[@]} -eq 0 ] || kill -KILL "${pids[@]}" 2>/dev/null || true
    rm -rf "$scratch"
}
trap cleanup EXIT

# make_namespace NAME: without IPv6, whose kernel sends by itself.
make_namespace() {
    ip netns add "$1"
    # shellcheck disable=SC2016 # it expands there
    ip netns exec "$1" bash -c 'for flag in /proc/sys/net/ipv6/conf/{all,default}/disable_ipv6; do
        [ ! -e "$flag" ] || echo 1 >"$flag"
    done'
}

# Four hosts with one cable each to the switch's namespace.
make_hosts() {
    local i name other
    make_namespace "${prefix}s"
    for i in 0 1 2 3; do
        name=${prefix}h$i
        make_namespace "$name"
        ip link add eth0 netns "$name" address "02:00:00:00:00:0$((i + 1))" type veth peer name "port$i" netns "${prefix}s"
        ip -n "$name" addr add "10.78.0.$((i + 1))/24" dev eth0
        for other in "$name eth0" "${prefix}s port$i"; do
            # shellcheck disable=SC2086 # two words
            ip netns exec ${other% *} ethtool -K ${other#* } rx off tx off tso off gso off gro off txvlan off rxvlan off \
                >/dev/null
            ip -n "${other% *}" link set "${other#* }" up
        done
    done
}

remove_hosts() {
    local name
    for name in "${prefix}s" "${prefix}h0" "${prefix}h1" "${prefix}h2" "${prefix}h3"; do
        ip netns del "$name" 2>/dev/null || true
    done
}

# Everybody knows everybody's address: no ARP in between.
know_neighbours() {
    local i j
    for i in 0 1 2 3; do
        for j in 0 1 2 3; do
            [ "$i" -eq "$j" ] || ip -n "${prefix}h$i" neigh replace "10.78.0.$((j + 1))" \
                lladdr "02:00:00:00:00:0$((j + 1))" nud permanent dev eth0
        done
    done
}

mtu_of_cables() {
    local i
    for i in 0 1 2 3; do
        ip -n "${prefix}s" link set "port$i" mtu "$1"
        ip -n "${prefix}h$i" link set eth0 mtu "$1"
    done
}

# start_switch DEVICE_ARGUMENTS ARGUMENT...: and wait until it forwards. The last argument is the scenario.
start_switch() {
    local i extra=$1
    local -a devices=()
    shift
    for i in 0 1 2 3; do
        devices+=(--device "net_af_packet$i,iface=port$i$extra")
    done
    start_switch_with 'ready: 4 ports' "${devices[@]}" "$@"
    mbufs=$(host mbufs)
}

# start_switch_with READY ARGUMENT...: in the namespace of the switch, if it is there.
start_switch_with() {
    local ready=$1
    local -a inside=()
    shift
    ! [ -e "/run/netns/${prefix}s" ] || inside=(ip netns exec "${prefix}s")
    : >"$scratch/stdout"
    nice -n -15 "${inside[@]}" "$WEIR_SWITCH" --control "$control" "$@" >"$scratch/stdout" 2>"$scratch/stderr" &
    pids=("$!")
    until grep -q "^$ready" "$scratch/stdout"; do
        if ! kill -0 "${pids[0]}" 2>/dev/null; then
            printf 'FAIL the switch does not start\n%s\n' "$(cat "$scratch/stderr")"
            exit 1
        fi
        sleep 0.05
    done
}

# Everything that was in use is given back, and the switch ends well.
stop_switch() {
    local status=0
    host mbufs "$mbufs"
    "$WEIR" switch stop --control "$control" >/dev/null || status=$?
    expect_equal "exit status of 'weir switch stop'" "$status" 0
    wait "${pids[0]}" || status=$?
    expect_equal "exit status of the switch" "$status" 0
    expect_match "what the switch says at its end" "$(cat "$scratch/stdout")" '^stopped: in [0-9]+'
    expect_equal "errors of the switch" "$(cat "$scratch/stderr")" ""
    pids=()
}

# host COMMAND...: see switch_network.py.
host() {
    python3 "$here/switch_network.py" "$control" "$prefix" "$@" || failures=$((failures + 1))
}

# expect_ping FROM TO
expect_ping() {
    ip netns exec "${prefix}h$1" ping -q -c 2 -i 0.02 -w 120 "10.78.0.$(($2 + 1))" >"$scratch/ping" || {
        printf 'FAIL ping from host %s to %s\n%s\n' "$1" "$2" "$(cat "$scratch/ping")"
        failures=$((failures + 1))
    }
}

# In the background, until stopped; its process is $stream.
start_stream() {
    python3 "$here/switch_network.py" "$control" "$prefix" stream "$@" &
    stream=$!
    pids+=("$stream")
}

stop_stream() {
    kill -KILL "$stream" 2>/dev/null || true
    wait "$stream" 2>/dev/null || true
    pids=("${pids[0]}")
}

