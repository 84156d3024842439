#!/usr/bin/env bash
# weir run: scenario files and every kind of mistake in them, what is printed and written, interruption.
# shellcheck source=tests/cli/lib.sh
source "$(dirname "$0")/lib.sh"

examples=$root/scenarios/examples
digest_of() {
    sed -n 's/.*digest \([0-9a-f]\{16\}\)$/\1/p' <<<"$1"
}
# from_json EXPRESSION: prints it with `d` the JSON in $output.
from_json() {
    python3 -c 'import json, sys
d = json.load(sys.stdin)
print(eval(sys.argv[1]))' "$1" <<<"$output"
}
has_python=
command -v python3 >/dev/null && has_python=yes

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
for file in "$root"/tests/scenario/*.yaml; do
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
expect_equal 'reference in docs/scenarios.md' "$(diff <(printf '%s\n' "$output") \
    <(sed -n '/^## Reference$/,$p' "$root/docs/scenarios.md"))" ''
for file in "$examples"/*.yaml; do
    expect_run 0 '' "$WEIR" run --print-config "$file"
    printf '%s\n' "$output" >effective.yaml
    expect_run 0 '' "$WEIR" run --print-config effective.yaml
    expect_equal "effective values of $(basename "$file")" "$output" "$(cat effective.yaml)"
    expect_match 'the docs name it' "$(cat "$root/docs/scenarios.md")" "$(basename "$file")"
done
rm effective.yaml

# Tables; the same run gives the same bytes, from the file and from its effective values.
expect_run 0 '' "$WEIR" run tiny.yaml
table=$output
expect_match 'title' "$table" '^tiny: Two bursts$'
expect_match 'seed and time' "$table" '^seed 1, .* of 20ms$'
expect_match 'columns' "$table" '^tag +flows +finished +FCT mean +p50 +p99 +slowdown p50 +p99 +timeouts +goodput$'
expect_match 'bursts' "$table" '^burst +8 +8 +[0-9.]+[mu]s '
expect_match 'background' "$table" '^background +1 +1 +[0-9.]+[mu]s '
expect_match 'queries' "$table" '^burst +2 +2 +[0-9.]+[mu]s '
expect_match 'losses' "$table" '^all +all +all +[1-9]'
expect_match 'losses by place' "$table" '^s0-h0 +0 +0 +[1-9]'
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
    expect_equal 'losses add up' "$(from_json '(d["losses"]["packets"] == sum(d["losses"]["refused"].values()) +
        sum(d["losses"]["lost"].values()) == sum(p["losses"]["packets"] for p in d["places"]))')" True
fi
expect_equal 'rows of tags' "$(cut -d, -f1-3 t.csv | tail -n +2 | tr '\n' ' ')" '"burst",8,8 "background",1,1 '
expect_equal 'heading of records' "$(head -n 1 r.csv)" \
    'id,tag,traffic,query,source,destination,bytes,delivered_bytes,start_ps,finish_ps,ideal_ps,timeouts,resent'
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

# A terminal sees how far a longer run is, unless it is to be quiet.
in_terminal() {
    python3 -c 'import pty, sys
pty.spawn(sys.argv[1:])' timeout --preserve-status -s INT -k 20 1 "$WEIR" run "$@" </dev/null
}
if ! python3 -c 'import os; os.openpty()' 2>/dev/null; then
    echo 'progress is not checked: no python3, or no pseudo-terminals'
else
    endless=(tiny.yaml --set until=1000s --set traffic.1.bytes=endless)
    expect_match 'progress' "$(in_terminal "${endless[@]}" | tr '\r' '\n')" \
        's of 1000s, [0-9.]+ M packet-hops/s, flows: 9 started, 8 ended$'
    expect_no_match 'quiet' "$(in_terminal "${endless[@]}" --quiet | tr '\r' '\n')" 'packet-hops/s'
fi

# Strings of the file reach every output as they are, quoted as the format wants it.
hostile="<script>\"x\", \\'; =1+1 # é"
sed -e "s/^title: .*/title: \"<script>\\\\\"x\\\\\", \\\\\\\\'; =1+1 # é\"/" \
    -e "s/tag: burst/tag: \"<script>\\\\\"x\\\\\", \\\\\\\\'; =1+1 # é\"/" tiny.yaml >hostile.yaml
expect_run 0 '' "$WEIR" run hostile.yaml --csv hostile.csv --records hostile.records
expect_equal 'a hostile title' "$(head -n 1 <<<"$output")" "tiny: $hostile"
expect_equal 'a hostile tag as CSV' "$(sed -n 2p hostile.csv | grep -cF "\"<script>\"\"x\"\", \\'; =1+1 # é\",8,8")" 1
expect_run 0 '' "$WEIR" run hostile.yaml --json
[ -z "$has_python" ] || expect_equal 'a hostile tag as JSON' "$(from_json 'd["tags"][0]["tag"]')" "$hostile"
expect_run 0 '' "$WEIR" run --print-config hostile.yaml
printf '%s\n' "$output" >effective.yaml
expect_run 0 '' "$WEIR" run effective.yaml
expect_equal 'a hostile title again' "$(head -n 1 <<<"$output")" "tiny: $hostile"

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
rm -r folder

# Mistakes of the command line.
expect_run 2 "weir: run: no scenario (expected a file; see 'weir run --help')" "$WEIR" run
expect_run 2 "weir: run: unexpected operand 'b' (see 'weir run --help')" "$WEIR" run a b
expect_run 2 'weir: run: unknown option --policy (see '"'weir run --help')" "$WEIR" run --policy dt tiny.yaml
expect_run 2 'weir: run: --seed: given twice (expected once)' "$WEIR" run --seed 1 --seed 2 tiny.yaml
expect_run 2 'weir: run: --reference stands alone (expected no other arguments)' "$WEIR" run --reference tiny.yaml
expect_run 2 'weir: run: --records and --csv are the same file (expected two)' \
    "$WEIR" run tiny.yaml --records x --csv ./x
expect_run 2 'weir: run: --json and --csv both write to standard output (expected one of them)' \
    "$WEIR" run tiny.yaml --json --csv -
expect_run 2 'weir: run: --records does not go with --print-config, which runs nothing' \
    "$WEIR" run tiny.yaml --print-config --records x
expect_run 2 'weir: run: --json does not go with --print-config, which prints a scenario' \
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

# What cannot be written: nothing appears, nothing is printed.
rm -f ./*.csv hostile.* effective.yaml
expect_run 4 'weir: no/r.csv: cannot write: No such file or directory' "$WEIR" run tiny.yaml --csv t.csv --records no/r.csv
expect_equal 'nothing printed' "$output" ''
expect_run 4 'weir: /dev/full: cannot write: No space left on device' "$WEIR" run tiny.yaml --csv t.csv --series /dev/full
expect_equal 'nothing printed' "$output" ''
expect_files tiny.yaml

# SIGINT: partial results, marked; files that do not take the place of whole ones.
echo whole >r.csv
expect_run 130 '' timeout --preserve-status -s INT -k 20 1 "$WEIR" run tiny.yaml --records r.csv --set until=1000s \
    --set traffic.1.bytes=endless
expect_match 'marked' "$output" '^INTERRUPTED at .* of 1000s: results are partial'
expect_match 'bursts had ended' "$output" '^burst +8 +8 '
expect_equal 'the whole file stays' "$(cat r.csv)" whole
expect_match 'partial records' "$(head -n 1 r.csv.partial)" '^id,tag,'
expect_files r.csv r.csv.partial tiny.yaml
expect_run 130 '' timeout --preserve-status -s INT -k 20 1 "$WEIR" run tiny.yaml --json --set until=1000s \
    --set traffic.1.bytes=endless
[ -z "$has_python" ] || expect_equal 'marked in JSON' "$(from_json 'd["scenario"]["interrupted"]')" True
finish
