#!/usr/bin/env bash
# weir run: scenario files and every kind of mistake in them, what is printed and written, interruption.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

examples=$root/scenarios/examples
digest_of() {
    sed -n 's/.*digest \([0-9a-f]\{16\}\)$/\1/p' <<<"$1"
}

cat >tiny.yaml <<'END'
name: tiny
title: Two bursts
until: 20ms
topology: {kind: single, hosts: 5}
switch: {buffer: 30KB, policy: dt}
transports:
  tcp: {kind: newreno, min_rto: 1ms}
traffic:
  - {kind: incast, tag: burst, transport: tcp, sources: h1-h4, destination: h0, bytes: 200KB, rounds: 2, interval: 3ms}
  - {kind: long, tag: background, transport: tcp, sources: h1, destinations: h2, bytes: 50KB}
measure:
  goodput_interval: 1ms
  probes:
    - {at: s0, to: h0, interval: 100us, until: 1ms}
END

# The corpus: the first line of each file is what it is told, after the file's name.
count=0
for file in "$root"/tests/scenario/broken/*.yaml; do
    name=$(basename "$file")
    cp "$file" "$name"
    expected=$(head -n 1 "$file")
    expect_run 3 "weir: $name:${expected#\# }" "$WEIR" run "$name"
    rm "$name"
    count=$((count + 1))
done
expect_match 'files of the corpus' "$count" '^[1-9][0-9]+$'

# The reference in the docs is the one of the tables, and examples stay valid.
expect_run 0 '' "$WEIR" run --reference
expect_equal 'reference in docs/reference/scenarios.md' "$(diff <(printf '%s\n' "$output") \
    <(sed -n '/^## Reference$/,$p' "$root/docs/reference/scenarios.md"))" ''
for file in "$examples"/*.yaml; do
    expect_run 0 '' "$WEIR" run --print-config "$file"
    printf '%s\n' "$output" >effective.yaml
    expect_run 0 '' "$WEIR" run --print-config effective.yaml
    expect_equal "effective values of $(basename "$file")" "$output" "$(cat effective.yaml)"
    expect_match 'the docs name it' "$(cat "$root/docs/reference/scenarios.md")" "$(basename "$file")"
done
rm effective.yaml

# Tables; the same run gives the same bytes, from the file and from its effective values.
expect_run 0 '' "$WEIR" run tiny.yaml
table=$output
expect_match 'title' "$table" '^tiny: Two bursts$'
expect_match 'seed, time and why it ended' "$table" '^seed 1, [0-9.]+ms of 20ms: all flows have ended$'
expect_match 'columns' "$table" '^tag +flows +finished +unfinished +FCT mean +FCT p50 +FCT p99 +slowdown p50 +slowdown p99 +timeouts +goodput$'
expect_match 'bursts' "$table" '^burst +8 +8 +0 +[0-9.]+[mu]s '
expect_match 'background' "$table" '^background +1 +1 +0 +[0-9.]+[mu]s '
expect_match 'queries and their slowdowns' "$table" '^burst +2 +2 +0( +[0-9.]+[mu]s){4} +[1-9][0-9.]* +[1-9][0-9.]* +[0-9]+$'
expect_match 'losses' "$table" '^all +all +all +[1-9]'
expect_match 'losses by place' "$table" '^s0-h0 +0 +0 +[1-9]'
expect_match 'the fullest MMU' "$table" '^s0 +30KB +[0-9.]+KB +[0-9.]+ %$'
expect_match 'parts of the losses' "$table" \
    '^lost ([1-9][0-9]*): refused \1, after acceptance 0, unroutable 0, on links 0$'
expect_match 'use at losses' "$table" '^at losses: buffer in use p1 [0-9.]+ %'
expect_match 'digest' "$table" '^packet-hops [0-9]+, lost [0-9]+, marked 0, digest [0-9a-f]{16}$'
expect_run 0 '' "$WEIR" run --quiet tiny.yaml
expect_equal 'the same run twice' "$output" "$table"
"$WEIR" run --print-config tiny.yaml >effective.yaml
expect_run 0 '' "$WEIR" run effective.yaml
expect_equal 'the run of the effective values' "$output" "$table"
expect_equal 'from standard input' "$("$WEIR" run - <tiny.yaml)" "$table"
expect_run 0 '' "$WEIR" run tiny.yaml --seed 2
expect_match 'another seed' "$output" '^seed 2, '
expect_run 0 '' "$WEIR" run tiny.yaml --set switch.policy=lqd --set switch.buffer=1MB
expect_no_match 'a large buffer loses nothing' "$output" '^all +all +all '
expect_no_match 'another digest' "$output" "digest $(digest_of "$table")"

# JSON and CSV have the numbers of the table.
expect_run 0 '' "$WEIR" run tiny.yaml --json --records r.csv --series s.csv --csv t.csv
if [ -n "$has_python" ]; then
    expect_equal 'about the run' "$(from_json '[d["scenario"][k] for k in ("name", "seed", "until_ps", "interrupted")]')" \
        "['tiny', 1, 20000000000, False]"
    expect_equal 'flows' "$(from_json '[(t["tag"], t["flows"], t["finished"]) for t in d["tags"]]')" \
        "[('burst', 8, 8), ('background', 1, 1)]"
    expect_equal 'digest' "$(from_json 'd["digest"]')" "$(digest_of "$table")"
    expect_equal 'measures' "$(from_json '([d["measures"][n] for n in ("burst.flows", "background.finished", "hops")] ==
        [d["tags"][0]["flows"], d["tags"][1]["finished"], d["packet_hops"]])')" True
    expect_equal 'losses add up' "$(from_json '(d["losses"]["packets"] == sum(d["losses"]["refused"].values()) +
        sum(d["losses"]["lost"].values()) == sum(p["lost.total"] for p in d["places"]))')" True
fi
expect_equal 'rows of tags' "$(cut -d, -f1-4 t.csv | tail -n +2 | tr '\n' ' ')" '"burst",all,8,8 "background",all,1,1 '
expect_equal 'columns of tags' "$(awk -F, '{print NF}' t.csv | sort -u)" "$(head -n 1 t.csv | awk -F, '{print NF}')"
expect_equal 'heading of records' "$(head -n 1 r.csv)" \
    'id,tag,traffic,query,source,destination,bytes,delivered_bytes,start_ps,finish_ps,ideal_ps,timeouts,resent,'\
'packets_sent,packets_delivered,acked_ps'
expect_equal 'records' "$(wc -l <r.csv)" 10
expect_equal 'bytes of the bursts' "$(awk -F, '$2 == "\"burst\"" {sum += $8} END {print sum}' r.csv)" 400000
expect_equal 'series' "$(tail -n +2 s.csv | cut -d, -f1,3,4 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
    "$(printf ' %s;' "$(grep -c '"background"' s.csv) goodput,\"background\"," \
        "$(grep -c '"burst"' s.csv) goodput,\"burst\"," "$(grep -c '^queue' s.csv) queue,\"s0-h0\",all")"
expect_match 'points of the queue' "$(grep -c '^queue' s.csv)" '^(9|10|11)$'
expect_run 0 '' "$WEIR" run tiny.yaml --set measure.probes.0.points=3
expect_match 'a full series' "$output" '^series of s0-h0: full at 3 points$'
expect_run 0 '' "$WEIR" run tiny.yaml --csv -
expect_equal '--csv -' "$output" "$(cat t.csv)"
expect_run 0 '' "$WEIR" run tiny.yaml --records -
expect_equal '--records -' "$output" "$(cat r.csv)"

# A terminal sees how far a longer run is, unless it is to be quiet; a file gets a line every ten seconds.
endless=(tiny.yaml --set until=1000s --set traffic.1.bytes=endless)
line='s of 1000s simulated \([0-9]+ %\), [0-9.]+[mu]?s per second, [0-9.]+ million packets/s, flows: 9 started, 8 ended, ETA ([0-9]+m[0-9]{2}s|[0-9]+h[0-9]{2}m)$'
"$WEIR" run "${endless[@]}" --threads 2 -o plain.db >plain.out 2>plain.err &
plain=$!
"$WEIR" run "${endless[@]}" -o mute.db --quiet >mute.out 2>mute.err &
mute=$!
has_line() { grep -q simulated plain.err; }
wait_until 'a line in a file' has_line
kill -INT $plain $mute
wait $plain $mute || true
expect_match 'progress in a file' "$(cat plain.err)" "^[0-9.]+[mun]?$line"
expect_no_match 'no terminal, no controls' "$(cat -v plain.err)" '\^'
expect_equal 'quiet' "$(cat mute.err)" ''
rm plain.* mute.*
if ! has_terminal; then
    echo 'skipped: progress on a terminal: no python3, or no pseudo-terminals'
else
    expect_match 'progress' "$(on_terminal "$line" "$WEIR" run "${endless[@]}")" "$line"
    quiet=$(on_terminal 'packets/s' "$WEIR" run "${endless[@]}" --set limits.time=2s --quiet)
    expect_no_match 'quiet' "$quiet" 'packets/s'
    expect_match 'for as long as it ran' "$quiet" 'the run took longer than 2s, its limit'
fi

# Strings of the file reach every output as they are, quoted as the format wants it.
hostile="<script>\"x\", \\'; =1+1 # é"
sed -e "s/^title: .*/title: \"<script>\\\\\"x\\\\\", \\\\\\\\'; =1+1 # é\"/" \
    -e "s/tag: burst/tag: \"<script>\\\\\"x\\\\\", \\\\\\\\'; =1+1 # é\"/" tiny.yaml >hostile.yaml
expect_run 0 '' "$WEIR" run hostile.yaml --csv hostile.csv --records hostile.records
expect_equal 'a hostile title' "$(head -n 1 <<<"$output")" "tiny: $hostile"
expect_equal 'a hostile tag as CSV' "$(sed -n 2p hostile.csv | grep -cF "\"<script>\"\"x\"\", \\'; =1+1 # é\",all,8,8")" 1
expect_run 0 '' "$WEIR" run hostile.yaml --json
[ -z "$has_python" ] || expect_equal 'a hostile tag as JSON' "$(from_json 'd["tags"][0]["tag"]')" "$hostile"
expect_run 0 '' "$WEIR" run --print-config hostile.yaml
printf '%s\n' "$output" >effective.yaml
expect_run 0 '' "$WEIR" run effective.yaml
expect_equal 'a hostile title again' "$(head -n 1 <<<"$output")" "tiny: $hostile"

# Every queue that lost or marked is in the JSON and in --losses; the table has the first eight and tells how many more.
cat >lossy.yaml <<'END'
until: 1ms
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 6, spine_rate: 1Gbps}
switch: {buffer: 5KB, policy: dt, ecn: {kind: red, low: 1KB, high: 5KB, chance: 0.5}, ports_per_memory: 4}
transports:
  udp: {kind: udp, rate: 5Gbps}
  dctcp: {kind: dctcp}
traffic:
  - {kind: long, transport: udp, pattern: permutation, bytes: 100KB}
  - {kind: poisson, transport: dctcp, tag: mix, sizes: [[1KB, 0], [500KB, 0.9], [2MB, 1]], load: 40%}
  - {kind: all-to-all, transport: dctcp, tag: round, bytes: 100KB, sources: h0-h3, rounds: 2}
failures: [{when: 500us, at: s0, to: s2}, {when: 500us, at: s0, to: s3}]
measure: {goodput_interval: 300us, size_bins: [100KB, 400KB, 1MB]}
END
expect_run 0 '' "$WEIR" run lossy.yaml --losses l.csv --csv t.csv --series s.csv --records r.csv
expect_match 'how many more' "$output" '^[1-9][0-9]* more queues with losses: see --losses or --json$'
expect_equal 'places in the table' "$(grep -cE '^s[0-9]+-[hs][0-9]+ ' <<<"$output")" 8
expect_match 'the whole time' "$output" '^seed 1, 1ms of 1ms$'
expect_match 'middle sizes' "$output" '^mix +100KB to 400KB +[1-9]'
expect_match 'long flows' "$output" '^mix +>= 1MB +[1-9]'
expect_match 'packets' "$output" '^long +[1-9][0-9]* +[1-9][0-9]* +[1-9][0-9]* +[0-9.]+[mu]s +[0-9.]+[mu]s$'
expect_match 'a round that was not launched whole' "$output" '^round +[12] +0 +[0-9]+ +- '
expect_equal 'columns of losses' "$(head -n 1 l.csv)" 'at,peer,port,class,lost.total,lost.over-threshold,'\
'lost.no-room,lost.predicted,lost.no-descriptor,lost.too-large,lost.pushout,lost.expelled,lost.dequeue,'\
'lost.flushed,lost.watchdog,marked'
total=$(sed -n 's/^packet-hops.* lost \([0-9]*\), marked \([0-9]*\),.*/\1 \2/p' <<<"$output")
parts=$(sed -n 's/^lost [0-9]*: .*unroutable \([0-9]*\), on links \([0-9]*\)$/\1 \2/p' <<<"$output")
expect_match 'unroutable' "$parts" '^[1-9][0-9]* [0-9]+$'
expect_equal 'losses and marks of all queues' "$(awk -F, -v parts="$parts" 'NR > 1 {
    sum = 0; for (i = 6; i < NF; i++) sum += $i; if (sum != $5) print "row " NR; lost += sum; marked += $NF }
    END { split(parts, more, " "); print lost + more[1] + more[2], marked }' l.csv)" "$total"
expect_equal 'rows by size' "$(awk -F, '$1 == "\"mix\"" {print $2}' t.csv | tr '\n' ' ')" \
    'all 0-100000 100001-399999 400000-999999 1000000- '
expect_equal 'flows by size' "$(awk -F, '$1 == "\"mix\"" {n += $2 == "all" ? $3 : -$3} END {print n}' t.csv)" 0
expect_equal 'columns of sizes' "$(awk -F, '{print NF}' t.csv | sort -u)" "$(head -n 1 t.csv | awk -F, '{print NF}')"
expect_equal 'bins of goodput' "$(awk -F, '$3 == "\"mix\"" {print $5}' s.csv | tr '\n' ' ')" '0 300000000 600000000 900000000 '
expect_equal 'goodput adds up' "$(awk -F, 'FNR == NR && $2 == "\"mix\"" {bytes += $8}
    FNR != NR && $3 == "\"mix\"" {sent += $10 / 8 * ($5 == 900000000 ? 100e-6 : 300e-6)}
    END {print (bytes > 0 && bytes - sent < 1 && sent - bytes < 1)}' r.csv s.csv)" 1
expect_equal 'packets of records' "$(awk -F, '$2 == "\"long\"" {sent += $14; got += $15} END {print sent, got}' r.csv)" \
    "$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
    $1 == "\"long\"" && $2 == "all" {print $at["sent"], $at["received"]}' t.csv)"
if [ -n "$has_python" ]; then
    expect_run 0 '' "$WEIR" run lossy.yaml --json
    expect_equal 'all places' "$(from_json 'len(d["places"])')" "$(($(wc -l <l.csv) - 1))"
    expect_equal 'one total' "$(from_json '(d["lost"]["packets"] == sum(v for k, v in d["lost"].items() if k != "packets")
        == sum(p["lost.total"] for p in d["places"]) + d["lost"]["unroutable"] + d["lost"]["on_failed_links"])')" \
        True
    expect_equal 'memories' "$(from_json '[m["memory"] for m in d["memories"]]')" \
        "['s0.0', 's0.1', 's1.0', 's1.1', 's2', 's3']"
    expect_equal 'peaks' "$(from_json '(all(0 <= m["peak_bytes"] <= m["buffer_bytes"] == 5000 for m in d["memories"])
        and max(m["peak_bytes"] for m in d["memories"]) > 2500)')" True
    expect_equal 'sizes' "$(from_json '[t["bytes"] for t in d["tags"] if t["tag"] == "mix"]')" \
        "['all', '0-100000', '100001-399999', '400000-999999', '1000000-']"
    expect_equal 'packets' "$(from_json '(d["tags"][0]["sent"] - d["tags"][0]["received"] == d["tags"][0]["missing"] > 0)')" True
fi
expect_run 0 '' "$WEIR" run tiny.yaml --set traffic.1.bytes=endless --records r.csv
expect_equal 'an endless flow has no ideal' "$(awk -F, '$2 == "\"background\"" {print $7 "," $10 "," $11}' r.csv)" ',,'

# A trace of each MMU, which replay accepts; another run sends its packets.
expect_run 0 '' "$WEIR" run lossy.yaml --trace s0=a.wtr --trace s0.1=b.wtr --trace s3=c.wtr
digest=$(digest_of "$output")
expect_equal 'a trace changes nothing' "$digest" "$(digest_of "$("$WEIR" run lossy.yaml)")"
for trace in a b c; do
    expect_run 0 '' "$WEIR" replay "$trace.wtr"
    expect_match 'core' "$output" '^core agrees$'
    expect_match 'naive' "$output" '^naive agrees$'
done
"$WEIR" slot run --policy dt --ports 4 --buffer 20 --slots 100 --trace slot.wtr >slot.txt
arrivals=$("$WEIR" replay slot.wtr | sed -n 's/^arrivals *//p')
cat >again.yaml <<'END'
until: 1s
topology: {kind: single, hosts: 4}
switch: {buffer: 1MB, policy: dt}
transports: {udp: {kind: udp}}
traffic: [{kind: packets, transport: udp, tag: again, format: trace, file: slot.wtr}]
END
expect_run 0 '' "$WEIR" run again.yaml
expect_match 'packets of a trace' "$output" "^again +$arrivals +$arrivals +0 "
expect_no_match 'no flows' "$output" 'FCT'
zstd_size=$(stat -c %s slot.wtr)
head -c $((zstd_size - 3)) slot.wtr >cut.wtr
expect_run 3 "weir: --set traffic.0.file=cut.wtr: file: 'cut.wtr': byte $((zstd_size - 3)): cut short (expected the \
rest of the zstd frame)" "$WEIR" run again.yaml --set traffic.0.file=cut.wtr
expect_run 2 "weir: --trace: 'x=y' names no MMU and file (expected s0=FILE or s0.1=FILE)" \
    "$WEIR" run lossy.yaml --trace x=y
expect_run 2 'weir: --trace: s0=x and s0.0=y trace the same MMU (expected one)' \
    "$WEIR" run lossy.yaml --trace s0=x --trace s0.0=y
expect_run 3 'weir: --trace s4=x: no switch s4 (expected s0 to s3)' "$WEIR" run lossy.yaml --trace s4=x
expect_run 3 'weir: --trace s3.1=x: switch s3 has no MMU 1 (expected 0 to 0)' "$WEIR" run lossy.yaml --trace s3.1=x
expect_run 4 'weir: no/t.wtr: cannot write: No such file or directory' "$WEIR" run lossy.yaml --trace s0=no/t.wtr

# Captures: what is left out is told. One frame of IPv4, one of ARP, one cut.
zeros() {
    printf '\\x00%.0s' $(seq "$1")
}
frame() { # SECONDS CAPTURED TYPE: a frame of 100 bytes with addresses 10.0.0.1 and 10.0.0.2
    local bytes
    bytes="$(zeros 12)$3\\x45$(zeros 11)\\x0a\\x00\\x00\\x01\\x0a\\x00\\x00\\x02$(zeros 60)"
    printf '%b' "\\x0$1$(zeros 7)\\x$(printf %02x "$2")$(zeros 3)\\x64$(zeros 3)${bytes:0:4*$2}"
}
{
    printf '\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0'
    frame 1 60 '\x08\x00'
    frame 1 60 '\x08\x06'
    frame 1 20 '\x08\x00'
    frame 3 60 '\x08\x00'
} >capture.pcap
sed -e 's/slot.wtr/capture.pcap/' -e 's/format: trace/format: pcap/' again.yaml >pcap.yaml
place="weir: warning: pcap.yaml:5:75: file: 'capture.pcap':"
expect_run 0 "$place 1 of 4 frames left out: not IP
$place 1 of 4 frames left out: captured without addresses
$place 1 of 2 packets left out: they start before 'from' or at or after 'until'" "$WEIR" run pcap.yaml
expect_match 'what is left' "$output" '^again +1 +1 +0 '
# Classes by DSCP are of captures, and classes of the switch.
sed 's/format: trace/&, dscp: {0: [1]}/' again.yaml >dscp.yaml
expect_run 3 'weir: dscp.yaml:5:76: dscp: packets of a trace have their classes (expected it of a capture)' "$WEIR" run dscp.yaml
sed 's/format: pcap/&, dscp: {7: [1-63]}/' pcap.yaml >dscp.yaml
expect_run 3 "weir: dscp.yaml:5:76: dscp: '7' is not a class (expected 0 to 0, the classes of the switch)" "$WEIR" run dscp.yaml
rm dscp.yaml

# A list of flows is looked for beside the scenario.
mkdir folder
sed 's|kind: long, .*|kind: list, tag: listed, transport: tcp, file: flows.txt}|' tiny.yaml >folder/list.yaml
printf '# start source destination bytes\n0 1 2 3000\n1000 2 3 1 tiny # one byte\n' >folder/flows.txt
expect_run 0 '' "$WEIR" run folder/list.yaml
expect_match 'a listed flow' "$output" '^listed +1 +1 '
expect_match 'a listed tag' "$output" '^tiny +1 +1 '
printf '0 1 1 3000\n' >folder/flows.txt
expect_run 3 "weir: folder/list.yaml:10:53: file: 'flows.txt': line 1, column 5: expected a destination other than the \
source, found '1'" "$WEIR" run folder/list.yaml
printf '# nothing\n' >folder/flows.txt
expect_run 0 "weir: warning: folder/list.yaml:10:53: file: 'flows.txt': no flows in it" "$WEIR" run folder/list.yaml
printf '30000000 1 2 3000\n5 1 2 3000\n' >folder/flows.txt
late="weir: warning: folder/list.yaml:10:53: file: 'flows.txt': 1 of 2 flows left out: they start before 'from' or at \
or after 'until'"
expect_run 0 "$late" "$WEIR" run folder/list.yaml
list=$output
mkdir elsewhere
expect_run 0 "$late" "$WEIR" run --print-config folder/list.yaml
printf '%s\n' "$output" >elsewhere/effective.yaml
"$WEIR" run elsewhere/effective.yaml >elsewhere/out 2>/dev/null
expect_equal 'the effective values from another folder' "$(cat elsewhere/out)" "$list"

# What is read is not written over.
ln -s folder/flows.txt link.csv
expect_run 2 'weir: run: --csv would overwrite tiny.yaml, which the run reads (expected another file)' \
    "$WEIR" run tiny.yaml --csv ./tiny.yaml
cp tiny.yaml r.csv.partial
expect_run 2 'weir: run: --records would overwrite r.csv.partial, which the run reads (expected another file)' \
    "$WEIR" run r.csv.partial --records r.csv
rm r.csv.partial
# shellcheck disable=SC2094 # that it would is the point
read_stdin() { "$WEIR" run - --csv tiny.yaml <tiny.yaml; }
expect_run 2 'weir: run: --csv would overwrite /dev/stdin, which the run reads (expected another file)' read_stdin
expect_run 2 'weir: run: --trace would overwrite tiny.yaml, which the run reads (expected another file)' \
    "$WEIR" run tiny.yaml --trace s0=tiny.yaml
for output_option in records series losses csv; do
    expect_run 2 "$late
weir: run: --$output_option would overwrite $PWD/folder/flows.txt, which the run reads (expected another file)" \
        "$WEIR" run folder/list.yaml "--$output_option" link.csv
done
expect_equal 'the list stays' "$(wc -l <folder/flows.txt)" 2
rm -r folder elsewhere link.csv

# Mistakes of the command line.
expect_run 0 '' "$WEIR" run --help
expect_match 'help on mpirun' "$output" '^Under mpirun '
expect_match 'an example of mpirun' "$output" '^ +mpirun -n 16 weir run sweep.yaml$'
expect_run 2 "weir: run: no scenario (expected a file; see 'weir run --help')" "$WEIR" run
expect_run 2 'weir: run: unknown option --policy (expected --set switch.policy=NAME)' "$WEIR" run --policy dt tiny.yaml
expect_run 2 'weir: run: unknown option --policy (expected --set switch.policy=NAME)' "$WEIR" run --policy=dt tiny.yaml
expect_run 2 'weir: run: unknown option --alpha (expected --set switch.policy.alpha=VALUE)' "$WEIR" run --alpha 2 tiny.yaml
expect_run 2 'weir: run: unknown option -j (expected --jobs N)' "$WEIR" run -j 2 tiny.yaml
expect_run 3 'weir: --set switch.policy: no value (expected key.path=value)' "$WEIR" run --set switch.policy dt tiny.yaml
expect_run 2 'weir: run: --seed: given twice (expected once)' "$WEIR" run --seed 1 --seed 2 tiny.yaml
expect_run 2 'weir: run: --reference stands alone (expected no other arguments)' "$WEIR" run --reference tiny.yaml
expect_run 2 'weir: run: --records and --csv are the same file (expected two)' \
    "$WEIR" run tiny.yaml --records x --csv ./x
expect_run 2 'weir: run: --json and --csv both write to standard output (expected one of them)' \
    "$WEIR" run tiny.yaml --json --csv -
expect_run 2 'weir: run: --records does not go with --print-config, which runs nothing' \
    "$WEIR" run tiny.yaml --print-config --records x
expect_run 2 'weir: run: --json does not go with --print-config, which runs nothing' \
    "$WEIR" run tiny.yaml --print-config --json
expect_run 3 'weir: nothing.yaml: cannot open: No such file or directory' "$WEIR" run nothing.yaml
expect_run 3 'weir: .: is a directory (expected a scenario file)' "$WEIR" run .
expect_run 3 "weir: --set switch.bufer=1MB: unknown key 'bufer' in switch (did you mean 'buffer'?)" \
    "$WEIR" run tiny.yaml --set switch.bufer=1MB
expect_run 3 "weir: --set traffic.7.bytes=1KB: no item '7' (expected a number below 2, the length of the list)" \
    "$WEIR" run tiny.yaml --set traffic.7.bytes=1KB
expect_run 3 'weir: --set seed: no value (expected key.path=value)' "$WEIR" run tiny.yaml --set seed
expect_run 2 "weir: --seed: 'x' is not a number (expected an integer from 0 to 9223372036854775807)" \
    "$WEIR" run tiny.yaml --seed x
sets=()
for _ in $(seq 65); do sets+=(--set seed=1); done
expect_run 2 'weir: run: --set: too many (expected at most 64)' "$WEIR" run tiny.yaml "${sets[@]}"

# What cannot be written: nothing is printed, and nothing appears but the stored result.
rm -f ./*.csv ./*.wtr ./*.db hostile.* effective.yaml lossy.yaml again.yaml pcap.yaml capture.pcap slot.txt
expect_run 4 'weir: no/r.csv: cannot write: No such file or directory' "$WEIR" run tiny.yaml --csv t.csv --records no/r.csv
expect_equal 'nothing printed' "$output" ''
expect_run 4 'weir: /dev/full: cannot write: No space left on device' "$WEIR" run tiny.yaml --csv t.csv --series /dev/full
expect_equal 'nothing printed' "$output" ''
expect_files tiny.db tiny.yaml
rm tiny.db

# SIGINT: partial results, marked; files that do not take the place of whole ones; nothing is stored.
# interrupted BYTES COMMAND...: sends SIGINT when the trace t.wtr has come so far, which the end of the bursts is before.
interrupted() {
    local bytes=$1 pid
    shift
    env --default-signal "$@" --trace s0=t.wtr --set until=1000s --set traffic.1.bytes=endless &
    pid=$!
    wait_until 'a trace that grows' test_bytes "$bytes" >&2
    kill -INT "$pid"
    wait "$pid"
}
test_bytes() {
    [ "$(cat .t.wtr.*part | wc -c)" -ge "$1" ]
}
echo whole >r.csv
expect_run 130 '' interrupted 100000 "$WEIR" run tiny.yaml --records r.csv
expect_match 'marked' "$output" '^INTERRUPTED at .* of 1000s: results are partial'
expect_match 'bursts had ended' "$output" '^burst +8 +8 '
expect_equal 'the whole file stays' "$(cat r.csv)" whole
expect_match 'partial records' "$(head -n 1 r.csv.partial)" '^id,tag,'
expect_run 0 '' "$WEIR" replay --no-naive t.wtr.partial
expect_files r.csv r.csv.partial t.wtr.partial tiny.yaml
expect_run 130 '' interrupted 100000 "$WEIR" run tiny.yaml --threads 3 --quiet
expect_match 'bursts had ended, with threads' "$output" '^burst +8 +8 '
expect_run 130 '' interrupted 1 "$WEIR" run tiny.yaml --json
[ -z "$has_python" ] || expect_equal 'marked in JSON' "$(from_json 'd["scenario"]["interrupted"]')" True
ln -s target.db link.db
expect_run 130 '' interrupted 1 "$WEIR" run tiny.yaml --output link.db
expect_files link.db r.csv r.csv.partial t.wtr.partial tiny.yaml

# Links that lose packets by chance: four links of 1 % each lose 544 of 13814 packets, give or take four deviations; any
# number of threads loses the same ones, and without the key nothing changes.
cat >chance.yaml <<'END'
until: 100ms
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 2}
wire: {loss: 1%}
switch: {buffer: 10MB, policy: dt}
transports: {udp: {kind: udp, rate: 1Gbps}}
traffic: [{kind: long, tag: cross, transport: udp, sources: h0-h1, destinations: h2-h3, bytes: 10MB}]
END
expect_run 0 '' "$WEIR" run chance.yaml
expect_match 'lost on links' "$output" '^lost ([0-9]+): refused 0, after acceptance 0, unroutable 0, on links \1$'
lost=$(sed -n 's/^lost \([0-9]*\):.*/\1/p' <<<"$output")
expect_equal "about 544 of 13814 packets ($lost)" "$((lost > 450 && lost < 640))" 1
digest=$(digest_of "$output")
expect_run 0 '' "$WEIR" run --threads 2 chance.yaml -o threads.db
expect_equal 'by two threads' "$(digest_of "$output")" "$digest"
expect_run 0 '' "$WEIR" run --set wire.loss=0 chance.yaml -o without.db
expect_match 'no loss' "$output" 'packet-hops 55256, lost 0,'
expect_run 3 "weir: --set wire.loss=2: loss: '2' is out of range (0 to 1)" "$WEIR" run --set wire.loss=2 chance.yaml
printf 'source,target,loss\nh0,s0,100%%\nh1,s0,\nh2,s0,0\nh3,s0,0\n' >edges.csv
expect_run 0 '' "$WEIR" run --set 'topology={kind: explicit, file: edges.csv}' --set wire.loss=0 chance.yaml -o edges.db
expect_match 'the link of h0 loses all' "$output" '^lost 6907: refused 0, after acceptance 0, unroutable 0, on links 6907$'
rm ./*.db chance.yaml edges.csv
finish
