# shellcheck shell=bash
# lib.sh - what the tests of the hardware share. WEIR_ROOT is the source tree.

skip() {
    echo "skipped: $1"
    exit 77
}

need() {
    local tool
    for tool; do
        command -v "$tool" >/dev/null || skip "$tool is missing (tools/deps test)"
    done
}

root=${WEIR_ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# bench OUTPUT RTL_FOLDER PARAMETERS...: compiles the bench of the traffic manager for iverilog.
bench() {
    compile "$1" "$2" tb_tm "${@:3}"
}

# compile OUTPUT RTL_FOLDER BENCH PARAMETERS...
compile() {
    local output=$1 folder=$2 top=$3 parameter options=() sources=("$root/tests/hw/rtl/$3.sv")
    shift 3
    for parameter; do
        options+=("-P$top.$parameter")
    done
    [ "$top" = tb_example ] && sources=("$root"/hw/rtl/example/*v)
    [ "$top" = tb_blocks ] && sources+=("$root/tests/hw/rtl/blocks.v")
    iverilog -g2012 -o "$output" -s "$top" "${options[@]}" "${sources[@]}" "$folder"/weir_*.v 2>"$scratch/log" ||
        { cat "$scratch/log"; return 1; }
}

# replace TEXT BY < FILE: the first line with the text, taken literally.
replace() {
    MUTANT_TEXT=$1 MUTANT_BY=$2 awk '
        BEGIN { text = ENVIRON["MUTANT_TEXT"]; by = ENVIRON["MUTANT_BY"] }
        !done && (at = index($0, text)) { $0 = substr($0, 1, at - 1) by substr($0, at + length(text)); done = 1 }
        { print }
        END { exit !done }'
}

# faults COUNT BENCH PARAMETERS... < LIST: puts faults into the RTL, one at a time; the bench has to notice each of them,
# and there have to be COUNT at least. A line of the list is
#   file | text | what it becomes | the fault            (a | inside is \|)
# The text has to be there, so that a fault that no longer exists is noticed too. A bench that is well says "ok:".
faults() {
    local least=$1 caught=0 missed=0 line file text by fault out
    shift
    while IFS= read -r line; do
        line=${line//\\|/$'\001'}
        IFS='|' read -r file text by fault <<<"$line"
        text=${text//$'\001'/|} by=${by//$'\001'/|}
        rm -rf "$scratch/rtl"
        mkdir "$scratch/rtl"
        cp "$root"/hw/rtl/weir_*.v "$scratch/rtl"
        if ! replace "$text" "$by" <"$root/hw/rtl/$file" >"$scratch/rtl/$file"; then
            echo "not there: $file: $text"
            missed=$((missed + 1))
            continue
        fi
        compile "$scratch/mutant" "$scratch/rtl" "$@" ||
            { echo "does not compile: $fault"; missed=$((missed + 1)); continue; }
        out=$(timeout 120 vvp -n "$scratch/mutant" 2>&1 || true)
        if [[ "$out" == *"ok:"* ]]; then
            echo "MISSED: $fault ($file)"
            missed=$((missed + 1))
        else
            echo "caught: $fault: $(grep -m 1 '^tb_' <<<"$out" || echo 'never ends')"
            caught=$((caught + 1))
        fi
    done
    echo "$caught faults caught, $missed missed"
    [ "$missed" -eq 0 ] && [ "$caught" -ge "$least" ]
}
