#!/usr/bin/env bash
# The bench of the traffic manager, with one to four sublists, and what verilator says about every module.
set -euo pipefail
# shellcheck source=tests/hw/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need iverilog vvp verilator

for top in "weir_tm -GLANES=1" "weir_tm -GLANES=4 -GCLASSES=2" "weir_tm_axis -GINPUTS=3 -GLANES=4" "weir_tm_axis -GKEEP=1" "weir_axil -GCLASSES=2 -GQUEUES=128" "weir_pfc_send -GKEEP=1" "weir_pfc_receive -GKEEP=16" weir_credence weir_tdt_state weir_dsh_estimator \
    "weir_selector -GQUEUES=512 -GSMALL=0"; do
    # shellcheck disable=SC2086
    verilator --lint-only -Wall "$root"/hw/rtl/weir_*.v --top-module $top
done
rounds=$((${WEIR_TEST_ROUNDS:-1} * 8000))
for lanes in 1 2 3 4; do
    bench "$scratch/bench" "$root/hw/rtl" LANES=$lanes CYCLES=$rounds SEED=$lanes SMALL=$((lanes % 2))
    vvp -n "$scratch/bench" | tee "$scratch/out"
    grep -q '^ok' "$scratch/out"
done
# The waveforms of the docs are what the simulation prints.
iverilog -g2012 -o "$scratch/wave" -s tb_wave "$root/tests/hw/rtl/tb_wave.sv" "$root"/hw/rtl/weir_*.v 2>"$scratch/log"
vvp -n "$scratch/wave" >"$scratch/wave.txt"
sed -n '/^tx_request /,/^out_valid /p' "$root/docs/reference/rtl.md" | diff - "$scratch/wave.txt"
iverilog -g2012 -o "$scratch/waves" -s tb_waves "$root/tests/hw/rtl/tb_waves.sv" "$root"/hw/rtl/weir_*.v 2>"$scratch/log"
vvp -n "$scratch/waves" | diff "$root/docs/reference/rtl-waves.md" -
# Each module has a picture there, or is a part of one that has, but for registers, a comparison and frames.
for file in "$root"/hw/rtl/weir_*.v; do
    module=$(basename "$file" .v)
    case $module in
    weir_tm | weir_axil | weir_marking | weir_pfc_* | weir_require | weir_greater | weir_greater_step | weir_*_rom) ;;
    *) grep -q "^## .*\b$module\b" "$root/docs/reference/rtl-waves.md" || { echo "docs/reference/rtl-waves.md: no $module"; exit 1; } ;;
    esac
    for part in Interface Timing; do
        grep -q "^//.*\b$part\b" "$file" || { echo "$module: its head has no $part"; exit 1; }
    done
done
