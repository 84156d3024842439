# networks.sh - for tests that simulate one network in several parts: two networks with all that parts have to agree about.
# shellcheck shell=bash

# networks US SWITCH: lossy.yaml for so many microseconds, with the policy of SWITCH, and lossless.yaml for half of them.
networks() {
    cat >lossy.yaml <<END
until: $1us
topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 4, parallel: 2}
switch: {buffer: 60KB, $2, ecn: {kind: step, low: 20pkt}}
routing: {reroute: 50us}
transports:
  tcp: {kind: dctcp, min_rto: 200us, keep_connections: yes}
  udp: {kind: udp, rate: 1Gbps, poisson: yes}
  int: {kind: powertcp-tcp, min_rto: 200us}
traffic:
  - {kind: poisson, tag: background, transport: tcp, sizes: websearch, load: 60%}
  - {kind: query, tag: query, transport: tcp, bytes: 100KB, fan_out: 8, rate: 2000/s, request: 100B, spread: 20us}
  - {kind: long, tag: steady, transport: udp, sources: h0-h3, destinations: h12-h15, bytes: 200KB}
  - {kind: all-reduce, tag: reduce, transport: int, bytes: 100KB, rounds: 2, phased: yes}
  - {kind: all-to-all, tag: shuffle, transport: tcp, bytes: 5KB, concurrency: 2}
failures:
  - {when: 300us, at: s0, to: s4}
  - {when: 700us, at: s0, to: s4, state: up}
measure:
  goodput_interval: 20us
  occupancy: 10us
  probes: [{at: s0, to: h0}, {at: s5, to: s1, interval: 5us}]
END
    cat >lossless.yaml <<END
until: $(($1 / 2))us
topology: {kind: fat-tree, k: 4, rate: 10Gbps, delay: 1us}
switch: {buffer: 400KB, classes: 2, lossless: 0, headroom: dsh, policy: dt, ecn: {kind: red, low: 40KB, high: 160KB, chance: 20%}}
pfc: {watchdog: {detect: 100us, restore: 100us, action: drop}}
transports: {rdma: {kind: dcqcn, class: 0, ack_class: 1}}
traffic:
  - {kind: incast, tag: burst, transport: rdma, sources: h1-h15, destination: h0, bytes: 3MB}
  - {kind: poisson, tag: rest, transport: rdma, sizes: websearch, load: 50%}
END
}
