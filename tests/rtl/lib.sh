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

root=${WEIR_ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# bench OUTPUT RTL_FOLDER PARAMETERS...: compiles the bench of the traffic manager for iverilog.
bench() {
    local output=$1 folder=$2 parameter options=()
    shift 2
    for parameter; do
        options+=("-Ptb_tm.$parameter")
    done
    iverilog -g2012 -o "$output" -s tb_tm "${options[@]}" "$root/tests/rtl/tb_tm.sv" "$folder"/weir_*.v 2>"$scratch/log" ||
        { cat "$scratch/log"; return 1; }
}
