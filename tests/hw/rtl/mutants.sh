#!/usr/bin/env bash
# Faults in the traffic manager, which its bench has to notice (lib.sh).
set -euo pipefail
# shellcheck source=tests/hw/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need iverilog vvp

faults 37 tb_tm LANES=2 CYCLES=8000 <<'M'
weir_arbiter.v|drop_request & ~tx_request|drop_request|both get a grant
weir_arbiter.v|tx_grant = tx_request|tx_grant = tx_request & ~drop_request|the head-drop goes first
weir_rr_select.v|<< last_bit << 1|<< last_bit|the last victim again, within a group
weir_rr_select.v|<< last_group << 1|<< last_group|the last victim's group again
weir_rr_select.v|group_index = \|here ?|group_index = here[1] ?|the last victim's group is left too early
weir_selector.v|else if (take)|else if (take & ~index[0])|the cursor misses odd victims
weir_greater_step.v|{a, below} > {b, 1'b0}|{a, below} >= {b, 1'b0}|at the threshold is over it
weir_greater.v|.below(above[i])|.below(1'b0)|the low bits of a length do not count
weir_threshold.v|overflow ? {W{1'b1}} : raised|raised|the threshold wraps
weir_threshold.v|free >> down|(free + 1'b1) >> down|the threshold is rounded up
weir_admission.v|need <=|need <|refused at the threshold
weir_admission.v|under & room|under|room is not checked
weir_admission.v|& has_descriptor|& (has_descriptor \| 1'b1)|descriptors are not checked
weir_counters.v|- (subs ? minus : 0)|- (subs & ~(adds & add_valid) ? minus : 0)|arrival and departure of one queue in a cycle
weir_counters.v|free + minus - plus|(sub_valid ? free + minus : free - plus)|arrival and departure of the buffer in a cycle
weir_counters.v|length <= length + (adds ? plus : 0)|length <= length + (adds ? {plus[W-1:1], 1'b0} : 0)|a bit of a length is stuck
weir_free_ring.v|we = push[j]|we = push[j] & (j != 1)|a freed cell is missed
weir_free_ring.v|LAST_ROW = ROWS_[RW-1:0] - 1'b1|LAST_ROW = ROWS_[RW-1:0] - 2'd2|the ring is a row too short
weir_free_ring.v|fresh != ALL|fresh != ALL - 1'b1|one cell is never handed out
weir_free_ring.v|behind ? next_row : write_row|write_row|cells of two rows go into one
weir_pd_memory.v|passed <= link & link_pd == read_pd|passed <= 1'b0|a link written during the read is missed
weir_queues.v|refills = empties & put & put_queue == take_queue|refills = 1'b0|last packet leaves as the next one comes
weir_queues.v|if (empties)|if (empties & ~put)|a queue stays when it empties
weir_dequeue.v|still_due & ~tx_grant|still_due|not interrupted in cycle 2
weir_dequeue.v|select_queue == queue2|(select_queue == queue2 \| 1'b1)|the victim is not looked at again
weir_dequeue.v|& executor_ready;|;|a second packet before the first is free
weir_dequeue.v|2'd2};|2'd3};|the scheduler goes a cycle early
weir_dequeue.v|~(valid2 & ~drop2)|~valid2|a head-drop delays the scheduler by a cycle
weir_dequeue.v|.go(~tx_beat)|.go(1'b1)|not interrupted from cycle 3 on
weir_executor.v|held <= load ? heads : current|if (go \| load) held <= load ? heads : current|an interruption loses the pointer
weir_executor.v|wide <= STEP;|wide < STEP;|a packet of full rows never ends
weir_executor.v|go & wide > ME|go & wide >= ME|one cell too many is freed
weir_transmit.v|> SUBLISTS|> SUBLISTS + 1'b1|the last pointers are not read
weir_transmit.v|lane == LAST_LANE ? 2'd0|lane == 2'd0 ? 2'd0|cells of one sublist only
weir_enqueue.v|link_lane = lane2|link_lane = 2'd0|all links go into one sublist
weir_enqueue.v|now_left == {{(NW-1){1'b0}}, 1'b1}|now_left == {{(NW-1){1'b0}}, 1'b1} + now_deep|the descriptor is written a cell early
weir_cell_memory.v|.wdata(write_data)|.wdata(write_data & ~32'd16)|a data bit is stuck
weir_tm.v|{{(CW-1){1'b0}}, leave_valid}|{{(CW-1){1'b0}}, leave_valid & ~leave_drop}|descriptors of expelled packets are lost
M
