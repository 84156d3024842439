#!/usr/bin/env bash
# weir testbed: what it refuses, a testbed that works and leaves nothing behind, and a run on real packets.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

bed=t$$
cat >bed.yaml <<'END'
name: bed
until: 100ms
topology: {kind: single, hosts: 4, rate: 10Gbps, delay: 20us}
switch: {buffer: 100KB, policy: dt, ecn: {kind: step, low: 65pkt}}
transports:
  tcp: {kind: cubic, min_rto: 10ms, initial_rto: 10ms}
traffic:
  - {kind: query, tag: query, transport: tcp, bytes: 150KB, fan_out: 3, rate: 200/s, until: 15ms}
  - {kind: poisson, tag: background, transport: tcp, sizes: websearch, load: 10%, until: 15ms}
sweep:
  network: {title: Measured on, labels: [simulation, testbed], testbed.use: [no, yes]}
END
sed '/^sweep:/,$d' bed.yaml >plain.yaml

# What is wrong is said in one line, whoever asks.
expect_run 2 "weir: testbed: unknown command 'upp' (did you mean 'up'?)" "$WEIR" testbed upp
expect_run 2 "weir: testbed run: no scenario (expected a file; see 'weir testbed run --help')" "$WEIR" testbed run
expect_run 2 "weir: --name: 'a-b' cannot name a testbed (expected 1 to 16 letters, digits or '_')" \
    "$WEIR" testbed up --name a-b bed.yaml
expect_run 2 'weir: testbed down: --name and --all do not go together (expected one of them)' \
    "$WEIR" testbed down --name a --all
expect_run 3 "weir: plain.yaml: no run is for the testbed (expected \`testbed: {use: yes}\`; 'weir run' simulates)" \
    "$WEIR" testbed run plain.yaml
expect_run 3 'weir: bed.yaml: transports: the testbed has no hpcc (expected newreno, cubic, dctcp or a steady udp)' \
    "$WEIR" testbed run --set 'transports.tcp={kind: hpcc}' bed.yaml
expect_run 0 'weir: bed.yaml: 1 of 2 runs are for the testbed and left out ('"'weir testbed run'"' makes them)' \
    "$WEIR" run bed.yaml
real=$("$WEIR" run --list bed.yaml | awk '/testbed/ {print $1}')
expect_run 3 "weir: bed.yaml: run $real is for the testbed ('weir testbed run' makes it)" \
    "$WEIR" run --only "$real" bed.yaml

skip() {
    [ "$failures" -eq 0 ] || exit 1
    echo "skipped: $1"
    exit 77
}
if [ "$(id -u)" -ne 0 ]; then
    expect_run 4 'weir: a testbed needs root, for network namespaces (try with sudo)' \
        "$WEIR" testbed up --name "$bed" bed.yaml
    skip 'not root'
fi
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if "${as_nobody[@]}" "$WEIR" --version >/dev/null 2>&1; then
    expect_run 4 'weir: a testbed needs root, for network namespaces (try with sudo)' \
        "${as_nobody[@]}" "$WEIR" testbed down
fi
for program in ip tc ethtool ping; do
    command -v "$program" >/dev/null || skip "no $program"
done
can_enter_namespaces || skip 'no network namespaces, or none that can be entered'
expect_run 4 "weir: a testbed needs 'weir-switch', which is not there (it is built where DPDK is found, see tools/deps)" \
    env WEIR_SWITCH=/nowhere "$WEIR" testbed up --name "$bed" bed.yaml
[ -x "$(dirname "$WEIR")/../weir-switch/weir-switch" ] || skip 'weir-switch is not built'
[ -x "$(dirname "$WEIR")/../weir-traffic/weir-traffic" ] || skip 'weir-traffic is not built'
trap '"$WEIR" testbed down --name "$bed" >/dev/null; rm -rf "$scratch"' EXIT

# left: what there is of the testbed: namespaces, files, programs.
left() {
    ip netns list 2>/dev/null | grep -o "weir-$bed-[a-z0-9]*" || true
    ls -d "/run/weir/testbed-$bed" "/run/weir/lock-$bed" 2>/dev/null || true
    pgrep -af "testbed-$bed/" || true
}
# expect_gone WHAT: nothing, after a while.
is_gone() { [ -z "$(left)" ]; }
expect_gone() { wait_until "nothing is left after $1" is_gone; }

# without_warning COMMAND...: but for the line that says that this machine has no priority to give.
without_warning() {
    local status
    {
        "$@" 2>&1 >&3 3>&- | { grep -v '^weir: warning: hosts and switch have no priority over other programs: ' >&2 || true; }
        status=${PIPESTATUS[0]}
    } 3>&1
    return "$status"
}

switch_pid() {
    sed -n 's/.*"switch_pid": \([0-9]*\).*/\1/p' "/run/weir/testbed-$bed/state.json"
}

# Up: every host reaches every other by way of the switch, which delays both ways; down: all gone, twice. With -w, ping
# waits for the last answer however busy the machine is.
expect_run 0 '' without_warning "$WEIR" testbed up --name "$bed" bed.yaml 7<plain.yaml
expect_match 'what up says' "$output" "^testbed $bed: 4 hosts, 10.77.0.1 to 10.77.0.4, times 100$"
expect_no_match 'files of its caller that the switch holds' "$(ls -l "/proc/$(switch_pid)/fd")" 'plain\.yaml'
for from in 0 1 2 3; do
    for to in 1 2 3 4; do
        expect_match "ping from h$from to 10.77.0.$to" \
            "$(ip netns exec "weir-$bed-h$from" ping -n -q -c 2 -i 0.01 -w 300 "10.77.0.$to")" ' [1-9][0-9]* received,'
    done
done
rtts=
has_rtt() { # the shortest of some: a busy machine may be late with all of them
    rtts+=" $(ip netns exec "weir-$bed-h0" ping -n -q -c 20 -i 0.01 -w 300 10.77.0.2 | sed -n 's|^rtt [^=]*= \([0-9]*\).*|\1|p')"
    [ "${rtts##* }" -lt 20 ]
}
wait_until 'a round trip of four links of 20 us, times 100, and not twice as many' has_rtt
expect_no_match 'round trips shorter than that, in ms' "${rtts// /$'\n'}" '^[0-7]$'
expect_run 0 '' "$WEIR" testbed status
expect_match 'status' "$output" "^$bed +up +4 +100 +10.77.0.1 ... 10.77.0.4 "
expect_equal 'who may look at its files' "$(stat -c %a "/run/weir/testbed-$bed")" 700
expect_equal 'the user of its switch' "$(stat -c %u "/proc/$(switch_pid)/task")" 65534
if "${as_nobody[@]}" "$WEIR" --version >/dev/null 2>&1; then
    expect_run 0 '' "${as_nobody[@]}" "$WEIR" testbed status
    expect_match 'status for others' "$output" "^$bed +known to root only "
fi
# A process that has ended and that nobody asked about, under the number of the switch, is no switch.
bash -c 'sleep 0 & echo $! >"$1"; exec sleep 1000' bash zombie &
holder=$!
is_zombie() {
    grep -q '^State:.Z' "/proc/$(cat zombie)/status"
}
wait_until 'a zombie' is_zombie
cp "/run/weir/testbed-$bed/state.json" state.json
sed -i "s/\"switch_pid\": [0-9]*/\"switch_pid\": $(cat zombie)/" "/run/weir/testbed-$bed/state.json"
expect_run 0 '' "$WEIR" testbed status
expect_match 'status with a zombie' "$output" "^$bed +without its switch "
cp state.json "/run/weir/testbed-$bed/state.json"
kill "$holder"
wait "$holder" 2>/dev/null || true
expect_run 3 "weir: testbed '$bed' already exists ('weir testbed down --name $bed' removes it)" \
    "$WEIR" testbed up --name "$bed" bed.yaml
expect_run 0 '' "$WEIR" testbed down --name "$bed"
expect_equal 'left after down' "$(left)" ''
expect_run 0 '' "$WEIR" testbed down --name "$bed"
expect_equal 'down again' "$output" 'no such testbed'

# What any user can take, names of abstract sockets, keeps nobody from having a testbed; a lock of root's does.
if [ -n "$has_python" ] && "${as_nobody[@]}" python3 -c '' 2>/dev/null; then
    "${as_nobody[@]}" python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind("\0weir-testbed-" + sys.argv[1])
print("bound", flush=True)
time.sleep(1000)' "$bed" >blocker.log &
    blocker=$!
    wait_until 'somebody in the way' grep -q bound blocker.log
    expect_run 0 '' without_warning "$WEIR" testbed up --name "$bed" bed.yaml
    expect_run 0 '' "$WEIR" testbed down --name "$bed"
    kill "$blocker"
    wait "$blocker" 2>/dev/null || true
fi
flock "/run/weir/lock-$bed" sh -c ': >locked; exec sleep 1000' &
holder=$!
wait_until 'a lock' test -e locked
expect_run 4 "weir: a testbed '$bed' is in use by another process (--name makes another)" \
    without_warning "$WEIR" testbed up --name "$bed" bed.yaml
pkill -P "$holder"
wait "$holder" 2>/dev/null || true

# A switch that does not start takes nothing with it.
printf '#!/bin/sh\necho no luck >&2\nexit 1\n' >broken
chmod +x broken
expect_run 4 "weir: $scratch/broken did not start: no luck" \
    without_warning env WEIR_SWITCH="$scratch/broken" "$WEIR" testbed up --name "$bed" bed.yaml
expect_equal 'left after a switch that did not start' "$(left)" ''

# A host that fails: the run is written down as failed, and how to make it again.
expect_run 4 '' without_warning env WEIR_TRAFFIC="$scratch/broken" "$WEIR" testbed run --quiet --name "$bed" bed.yaml
expect_match 'a run that failed' "$output" \
    '^failed: network=testbed, seed 1: host h[0-3]: weir-traffic ended with status 1: no luck$'
expect_match 'how to make it again' "$output" "^  again: weir testbed run bed.yaml --only $real\$"
expect_equal 'left after a run that failed' "$(left)" ''
expect_run 4 '' without_warning env WEIR_TRAFFIC="$scratch/broken" "$WEIR" testbed run --quiet --name "$bed" \
    --set testbed.use=yes -o alone.db plain.yaml
expect_match 'a run alone that failed' "$output" '^failed: .*weir-traffic ended with status 1: no luck$'

# Killed in the middle, with no chance to tidy up.
printf '#!/bin/sh\nexec sleep 1000\n' >silent
chmod +x silent
env WEIR_SWITCH="$scratch/silent" "$WEIR" testbed up --name "$bed" bed.yaml >/dev/null 2>&1 &
pid=$!
wait_until 'a testbed under way' test -e "/run/weir/testbed-$bed/switch.log"
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
expect_gone 'kill -9 of up'

# The same of a run; then the run itself, which finds the simulated point done.
: >killed.log
"$WEIR" testbed run --name "$bed" --quiet bed.yaml >killed.log 2>&1 &
pid=$!
wait_until "a run under way ($(cat killed.log))" test -e "/run/weir/testbed-$bed/h3.log"
kill -9 "$pid" || cat killed.log
wait "$pid" 2>/dev/null || true
expect_gone 'kill -9 of run'
expect_run 0 'weir: bed.db: resuming: 1 of 2 runs are done
weir: bed.yaml: 1 run in the testbed, one after the other: at most 0 min 14 s' without_warning "$WEIR" testbed run --name "$bed" bed.yaml
expect_equal 'left after run' "$(left)" ''

value() {
    "$WEIR" export --csv bed.db | tr -d '"' | awk -F, -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
        NR > 1 && /,testbed,/ { print $column }'
}
for measure in query.qct.mean query.queries background.fct.mean background.flows memory.peak marked lost.total testbed.late; do
    expect_match "$measure of the run on real packets" "$(value "$measure")" '^[0-9.e-]+$'
done
# A ring of a port holds 4096 frames, half a second of the largest: a switch that never waited for a tenth of it took all.
expect_equal "packets that the switch was too slow for, late by at most $(value testbed.late) s of the scenario" \
    "$(awk -v late="$(value testbed.late)" -v behind="$(value testbed.behind)" 'BEGIN { print (late < 0.0005 && behind > 0) }')" 0
before=$(value query.qct.mean)
expect_run 0 '' "$WEIR" run --again --quiet bed.yaml
expect_equal 'what weir run --again leaves of it' "$(value query.qct.mean)" "$before"
expect_equal 'a measure that nobody can know' "$(value query.lossless)" ''
expect_match 'queries that finished' "$(value query.queries_finished)" '^[1-9]'

# What a switch that stands still does not take from its devices is seen, though they do not tell: its ring of a port
# holds 4096 frames.
"$WEIR" testbed run --again --name "$bed" --quiet --only "$real" bed.yaml >stopped.log 2>&1 &
pid=$!
wait_until 'the hosts of a run' test -e "/run/weir/testbed-$bed/h3.log"
switch=$(switch_pid)
kill -STOP "$switch"
ip netns exec "weir-$bed-h0" ping -n -q -s 8 -c 9000 -l 9000 -w 4 10.77.0.2 >/dev/null || true
kill -CONT "$switch"
wait "$pid" || cat stopped.log
expect_match 'packets that a switch did not take which stood still' "$(value testbed.behind)" '^[1-9][0-9]{2,}$'

# Without a priority to give it says so, and works: in a container without the right to, and on one processor.
while read -r -a before; do
    status=0
    "${before[@]}" "$WEIR" testbed up --name "$bed" bed.yaml >/dev/null 2>warning.log || status=$?
    expect_equal "up after '${before[*]}'" "$status" 0
    expect_match "its warning after '${before[*]}'" "$(cat warning.log)" \
        '^weir: warning: hosts and switch have no priority over other programs: .+ \(leave the machine alone, and see'
    expect_match "ping after '${before[*]}'" \
        "$(ip netns exec "weir-$bed-h0" ping -n -q -c 3 -i 0.01 -w 300 10.77.0.2)" ' [1-9][0-9]* received,'
    expect_equal "ordinary programs after '${before[*]}'" \
        "$(chrt -p "$(switch_pid)" | sed -n 's/.*policy: //p')" SCHED_OTHER
    expect_run 0 '' "$WEIR" testbed down --name "$bed"
done <<END
setpriv --bounding-set -sys_nice --inh-caps -sys_nice
taskset -c $(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
END
finish
