#!/usr/bin/env bash
# PFC frames in hardware: weir_pfc_receive against frames of the library, weir_pfc_send into it (tb_pfc.sv); then faults.
# PFC_FRAMES is the program that makes the library's.
set -euo pipefail
# shellcheck source=tests/hw/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need iverilog vvp

"$PFC_FRAMES" $((${WEIR_TEST_ROUNDS:-1} * 600)) >"$scratch/vectors"
vectors="VECTORS=\"$scratch/vectors\""
for keep in 1 4 8 16 60; do
    compile "$scratch/bench" "$root/hw/rtl" tb_pfc "$vectors" KEEP=$keep
    vvp -n "$scratch/bench" | tee "$scratch/out"
    grep -q '^ok:' "$scratch/out"
done
faults 14 tb_pfc "$vectors" KEEP=8 <<'M'
weir_pfc_receive.v|48'h010000c28001|48'h010000c28101|another destination
weir_pfc_receive.v|== 32'h01010888|!= 32'h00000000|any type counts
weir_pfc_receive.v|& ~s_axis_tuser|& 1'b1|a damaged frame counts
weir_pfc_receive.v|count == BEATS_[BW-1:0] - 1'b1 &|1'b1 &|a frame of another length counts
weir_pfc_receive.v|s_axis_tkeep == {KEEP{1'b1}} >> (KEEP - LAST)|1'b1|a byte too few counts
weir_pfc_receive.v|paused[c] <= quanta != 0|paused[c] <= 1'b1|a time of 0 does not resume
weir_pfc_receive.v|bytes[8*17 + c]|1'b1|classes that are not named change
weir_pfc_receive.v|left != 1|left != 0|a cycle too long
weir_pfc_receive.v|* QUANTUM_[TW-1:0]|* 1|a time in cycles, not in 512 bit times
weir_pfc_receive.v|{bytes[8*(18 + 2*c) +: 8], bytes[8*(19 + 2*c) +: 8]}|{bytes[8*(19 + 2*c) +: 8], bytes[8*(18 + 2*c) +: 8]}|the bytes of a time are swapped
weir_pfc_send.v|(pause ^ told)|(pause & ~told)|nobody is resumed
weir_pfc_send.v|(again ? pause : 8'd0)|8'd0|a pause is told once
weir_pfc_send.v|~\|left & \|due|\|due|a frame begins in another one
weir_pfc_send.v|{QUANTA_[7:0], QUANTA_[15:8]}|QUANTA_[15:0]|the bytes of a time are swapped
weir_pfc_send.v|if (due[i] & pause[i])|if (due[i])|who is resumed is paused again
weir_pfc_send.v|m_axis_tvalid & m_axis_tready|m_axis_tvalid|beats are lost where the MAC waits
M
