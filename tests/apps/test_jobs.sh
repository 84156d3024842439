#!/usr/bin/env bash
# Jobs from files as their users have them: SimAI's workloads and networks to the picosecond, compressed traces, flows
# that triggers start; the same with any number of threads; and what a new user does wrong, with place and remedy.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

# picoseconds FILE NAME: a measure of a run that is a time.
picoseconds() {
    expect_run 0 '' "$WEIR" run "$1" --json
    from_json "round(1e12 * d['measures']['$2'])"
}

# same_digests FILE: one and two threads make the same run.
same_digests() {
    local one two
    one=$("$WEIR" run "$1" --threads 1 | grep -o 'digest [0-9a-f]*')
    two=$("$WEIR" run "$1" --threads 2 | grep -o 'digest [0-9a-f]*')
    expect_equal "digest of $1 with two threads" "$two" "$one"
}

# A network of SimAI: 4 servers of 4 GPUs, a leaf for each rail, two spines.
{
    echo '26 4 4 6 40 H100'
    seq -s ' ' 16 25
    for gpu in $(seq 0 15); do
        echo "$gpu $((16 + gpu / 4)) 2880Gbps 0.000025ms 0"
        echo "$gpu $((20 + gpu % 4)) 400Gbps 0.0005ms 0"
    done
    for leaf in 20 21 22 23; do
        for spine in 24 25; do
            echo "$leaf $spine 400Gbps 0.0005ms 0"
        done
    done
} >net.txt
cat >inside.txt <<'END'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 1 pp: 1 vpp: 8 ga: 1 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0
2
embedding_layer     -1 556000  ALLREDUCE   16777216      1       NONE 0        1      NONE   0      1
embedding_layer     -1 556000  ALLREDUCE   67108864      1       NONE 0        1      NONE   0      1
END
{
    sed -n 1p inside.txt
    echo 1
    echo 'layer -1 1000 ALLGATHER 65536 1000 NONE 0 1000 ALLREDUCE 4194304 100'
} >across.txt
for workload in inside across; do
    cat >"$workload.yaml" <<END
topology: {kind: explicit, file: net.txt}
wire: {mss: 4096B}
switch: {buffer: 32MiB, policy: dt, lossless: [0], headroom: sih, ecn: {kind: red, low: 800KB, high: 3200KB, chance: 0.2}}
transports: {rdma: {kind: dcqcn}}
traffic: [{kind: job, file: $workload.txt, ranks: 16, transport: rdma, tag: j}]
until: 1s
END
done
# Two rings of 6 steps, a quarter of the bytes each at 2.88 Tbit/s and 50 ns; 1 ns until an end is noticed; 556 us of
# forward and 1 ns of each gradient, twice.
if [ -n "$has_python" ]; then
    expect_equal 'time of a ring within servers, to the picosecond' "$(picoseconds inside.yaml j.job.time)" \
        "$(python3 -c 'print(sum(6 * (round(b / 4 * 8 / 2.88) + 50000) + 1000 for b in (16777216, 67108864))
                             + 2 * 556000000 + 4 * 1000)')"
fi
same_digests inside.yaml
same_digests across.yaml
expect_match 'no packet is lost' "$("$WEIR" run across.yaml)" 'lossless packets lost: 0'

# The table of algorithms decides by size: 4 MiB by halving and doubling are fewer, larger messages than by a ring.
printf 'allreduce,0,1000000,ring\nallreduce,0,-1,halving-doubling,simple,2\n' >tuning.csv
sed 's/tag: j/tag: j, tuning: tuning.csv/' across.yaml >tuned.yaml
flows=$("$WEIR" run across.yaml | awk '$1 == "j" { print $2; exit }')
tuned=$("$WEIR" run tuned.yaml | awk '$1 == "j" { print $2; exit }')
expect_equal 'flows of rings of 4' "$flows" $((16 * 6))
expect_equal 'flows of halving and doubling, in two parts' "$tuned" $((16 * 4 * 2))

# The rank that others wait for is named.
cat >slow.goal <<'END'
num_ranks 3
rank 0 {
calc 100
}
rank 1 {
calc 300
}
rank 2 {
calc 200
}
END
sed -e 's/job\.goal/slow.goal/' -e 's/rounds: 2/rounds: 4/' "$root/scenarios/examples/job.yaml" >slow.yaml
expect_match 'the slowest rank' "$("$WEIR" run slow.yaml)" '^  the slowest is rank 1 on h1: last in 4 of 4 rounds$'

# A job may be gzip.
cp "$root/scenarios/examples/job.goal" plain.goal
gzip -n <plain.goal >packed.goal
sed 's/job\.goal/plain.goal/' "$root/scenarios/examples/job.yaml" >plain.yaml
sed 's/job\.goal/packed.goal/' "$root/scenarios/examples/job.yaml" >packed.yaml
expect_equal 'a compressed job' "$("$WEIR" run packed.yaml | grep -o 'digest.*')" "$("$WEIR" run plain.yaml | grep -o 'digest.*')"
head -c 60 packed.goal >cut.goal
sed 's/job\.goal/cut.goal/' "$root/scenarios/examples/job.yaml" >cut.yaml
expect_match 'a cut file' "$("$WEIR" check cut.yaml 2>&1)" "cut.goal'?: gzip: ends too early; the file is cut"

# Triggers: what they start at one host starts at once, and at any number of threads at the same time.
cat >serial.cm <<'END'
Nodes 16
Connections 3
Triggers 2
0->5 id 1 start 0 size 100000 send_done_trigger 1
0->9 id 2 trigger 1 size 100000 send_done_trigger 2
0->13 id 3 trigger 2 size 100000
trigger id 1 oneshot
trigger id 2 oneshot
END
cat >joint.cm <<'END'
Nodes 16
Connections 5
Triggers 2
0->5 id 1 start 0 size 100000 recv_done_trigger 1
2->6 id 2 start 0 size 200000 recv_done_trigger 1
9->1 id 3 trigger 1 size 1000 send_done_trigger 2
13->2 id 4 trigger 1 size 50000 send_done_trigger 2
7->3 id 5 trigger 2 size 1000
trigger id 1 barrier count 2
trigger id 2 multishot
END
for list in serial joint; do
    cat >"$list.yaml" <<END
topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, spine_rate: 100Gbps}
switch: {buffer: 4MB, policy: dt}
transports: {d: {kind: dctcp}}
traffic: [{kind: list, file: $list.cm, transport: d}]
until: 10ms
END
    same_digests "$list.yaml"
done
"$WEIR" run serial.yaml --records serial.csv >/dev/null
"$WEIR" run joint.yaml --records joint.csv >/dev/null
# columns FILE: start and finish of each flow by id.
columns() { awk -F, 'NR > 1 { print $1, $9, $10 }' "$1" | sort -n; }
expect_equal 'all flows of both' "$(columns serial.csv | wc -l) $(columns joint.csv | wc -l)" '3 5'
expect_equal 'a barrier starts after the later of two' \
    "$(columns joint.csv | awk '{ start[$1] = $2; end[$1] = $3 }
        END { last = end[1] > end[2] ? end[1] : end[2]
              print (start[3] == start[4]), (start[3] > last), (start[3] <= last + 2000000), (start[5] > start[3]) }')" '1 1 1 1'
expect_equal 'a chain waits for each sender to know the end' \
    "$(columns serial.csv | awk '{ start[$1] = $2; end[$1] = $3 } END { print (start[2] > end[1]), (start[3] > end[2]) }')" '1 1'
finish
