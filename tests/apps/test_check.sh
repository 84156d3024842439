#!/usr/bin/env bash
# `weir check`: every mistake at once; spellings that are understood, and what messages suggest.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

cat >bad.yaml <<'Y'
name: bad
until: 5 ms
topology: {kind: single, hosts: 8, rate: 10G, delay: 1 us}
switch: {bufer: 100KB, buffer: 100KX, policy: dtt}
transports: {t: {kind: cubic, min_rto: 5}}
traffic:
  - {kind: incast, tag: query, transport: u, sources: h1-h9, destination: h0, bytes: 10KB}
sweep:
  size: {traffic.query.bytes: [10KB, 20KQ]}
figures:
  - {kind: line, title: Mean, x: size, y: query.qct.avg}
  - {kind: line, title: Mean, x: sise, y: nothing.like.this}
Y
status=0
"$WEIR" check bad.yaml 2>.stderr || status=$?
expect_equal 'exit status' "$status" 3
expect_equal 'all at once, as they stand in the file' "$(sed -E 's/^weir: bad.yaml(:[0-9]+:[0-9]+)?: //' .stderr)" \
    "unknown key 'bufer' in switch (did you mean 'buffer'?)
buffer: '100KX' has an unknown unit (expected: B, KB, KiB, MB, MiB, GB, GiB, pkt; B to MB also 'per port' and 'per Gbps')
unknown policy 'dtt' (did you mean 'dt'?)
min_rto: '5' needs a unit (ps, ns, us, ms, s)
unknown transport 'u' (did you mean 't'?)
sources: 'h1-h9' are no hosts (expected h0-h7, one of them, a range, or all)
bytes: '20KQ' has an unknown unit (expected: B, KB, KiB, MB, MiB, GB, GiB, pkt, % buffer)
unknown measure 'query.qct.avg' (did you mean 'query.qct.mean'?)
unknown axis 'sise' (did you mean 'size'?)
unknown measure 'nothing.like.this' (the tags are query; weir measures lists the names)
10 mistakes"

# A section that is not there hides no mistake elsewhere.
cat >less.yaml <<'Y'
name: less
topology: {kind: single, rate: 10G, delay: 1 us}
switch: {buffer: 100KX, policy: dtt, headroom: dt, ecn: {kind: stepp}}
transports: {t: {kind: cubik}, u: {}}
pfc: {quanta: many, watchdog: {detect: soon}}
sweep: {load: {traffic.query.bytes: [1KB, 2KB]}}
measure: {probes: [{at: s0, to: h9}, {at: s0, tu: h0}]}
dataplane: {mut: 3}
claims: [{id: a, text: t., rule: holds, value: "query.qct.mean[load=3KB] < 1"}, {id: b, text: t., rule: hold, value: 1}]
figures: [{kind: line, title: Mean, x: size, y: query.qct.avg}]
Y
"$WEIR" check less.yaml 2>.stderr || status=$?
expect_equal 'missing sections' "$(sed -E 's/^weir: less.yaml(:[0-9]+:[0-9]+)?: //' .stderr)" \
    "the scenario: 'until' is missing: when the run ends; earlier when all flows have ended and none can start
the scenario: 'traffic' is missing: where flows come from
topology: 'hosts' is missing: number of hosts
buffer: '100KX' has an unknown unit (expected: B, KB, KiB, MB, MiB, GB, GiB, pkt; B to MB also 'per port' and 'per Gbps')
unknown policy 'dtt' (did you mean 'dt'?)
headroom: dt is a buffer policy, for 'policy' (did you mean 'dsh'?)
kind: 'stepp' is not possible (did you mean 'step'?)
kind: 'cubik' is not possible (did you mean 'cubic'?)
transport: 'kind' is missing (expected newreno, cubic, dctcp, udp, none, dcqcn, hpcc, powertcp, powertcp-delay, timely, powertcp-tcp, uet)
quanta: 'many' is not a number
detect: 'soon' is not a number
unknown key 'tu' in probes (did you mean 'to'?)
unknown key 'mut' in dataplane (did you mean 'mtu'?)
axis load has no value '3KB' (did you mean '1KB'?)
rule: 'hold' is not possible (did you mean 'holds'?)
unknown axis 'size' (expected load)
unknown measure 'query.qct.avg' (did you mean 'query.qct.mean'?)
17 mistakes"

# One mistake is one line: what follows from it is not the author's.
cat >root.yaml <<'Y'
until: 4ms
topology: {kind: single, hosts: 8, rate: 10Gbps, delay: 1us}
switch: {buffer: 100KB, policy: dt}
transports: {t: {kind: cubic}}
traffic: [{kind: incast, tag: query, transport: t, sources: h1-h7, destination: h0, bytes: 10KB}]
sweep:
  policy: {labels: [DT, LQD], switch.policy: [dt, lqd]}
  size: {traffic.query.bytes: [10KB, 20KB]}
figures:
  - {kind: line, title: Mean, x: size, lines: policy, y: query.qct.mean}
  - {kind: cdf, title: All, curve: query.qct.cdf, lines: policy}
claims:
  - {id: a, text: t., rule: holds, expected: yes, value: "query.qct.mean[policy=LQD] <= query.qct.mean[policy=DT]"}
Y
expect_run 0 '' "$WEIR" check root.yaml
# mistake EDIT MESSAGE: sed makes the only mistake of the file.
mistake() {
    sed "$1" root.yaml >one.yaml
    "$WEIR" check one.yaml 2>.stderr || true
    expect_equal "$1" "$(sed -E 's/^weir: one.yaml(:[0-9]+:[0-9]+)?: //' .stderr)" "$2
1 mistake"
}
mistake 's/kind: incast/kind: insact/' "kind: 'insact' is not possible (did you mean 'incast'?)"
mistake 's/traffic.query.bytes/traffic.querry.bytes/' "no item 'querry' (did you mean 'query'?)"
mistake 's/x: size/x: host/' "unknown axis 'host' (expected policy, size)"
mistake 's/labels: .DT, LQD./labels: [DT]/' 'labels: 1 names for 2 values (expected one for each)'
mistake 's/buffer: 100KB/bufer: 100KB/' "unknown key 'bufer' in switch (did you mean 'buffer'?)"
mistake 's/bytes: 10KB/byts: 10KB/' "unknown key 'byts' in traffic (did you mean 'bytes'?)"

cat >good.yaml <<'Y'
name: good
until: 1 ms
topology: {kind: single, hosts: 4, rate: 10Gb/s, delay: 1 us}
switch: {buffer: 100 KB, policy: dt}
transports: {t: {kind: cubic}}
traffic: [{kind: incast, tag: query, transport: t, sources: h1-h3, destination: h0, bytes: 10KB}]
Y
expect_run 0 '' "$WEIR" check good.yaml
expect_equal 'nothing' "$output" 'good.yaml: nothing is wrong'
for rate in 10Gbps 10G '10 Gbps' 10Gbit/s '10 G' 10000M; do
    expect_run 0 '' "$WEIR" run --print-config --set "topology.rate=$rate" good.yaml
    expect_match "$rate" "$output" 'rate: 10Gbps'
done
expect_run 3 "weir: --set switch.buffer=10K: buffer: '10K' has an unknown unit (expected: B, KB, KiB, MB, MiB, GB, GiB, pkt; B to MB also 'per port' and 'per Gbps')" \
    "$WEIR" run --print-config --set switch.buffer=10K good.yaml # KB or KiB?
expect_run 3 "weir: --set switch.buffer=10kB: buffer: '10kB' has an unknown unit (did you mean 'KB'?)" \
    "$WEIR" run --print-config --set switch.buffer=10kB good.yaml
for file in "$WEIR_ROOT"/scenarios/*.yaml "$WEIR_ROOT"/scenarios/examples/*.yaml "$WEIR_ROOT"/scenarios/gallery/*.yaml; do
    expect_run 0 '' "$WEIR" check "$file"
done

# A first scenario is right, and runs as it is.
for network in single leaf-spine; do
    for traffic in incast burst websearch; do
        expect_run 0 '' "$WEIR" init --network $network --traffic $traffic "first-$network-$traffic.yaml"
        expect_run 0 '' "$WEIR" check "first-$network-$traffic.yaml"
        # And its policies differ: a comparison of equal numbers teaches nothing. Nothing is cut off by the end.
        for hosts in 16 32; do
            expect_run 0 '' "$WEIR" init --network $network --traffic $traffic --hosts $hosts "$hosts.yaml"
            expect_run 0 '' "$WEIR" run --quiet --seeds 1 --only 'size=80% buffer' "$hosts.yaml"
            means=$(awk '$2 == "80%" { print $4, $5 }' <<<"$output" | sort -u)
            expect_equal "$network, $traffic, $hosts hosts: policies differ" "$(($(wc -l <<<"$means") > 1))" 1
            expect_no_match "$network, $traffic, $hosts hosts: queries end" "$output" '†|≥'
            rm "$hosts.yaml" "$hosts.db"
        done
    done
done
# Where they cannot differ, it says so.
expect_run 0 '' "$WEIR" run --quiet --seeds 1 --only 'size=40% buffer' first-single-incast.yaml
expect_match 'no loss' "$output" '^no packet was lost: the policies never had to refuse one, and do not differ'
expect_run 0 '' "$WEIR" show first-single-incast.db
expect_match 'no loss' "$output" '^no packet was lost: the policies never had to refuse one, and do not differ'
expect_run 0 '' "$WEIR" run --quiet --seeds 1 --only 'size=80% buffer' first-single-incast.yaml
expect_no_match 'but here' "$output" 'no packet was lost'
expect_run 3 "weir: init: good.yaml is there already (expected a new file)" "$WEIR" init good.yaml
expect_run 3 "weir: unknown policy 'xdt' (did you mean 'dt'?)" "$WEIR" init --policies xdt new.yaml
expect_equal 'and no file' "$(ls new.yaml 2>/dev/null)" ''

# What a shell offers: files of their kind, paths and runs of the scenario on the line.
touch a.db b.txt
expect_match 'results' "$(complete_with "$WEIR" _weir 'weir show ')" 'a.db'
expect_equal 'nothing else' "$(complete_with "$WEIR" _weir 'weir show b')" ''
expect_equal 'scenarios' "$(complete_with "$WEIR" _weir 'weir run goo')" 'good.yaml'
expect_equal 'paths' "$(complete_with "$WEIR" _weir 'weir run good.yaml --set switch.po')" 'switch.ports_per_memory= switch.policy= switch.policy.name= switch.policy.alpha='
expect_equal 'paths of a list' "$(complete_with "$WEIR" _weir 'weir run good.yaml --set traffic.0.byt')" 'traffic.0.bytes='
run=$("$WEIR" run --list good.yaml | sed -n 2p | cut -d' ' -f1)
expect_equal 'runs' "$(complete_with "$WEIR" _weir 'weir run good.yaml --only ')" "$run"

# One run among several in a file says how to see the others.
cat >>good.yaml <<'Y'
sweep: {size: {traffic.query.bytes: [10KB, 20KB]}}
Y
"$WEIR" run --quiet good.yaml >/dev/null
expect_run 0 '' "$WEIR" run --quiet --only size=20KB good.yaml
# shellcheck disable=SC2016 # the backticks are printed
expect_match 'the others' "$output" '`weir show good.db` shows it with the other runs in the file \(1\)'

# A figure that is added shows without running again.
cat >>good.yaml <<'Y'
figures: [{kind: bar, title: New one, x: size, y: query.qct.mean}]
Y
"$WEIR" run good.yaml >/dev/null 2>.stderr
expect_match 'nothing is made' "$(cat .stderr)" 'all 2 runs are done'
"$WEIR" report good.db >/dev/null
expect_match 'but it is drawn' "$(cat good.html)" 'New one'

# A file of weir-switch is no scenario of a run; its devices may be named on the command line.
cat >switch.yaml <<'Y'
name: row
topology: {kind: single, hosts: 2, rate: 100Mbps}
switch: {buffer: 100KB, policy: dt}
dataplane: {sleeps: yes, huge_pages: no}
Y
expect_run 0 '' "$WEIR" check switch.yaml
expect_equal 'what it says' "$output" 'switch.yaml: nothing is wrong'
sed 's/sleeps/slepes/; s/: dt}/: dtt}/' switch.yaml >wrong.yaml
status=0
"$WEIR" check wrong.yaml 2>.stderr || status=$?
expect_equal 'mistakes in it' "$status" 3
expect_match 'all of them' "$(cat .stderr)" "dtt"
expect_match 'all of them' "$(cat .stderr)" "'slepes'"
expect_match 'and no others' "$(cat .stderr)" ': 2 mistakes'
echo 'until: 5 ms' >>switch.yaml
status=0
"$WEIR" check switch.yaml 2>.stderr || status=$?
expect_match 'a run that lacks something' "$(cat .stderr)" "'traffic' is missing"
finish
