#!/usr/bin/env bash
# TDT's state module, Credence with its virtual LQD and forest, DSH's estimator and the maximum finder by verilator, against
# the library (blocks.cpp); then faults in them, which vectors of that run have to notice (lib.sh).
# LIBRARIES has libweir.a and the shim.
set -euo pipefail
# shellcheck source=tests/hw/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need verilator c++ make python3 iverilog vvp

python3 "$root/tests/hw/rtl/tables.py" "$scratch"
for rom in weir_log2_rom.v weir_exp2_rom.v; do
    cmp "$scratch/$rom" "$root/hw/rtl/$rom"
done

verilator --cc --exe --build -O3 --x-assign 0 -Mdir "$scratch/blocks" --top-module blocks \
    -CFLAGS "-O1 -I$root/include -I$root/tests/hw/rtl" -LDFLAGS "$LIBRARIES" -o blocks \
    "$root"/hw/rtl/weir_*.v "$root/tests/hw/rtl/blocks.v" "$root/tests/hw/rtl/blocks.cpp" >"$scratch/log" 2>&1 ||
    { tail -n 30 "$scratch/log"; exit 1; }
"$scratch/blocks/blocks" $((${WEIR_TEST_ROUNDS:-1} * 100000)) "$scratch/vectors"

vectors="VECTORS=\"$scratch/vectors\""
compile "$scratch/bench" "$root/hw/rtl" tb_blocks "$vectors"
vvp -n "$scratch/bench" | tee "$scratch/out"
grep -q '^ok:' "$scratch/out"
faults 44 tb_blocks "$vectors" <<'M'
weir_max_finder.v|high > low|high >= low|the last of equal ones
weir_max_finder.v|wins ? high : low|high|the upper half always
weir_max_finder.v|{wins, wins ? high_index : low_index}|{wins, low_index}|the index of the lower half
weir_max_finder.v|high > low|high[W-1:1] > low[W-1:1]|a bit of a length is not compared
weir_tdt_state.v|nec_up >= NEC_|nec_up > NEC_|absorption a cell late
weir_tdt_state.v|oc1_up >= OC1_|oc1_up > OC1_|normal counters start again late
weir_tdt_state.v|oc2_up >= OC2_|oc2_up > OC2_|absorption lasts a cell too long
weir_tdt_state.v|dc_up >= DC_|dc_up > DC_|evacuation a cell late
weir_tdt_state.v|dec_up >= DEC_|dec_up > DEC_|one departure too many
weir_tdt_state.v|(state == EVACUATION & low)|1'b0|evacuation below the lower bound
weir_tdt_state.v|drop & state == ABSORPTION & overflow|1'b0|absorption goes on without room
weir_tdt_state.v|if (enters \| drop)|if (enters)|a loss does not clear the net arrivals
weir_tdt_state.v|to_evacuation \| (dequeue & dec_full)|to_evacuation|losses are never forgotten
weir_tdt_state.v|enqueue \| drop \| (dequeue|drop \| (dequeue|departures in a row over an arrival
weir_dsh_estimator.v|whole4 >= 8'd40|1'b0|a steep gradient wraps
weir_dsh_estimator.v|44'sd1 <<< 40|44'sd1 <<< 39|a steep gradient is bounded at half
weir_dsh_estimator.v|none3 \| exponent[23]|none3|a gradient below all counts
weir_dsh_estimator.v|falls4 ? -size : size|size|a queue that falls counts as one that grows
weir_dsh_estimator.v|step6 < 0 ? -step6 : step6|step6|a deviation with a sign
weir_dsh_estimator.v|g_avg + (step >>> 2)|g_avg + (step >>> 3)|half the gain
weir_dsh_estimator.v|(deviation - v_avg) >>> 2|(deviation - v_avg) >>> 1|twice the gain of the deviation
weir_dsh_estimator.v|g_avg7 + (v_avg <<< 2)|g_avg7 + (v_avg <<< 1)|half the deviation
weir_dsh_estimator.v|+ 63;|+ 31;|the staircase is rounded the other way
weir_dsh_estimator.v|(~started \| dt != 0)|1'b1|two arrivals at one time
weir_dsh_estimator.v|\|gradient[GW-2:20]|1'b0|more than all is not bounded
weir_log2_rom.v|8'd0: value = 16'h0|8'd0: value = 16'h8|a bit of the ROM is stuck
weir_virtual_lqd.v|longest_cells > grown|longest_cells >= grown|an equal queue is pushed out
weir_virtual_lqd.v|filled > CELLS_|filled >= CELLS_|a cell too few in the virtual buffer
weir_virtual_lqd.v|cells <= cells - over|cells <= cells - n|the arrival's cells, not those that are too many
weir_virtual_lqd.v|out_empty \| leaving < m|leaving < m|an empty queue keeps a virtual one
weir_virtual_lqd.v|out_empty \| leaving < m|out_empty|a virtual length below zero
weir_virtual_lqd.v|evicts ? CELLS_[W-1:0] : filled|filled|the total goes beyond the buffer
weir_forest.v|> limit[at]|>= limit[at]|above begins at the limit
weir_forest.v|sum > 0|sum >= 0|a tie counts as lost
weir_forest.v|{(SUM-LEAN){leans[k*LEAN+LEAN-1]}}|{(SUM-LEAN){1'b0}}|leaves have no sign
weir_forest.v|at[DEPTH-2:0], features|at[DEPTH-2:1], 1'b0, features|a walk forgets a turn
weir_forest.v|write_tree == ME[3:0]|write_tree[0] == ME[0]|two trees are one
weir_credence.v|safe \| (under & ~lost)|under & ~lost|no safeguard
weir_credence.v|{peak, {PB{1'b0}}} < |{peak, {PB{1'b0}}} <= |safe at the equal share
weir_credence.v|(under & ~lost)|under|the forest is not heard
weir_credence.v|(under & ~lost)|~lost|the threshold is not heard
weir_credence.v|in_valid & room &|in_valid &|room is not checked
weir_credence.v|used, queue_average, length}|used, length, queue_average}|two features are swapped
weir_credence.v|length + n <= threshold|length + n < threshold|refused at the threshold
M
