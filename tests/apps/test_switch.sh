#!/usr/bin/env bash
# weir-switch and weir switch: a switch between captures is started, asked, changed, recorded and ended. Needs neither
# root nor huge pages; without DPDK only the client is tried.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
switch_pid=
trap '[ -z "$switch_pid" ] || kill -KILL "$switch_pid" 2>/dev/null; rm -rf "$scratch"' EXIT

expect_run 2 "weir: switch: no command (expected status, counters, watch, set, trace or stop; see 'weir switch --help')" "$WEIR" switch
expect_run 2 "weir: switch: unknown command 'statsu' (did you mean 'status'?)" "$WEIR" switch statsu
expect_run 2 "weir: switch status: --port does not go with it (see 'weir switch --help')" "$WEIR" switch status --port 1
expect_run 2 'weir: switch set: 0 operands (expected parameter=value)' "$WEIR" switch set
expect_run 2 "weir: switch set: 'alpha' is not a change (expected parameter=value)" "$WEIR" switch set alpha
expect_run 2 "weir: switch trace: unknown action 'begin' (expected start or stop)" "$WEIR" switch trace begin
expect_run 2 'weir: switch trace start: no file (expected one)' "$WEIR" switch trace start
expect_run 2 "weir: switch trace: '?' is not UTF-8" "$WEIR" switch trace start $'\xff'
expect_run 3 'weir: switch: no switch answers at ./none: No such file or directory (is weir-switch running? see --control)' \
    "$WEIR" switch status --control ./none
expect_run 3 "weir: --control: $(printf '%0120d' 0): a socket cannot have this name (expected 1 to 107 bytes)" \
    "$WEIR" switch stop --control "$(printf '%0120d' 0)"

: "${WEIR_SWITCH:=$(dirname "$WEIR")/../weir-switch/weir-switch}"
if [ ! -x "$WEIR_SWITCH" ]; then
    [ "$failures" -eq 0 ] || exit 1
    echo 'skipped: weir-switch was not built (DPDK is missing, see tools/deps)'
    exit 77
fi

# bytes HEX...: these bytes.
bytes() {
    # shellcheck disable=SC2059 # the format is what is wanted
    printf "$(tr -d ' ' <<<"$*" | sed 's/../\\x&/g')"
}

# frame TOS: an IPv4 packet of 1000 bytes from station 1 to station 2, in a capture.
frame() {
    local sum=$((0x4500 + 0x$1 + 986 + 0x4011 + 2 * 0x0a00 + 1 + 2))
    sum=$(printf '%04x' $((0xffff - (sum & 0xffff) - (sum >> 16))))
    bytes 0000000000000000 e8030000 e8030000 020000000002 020000000001 0800 "45$1" 03da 00000000 4011 "$sum" \
        0a000001 0a000002 10001000 03c6 0000
    head -c 958 /dev/zero
}
bytes d4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000 >empty.pcap
{
    cat empty.pcap
    frame 00 >frame0
    frame 20 >frame1
    for ((i = 0; i < 100; i++)); do cat frame0 frame1 frame1; done
} >in.pcap

cat >two.yaml <<'END'
name: two
topology: {kind: single, hosts: 2, rate: 10Gbps}
switch: {buffer: 20KB, classes: 2, policy: {name: dt, alpha: 0.5}}
dataplane:
  devices: ["net_pcap0,rx_pcap=in.pcap,tx_pcap=back.pcap", "net_pcap1,rx_pcap=empty.pcap,tx_pcap=out.pcap"]
  addresses: {"02:00:00:00:00:02": 1}
  sleeps: yes
  huge_pages: no
  scale: 1000
END

# start ARGUMENT...: runs the switch and waits until it is ready.
start() {
    : >stdout
    "$WEIR_SWITCH" --control ./control "$@" >stdout 2>stderr &
    switch_pid=$!
    until grep -q '^ready: ' stdout; do
        if ! kill -0 "$switch_pid" 2>/dev/null; then
            ! grep -q 'Address already in use' stderr || return 1
            printf 'FAIL the switch does not start:\n%s\n' "$(cat stdout stderr)"
            exit 1
        fi
        sleep 0.05
    done
}

# start_with_port ARGUMENT...: the same with --prometheus and a port. Ports are below those that the kernel gives to
# connections; somebody else may have one of them.
start_with_port() {
    until port=$((20000 + RANDOM % 12000)) && start --prometheus "$port" "$@"; do :; done
}

# ended CODE: the switch has ended with it.
ended() {
    local status=0
    wait "$switch_pid" || status=$?
    switch_pid=
    expect_equal 'exit status of the switch' "$status" "$1"
    # A busy machine is no fault of the switch.
    expect_equal 'messages of the switch' "$(grep -v 'a processor was away' stderr || true)" ''
}

# number NAME: the first such number in a reply.
number() {
    grep -m 1 -oE "\"$1\": [0-9]+" <<<"$output" | grep -oE '[0-9]+$' || echo none
}

expect_run 0 '' "$WEIR_SWITCH" --print-config two.yaml
printf '%s\n' "$output" >effective.yaml
expect_run 0 '' "$WEIR_SWITCH" --print-config effective.yaml
expect_equal 'effective values' "$output" "$(cat effective.yaml)"
expect_run 0 '' "$WEIR_SWITCH" --print-config --device a --device b --scale 7 two.yaml
expect_match 'devices of the command line' "$output" '^  devices: \[a, b\]$'
expect_match 'scale of the command line' "$output" '^  scale: 7$'
expect_run 2 "weir-switch: unknown option --scle (did you mean --scale?)" "$WEIR_SWITCH" --scle=1 two.yaml
expect_run 2 "weir-switch: no scenario (expected a file; see 'weir-switch --help')" "$WEIR_SWITCH"
expect_run 2 "weir-switch: --scale: given twice (expected once)" "$WEIR_SWITCH" --scale 1 --scale 2 two.yaml
expect_run 2 "weir-switch: --memory goes with --trace" "$WEIR_SWITCH" --memory 1 two.yaml
expect_run 2 "weir-switch: --drops-max goes with --drops" "$WEIR_SWITCH" --drops-max 1MB two.yaml
expect_run 3 "weir-switch: --device: devices: 1 are here (expected 2, one per host)" \
    "$WEIR_SWITCH" --control ./control --device net_null0 two.yaml
expect_run 3 "weir-switch: --set switch.policy=credence: policy credence asks an oracle, and 'oracle' is missing (expected 'oracle: {model: FILE}', or 'table' or 'answers')" \
    "$WEIR_SWITCH" --control ./control --set switch.policy=credence two.yaml
expect_run 4 'weir-switch: cpus: this machine has no processor 1023 (expected numbers that lscpu calls online)' \
    "$WEIR_SWITCH" --control ./control --set 'dataplane.cpus={rx: 0, forwarding: 0, tx: 1023, expulsion: 0}' two.yaml
touch plain
expect_run 4 'weir-switch: plain: cannot listen: there is a file of this name (expected none, or a socket)' \
    "$WEIR_SWITCH" --control plain two.yaml
rm plain effective.yaml

# A burst of 300 packets finds 20 KB; the trace of it replays, and what was dropped is in the capture.
start --trace run.trace --drops drops.pcapng two.yaml
has_passed() {
    output=$("$WEIR" switch status --control ./control --json)
    [ "$(number in_packets)" = 300 ] && [ "$(number used_bytes)" = 0 ]
}
wait_until 'the burst has passed' has_passed
expect_run 0 '' "$WEIR" switch status --control ./control --json
expect_equal 'both clocks have the same zero' "$(awk -F '[:,]' '/"up_s"/ {up = $2} /"emulated_s"/ {own = $2}
    END {print (up > 0 && up / 1000 - own < 1e-6 && own - up / 1000 < 1e-6) ? "yes" : up " and " own}' <<<"$output")" yes
expect_run 0 '' "$WEIR" switch status --control ./control
expect_match 'how long' "$output" '^two.yaml: up [0-9.]+m?s, scale 1000 \([0-9.]+[mu]s by the clock of the switch\), '
expect_match 'port 0' "$output" '^ +0  net_pcap0,.*  10Gbps  up +300 +0 '
expect_match 'policy' "$output" '^policy dt: alpha=0.5$'
expect_match 'trace' "$output" '^trace run.trace of MMU 0: being written'
expect_run 0 '' "$WEIR" switch counters --control ./control --port 1 --json
sent=$(awk '/"SAI_QUEUE_STAT_PACKETS"/ {gsub(/[^0-9]/, ""); sum += $0} END {print sum}' <<<"$output")
dropped=$(awk '/"SAI_QUEUE_STAT_DROPPED_PACKETS"/ {gsub(/[^0-9]/, ""); sum += $0} END {print sum}' <<<"$output")
expect_equal 'each packet was sent or dropped' "$((sent + dropped))" 300
expect_match 'a queue never held more than the buffer' "$(number user)" '^[1-9][0-9]{0,4}$'
expect_equal 'two classes sent' "$(grep -cE '"SAI_QUEUE_STAT_PACKETS": [1-9]' <<<"$output")" 2
expect_run 0 '' "$WEIR" switch counters --control ./control
expect_match 'a table' "$output" '^ +1 +0 +[1-9][0-9]* +[1-9][0-9]*000 +[1-9]'

# Watched: the first rates are means since the start, and later on nothing happens any more.
expect_run 0 '' "$WEIR" switch watch --control ./control --times 2
expect_equal 'lines' "$(wc -l <<<"$output")" 2
expect_match 'the first look' "$output" '^up [0-9.]+m?s: buffer 0B of 20KB \(0 %\), sent [0-9]+/s, .* refused [1-9]'
expect_match 'the second look' "$(tail -1 <<<"$output")" ', sent 0/s, 0kbps, refused 0/s, .* pauses 0/s$'
expect_run 2 "weir: switch watch: --json does not go with it (see 'weir switch --help')" "$WEIR" switch watch --json

# New parameters change thresholds at once; what is no parameter is told.
expect_run 0 '' "$WEIR" switch counters --control ./control --port 1 --class 0 --json
expect_equal 'half of the buffer' "$(number threshold_bytes)" 10000
expect_run 0 '' "$WEIR" switch set alpha=1/4 --control ./control
expect_equal 'what it says' "$output" 'dt: alpha: 0.25, was 0.5'
expect_run 0 '' "$WEIR" switch counters --control ./control --port 1 --class 0 --clear user --json
expect_equal 'a quarter of it' "$(number threshold_bytes)" 5000
expect_run 0 '' "$WEIR" switch counters --control ./control --port 1 --class 0 --json
expect_equal 'a cleared watermark' "$(number user)" 0
expect_match 'another view' "$(number persistent)" '^[1-9]'
expect_run 3 "weir: switch: set alhpa=1: unknown key 'alhpa' in policy dt (did you mean 'alpha'?)" \
    "$WEIR" switch set alhpa=1 --control ./control
expect_run 0 '' "$WEIR" switch set 'alpha=[1, 2]' --control ./control
expect_equal 'by class' "$output" 'dt: alpha: [1, 2], was 0.25'
expect_run 3 "weir: switch: set alpha=4x: alpha: '4x' has an unknown unit (expected: none or %)" \
    "$WEIR" switch set alpha=4x --control ./control
expect_run 3 "weir: switch: set alpha=a?????????????????????????????: alpha: 'a????????????????????????????????' is not a number" \
    "$WEIR" switch set "alpha=a$(printf 'é%.0s' {1..16})" --control ./control
expect_run 3 'weir: switch: set: no ingress policy (no class is lossless)' \
    "$WEIR" switch set ingress.alpha=1 --control ./control
expect_run 3 'weir: switch: no port 2 (expected 0 to 1)' "$WEIR" switch counters --port 2 --control ./control
expect_run 3 'weir: switch: no class 2 (expected 0 to 1)' "$WEIR" switch counters --class 2 --control ./control
expect_run 3 "weir: switch: unknown clear 'all' (expected periodic, user, persistent)" \
    "$WEIR" switch counters --clear all --control ./control

# A second switch does not take its place.
expect_run 4 "weir-switch: ./control: cannot listen: a switch is running there (expected another --control, or 'weir switch stop')" \
    "$WEIR_SWITCH" --control ./control two.yaml

# Anything at all on the socket gets an answer or is dropped, and the switch goes on.
if command -v python3 >/dev/null; then
    expect_equal 'bad requests' "$(python3 - <<'END'
import json, socket

def connect():
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(600)
    s.connect("./control")
    return s

def line(s):
    text = b""
    while not text.endswith(b"\n"):
        more = s.recv(65536)
        if not more:
            return text
        text += more
    return text

s = connect()
for bad in [b"", b"hello", b"{", b"[]", b"{}", b'{"command":"nothing"}', b"\x00\xff\xfe", b'{"command":"set"}',
            b"[" * 8000, b'{"command":"counters","port":"x"}']:
    s.sendall(bad + b"\n")
    assert json.loads(line(s))["ok"] is False, bad
for piece in [b'{"comm', b'and":"sta', b'tus"}', b"\n"]:  # a request in pieces
    s.sendall(piece)
assert json.loads(line(s))["ok"] is True
s.sendall(b'{"command":"status"}\n' * 20)  # many in one piece
replies = b""
while replies.count(b"\n") < 20:
    replies += s.recv(65536)
assert all(json.loads(one)["ok"] for one in replies.splitlines())
s.sendall(b"x" * 10000)  # no end in sight
assert b"more than 8192 bytes" in line(s)
others = [connect() for _ in range(40)]  # more than have a place at once: the first ones make room
others[39].sendall(b'{"command":"status"}\n')
assert json.loads(line(others[39]))["ok"] is True
assert line(others[0]) == b""
for one in others:
    one.close()
lazy = connect()  # never reads what it asked for
lazy.sendall(b'{"command":"counters"}\n' * 300)
again = connect()
again.sendall(b'{"command":"status"}\n')
assert json.loads(line(again))["ok"] is True
print("answered")
END
)" 'answered'
fi

# Ended by a signal: files are whole, the socket is gone, and nothing is lost from the count.
kill -TERM "$switch_pid"
ended 0
expect_match 'totals' "$(cat stdout)" "^stopped: in 300, out $sent, dropped $dropped, discarded 0 packets$"
[ ! -e control ] || expect_equal 'the socket' 'there' 'gone'
expect_run 0 '' "$WEIR" replay run.trace
expect_match 'the trace replays' "$output" '^core agrees$'
expect_match 'the trace replays' "$output" '^naive agrees$'
expect_match 'it has the burst' "$output" '^arrivals +300$'
expect_equal 'packets that left' "$((($(stat -c %s out.pcap) - 24) / 1016))" "$sent"
expect_equal 'a pcapng' "$(head -c 4 drops.pcapng | od -An -tx1)" ' 0a 0d 0d 0a'
expect_equal 'dropped packets are in it' "$(grep -aoE 'over[- ]threshold' drops.pcapng | wc -l)" "$dropped"

# A switch that was killed leaves a socket, which the next one replaces; a trace can be taken while it runs.
start two.yaml
kill -KILL "$switch_pid"
wait "$switch_pid" 2>/dev/null || true
[ -S control ] || expect_equal 'the socket of a killed switch' 'gone' 'there'
start_with_port two.yaml
expect_run 3 "weir: switch: trace: stop: none is being written (expected 'trace start' first)" \
    "$WEIR" switch trace stop --control ./control
expect_run 3 'weir: switch: trace: no MMU 1 (expected 0 to 0)' \
    "$WEIR" switch trace start --memory 1 later.trace --control ./control
expect_run 3 "weir: switch: trace: $PWD/none/later.trace: cannot write: No such file or directory" \
    "$WEIR" switch trace start none/later.trace --control ./control
mkfifo pipe
expect_run 3 "weir: switch: trace: $PWD/pipe: cannot write: Illegal seek" \
    "$WEIR" switch trace start pipe --control ./control
is_idle() {
    "$WEIR" switch status --control ./control --json | grep -q '"used_bytes": 0'
}
wait_until 'the burst has passed' is_idle
expect_run 0 '' "$WEIR" switch trace start later.trace --control ./control
expect_run 3 "weir: switch: trace: $PWD/later.trace: is being written already (expected 'trace stop' first)" \
    "$WEIR" switch trace start other.trace --control ./control
expect_run 0 '' "$WEIR" switch set alpha=2 --control ./control
expect_run 0 '' "$WEIR" switch trace stop --control ./control
expect_match 'what it says' "$output" "^$PWD/later.trace: [1-9][0-9]* B$"
expect_run 0 '' "$WEIR" replay later.trace
expect_match 'the second trace replays' "$output" '^core agrees$'
expect_run 3 "weir: switch: trace: $PWD/none/later.trace: cannot write: No such file or directory" \
    "$WEIR" switch trace start none/later.trace --control ./control
expect_run 0 '' "$WEIR" switch status --control ./control
expect_match 'the last trace' "$output" "^trace $PWD/later.trace of MMU 0: ended, [1-9][0-9]* B$"

# fetch REQUEST: the answer of the loopback port.
fetch() {
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf '%b' "$1\r\n\r\n" >&3
    tr -d '\r' <&3
    exec 3<&-
}
text=$(fetch "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:$port")
expect_match 'Prometheus' "$text" '^HTTP/1.1 200 OK$'
expect_match 'a counter' "$text" '^weir_port_in_packets_total\{port="0"\} 300$'
expect_match 'its type' "$text" '^# TYPE weir_queue_dropped_packets_total counter$'
expect_match 'a reason' "$text" '^weir_queue_dropped_packets_total\{port="1",class="1",reason="over-threshold"\} [1-9]'
expect_match 'another path' "$(fetch 'GET /other HTTP/1.0')" '^HTTP/1.1 404 Not Found$'
expect_match 'another method' "$(fetch 'POST /metrics HTTP/1.0')" '^HTTP/1.1 405 Method Not Allowed$'
expect_match 'a page of somewhere else' "$(fetch 'GET /metrics HTTP/1.1\r\nHost: evil.example')" \
    '^HTTP/1.1 421 Misdirected Request$'
expect_match 'no HTTP' "$(fetch 'hello')" '^HTTP/1.1 400 Bad Request$'
silent=()
for ((i = 0; i < 40; i++)); do # peers that never ask keep nobody out
    exec {fd}<>"/dev/tcp/127.0.0.1/$port"
    silent+=("$fd")
done
expect_run 0 '' timeout 600 "$WEIR" switch status --control ./control
expect_match 'after silent peers' "$(fetch 'GET /metrics HTTP/1.0')" '^HTTP/1.1 200 OK$'
for fd in "${silent[@]}"; do exec {fd}<&-; done
expect_run 0 '' "$WEIR" switch stop --control ./control
ended 0
expect_run 3 'weir: switch: no switch answers at ./control: No such file or directory (is weir-switch running? see --control)' \
    "$WEIR" switch stop --control ./control

# A capture of drops ends before it is too long, as a whole file; the switch goes on.
start --drops short.pcapng --drops-max 64KiB two.yaml
is_full() {
    output=$("$WEIR" switch status --control ./control)
    grep -q '^drops .*, full$' <<<"$output"
}
wait_until 'the capture is full' is_full
expect_match 'what it says' "$output" '^drops short.pcapng: [1-9][0-9]* written, [0-9]+ missed, full$'
expect_equal 'a file of this length' "$((($(stat -c %s short.pcapng) > 60000) + ($(stat -c %s short.pcapng) <= 65536)))" 2
expect_run 0 '' "$WEIR" switch stop --control ./control
wait "$switch_pid" || expect_equal 'the switch' 'failed' 'ended'
switch_pid=
expect_match 'a warning' "$(cat stderr)" '^weir-switch: warning: --drops: short.pcapng is full with [1-9]'

# Lossless classes: a PAUSE from the peer stops the class, which fills the buffer, so that its sender is told to pause,
# again and again, and to resume when the pause from the peer is over.
{
    cat empty.pcap
    for ((i = 0; i < 40; i++)); do cat frame0 frame1; done
} >in.pcap
{
    cat empty.pcap # class 1 for 65535 quanta: 3.36 ms at 10 Gb/s
    bytes 0000000000000000 3c000000 3c000000 0180c2000001 020000000002 8808 0101 0002 0000 ffff
    head -c 38 /dev/zero
} >pause.pcap

# queue PORT CLASS COLUMN: of the table in `output`.
queue() {
    awk -v port="$1" -v class="$2" -v column="$3" 'NF > 11 && $1 == port && $2 == class {print $column}' <<<"$output"
}

# is_held MMU: all 40 packets of the lossy class are sent, and class 1 of port 0 is paused by this MMU.
is_held() {
    output=$("$WEIR" switch counters --control ./control)
    [ "$(queue 1 0 3)" = 40 ] && grep -qE "^ +$1 +0 +1 +[1-9][0-9]* .* 1 +0$" <<<"$output"
}

# is_seen MMU: so it is, or was before we came to look: the pause is over, and all that waited is sent.
is_seen() {
    is_held "$1" || [ "$(queue 1 1 3)" = 40 ]
}

# lossless HEADROOM MMUS MMU: the same with this scheme, where the traffic is in this MMU.
lossless() {
    sed -e 's/empty.pcap,/pause.pcap,/' -e "s/^switch: .*/switch: {buffer: 200KB, classes: 2, lossless: 1, headroom: $1, \
policy: dt, ports_per_memory: $((3 - $2))}/" two.yaml >lossless.yaml
    local scale=1000
    echo '  reaction: 6ms' >>lossless.yaml # the peer is a capture, which sends at once what it has
    start --trace lossless.trace --memory "$3" lossless.yaml
    wait_until "$1: the lossy class is sent, and the sender of the other paused" is_seen "$3"
    while ! is_held "$3" && [ "$scale" -lt 100000 ]; do # a machine that is so slow gets a switch that is slower still
        expect_run 0 '' "$WEIR" switch stop --control ./control
        ended 0
        start --trace lossless.trace --memory "$3" --scale $((scale *= 4)) lossless.yaml
        wait_until "$1: the same at scale $scale" is_seen "$3"
    done
    expect_equal "$1: the lossy class is sent" "$(queue 1 0 3)" 40
    expect_equal "$1: a lossless class has no threshold of the policy" "$(queue 1 1 13)" -
    expect_equal "$1: the paused class waits" "$(($(queue 1 1 3) < 5))" 1
    expect_match "$1: its sender is paused" "$output" "^ +$3 +0 +1 +[1-9][0-9]* .* 1 +0$"
    expect_run 0 '' "$WEIR" switch set ingress.alpha=1/8 --control ./control
    expect_equal 'what it says' "$output" "$1: alpha: 0.125, was 0.0625"
    are_empty() {
        [ "$("$WEIR" switch status --control ./control --json | grep -c '"used_bytes": 0$')" = "$1" ]
    }
    wait_until "$1: all is sent" are_empty "$2"
    expect_run 0 '' "$WEIR" switch counters --control ./control --json
    expect_match "$1: PAUSE frames obeyed" "$output" '"SAI_PORT_STAT_PAUSE_RX_PKTS": 1,'
    expect_equal "$1: paused and resumed" "$(grep -cE '"class_(pauses|resumes)": 1,?$' <<<"$output")" 2
    local sent
    sent=$(grep -m 1 -oE '"SAI_PORT_STAT_PAUSE_TX_PKTS": [0-9]+' <<<"$output" | grep -oE '[0-9]+$')
    expect_run 0 '' "$WEIR" switch stop --control ./control
    ended 0
    # Each is 16 bytes of the capture and 60 of the frame: class 1, for all of the time or for none.
    local told
    told=$(tail -c +25 back.pcap | od -An -v -w76 -tx1 | tr -d ' ' | cut -c 33-44,57-76)
    expect_equal "$1: PAUSE frames" "$(sort -u <<<"$told")" "$(printf '0180c2000001880801010002%s\n' 00000000 0000ffff)"
    expect_match "$1: the last one ends it" "$(tail -n 1 <<<"$told")" '00000000$'
    expect_equal "$1: all of them are in the capture" "$(wc -l <<<"$told")" "$sent"
    expect_run 0 '' "$WEIR" replay lossless.trace
    expect_match "$1: the trace replays" "$output" '^core agrees$'
    expect_match "$1: with its arrivals" "$output" '^arrivals +80$'
}
lossless sih 1 0
lossless dsh 2 1

# A socket that somebody listens on and nobody serves, its backlog full: said at once.
if [ -n "$has_python" ]; then
    python3 - <<'END' &
import socket, time
s = socket.socket(socket.AF_UNIX)
s.bind("./full")
s.listen(0)
others = [socket.socket(socket.AF_UNIX) for _ in range(4)]
for one in others:
    one.setblocking(False)
    try:
        one.connect("./full")
    except BlockingIOError:
        open("is_full", "w").close()
time.sleep(1000)
END
    listener=$!
    wait_until 'the backlog is full' test -e is_full
    expect_run 4 "weir-switch: ./full: cannot listen: a switch is running there (expected another --control, or 'weir switch stop')" \
        timeout 600 "$WEIR_SWITCH" --control ./full two.yaml
    kill "$listener"
    wait "$listener" 2>/dev/null || true
fi

# The socket of a switch that came after is not removed by the one before.
start two.yaml
rm control
touch control
kill -TERM "$switch_pid"
ended 0
[ -e control ] || expect_equal 'what another one made' 'gone' 'there'
rm control

# Calls that a switch does not need are refused by the kernel, whoever runs it.
start two.yaml
expect_match 'no new privileges' "$(cat "/proc/$switch_pid/status")" '^NoNewPrivs:.1$'
expect_equal 'a filter in every thread' "$(grep -h '^Seccomp:' /proc/"$switch_pid"/task/*/status | sort -u | tr -d '[:space:]')" \
    'Seccomp:2'
expect_run 0 '' "$WEIR" switch stop --control ./control
ended 0

# Crashes: the switch starts again as it was, with the parameters in force, and counts.
start_with_port --restart two.yaml
expect_run 0 '' "$WEIR" switch set alpha=4 --control ./control
inner() {
    "$WEIR" switch status --control ./control --json 2>/dev/null | grep -oE '"pid": [0-9]+' | grep -oE '[0-9]+'
}
first=$(inner)
[ "$first" != "$switch_pid" ] || expect_equal 'the switch' 'one process' 'two'
sed -i 's/alpha: 0.5/alpha: 0.125/' two.yaml # a file that changed meanwhile is not what it was started with
kill -ABRT "$first"
is_another() {
    [ -n "$(inner)" ] && [ "$(inner)" != "$first" ]
}
wait_until 'the switch is there again' is_another
expect_run 0 '' "$WEIR" switch status --control ./control
expect_match 'its parameters' "$output" '^policy dt: alpha=4$'
expect_match 'how often' "$output" '^restarted after a crash: 1 times, the last by signal 6, Aborted$'
expect_match 'the same for Prometheus' "$(fetch 'GET /metrics HTTP/1.0')" '^weir_restarts_total 1$'
kill -TERM "$switch_pid"
wait "$switch_pid" || expect_equal 'the switch' 'failed' 'ended'
switch_pid=
expect_equal 'what it says' "$(cat stderr)" 'weir-switch: warning: the switch ended by signal 6, Aborted: restart 1'
[ ! -e control ] || expect_equal 'the socket' 'there' 'gone'
sed -i 's/alpha: 0.125/alpha: 0.5/' two.yaml
# What does not end for a crash is no reason to start again; who watches takes the switch with it.
expect_run 4 'weir-switch: cpus: this machine has no processor 1023 (expected numbers that lscpu calls online)' \
    "$WEIR_SWITCH" --restart --control ./control --set 'dataplane.cpus={rx: 0, forwarding: 0, tx: 1023, expulsion: 0}' two.yaml
start --restart two.yaml
first=$(inner)
kill -KILL "$switch_pid"
wait "$switch_pid" 2>/dev/null || true
switch_pid=
is_gone() {
    ! kill -0 "$first" 2>/dev/null
}
wait_until 'the switch follows who watched' is_gone

# Another user, when the devices are open.
expect_run 3 "weir-switch: --user: this machine has no user 'no-such-user'" "$WEIR_SWITCH" --user no-such-user two.yaml
expect_run 3 'weir-switch: --user: root would give up nothing (expected another user)' "$WEIR_SWITCH" --user 0 two.yaml
if [ "$(id -u)" -eq 0 ]; then
    chmod 777 .
    rm -f ./*.trace out.pcap back.pcap
    start --user 65534 --trace user.trace two.yaml
    expect_equal 'its user, in every thread' \
        "$(sed -n 's/^Uid:[[:space:]]*//p' /proc/"$switch_pid"/task/*/status | sort -u | tr '\t' ' ')" '65534 65534 65534 65534'
    expect_equal 'its capabilities' "$(sed -n 's/^Cap\(Eff\|Prm\|Amb\):[[:space:]]*//p' /proc/"$switch_pid"/task/*/status | sort -u)" \
        0000000000000000
    expect_equal 'its groups' "$(sed -n 's/^Gid:[[:space:]]*//p' "/proc/$switch_pid/status" | tr '\t' ' ')" '65534 65534 65534 65534'
    expect_equal 'owner of the socket' "$(stat -c %u control)" 65534
    wait_until 'the burst has passed' is_idle
    expect_run 0 '' "$WEIR" switch stop --control ./control
    ended 0
    expect_equal 'owner of the trace' "$(stat -c %u user.trace)" 65534
    [ ! -e control ] || expect_equal 'the socket' 'there' 'gone'
else
    expect_run 4 '' "$WEIR_SWITCH" --control ./control --user 65534 two.yaml
fi
finish
