#!/usr/bin/env bash
# weir replay: traces of every policy agree; changed and damaged ones are told apart and named.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
: "${RECORD:?the path of the record program}"

# A headroom scheme stands beside an egress policy, and the slotted model has no use for it.
while read -r policy side _; do
    "$RECORD" "$policy" 1 1000 "$policy.wtr"
    expect_run 0 '' "$WEIR" replay "$policy.wtr"
    expect_match "$policy" "$output" "^$([[ $side == ingress ]] && echo ingress || echo policy) +$policy(:|$)"
    expect_match "$policy" "$output" '^core agrees$'
    expect_match "$policy" "$output" '^naive agrees$'
    [[ $side == egress && ! $policy =~ ^(fab|afd)$ ]] || continue # slotted packets have no flows
    "$WEIR" slot run --policy "$policy" --slots 200 --trace "slot-$policy.wtr" >/dev/null
    expect_run 0 '' "$WEIR" replay "slot-$policy.wtr"
    expect_match "$policy in slots" "$output" '^naive agrees$'
done < <("$WEIR" policies | tail -n +2)

expect_run 0 '' "$WEIR" replay dt.wtr
expect_match 'parameters' "$output" '^policy +dt:alpha=1$'
for line in 'trace +dt.wtr' 'ports +4' 'classes +2' 'buffer +120 cells of 100B' 'records +[0-9]+' 'arrivals +[0-9]+' \
    'accepted +[0-9]+' 'refused +[0-9]+, .*over-threshold [0-9]+' 'lost +[0-9]+, flushed [0-9]+' 'departed +[0-9]+' \
    'time +[0-9.]+ns to [0-9.]+us' 'hash +[0-9a-f]{16}'; do
    expect_match 'report' "$output" "^$line$"
done
expect_run 0 '' "$WEIR" replay --no-naive dt.wtr
expect_match 'without the naive model' "$output" '^naive skipped: not asked for$'
expect_run 0 '' "$WEIR" replay dt.wtr lqd.wtr
expect_equal 'two reports' "$(grep -c '^core agrees$' <<<"$output")" 2

expect_run 0 '' "$WEIR" replay --print dt.wtr
records=$(sed -n 's/^records *//p' <<<"$output")
expect_equal 'a line per record, and the end' "$(grep -cE '^[0-9]+ byte [0-9]+ ' <<<"$output")" "$((records + 1))"
expect_match 'an arrival' "$output" '^[0-9]+ byte [0-9]+ [0-9.]+us arrive port [0-3] class [01] [0-9]+B( ecn)?( unscheduled)?: accepted( marked)?$'
expect_match 'a departure' "$output" '^[0-9]+ byte [0-9]+ [0-9.]+us depart port [0-3]: departed packet [0-9]+ \(port [0-3] class [01]\)$'
expect_run 0 '' "$WEIR" replay --json dt.wtr lqd.wtr
if command -v python3 >/dev/null; then
    facts=$(python3 -c '
import json, sys
for t in json.load(sys.stdin)["traces"]:
    print(t["file"], t["records"], t["core_agrees"], t["naive_agrees"], t["disagreement"])' <<<"$output")
    expect_match 'dt as JSON' "$facts" "^dt.wtr $records True True None$"
    expect_match 'lqd as JSON' "$facts" '^lqd.wtr [0-9]+ True True None$'
fi

# A changed outcome: before the checksum, the last eight bytes of a trace, comes its state hash.
"$RECORD" dt 1 12 small.wtr
"$RECORD" --plain small.wtr small.raw
expect_run 0 '' "$WEIR" replay small.raw
size=$(stat -c %s small.raw)
last=$(tail -c 9 small.raw | od -An -tu1 -N1 | tr -d ' ')
{ head -c $((size - 9)) small.raw; printf '%b' "\\x$(printf %02x $((last ^ 1)))"; tail -c 8 small.raw; } >changed.raw
expect_run 3 "weir: changed.raw: byte $((size - 8)): the checksum does not match: some byte before it is wrong" \
    "$WEIR" replay changed.raw
"$RECORD" --seal changed.raw
end=$("$WEIR" replay --print small.raw | grep ' end: ')
number=${end%% *} byte=$(cut -d' ' -f3 <<<"$end")
expect_run 1 "weir: changed.raw: record $number at byte $byte: core and the naive model do not agree with the recording" \
    "$WEIR" replay changed.raw
expect_match 'who disagrees' "$output" '^core disagrees$'
expect_match 'who disagrees' "$output" '^naive disagrees$'
expect_match 'where' "$output" "^first disagreement: record $number at byte $byte, time [0-9.]+us$"
expect_match 'what' "$output" '^  event      end$'
for who in recorded core naive; do
    expect_match 'what' "$output" "^  $who +[0-9a-f]{16}$"
done
expect_equal 'core and naive say the same' "$(grep -cx "  core *${end##* }\|  naive *${end##* }" <<<"$output")" 2
expect_run 1 "weir: changed.raw: record $number at byte $byte: core does not agree with the recording" \
    "$WEIR" replay --no-naive --json changed.raw
expect_match 'as JSON' "$output" '"core_agrees": false'

# Damage.
printf 'hello' >text
: >empty
printf 'weirtrc\n\005' >future
expected="expected a zstd frame or 'weirtrc'"
expect_run 3 "weir: text: byte 0 of the file: not a trace ($expected)" "$WEIR" replay text
expect_run 3 "weir: empty: byte 0 of the file: not a trace ($expected)" "$WEIR" replay empty
expect_run 3 'weir: future: byte 8: format version: 5 is out of range (2 to 4)' "$WEIR" replay future
expect_run 3 'weir: none: cannot open: No such file or directory' "$WEIR" replay none
expect_run 3 'weir: .: not a regular file (expected a trace)' "$WEIR" replay .
expect_run 3 'weir: none: cannot open: No such file or directory' "$WEIR" replay none dt.wtr
expect_match 'the good file is replayed all the same' "$output" '^core agrees$'

# A policy that this build does not have: the header names it by its length and its letters.
sed 's/dt/dx/' small.raw >renamed
byte=$(grep -abo $'\002dt' small.raw | head -n 1 | cut -d: -f1)
unknown="byte $byte: policy 'dx' is unknown to this build (did you mean 'dt'?)"
expect_run 3 "weir: renamed: $unknown" "$WEIR" replay renamed

# Files that cannot be replayed are in the JSON too.
expect_run 3 "weir: renamed: $unknown
weir: none: cannot open: No such file or directory" "$WEIR" replay --json renamed dt.wtr none
if command -v python3 >/dev/null; then
    facts=$(python3 -c '
import json, sys
for t in json.load(sys.stdin)["traces"]:
    print(t["file"], t["error"], t.get("core_agrees"))' <<<"$output")
    expect_equal 'every file in the JSON' "$facts" "renamed $unknown None
dt.wtr None True
none cannot open: No such file or directory None"
fi

# Damage in the middle is not reported at byte 0.
"$RECORD" dt 1 20000 large.wtr
size=$(stat -c %s large.wtr)
{ head -c $((size - 1)) large.wtr; printf 'x'; } >damaged
expect_run 3 "weir: damaged: byte $((size - 4)) of the file: corrupt (Restored data doesn't match checksum)" \
    "$WEIR" replay damaged

for file in small.wtr small.raw; do
    size=$(stat -c %s "$file")
    for ((length = 0; length < size; length++)); do
        head -c "$length" "$file" >"cut"
        status=0
        message=$("$WEIR" replay cut 2>&1) || status=$?
        if [ "$status" != 3 ] || [[ $message != 'weir: cut: byte '* ]] || [[ $message == *$'\n'* ]]; then
            expect_equal "$file cut to $length bytes" "$status $message" '3 and one line'
        fi
    done
done
{ cat small.wtr; printf 'x'; } >longer
size=$(stat -c %s small.wtr)
expect_run 3 "weir: longer: byte $size of the file: more data (expected the end of the file after one zstd frame)" \
    "$WEIR" replay longer
{ cat small.raw; printf 'xyz'; } >longer
size=$(stat -c %s small.raw)
expect_run 3 "weir: longer: byte $size: 3 bytes follow the last record" "$WEIR" replay longer

# The seeds of the fuzz target are whole traces, of this version of the format.
for seed in "$root"/tests/fuzz/corpus/trace/*.trace; do
    expect_run 0 '' "$WEIR" replay "$seed"
    expect_match "$seed" "$output" '^naive agrees$'
done

expect_run 2 "weir: replay: no trace (expected a file; see 'weir replay --help')" "$WEIR" replay
expect_run 2 "weir: replay: --print and --json do not go together (expected one of them)" "$WEIR" replay --json --print dt.wtr
expect_run 2 "weir: replay: unknown option --no-navie (did you mean --no-naive?)" "$WEIR" replay --no-navie dt.wtr

# The timeline: a page, of one trace, of a time that the trace has.
expect_run 0 '' "$WEIR" replay --timeline page.html dt.wtr
expect_match 'the page' "$(cat page.html)" '<h1>dt.wtr</h1>'
expect_match 'the page' "$(cat page.html)" '<dt>Arrived</dt>'
expect_run 2 'weir: replay: --timeline is of one trace (found 2)' "$WEIR" replay --timeline page.html dt.wtr dt.wtr
expect_run 2 'weir: replay: --from is of a timeline (expected with: --timeline)' "$WEIR" replay --from 1us dt.wtr
expect_run 2 'weir: replay: --from is later than --to (expected earlier)' \
    "$WEIR" replay --timeline page.html --from 2us --to 1us dt.wtr
rm page.html
expect_run 3 "weir: --from: the trace has no record in this time (see 'time' of weir replay)" \
    "$WEIR" replay --timeline page.html --from 100s dt.wtr
[ ! -e page.html ] || expect_equal 'the page after a failure' there gone
finish
