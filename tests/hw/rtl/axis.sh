#!/usr/bin/env bash
# The AXI-stream wrapper in iverilog, and faults in it, which its bench has to notice (lib.sh); parameters out of range.
set -euo pipefail
# shellcheck source=tests/hw/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need iverilog vvp

for shape in "LANES=1 INPUTS=3 KEEP=4" "LANES=4 INPUTS=1 KEEP=1 DEPTH=16" "LANES=2 INPUTS=4 KEEP=8"; do
    # shellcheck disable=SC2086
    compile "$scratch/bench" "$root/hw/rtl" tb_axis $shape CYCLES=$((${WEIR_TEST_ROUNDS:-1} * 12000))
    vvp -n "$scratch/bench" | tee "$scratch/out"
    grep -q '^ok:' "$scratch/out"
done
# The example that the docs name, as they name it.
(cd "$root/hw/rtl/example" && iverilog -g2012 -o "$scratch/example" weir_example.v tb_example.sv ../weir_*.v && vvp -n "$scratch/example") | tee "$scratch/out"
grep -q '^ok:' "$scratch/out"
faults 8 tb_example <<'M'
weir_axil.v|&s_axil_wstrb && write_mark|1'b0|marks cannot be set
weir_axil.v|&s_axil_wstrb && write_at == 5|1'b0|head-drop cannot be switched
weir_axil.v|write_alpha \|\| write_mark \|\| write_at == 5 ? OKAY : SLVERR|OKAY|a write to a register that is only read is said to be done
weir_axil.v|{(32-XW){exponent[XW-1]}}|{(32-XW){1'b0}}|alpha is read without its sign
weir_axil.v|frames[3] + {31'd0, expelled}|frames[3] + {31'd0, refused}|refusals are counted as expulsions
weir_axil.v|frames[4] + {31'd0, sent}|frames[4] + 1|cycles are counted as frames sent
weir_axil.v|{{(32-W){1'b0}}, free}|CELLS - 1|free cells are one too few
weir_axil.v|if (s_axil_rready)|if (1'b0)|an answer stays for ever
weir_axil.v|s_axil_awvalid & s_axil_wvalid & ~s_axil_bvalid|s_axil_awvalid & ~s_axil_bvalid & 1'b0|writes are never taken
weir_axil.v|12'd16 + CLASSES_[11:0];|12'd17 + CLASSES_[11:0];|a class too many
M
faults 24 tb_axis <<'M'
weir_axis_frames.v|first <= s_axis_tlast|first <= 1'b0|only one frame ever begins
weir_axis_frames.v|wire          beat = s_axis_tvalid & s_axis_tready|wire          beat = s_axis_tvalid|a beat that waits is taken
weir_axis_frames.v|~held[AW]|1'b1|beats that have no room are taken
weir_axis_frames.v|write_at <= whole_at;|write_at <= write_at;|beats of a wrong frame stay
weir_axis_frames.v|completes = ends & ~now_over & ~now_wrong|completes = ends & ~now_over|wrong frames enter
weir_axis_frames.v|completes = ends & ~now_over & ~now_wrong|completes = ends & ~now_wrong|frames that are too long enter
weir_axis_frames.v|\| (s_axis_tlast & s_axis_tuser)|\| s_axis_tuser|tuser counts before the last beat
weir_axis_frames.v|wrong \| s_axis_tdest != dest|wrong|another tdest is not noticed
weir_axis_frames.v|~s_axis_tkeep[0] \| \|(s_axis_tkeep & keep_next)|~s_axis_tkeep[0]|a hole in tkeep is not noticed
weir_axis_frames.v|: ~&s_axis_tkeep|: 1'b0|a short beat in the middle is not noticed
weir_axis_frames.v|k = 1; k < KEEP|k = 2; k < KEEP|a byte too few
weir_axis_frames.v|over \| &count|&count|a frame far too long is one of another length
weir_fifo.v|(pop \| ~valid)|1'b1|the head of a fifo is lost
weir_fifo.v|valid & ~pop|valid|the head of a fifo comes twice
weir_tm_axis.v|~busy & \|waits|\|waits|a frame begins in the middle of another one
weir_tm_axis.v|i = INPUTS - 1; i > 0|i = INPUTS - 1; i > 1|the next input is passed over
weir_tm_axis.v|next = turn;|next = 0;|the first input's turn never ends
weir_tm_axis.v|stored[turn*DW +: DW]|stored[next*DW +: DW]|beats of the next input
weir_tm_axis.v|any & room >= longest|any|packets come when the output buffer is full
weir_tm_axis.v|room + returned|room|room that a short packet leaves is lost
weir_tm_axis.v|leave & ~leave_drop ? longest|leave ? longest|an expelled packet makes room in the output buffer
weir_tm_axis.v|{{AW{1'b0}}, pops} - (grant|{{AW{1'b0}}, pops \| m_axis_tready} - (grant|an empty output buffer gets more room
weir_tm_axis.v|if (grant)|if (grant & ~choice[0])|the turn stays with odd queues
weir_tm_axis.v|{out_mark, out_last, out_queue, out_data}|{out_mark, out_last, choice, out_data}|the queue that is next, not the packet's
weir_tm_axis.v|{out_mark, out_last,|{out_last, out_last,|frames are marked that are not to be
weir_tm_axis.v|ALL - LOWEST << bytes|ALL << bytes|tkeep lacks a byte
weir_tm_axis.v|in_valid & in_first & ~accept|in_valid & ~accept|later beats are refused too
weir_tm_axis.v|expelled = leave & leave_drop|expelled = leave_drop|an expulsion is told twice
weir_tm_axis.v|sent = out_valid & out_last|sent = out_valid|every beat is a frame sent
weir_tm.v|.clk(clk), .rst(rst), .add_valid(in_accept)|.clk(clk), .rst(1'b0), .add_valid(in_accept)|counters outlive a reset
weir_enqueue.v|valid1 <= takes & ~rst;|valid1 <= takes;|a cell in flight outlives a reset
weir_dequeue.v|valid2 <= pd_read & ~rst;|valid2 <= pd_read;|a packet that leaves outlives a reset
weir_transmit.v|left <= 0;|left <= left;|a transmission outlives a reset
M
# Each of these stops elaboration, in every tool.
for shape in weir_tm_axis:DEPTH=24 weir_tm_axis:DEPTH=16 weir_tm_axis:INPUTS=0 weir_tm:LANES=5 weir_tm:PORTS=6 weir_tm:NW=1 weir_ram:DEPTH=1 \
    weir_selector:QUEUES=2 weir_rr_select:GROUP=64 weir_tdt_state:NW=32 weir_free_ring:LANES=0; do
    if iverilog -g2012 -o "$scratch/bench" -s "${shape%:*}" "-P${shape%:*}.${shape#*:}" "$root"/hw/rtl/weir_*.v 2>"$scratch/log"; then
        echo "elaborates: $shape"
        exit 1
    fi
    grep -q parameters_out_of_range "$scratch/log" || { echo "$shape: stops for another reason"; head -n 5 "$scratch/log"; exit 1; }
done
