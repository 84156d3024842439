#!/usr/bin/env bash
# replay.sh - makes a program of weir_tm in the shape of a trace by verilator and runs the trace through it, for
# `weir replay --rtl`.
#
#   replay.sh WEIR FILE PORTS CLASSES CELLS PACKETS NW CELL_BYTES ARRIVALS ALPHA_EXP...
#
# Prints "rtl agrees: ..." (status 0) or "rtl disagrees: ..." (1). What is missing is said on stderr (3), as is what does not
# build (4). The program is kept in the folder WEIR_RTL_CACHE, if that is set, by its shape and sources.
set -euo pipefail
rtl=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
weir=$1 file=$2 ports=$3 classes=$4 cells=$5 packets=$6 bits=$7
shift 7
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sources=("$rtl"/weir_*.v "$rtl/replay/replay.cpp")
model=$scratch/replay
if [ -n "${WEIR_RTL_CACHE:-}" ]; then
    model=$WEIR_RTL_CACHE/replay-$ports-$classes-$cells-$packets-$bits-$(cat "${sources[@]}" | cksum | tr ' ' '-')
fi
if [ ! -x "$model" ]; then
    for tool in verilator c++ make; do
        if ! command -v "$tool" >/dev/null; then
            echo "weir: --rtl: $tool is missing (expected verilator, g++ and make; tools/deps test installs them)" >&2
            exit 3
        fi
    done
    verilator --cc --exe --build -O3 --x-assign 0 -Mdir "$scratch/model" --top-module weir_tm -GPORTS="$ports" \
        -GCLASSES="$classes" -GCELLS="$cells" -GPACKETS="$packets" -GNW="$bits" -GDATA_BITS=32 \
        -CFLAGS "-O1 -DPORTS=$ports -DCLASSES=$classes" -o replay "${sources[@]}" >"$scratch/log" 2>&1 || {
        tail -n 20 "$scratch/log" >&2
        echo "weir: --rtl: the hardware does not build in this shape" >&2
        exit 4
    }
    if [ -n "${WEIR_RTL_CACHE:-}" ]; then
        mkdir -p "$WEIR_RTL_CACHE"
    fi
    mv "$scratch/model/replay" "$model"
fi
"$weir" replay --no-naive --print -- "$file" | "$model" "$@"
