#!/usr/bin/env bash
# weir-traffic between addresses of the loopback device: the flows are the simulator's, all come over, a host that dies
# takes only its own with it, and mistakes are named. WEIR_TRAFFIC is the program. See test_traffic_dctcp.sh for what
# needs root.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
: "${WEIR_TRAFFIC:?the path of the weir-traffic command}"
pids=()
stop_all() {
    for pid in "${pids[@]}"; do
        kill -KILL "$pid" 2>/dev/null || true
    done
}
trap 'stop_all; rm -rf "$scratch"' EXIT

# Addresses that no other test has at the moment.
net=127.$((RANDOM % 250 + 1)).$((RANDOM % 250 + 1))
three=$net.1,$net.2,$net.3

as_user=() # who starts it

# start HOST ARGUMENT...: in the background, with files of its own.
start() {
    local host=$1
    shift
    "${as_user[@]}" "$WEIR_TRAFFIC" "$@" --host "$host" --addresses "$three" --records "r$host.csv" \
        >"out$host" 2>"err$host" &
    pids+=($!)
}
await_all() {
    local pid
    codes=
    for pid in "${pids[@]}"; do
        local code=0
        wait "$pid" || code=$?
        codes+="$code "
    done
    pids=()
}
column() { # column FILE ROLE N...: fields of the rows of a role
    local file=$1 role=$2
    shift 2
    awk -F, -v role="$role" -v fields="$*" \
        'BEGIN { n = split(fields, f, " ") } $1 == role { for (i = 1; i <= n; i++) printf "%s%s", $f[i], i < n ? "," : "\n" }' \
        "$file"
}

cat >small.yaml <<'END'
name: small
until: 6s # all is done before: as long as a slow machine may take
topology: {kind: single, hosts: 3, rate: 10Gbps, delay: 5us}
switch: {buffer: 512KB, classes: 3, policy: dt}
transports:
  bulk: {kind: cubic, class: 1-2}
  query: {kind: newreno}
traffic:
  - {kind: poisson, tag: background, transport: bulk, sizes: websearch, load: 0.1, until: 10ms}
  - {kind: query, tag: query, transport: query, rate: 1000/s, fan_out: 2, bytes: 30KB, until: 10ms}
END

# start_together KIND ARGUMENT...: all three hosts, which begin at the same moment. A machine that does not start them
# before it, so that there are sockets of this kind of all of them, gets more time.
from_now() { # the clock of --start, as long as the machine did not sleep
    awk -v seconds="$1" '{ printf "%.0f", ($1 + seconds) * 1e9 }' /proc/uptime
}
start_together() {
    local kind=$1 lead host start_ns
    shift
    has_sockets() {
        [ "$(ss -Hn "$kind" -a | grep -oE "$net.[123]:77[0-9]{2} " | sort -u | cut -d : -f 1 | uniq | wc -l)" = 3 ]
    }
    for lead in 1 4 16 64 256; do
        start_ns=$(from_now "$lead")
        for host in 0 1 2; do
            start "$host" "$@" --start "$start_ns"
        done
        wait_until 'three hosts' has_sockets
        [ "$(from_now 0.3)" -ge "$start_ns" ] || return 0
        stop_all
        await_all 2>/dev/null
    done
}

# The flows of the simulator, by id, all of them finished, with both ends agreeing; hosts end when nothing is left.
start_together --tcp run small.yaml --scale 50 --set seed=7
await_all
expect_equal 'exit codes' "$codes" '0 0 0 '
expect_equal 'messages' "$(cat err0 err1 err2)" ''
"$WEIR" run small.yaml --seed 7 --quiet --records simulated.csv >/dev/null
# It needs no root: here somebody else starts it.
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if [ "$(id -u)" -eq 0 ] && "${nobody[@]}" "$WEIR_TRAFFIC" --version >/dev/null 2>&1; then
    mkdir other
    mv r?.csv other
    chmod 777 .
    as_user=("${nobody[@]}")
    for host in 0 1 2; do
        start "$host" run small.yaml --scale 50 --set seed=7 --set transports.bulk.kind=newreno
    done
    as_user=()
    await_all
    expect_equal 'exit codes of nobody' "$codes" '0 0 0 '
    expect_equal 'messages to nobody' "$(cat err0 err1 err2)" ''
    if ! grep -qw cubic /proc/sys/net/ipv4/tcp_allowed_congestion_control; then
        expect_run 3 "weir-traffic: congestion control 'cubic' is for root here (root can change that: sysctl -w net.ipv4.tcp_allowed_congestion_control='reno cubic')" \
            "${nobody[@]}" "$WEIR_TRAFFIC" run small.yaml --host 0 --addresses "$three" --scale 50
    fi
    rm -f r?.csv
    mv other/r?.csv .
fi
simulated=$(awk -F, 'NR > 1 { print $1 "," $5 "," $6 "," $7 }' simulated.csv | sort -n)
cat r?.csv >all.csv
expect_equal 'flows of the simulator' "$(column all.csv client 2 3 4 8 | sort -n)" "$simulated"
expect_equal 'the same flows at the servers' "$(column all.csv server 2 3 4 8 | sort -n)" "$simulated"
expect_match 'enough of them' "$(wc -l <simulated.csv)" '^[0-9]{2,}$'
expect_equal 'unfinished' "$(column all.csv client 10 | grep -c '^-' || true)" 0
expect_equal 'delivered is what was asked for' "$(column all.csv client 8)" "$(column all.csv client 11)"
expect_equal 'sent is what was asked for' "$(column all.csv server 8)" "$(column all.csv server 11)"
expect_equal 'order of times' "$(column all.csv client 9 10 | awk -F, '$1 < 0 || $2 < $1' | wc -l)" 0
expect_equal 'the header' "$(head -n 1 r0.csv)" \
    'role,id,source,destination,traffic,tag,group,bytes,start_ns,finish_ns,delivered,retransmits,timeouts,packets'
# A busy machine may launch late; of half a second, a minute late is wrong.
late=$(join -t, <(awk -F, 'NR > 1 { print $1 "," $9 * 50 / 1000 }' simulated.csv | sort -t, -k1,1) \
    <(column all.csv client 2 9 | sort -t, -k1,1) | awk -F, '$3 < $2 - 1 || $3 > $2 + 60e9' | wc -l)
expect_equal 'flows launched before their time, or much too late' "$late" 0
expect_match 'the summary' "$(cat out0)" '^query +[0-9]+ +[0-9]+ +[0-9.]+[mu]?s '
expect_match 'its first line' "$(cat out0)" '^host 0, [0-9.]+ s at scale 50$'
expect_match 'what was sent' "$(cat out0)" '^query +[0-9]+ +[0-9]+ +[0-9]+ +([0-9]+|unknown)$'
queries=$(awk -F, 'NR > 1 && $2 == "\"query\"" && $6 == 0 { print $4 }' simulated.csv | sort -u | wc -l)
expect_match 'queries of host 0' "$(grep -m 1 '^query ' out0)" "^query +$((2 * queries)) +$((2 * queries)) .* $queries +$queries "
expect_equal 'nothing half written' "$(find . -name '*.part')" ''
rm -f r?.csv

# UDP: nobody asks; the source sends by its schedule, and the destination counts.
cat >udp.yaml <<'END'
until: 5s
topology: {kind: single, hosts: 3, rate: 10Gbps, delay: 5us}
switch: {buffer: 512KB, policy: dt}
transports: {u: {kind: udp, rate: 10Mbps}}
traffic:
  - {kind: long, tag: some, transport: u, sources: h1, destinations: h0, bytes: 14480B, from: 5ms}
  - {kind: long, tag: some, transport: u, sources: h2, destinations: h0, bytes: 2000B}
END
start_together --udp run udp.yaml --scale 20
await_all
expect_equal 'exit codes with UDP' "$codes" '0 0 0 '
expect_equal 'messages with UDP' "$(cat err0 err1 err2)" ''
cat r?.csv >all.csv
expect_equal 'UDP that arrived: bytes, packets' "$(column all.csv client 3 11 14 | sort)" $'1,14480,10\n2,2000,2'
expect_equal 'UDP that was sent' "$(column all.csv server 3 11 14 | sort)" $'1,14480,10\n2,2000,2'
# It starts after 5 ms, and has ten packets of 1518 B, nine gaps of 1.2144 ms; all twenty times slower.
expect_equal 'when UDP was sent, at the earliest' \
    "$(column all.csv client 3 10 | awk -F, '$1 == 1 && $2 >= 318.5e6 { print "not before its time" }')" 'not before its time'
rm -f r?.csv

# A host that dies: its flow stays unfinished, those of the others go on.
cat >dies.yaml <<'END'
until: 100ms
topology: {kind: single, hosts: 3, rate: 10Gbps, delay: 5us}
switch: {buffer: 512KB, policy: dt}
transports: {t: {kind: newreno}}
traffic:
  - {kind: long, tag: endless, transport: t, sources: h1, destinations: h0}
  - {kind: incast, tag: later, transport: t, sources: h2, destination: h0, bytes: 20KB, from: 20ms}
END
has_received() { # has_received ADDRESS: a connection of it has brought data
    ss -Htni state established src "$1" | grep -qE 'bytes_received:[1-9][0-9]{4}'
}
start 1 serve dies.yaml --scale 50 --set until=5s
start 2 serve dies.yaml --scale 50 --set until=5s
start 0 run dies.yaml --scale 50 --set until=5s --json
wait_until 'bytes of the endless flow' has_received "$net.1"
kill -KILL "${pids[0]}"
await_all 2>/dev/null # the shell says that one was killed
expect_equal 'exit codes of the others' "$codes" '137 0 0 '
expect_match 'the flow of the host that died' "$(cat r0.csv)" '^client,1,1,0,0,0,-1,-1,[0-9]+,-1,[1-9][0-9]*,0,0,0$'
expect_match 'the flow of the other' "$(cat r0.csv)" '^client,2,2,0,1,1,0,20000,[0-9]+,[0-9]+,20000,0,0,0$'
expect_equal 'no records of the host that died' "$(find . -name r1.csv)" ''
expect_match 'at the other server' "$(cat r2.csv)" '^server,2,2,0,1,1,0,20000,-1,-1,20000,[0-9]+,-?[0-9]+,0$'
expect_match 'JSON: one flow failed' "$(cat out0)" '^  "failed": 1,$'
if command -v python3 >/dev/null; then
    found=$(python3 -c '
import json, sys
tags = {tag["tag"]: tag for tag in json.load(sys.stdin)["asked"]}
print(tags["endless"]["flows"], tags["endless"]["finished"], tags["endless"]["fct.mean"], tags["later"]["finished"],
      tags["later"]["queries_finished"], tags["later"]["qct.max"] == tags["later"]["fct.max"])' <out0)
    expect_equal 'JSON' "$found" '1 0 None 1 1 True'
fi
rm -f r?.csv

# A run that is stopped writes what it has.
start 1 serve dies.yaml --scale 1000
start 0 run dies.yaml --scale 1000 --json
wait_until 'bytes of the endless flow' has_received "$net.1"
kill -TERM "${pids[1]}"
wait_until 'records of the client' test -s r0.csv
kill -INT "${pids[0]}"
await_all
expect_equal 'exit codes when stopped' "$codes" '0 0 '
expect_match 'JSON: stopped' "$(cat out0)" '^  "stopped": true,$'
expect_match 'the flow under way' "$(cat r0.csv)" '^client,1,1,0,0,0,-1,-1,[0-9]+,-1,[1-9][0-9]*,0,0,0$'
expect_equal 'no flow that was not launched' "$(wc -l <r0.csv)" 2
expect_match 'at the server' "$(cat r1.csv)" '^server,1,1,0,0,0,-1,-1,-1,-1,[1-9][0-9]*,[0-9]+,-?[0-9]+,0$'
rm -f r?.csv

# A host that is not there.
start 0 run dies.yaml --scale 20 --set until=250ms
await_all
expect_equal 'exit code without servers' "$codes" '0 '
expect_match 'nothing came' "$(cat r0.csv)" '^client,2,2,0,1,1,0,20000,[0-9]+,-1,0,0,0,0$'
rm -f r?.csv

# Hosts that have different scenarios notice.
start 1 serve dies.yaml --scale 20 --set until=250ms
start 2 serve dies.yaml --scale 20 --set until=250ms --set traffic.later.bytes=30KB
start 0 run dies.yaml --scale 20 --set until=250ms
await_all
expect_equal 'exit codes with different scenarios' "$codes" '0 0 0 '
expect_equal 'what the server says' "$(cat err2)" \
    'weir-traffic: a request does not fit the scenario (do all hosts have the same, with the same seed?)'
expect_match 'the flow stays unfinished' "$(cat r0.csv)" '^client,2,2,0,1,1,0,20000,[0-9]+,-1,0,0,0,0$'
expect_match 'the endless one goes on' "$(cat r0.csv)" '^client,1,1,0,0,0,-1,-1,[0-9]+,-1,[1-9][0-9]*,0,0,0$'

# Mistakes.
run=("$WEIR_TRAFFIC" run dies.yaml --host 0 --addresses "$three")
expect_run 2 'weir-traffic: run: no scenario (expected one file; see '"'weir-traffic run --help')" "$WEIR_TRAFFIC" run
expect_run 2 "weir-traffic: serve: unexpected operand 'b' (see 'weir-traffic serve --help')" \
    "$WEIR_TRAFFIC" serve a b
expect_run 2 'weir-traffic: run: --host is missing (expected the number of this host)' "$WEIR_TRAFFIC" run dies.yaml
expect_run 2 'weir-traffic: serve: --addresses is missing (expected those of all hosts)' \
    "$WEIR_TRAFFIC" serve dies.yaml --host 0
expect_run 2 'weir-traffic: serve: unknown option --warm-up (see '"'weir-traffic serve --help')" \
    "$WEIR_TRAFFIC" serve dies.yaml --warm-up 2
expect_run 2 'weir-traffic: run: --records: standard output has the summary (expected a file)' "${run[@]}" --records -
expect_run 3 'weir-traffic: --host: the scenario has no host 3 (expected 0 to 2)' \
    "$WEIR_TRAFFIC" run dies.yaml --host 3 --addresses "$three"
expect_run 3 'weir-traffic: --addresses: 2 for 3 hosts (expected one of each)' \
    "$WEIR_TRAFFIC" run dies.yaml --host 0 --addresses 127.0.0.1,127.0.0.2
expect_run 3 'weir-traffic: --addresses: more than the scenario has hosts (expected 3)' \
    "$WEIR_TRAFFIC" run dies.yaml --host 0 --addresses "$three,$three"
expect_run 3 "weir-traffic: --addresses: 'nowhere' is not an IPv4 address (expected A,B,... like 10.0.0.1,10.0.0.2)" \
    "$WEIR_TRAFFIC" run dies.yaml --host 0 --addresses nowhere
expect_run 3 "weir-traffic: --congestion: no transport 'x' (did you mean 't'?)" "${run[@]}" --congestion x=bbr
expect_run 2 "weir-traffic: --congestion: 'bbr' names no transport and congestion control (expected T=NAME)" \
    "${run[@]}" --congestion bbr
expect_run 3 "weir-traffic: the kernel has no congestion control 'nosuch' (see /proc/sys/net/ipv4/tcp_available_congestion_control)" \
    "${run[@]}" --congestion t=nosuch
expect_run 3 'weir-traffic: --port: no room for 2 ports from 65535 on (expected at most 65534)' \
    "$WEIR_TRAFFIC" run small.yaml --host 0 --addresses "$three" --port 65535
expect_run 4 'weir-traffic: 203.0.113.1 port 7700: cannot listen: Cannot assign requested address' \
    "$WEIR_TRAFFIC" run dies.yaml --host 0 --addresses "203.0.113.1,$net.2,$net.3"
expect_run 3 'weir-traffic: dies.yaml: an experiment of 2 runs (expected one; --set chooses)' \
    "${run[@]}" --set 'sweep={kind: {transports.t.kind: [newreno, cubic]}}'
expect_run 3 'weir-traffic: --set traffic.endless={kind: all-to-all, tag: endless, transport: t, bytes: 1KB}: traffic whose flows follow from one another is only simulated (expected poisson, query, incast, bursts, long, on-off or list)' \
    "${run[@]}" --set 'traffic.endless={kind: all-to-all, tag: endless, transport: t, bytes: 1KB}'
expect_run 3 'weir-traffic: none.yaml: cannot open: No such file or directory' \
    "$WEIR_TRAFFIC" run none.yaml --host 0 --addresses "$three"
expect_run 2 "weir-traffic: dctcp: no action (expected load, hold, unload or status; see 'weir-traffic dctcp --help')" "$WEIR_TRAFFIC" dctcp
expect_run 2 'weir-traffic: dctcp: --gain and --initial-alpha go with load and hold' \
    "$WEIR_TRAFFIC" dctcp status --gain 0.5
expect_run 3 "weir-traffic: --gain: '2' is out of range (0.00001526 to 1)" "$WEIR_TRAFFIC" dctcp load --gain 2
expect_run 2 "weir-traffic: unknown command 'rum' (did you mean 'run'?)" "$WEIR_TRAFFIC" rum
expect_run 0 '' "$WEIR_TRAFFIC" --version
expect_match 'version' "$output" '^weir-traffic [0-9]+\.[0-9]+\.[0-9]+'
expect_run 0 '' "$WEIR_TRAFFIC"
expect_match 'help' "$output" '^usage: weir-traffic '

# What is written about it names every option that the help names, and bash completes them.
for command in run serve dctcp; do
    for option in $("$WEIR_TRAFFIC" "$command" --help | grep -oE -- '^  (-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
        expect_match "weir-traffic.1 names $option" "$(cat "$DOCS/weir-traffic.1")" "Fl .*${option#-}( |$)"
        expect_match "completion names $option" "$("$WEIR_TRAFFIC" --complete "$command" "$option")" "^$option"$'\t.'
    done
done
complete_line() { # complete_line LINE
    complete_with "$WEIR_TRAFFIC" _weir_traffic "$1"
}
expect_equal 'commands' "$(complete_line 'weir-traffic se')" 'serve'
expect_equal 'options' "$(complete_line 'weir-traffic run --s')" '--scale --set --start'
expect_equal 'options of serve' "$(complete_line 'weir-traffic serve --w')" ''
expect_equal 'what dctcp does' "$(complete_line 'weir-traffic dctcp h')" 'hold'
finish
