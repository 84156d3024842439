#!/usr/bin/env bash
# The module for ns-3 in networks: what a switch decided is in its trace, which weir replays; mistakes are named; and the
# same flows take as long in ns-3 as in weir. EXAMPLE is docs/examples/ns3.cc, BUILD the build folder.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/../../apps/lib.sh"
: "${EXAMPLE:?the path of the example}" "${RECORD:?the path of the record program}" "${BUILD:?the build folder}"

# Each policy loses packets in its own way, and the example counts what the trace has.
while read -r policy way; do
    expect_run 0 '' "$EXAMPLE" --policy="$policy" --buffer=100KB --trace=leaf.wtr
    expect_match "$policy: the burst" "$output" "^$policy: 448000 B answered in "
    said=$(sed -n 's/.*lost \([0-9]*\) packets.*/\1/p' <<<"$output")
    expect_run 0 '' "$WEIR" replay leaf.wtr
    expect_match "$policy" "$output" "^policy +${policy%%:*}"
    expect_match "$policy" "$output" "^(refused|lost) +[0-9]+,.* $way [1-9][0-9]*"
    expect_match "$policy" "$output" '^core agrees$'
    expect_match "$policy" "$output" '^naive agrees$'
    expect_equal "$policy: packets lost" "$said" "$(awk '/^(refused|lost) / {sum += $2} END {print sum}' <<<"$output")"
done <<'END'
dt over-threshold
lqd pushout
lqd:remove=tail pushout
occamy expelled
occamy-p4 dequeue
tdt over-threshold
END

# A verdict that was not given: the first refusal of the trace, written as an acceptance. Its reason goes, and the
# checksum is made again, so that only a replay can know.
"$EXAMPLE" --policy=dt --buffer=100KB --trace=leaf.wtr >/dev/null
"$WEIR" replay --print leaf.wtr >printed
refusal=$(grep -m 1 ' arrive .*: refused' printed)
if [ -n "$has_python" ]; then
    python3 - "$(cut -d' ' -f3 <<<"$refusal")" <<'END'
import sys
trace, at = bytearray(open("leaf.wtr", "rb").read()), int(sys.argv[1])
trace[at] |= 0x10
for _ in range(5):  # time, output, input, class, bytes; the reason follows
    at += 1
    while trace[at] & 0x80:
        at += 1
del trace[at + 1]
open("flipped.wtr", "wb").write(trace)
END
    "$RECORD" --seal flipped.wtr
    expect_run 1 "weir: flipped.wtr: record ${refusal%% *} at byte $(cut -d' ' -f3 <<<"$refusal"): core and the naive model do not agree with the recording" \
        "$WEIR" replay flipped.wtr
fi

# refuses WHAT PATTERN OPTION...: the example ends with a line that says it.
refuses() {
    local said status=0
    said=$("$EXAMPLE" "${@:3}" 2>&1) || status=$?
    expect_match "$1" "$said" "$2"
    expect_equal "$1: it does not run" "$((status != 0)) $(grep -c answered <<<"$said" || true)" '1 0'
}
refuses 'lossless' "weir::SharedBuffer: Policy: 'dsh' is a headroom scheme of lossless classes, and this module has no PFC" --policy=dsh
refuses 'unknown policy' "Policy: unknown policy 'ocamy' \(did you mean 'occamy'\?\)" --policy=ocamy
refuses 'unknown parameter' "Policy: dt: .*'alpa'" --policy=dt:alpa=2
refuses 'a parameter without a value' "Policy: 'alpha': expected PARAMETER=VALUE" --policy=dt:alpha
refuses 'no oracle' "Policy: 'credence' asks an oracle" --policy=credence
refuses 'trimming' "Trim: '64B' is not possible: queue discs of ns-3 drop packets whole" --weir::SharedBuffer::Trim=64B
refuses 'no unit' "Buffer: '100' needs a unit" --buffer=100
refuses 'no buffer' 'buffer: 1 to 2147483647 cells are possible' --buffer=0B
refuses 'a folder that is not there' 'Trace: none/leaf.wtr: cannot be written: No such file' --trace=none/leaf.wtr

# The same flows in ns-3 and in weir, with the same buffer, which refuses packets in both.
if [ -n "$has_python" ]; then
    expect_run 0 '' "$root/bench/agreement.py" "$BUILD" --launch-us 3000 --load 0.5 --policy dt --buffer 400000 --hosts fifo \
        --prr --lead 10ms --within 1
    expect_match 'losses in ns-3' "$output" '^seed 1, ns-3: 40 flows, 33 finished, [1-9][0-9]* drops'
    expect_match 'losses in weir' "$output" '^seed 1, weir: 40 flows, 33 finished, [1-9][0-9]* drops'
    expect_match 'the first leaf' "$output" '^seed 1, trace of the first leaf: policy dt:alpha=1, .*, core agrees, naive agrees$'
    expect_match 'short flows' "$output" '^10 kB to 100 kB +16 '
    expect_match 'both' "$output" '^finished in one of the two only: 0$'
fi

finish
