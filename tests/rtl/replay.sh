#!/usr/bin/env bash
# Recorded traces through the RTL: every verdict, packet and victim of runs of dt and occamy. WEIR is the program.
set -euo pipefail
# shellcheck source=tests/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need verilator c++ make

verilator --cc --exe --build -O3 --x-assign 0 -Mdir "$scratch/replay" --top-module weir_tm -GPORTS=8 -GCELLS=128 \
    -GPACKETS=128 -GNW=2 -CFLAGS "-O1 -DPORTS=8 -DCLASSES=1 -DNW=2" -o replay \
    "$root"/rtl/weir_*.v "$root/tests/rtl/replay.cpp" >"$scratch/log" 2>&1 || { tail -n 30 "$scratch/log"; exit 1; }
for run in "occamy 3 bursts" "occamy:alpha=1 0 onoff" "dt 0 bursts" "dt:alpha=0.5 -1 uniform"; do
    read -r policy exponent traffic <<<"$run"
    "$WEIR" slot run --policy "$policy" --traffic "$traffic" --slots 4000 --trace "$scratch/trace.wtr" >"$scratch/out"
    echo -n "$policy, $traffic: "
    "$WEIR" replay --print "$scratch/trace.wtr" | "$scratch/replay/replay" 1500 "$exponent"
done
