#!/usr/bin/env bash
# The AXI-stream wrapper in iverilog, and faults in it, which its bench has to notice (lib.sh).
set -euo pipefail
# shellcheck source=tests/hw/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need iverilog vvp

for lanes in 1 4; do
    compile "$scratch/bench" "$root/hw/rtl" tb_axis LANES=$lanes CYCLES=$((${WEIR_TEST_ROUNDS:-1} * 12000))
    vvp -n "$scratch/bench" | tee "$scratch/out"
    grep -q '^ok:' "$scratch/out"
done
faults 10 tb_axis <<'M'
weir_tm_axis.v|first <= s_axis_tlast|first <= 1'b0|only one packet ever begins
weir_tm_axis.v|else if (s_axis_tvalid)|else|a gap in a packet begins another one
weir_tm_axis.v|any & room >= longest|any|packets come when the output buffer is full
weir_tm_axis.v|room + returned|room|room that a short packet leaves is lost
weir_tm_axis.v|leave & ~leave_drop ? longest|leave ? longest|an expelled packet makes room in the output buffer
weir_tm_axis.v|{{AW{1'b0}}, pops} - (grant|{{AW{1'b0}}, pops \| m_axis_tready} - (grant|an empty output buffer gets more room
weir_tm_axis.v|if (grant)|if (grant & ~turn[0])|the turn stays with odd queues
weir_tm_axis.v|{out_last, out_queue, out_data};|{out_last, turn, out_data};|the queue that is next, not the packet's
weir_tm_axis.v|write_at != read_at|write_at[AW-1:0] != read_at[AW-1:0]|a full output buffer looks empty
weir_tm_axis.v|read_at + {{AW{1'b0}}, pops}|read_at + {{AW{1'b0}}, m_axis_tvalid}|a beat that waits vanishes
weir_tm_axis.v|s_axis_tvalid & first & ~accept|s_axis_tvalid & ~accept|later beats are refused too
weir_tm_axis.v|expelled = leave & leave_drop|expelled = leave_drop|an expulsion is told twice
M
