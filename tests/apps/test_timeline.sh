#!/usr/bin/env bash
# test_timeline.sh - what `weir run --timeline` and `--flows` write: times by hand, JSON that parses, lists that weir reads
# again. Run by meson.
# shellcheck source=tests/apps/lib.sh
. "$(dirname "$0")/lib.sh"

cat >pair.goal <<'END'
num_ranks 2
rank 0 {
a: calc 1000
b: send 1000b to 1 tag 7
b requires a
}
rank 1 {
r: recv 1000b from 0 tag 7
c: calc 500
c requires r
}
END
cat >pair.yaml <<'END'
until: 1ms
topology: {kind: single, hosts: 2, rate: 10Gbps, delay: 1us}
switch: {buffer: 1MB, policy: dt}
transports: {t: {kind: none}}
traffic: [{kind: job, tag: pair, transport: t, file: pair.goal}]
END
"$WEIR" run --quiet pair.yaml --timeline pair.csv --flows pair.cm >printed
# 1066 bytes and a gap of 24 over two links, 872 ns each, and 2 us: the message is there after 1000 + 3744 ns. The sender
# knows it when the ACK is back, 2144 ns later.
expect_equal 'operations' "$(cat pair.csv)" "job,rank,host,round,operation,kind,peer,bytes,tag,start_ps,end_ps,arrived_ps,flow
pair,0,0,0,0,compute,,,,0,1000000,,
pair,0,0,0,1,send,1,1000,7,1000000,6888000,4744000,1
pair,1,1,0,0,receive,0,1000,7,0,4744000,,
pair,1,1,0,1,compute,,,,4744000,5244000,,"
expect_equal 'connections' "$(cat pair.cm)" 'Nodes 2
Connections 1
0->1 id 1 start 1000000 size 1000'
expect_match 'the path' "$(cat printed)" 'critical path: 2 steps, 6.888 us: 14.5 % computing, 54.4 % messages as if alone'

# Rank 1 waits while rank 0 computes, then has a message under way, then computes.
"$WEIR" run --quiet pair.yaml --again --timeline pair.json >/dev/null
expect_equal 'what ranks did' "$(python3 - <<'END'
import json
for event in json.load(open("pair.json"))["traceEvents"]:
    if event["ph"] == "X":
        print(event["pid"], event["tid"], event["name"], event["ts"], event["dur"])
END
)" '1 0 compute 0.0 1.0
1 0 communicate 1.0 5.888
1 1 wait 0.0 1.0
1 1 communicate 1.0 3.744
1 1 compute 4.744 0.5
2 0 compute of rank 0 0.0 1.0
2 0 message of rank 0 1.0 5.888'

# The flows as a list give the same flow: columns of its start and finish.
"$WEIR" run --quiet pair.yaml --again --flows pair.list --records pair.records >/dev/null
times_of() { awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next} {print $at["start_ps"], $at["finish_ps"]}' "$1"; }
expect_equal 'times of the flow' "$(times_of pair.records)" '1000000 4744000'
for list in pair.cm pair.list; do
    sed "s/kind: job, tag: pair, transport: t, file: pair.goal/kind: list, transport: t, file: $list/" pair.yaml >again.yaml
    "$WEIR" run --quiet again.yaml --again --records again.records >/dev/null
    expect_equal "flows of $list" "$(times_of again.records)" "$(times_of pair.records)"
done

# A step of eight ranks under PFC: trace events nest, the path is as long as the job, and it names who was paused.
{
    echo 'num_ranks 8'
    for rank in 0 1 2 3 4 5 6; do
        printf 'rank %d {\nc: calc %d\ns: send 500000b to 7\nr: recv 1000b from 7\ns requires c\n}\n' "$rank" "$((1000 * rank))"
    done
    echo 'rank 7 {'
    for rank in 0 1 2 3 4 5 6; do
        printf 'r%d: recv 500000b from %d\ns%d: send 1000b to %d\n' "$rank" "$rank" "$rank" "$rank"
        for other in 0 1 2 3 4 5 6; do [ "$other" -gt "$rank" ] || echo "s$rank requires r$other"; done
    done
    echo '}'
} >step.goal
cat >step.yaml <<'END'
until: 100ms
topology: {kind: single, hosts: 8, rate: 100Gbps, delay: 1us}
switch: {buffer: 400KB, classes: 2, lossless: 0, headroom: sih, policy: dt}
transports: {t: {kind: none, class: 0, ack_class: 1}}
traffic: [{kind: job, tag: step, transport: t, file: step.goal, rounds: 2}]
END
"$WEIR" run --quiet step.yaml --timeline step.json >printed
"$WEIR" run --quiet step.yaml --again --timeline step.html >/dev/null
"$WEIR" run --quiet step.yaml --again --threads 2 --timeline threads.json >/dev/null
expect_equal 'threads change nothing' "$(cmp step.json threads.json)" ''
expect_match 'who was paused' "$(cat printed)" 'rank [0-9] \(h[0-9]\) waits for 500000 bytes of rank [0-9] \(h[0-9]\): .* us behind PFC of s0 on the link from h[0-9]'
expect_equal 'events' "$(python3 - <<'END'
import json
events = json.load(open("step.json"))["traceEvents"]
rows = {}
for event in events:
    if event["ph"] == "X":
        rows.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["dur"], event["name"]))
for row in rows.values():
    row.sort()
    for one, other in zip(row, row[1:]):
        assert one[0] + one[1] <= other[0] + 1e-5, (one, other)
assert len(rows) == 9, rows.keys()
path = max(rows)
names = {name for _, _, name in rows[(1, 0)]}
assert names <= {"compute", "communicate", "wait"} and "communicate" in names, names
assert {"compute", "communicate"} <= {name for _, _, name in rows[(1, 6)]}
ends = max(ts + dur for row in rows.values() for ts, dur, _ in row)
assert abs(sum(dur for _, dur, _ in rows[path]) - ends) < 1e-3, (sum(dur for _, dur, _ in rows[path]), ends)
begins = sorted(event["id"] for event in events if event["ph"] == "b")
assert begins == sorted(event["id"] for event in events if event["ph"] == "e") and len(begins) == 2 * 14, len(begins)
print("good")
END
)" good
expect_match 'the page' "$(cat step.html)" 'class="ranks" data-of="ranks-0"'

# Mistakes.
cat >none.yaml <<'END'
until: 1ms
topology: {kind: single, hosts: 2}
switch: {buffer: 1MB, policy: dt}
transports: {t: {kind: none}}
traffic: [{kind: long, transport: t, sources: h0, destinations: h1, bytes: 1KB}]
END
expect_run 2 'weir: run: --timeline: none.yaml has no job (expected traffic of kind job or collective)' "$WEIR" run --quiet none.yaml --timeline x.html
expect_run 2 'weir: run: --timeline and --flows are the same file (expected two)' "$WEIR" run --quiet pair.yaml --timeline x --flows x
finish
