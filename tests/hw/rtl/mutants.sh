#!/usr/bin/env bash
# Faults in the traffic manager, which its bench has to notice (lib.sh).
set -euo pipefail
# shellcheck source=tests/hw/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need iverilog vvp

faults 50 tb_tm LANES=2 CYCLES=12000 <<'M'
weir_arbiter.v|drop_request & ~tx_request|drop_request|both get a grant
weir_arbiter.v|tx_grant = tx_request|tx_grant = tx_request & ~drop_request|the head-drop goes first
weir_rr_select.v|<< last_bit << 1|<< last_bit|the last victim again, within a group
weir_rr_select.v|<< last_group << 1|<< last_group|the last victim's group again
weir_rr_select.v|group_index = \|here ?|group_index = here[1] ?|the last victim's group is left too early
weir_selector.v|else if (take)|else if (take & ~take_queue[0])|the cursor misses odd victims
weir_selector.v|found & ~(tries & ~take)|found|a try that failed spoils the next
weir_selector.v|tries ? take_queue : last|last|an expulsion is not seen in the cycle after it
weir_greater_step.v|{a, below} > {b, 1'b0}|{a, below} >= {b, 1'b0}|at the threshold is over it
weir_greater.v|.below(above[i])|.below(1'b0)|the low bits of a length do not count
weir_threshold.v|overflow ? {W{1'b1}} : raised|raised|the threshold wraps
weir_threshold.v|free >> down|(free + 1'b1) >> down|the threshold is rounded up
weir_admission.v|{2'b11, ~threshold}|{2'b11, ~threshold} + 1'b1|refused at the threshold
weir_admission.v|(a & b) \| (a & c)|(a & b)|a carry is lost
weir_recheck.v|ALL << last << 1|ALL << last|the last victim counts as one before
weir_recheck.v|~(ALL << candidate)|~(ALL << candidate << 1)|the candidate is in its own way
weir_recheck.v|candidate <= last|candidate < last|the last victim again, though others are due
weir_recheck.v|\|(over & (ONE << candidate)) & |(over != 0) & |a queue that is no longer over
weir_recheck.v|behind_last \| before_it|behind_last|queues before the candidate are passed over
weir_admission.v|under & room|under|room is not checked
weir_admission.v|& has_descriptor|& (has_descriptor \| 1'b1)|descriptors are not checked
weir_counters.v|add_less ? raised_lowered|1'b0 ? raised_lowered|arrival and departure of one queue in a cycle
weir_counters.v|add_less = same & sub_valid|add_less = same|what does not leave is taken off
weir_counters.v|sub_valid ? freed_held : held|sub_valid ? freed : held|arrival and departure of the buffer in a cycle
weir_counters.v|length <= raised_now|length <= {raised_now[W-1:1], 1'b0}|a bit of a length is stuck
weir_counters.v|wire        subs = sub_valid & |wire        subs = sub_valid & ~add_valid & |a departure is not counted while a packet comes
weir_marking.v|length >= mark_at|length > mark_at|not marked at the limit
weir_marking.v|less ? of_less|1'b0 ? of_less|a packet that leaves counts as if it stayed
weir_enqueue.v|mark1 <= mark;|mark1 <= 1'b0;|marks are lost
weir_tm.v|out_mark <= mark3|out_mark <= pd_mark|the mark of the next packet
weir_free_ring.v|we = push[j]|we = push[j] & (j != 1)|a freed cell is missed
weir_free_ring.v|LAST_ROW = ROWS_[RW-1:0] - 1'b1|LAST_ROW = ROWS_[RW-1:0] - 2'd2|the ring is a row too short
weir_free_ring.v|fresh != ALL|fresh != ALL - 1'b1|one cell is never handed out
weir_free_ring.v|behind ? next_row : write_row|write_row|cells of two rows go into one
weir_pd_memory.v|passed <= link & link_pd == read_pd|passed <= 1'b0|a link written during the read is missed
weir_queues.v|\| (empties & put_queue == take_queue)|\| 1'b0|last packet leaves as the next one comes
weir_queues.v|if (empties)|if (empties & ~put)|a queue stays when it empties
weir_queues.v|& ~(takes & take_last ?|& ~(takes & 1'b0 ?|a packet that leaves is asked for again
weir_queues.v|behind ? take_next|behind & ~put ? take_next|the packet that leaves is looked at again
weir_queues.v|& ~(put & put_queue == look_queue)|& 1'b1|a packet that comes behind the last is not seen
weir_queues.v|takes & look_queue == take_queue|take_last ? 1'b0 : look_queue == take_queue|a head-drop that gave way moves the look
weir_dequeue.v|executor_ready & ~tx_grant|executor_ready|not interrupted in cycle 2
weir_dequeue.v|drop_enable & still_due|drop_enable|the victim is not looked at again
weir_dequeue.v|still_due & executor_ready|still_due|a second packet before the first is free
weir_dequeue.v|2'd2} &|2'd3} &|the scheduler goes a cycle early
weir_dequeue.v|(~sends \||(~valid2 \||a head-drop delays the scheduler by a cycle
weir_dequeue.v|(~sends \| pd_cells|(~sends \| 1'b0 & pd_cells|a packet of one cell takes two cycles
weir_dequeue.v|& (~sends \| pd_cells == {{(NW-1){1'b0}}, 1'b1})|& 1'b1|a packet goes before the last has gone
weir_dequeue.v|.go(~tx_beat)|.go(1'b1)|not interrupted from cycle 3 on
weir_executor.v|held <= load ? heads : current|if (go \| load) held <= load ? heads : current|an interruption loses the pointer
weir_executor.v|wide <= STEP;|wide < STEP;|a packet of full rows never ends
weir_executor.v|go & wide > ME|go & wide >= ME|one cell too many is freed
weir_transmit.v|> SUBLISTS|> SUBLISTS + 1'b1|the last pointers are not read
weir_transmit.v|lane == LAST_LANE ? 2'd0|lane == 2'd0 ? 2'd0|cells of one sublist only
weir_enqueue.v|link_lane = lane2|link_lane = 2'd0|all links go into one sublist
weir_enqueue.v|now_left == {{(NW-1){1'b0}}, 1'b1}|now_left == {{(NW-1){1'b0}}, 1'b1} + now_deep|the descriptor is written a cell early
weir_cell_memory.v|.wdata(write_data)|.wdata(write_data & ~32'd16)|a data bit is stuck
weir_tm.v|(leave_valid ^ in_accept)|((leave_valid & ~leave_drop) ^ in_accept)|descriptors of expelled packets are lost
weir_tm.v|in_accept ? one_less|leave_drop ? one_less|descriptors of expelled packets are taken twice
M
