#!/usr/bin/env bash
# Recorded traces through the RTL: every verdict, packet and victim of runs of dt and occamy, in the slotted model and in the
# simulator. WEIR is the program.
set -euo pipefail
# shellcheck source=tests/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need verilator c++ make

# build CELLS NW LANES: weir_tm with 8 ports.
build() {
    verilator --cc --exe --build -O3 --x-assign 0 -Mdir "$scratch/replay" --top-module weir_tm -GPORTS=8 -GCELLS="$1" \
        -GPACKETS="$1" -GNW="$2" -GLANES="$3" -CFLAGS "-O1 -DPORTS=8 -DCLASSES=1 -DNW=$2" -o replay \
        "$root"/rtl/weir_*.v "$root/tests/rtl/replay.cpp" >"$scratch/log" 2>&1 || { tail -n 30 "$scratch/log"; exit 1; }
}

# replay NAME CELL_BYTES ALPHA_EXP
replay() {
    echo -n "$1: "
    "$WEIR" replay --print "$scratch/trace.wtr" | "$scratch/replay/replay" "$2" "$3"
}

build 128 2 1
for run in "occamy 3 bursts" "occamy:alpha=1 0 onoff" "dt 0 bursts" "dt:alpha=0.5 -1 uniform"; do
    read -r policy exponent traffic <<<"$run"
    "$WEIR" slot run --policy "$policy" --traffic "$traffic" --slots 4000 --trace "$scratch/trace.wtr" >"$scratch/out"
    replay "slots, $policy, $traffic" 1500 "$exponent"
done
rm -rf "$scratch/replay"
build 256 4 4
for run in "occamy 3" "dt 0"; do
    read -r policy exponent <<<"$run"
    "$WEIR" run "$root/tests/rtl/burst.yaml" --set switch.policy="$policy" --trace s0="$scratch/trace.wtr" >"$scratch/out"
    replay "simulator, $policy" 200 "$exponent"
done
