#!/usr/bin/env bash
# test_threads.sh - a run by several threads is the same run: every file that it writes, its id and what is stored.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

cat >lossy.yaml <<'END'
until: 2ms
topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 4, parallel: 2}
switch: {buffer: 60KB, policy: credence, oracle: {online: {every: 500, rows: 2000}}, ecn: {kind: step, low: 20pkt}}
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
  - {when: 900us, at: s0, to: s4, state: up}
measure:
  goodput_interval: 20us
  occupancy: 10us
  probes: [{at: s0, to: h0}, {at: s5, to: s1, interval: 5us}]
END
cat >lossless.yaml <<'END'
until: 1ms
topology: {kind: fat-tree, k: 4, rate: 10Gbps, delay: 1us}
switch: {buffer: 400KB, classes: 2, lossless: 0, headroom: dsh, policy: dt, ecn: {kind: red, low: 40KB, high: 160KB, chance: 20%}}
pfc: {watchdog: {detect: 100us, restore: 100us, action: drop}}
transports: {rdma: {kind: dcqcn, class: 0, ack_class: 1}}
traffic:
  - {kind: incast, tag: burst, transport: rdma, sources: h1-h15, destination: h0, bytes: 3MB}
  - {kind: poisson, tag: rest, transport: rdma, sizes: websearch, load: 50%}
END

# all FILE THREADS: every output of a run goes into the folder of that number, and on stdout its digest of all.
all() {
    mkdir -p "$2"
    "$WEIR" run "$1" --threads "$2" --quiet --output "$2/r.db" --records "$2/records.csv" --series "$2/series.csv" \
        --losses "$2/losses.csv" --pauses "$2/pauses.csv" --rows "$2/rows.csv" --csv "$2/tags.csv" --trace "s0=$2/s0.wtr" \
        --trace "s5=$2/s5.wtr" --json >"$2/all.json"
    "$WEIR" export "$2/r.db" --csv -o "$2/export.csv"
    rm "$2/r.db"
}
for file in lossy lossless; do
    all $file.yaml 1
    expect_equal "$file: flows" "$(($(wc -l <1/records.csv) > 15))" 1
    expect_equal "$file: rows" "$(($(wc -l <1/rows.csv) > 2000))" 1
    for threads in 2 3 4; do
        all $file.yaml $threads
        expect_equal "$file with $threads threads" "$(diff -rq 1 $threads)" ''
        rm -r $threads
    done
    expect_equal "$file: series or pauses" "$(($(cat 1/series.csv 1/pauses.csv | wc -l) > 20))" 1
    rm -r 1
done

# Who made a run by threads has made it; a sweep too; the file may say it.
{
    echo 'threads: 2'
    cat lossless.yaml
} >both.yaml
expect_run 0 '' "$WEIR" run both.yaml --seeds 2 --quiet
"$WEIR" export both.db --csv -o two.csv
expect_run 0 '' "$WEIR" run both.yaml --seeds 2 --threads 1 --list
expect_equal 'runs that are done' "$(grep -c ' done ' <<<"$output")" 2
rm both.db
expect_run 0 '' "$WEIR" run both.yaml --seeds 2 --threads 1 --jobs 2 --quiet
"$WEIR" export both.db --csv -o one.csv
expect_equal 'the same results' "$(diff one.csv two.csv)" ''

expect_run 0 '' "$WEIR" run both.yaml --print-config
expect_match 'threads of the file' "$output" '^threads: 2$'
{
    cat both.yaml
    echo 'sweep: {n: {threads: [1, 2]}}'
} >swept.yaml
expect_run 3 "weir: swept.yaml:10:13: axis n: 'threads' cannot be swept (expected a key of the simulation)" \
    "$WEIR" run swept.yaml

# What the time went for: one run.
status=0
"$WEIR" run lossless.yaml --threads 2 --profile --json >out 2>err || status=$?
expect_equal 'a profile' "$status" 0
expect_match 'of the run' "$(cat err)" '^profile: .* on 2 threads, [0-9]+ windows'
expect_match 'of a thread' "$(cat err)" '^profile: thread 1: [0-9]+ hosts, [0-9]+ switches, ran them [0-9.]+ %, waited [0-9.]+ %, [1-9][0-9]* packets to others$'
expect_match 'of the cut' "$(cat err)" '^profile: [1-9][0-9]* cut links, [1-9][0-9]* packets crossed'
expect_run 2 'weir: run: --profile is of one run, and both.yaml has 2 (expected --only RUN)' "$WEIR" run both.yaml --seeds 2 --profile

# Numbers that are none.
expect_run 3 "weir: --threads: '0' is out of range (expected an integer from 1 to 256)" "$WEIR" run both.yaml --threads 0
sed 's/threads: 2/threads: 300/' both.yaml >many.yaml
expect_run 3 "weir: many.yaml:1:10: threads: '300' is out of range (1 to 256)" "$WEIR" run many.yaml
finish
