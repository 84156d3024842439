#!/usr/bin/env bash
# Mistakes that no single run shows are found before the first run: nothing is simulated, and no database is made.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

write() {
    cat >s.yaml <<YAML
until: 1ms
topology: {kind: single, hosts: 4}
switch: {buffer: 100KB, policy: $1}
transports: {t: {kind: cubic}}
traffic: [{kind: incast, tag: burst, transport: t, destination: h0, bytes: 10KB}]
sweep:
  policy: {switch.policy: [dt, lqd]}
figures:
  - {kind: bar, title: Time, x: policy, y: $2}
  - {kind: cdf, title: Times, lines: policy, curve: $3}
claims:
  - {id: c, text: Some., rule: holds, value: $4}
YAML
}
good=(dt burst.qct.mean burst.qct.cdf 'burst.lost >= 0')
write "${good[@]}"
expect_run 0 '' "$WEIR" run --list s.yaml

# A value that the sweep replaces is read all the same; it may be left out.
write '{name: dt, alfa: 3}' "${good[@]:1}"
expect_run 3 "weir: s.yaml:3:44: unknown key 'alfa' in policy dt (did you mean 'alpha'?)" "$WEIR" run s.yaml
write "${good[@]}"
sed -i 's/, policy: dt}/}/' s.yaml
expect_run 0 '' "$WEIR" run --list s.yaml

# What fits only with the values of the sweep is no mistake.
cat >fits.yaml <<YAML
until: 1ms
topology: {kind: single, hosts: 4}
switch: {buffer: 100KB, policy: dt}
transports: {t: {kind: cubic, class: 1}}
traffic: [{kind: incast, tag: burst, transport: t, destination: h0, bytes: 10KB}]
sweep: {classes: {switch.classes: [2, 4]}, size: {traffic.burst.bytes: [9KB, 20KB]}}
YAML
expect_run 0 '' "$WEIR" run --list fits.yaml
expect_run 3 "weir: --set traffic.0.bytes=1KB: the axis 'size' sweeps traffic.burst.bytes (change the axis instead: --set sweep.size=...)" \
    "$WEIR" run --list fits.yaml --set traffic.0.bytes=1KB
rm fits.yaml

# A change that the sweep would replace is not made silently.
write "${good[@]}"
for set in switch.policy=tdt switch.policy.alpha=2; do
    expect_run 3 "weir: --set $set: the axis 'policy' sweeps switch.policy (change the axis instead: --set sweep.policy=...)" \
        "$WEIR" run s.yaml --set "$set"
done
expect_run 0 '' "$WEIR" run --list s.yaml --set 'sweep.policy={switch.policy: [tdt]}' --set switch.buffer=90KB

# Measures and curves that no run can have.
write dt burst.qtc.mean "${good[@]:2}"
expect_run 3 "weir: s.yaml:9:44: unknown measure 'burst.qtc.mean' (did you mean 'burst.qct.mean'?)" "$WEIR" run s.yaml
write dt burst.qct.mean burst.qct.cdff "${good[3]}"
expect_run 3 "weir: s.yaml:10:53: unknown curve 'burst.qct.cdff' (did you mean 'burst.qct.cdf'?)" "$WEIR" run s.yaml
write "${good[@]:0:3}" 'brust.lost >= 0'
expect_run 3 "weir: s.yaml:12:46: unknown measure 'brust.lost' (did you mean 'burst.lost'?)" "$WEIR" run s.yaml
expect_files s.yaml

# A sweep can be taken away; a byte order mark before the file does not matter.
printf '\xef\xbb\xbf' >marked.yaml
cat >>marked.yaml <<'END'
until: 1ms
topology: {kind: single, hosts: 2, rate: 10Gbps}
switch: {buffer: 100KB, policy: dt}
transports: {t: {kind: newreno}}
traffic: [{kind: poisson, tag: a, transport: t, sizes: websearch, load: 10%}]
sweep: {policy: {switch.policy: [dt, cs]}}
END
expect_run 0 '' "$WEIR" run --list marked.yaml
expect_equal 'runs of a sweep' "$(grep -c 'policy=' <<<"$output")" 2
expect_run 0 '' "$WEIR" run --list --set sweep=null marked.yaml
expect_equal 'runs without it' "$(grep -c 'seed 1' <<<"$output"):$(grep -c 'policy=' <<<"$output")" 1:0
finish
