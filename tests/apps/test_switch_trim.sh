#!/usr/bin/env bash
# Packet trimming on a wire, as root: two hosts overload the port of a third, and what a capture there finds are valid
# packets, whole or cut, each of which came once. Network namespaces as in test_switch_network.sh.
#
# WEIR and WEIR_SWITCH are the programs.
set -euo pipefail
# shellcheck source=tests/apps/switch_hosts.sh
source "$(dirname "${BASH_SOURCE[0]}")/switch_hosts.sh"

cat >"$scratch/trim.yaml" <<'END'
name: trim
topology: {kind: single, hosts: 4, rate: 1Gbps}
switch:
  buffer: 60KB
  policy: dt
  classes: 2
  scheduler: strict
  trim: {class: 0, to: 1, size: 64B, losses: all}
dataplane:
  scale: 100
  sleeps: yes
  mbufs: 8192
  dscp: {1: 46}
  trim_dscp: {46: 0-3}
  trim_queue: dscp
END
for policy in dt occamy lqd; do
    make_hosts
    know_neighbours
    start_switch "" --trace "$scratch/$policy.trace" --set "switch.policy=$policy" "$scratch/trim.yaml"
    expect_ping 2 0
    host trim 100 64 46
    host conserve cut
    stop_switch
    expect_run 0 "" "$WEIR" replay "$scratch/$policy.trace"
    remove_hosts
done
finish
