// tb_tm - weir_tm against the rules written down once more, for iverilog: no library, no second process.
//
// Random arrivals, transmissions and expulsions. Checked in every cycle: verdict, victim, what leaves, lengths, the order of
// cells on the output, that no cell is handed out twice or freed twice, tx_ready, backlog, marks, and the distance of expulsions.
// Packets of one cell go through one queue one per cycle, 100 of them without a gap. At the end the buffer is emptied and filled once more: nothing may have leaked. Prints "ok" or what is wrong.
`timescale 1ns / 1ns
module tb_tm;
    parameter PORTS = 4;
    parameter CLASSES = 2;
    parameter CELLS = 48;
    parameter PACKETS = 30;
    parameter LANES = 2;
    parameter NW = 3;
    parameter CYCLES = 12000;
    parameter SEED = 1;
    parameter SMALL = 1;
    localparam QUEUES = PORTS * CLASSES, QW = $clog2(QUEUES), W = $clog2(CELLS + 1), PW = $clog2(CELLS), XW = 5;
    localparam LONGEST = (1 << NW) - 1;

    reg                   clk = 0, rst = 1, drop_enable = 1;
    reg  [CLASSES*XW-1:0] alpha_exp;
    reg  [CLASSES*W-1:0]  mark_at = 0;
    reg                   in_valid = 0, in_first = 1, tx_request = 0;
    reg  [QW-1:0]         in_queue = 0, tx_queue = 0;
    reg  [NW-1:0]         in_cells = 1;
    reg  [31:0]           in_data = 0;
    wire                  in_accept, tx_ready, tx_grant, out_valid, out_first, out_last, out_mark, leave_valid, leave_drop;
    wire [QUEUES-1:0]     backlog;
    wire [QW-1:0]         out_queue, leave_queue;
    wire [31:0]           out_data;
    wire [NW-1:0]         leave_cells;
    wire [QUEUES*W-1:0]   lengths;
    wire [W-1:0]          free;
    wire                  take_valid, interrupted, starved;
    wire [PW-1:0]         take_cell;
    wire [LANES-1:0]      free_valid;
    wire [LANES*PW-1:0]   free_cells;

    weir_tm #(.PORTS(PORTS), .CLASSES(CLASSES), .CELLS(CELLS), .PACKETS(PACKETS), .LANES(LANES), .NW(NW),
              .DATA_BITS(32), .SMALL(SMALL)) dut (.*);

    // The model.
    integer length [0:QUEUES-1];
    integer number [0:QUEUES*64-1]; // packets of each queue in order, a ring of 64
    integer cells_of [0:65535];     // by packet number
    reg     marked [0:65535];
    integer head [0:QUEUES-1], tail [0:QUEUES-1];
    reg     held [0:CELLS-1];
    integer used = 0, packets = 0, cursor = QUEUES - 1;
    integer sending [0:255];
    integer send_head = 0, send_tail = 0, out_index = 0;
    integer entering [0:255], queue_of [0:65535], joined [0:QUEUES-1]; // packets whose cells are being taken; whole ones
    integer entering_head = 0, entering_tail = 0, cells_taken = 0, tx_in_2_queue = 0, singles = 0, longest_run = 0;
    integer tx_left = 0, drop_left = 0, drop_at = -100, drop_beats = 0, cycle = 0, waits = 0;
    reg     tx_in_2 = 0;
    // The stimulus.
    integer seed = SEED, left = 0, next_number = 0, index = 0, in_rate = 50, tx_rate = 50, hot = 0, most = LONGEST, quiet = 0;
    integer streams = 0, evenly = 0, marks = 0, refusals = 0, sends = 0, drops = 0, interruptions = 0, i, q, t, victim, expected, phase = 0;
    reg     expect_accept, alone = 0; // alone: since the last expulsion nothing else happened

    function integer draw(input integer below);
        draw = $unsigned($random(seed)) % below;
    endfunction

    task fail(input [40*8-1:0] what, input integer is, input integer should);
        begin
            $display("tb_tm: cycle %0d: %0s: %0d instead of %0d", cycle, what, is, should);
            $finish(0);
            $fatal;
        end
    endtask

    function integer threshold(input integer queue);
        integer e;
        begin
            e = $signed(alpha_exp[(queue / PORTS)*XW +: XW]);
            threshold = e >= 0 ? (CELLS - used) << e : (CELLS - used) >> -e;
        end
    endfunction

    task arrive; // a verdict, in the cycle of the first cell
        begin
            expect_accept = length[in_queue] + in_cells <= threshold(in_queue) && in_cells <= CELLS - used &&
                            packets < PACKETS;
            if (in_accept !== expect_accept)
                fail("verdict", in_accept, expect_accept);
            cells_of[next_number % 65536] = in_cells;
            if (expect_accept) begin
                length[in_queue] = length[in_queue] + in_cells;
                marked[next_number % 65536] = length[in_queue] >= mark_at[(in_queue / PORTS)*W +: W];
                marks = marks + marked[next_number % 65536];
                used = used + in_cells;
                packets = packets + 1;
                number[in_queue*64 + tail[in_queue] % 64] = next_number;
                tail[in_queue] = tail[in_queue] + 1;
                queue_of[next_number % 65536] = in_queue;
                entering[entering_tail % 256] = next_number % 65536;
                entering_tail = entering_tail + 1;
            end else
                refusals = refusals + 1;
            next_number = next_number + 1;
            left = in_cells - 1;
            index = 1;
        end
    endtask

    task leave;
        begin
            if (leave_drop) begin
                victim = -1;
                for (i = QUEUES; i >= 1; i = i - 1) begin
                    q = (cursor + i) % QUEUES;
                    if (length[q] > threshold(q))
                        victim = q;
                end
                if (leave_queue !== victim)
                    fail("victim", leave_queue, victim);
                if (!drop_enable)
                    fail("expulsion without leave", 1, 0);
                if (cycle - drop_at < drop_beats)
                    fail("distance of expulsions", cycle - drop_at, drop_beats);
                cursor = victim;
                drop_at = cycle;
                drop_beats = (leave_cells + LANES - 1) / LANES;
                if (drop_beats < 2)
                    drop_beats = 2;
                drop_left = leave_cells;
                drops = drops + 1;
            end else begin
                tx_left = leave_cells;
                sends = sends + 1;
            end
            if (leave_drop === tx_in_2)
                fail("transmission in cycle 2", leave_drop, !tx_in_2);
            if (head[leave_queue] == tail[leave_queue])
                fail("packet of an empty queue", leave_queue, -1);
            t = number[leave_queue*64 + head[leave_queue] % 64];
            head[leave_queue] = head[leave_queue] + 1;
            if (leave_cells !== cells_of[t % 65536])
                fail("cells of the packet", leave_cells, cells_of[t % 65536]);
            if (!leave_drop) begin
                sending[send_tail % 256] = t;
                send_tail = send_tail + 1;
            end
            length[leave_queue] = length[leave_queue] - leave_cells;
            used = used - leave_cells;
            packets = packets - 1;
        end
    endtask

    task cells;
        begin
            if (take_valid) begin
                if (held[take_cell] !== 1'b0)
                    fail("cell handed out twice", take_cell, -1);
                held[take_cell] = 1;
                t = entering[entering_head % 256];
                cells_taken = cells_taken + 1;
                if (cells_taken == cells_of[t]) begin
                    joined[queue_of[t]] = joined[queue_of[t]] + 1;
                    entering_head = entering_head + 1;
                    cells_taken = 0;
                end
            end
            expected = tx_left > 0 ? 1 : drop_left < LANES ? drop_left : LANES;
            if (free_valid !== (1 << expected) - 1)
                fail("cells freed", free_valid, (1 << expected) - 1);
            for (i = 0; i < expected; i = i + 1) begin
                if (held[free_cells[i*PW +: PW]] !== 1'b1)
                    fail("cell freed twice", free_cells[i*PW +: PW], -1);
                held[free_cells[i*PW +: PW]] = 0;
            end
            if (tx_left > 0)
                tx_left = tx_left - 1;
            else
                drop_left = drop_left - expected;
            if (starved !== 1'b0)
                fail("free list found empty", starved, 0);
        end
    endtask

    task out;
        begin
            if (send_head == send_tail)
                fail("cell of no packet", 1, 0);
            t = sending[send_head % 256];
            if (out_data !== t * 16 + out_index)
                fail("cell on the output", out_data, t * 16 + out_index);
            if (out_first !== (out_index == 0) || out_last !== (out_index + 1 == cells_of[t % 65536]))
                fail("first and last", {out_first, out_last}, out_index);
            if (out_mark !== marked[t % 65536])
                fail("mark", out_mark, marked[t % 65536]);
            out_index = out_index + 1;
            if (out_index == cells_of[t % 65536]) begin
                out_index = 0;
                send_head = send_head + 1;
            end
        end
    endtask

    task check; // before the clock edge
        begin
            // A packet in cycle 2 is the last that was asked for; if it has one cell, the next may follow at once.
            expected = tx_left <= 2 && (!tx_in_2 || cells_of[number[tx_in_2_queue*64 + head[tx_in_2_queue] % 64] % 65536] == 1);
            if (tx_ready !== expected)
                fail("tx_ready", tx_ready, expected);
            for (q = 0; q < QUEUES; q = q + 1)
                if (backlog[q] !== (joined[q] - (tx_in_2 && tx_in_2_queue == q) > head[q]))
                    fail("backlog", backlog[q], joined[q] - head[q]);
            if (tx_grant !== (tx_request && tx_ready && backlog[tx_queue]))
                fail("tx_grant", tx_grant, tx_request);
            interruptions = interruptions + interrupted;
            if (in_valid && !in_first) begin
                left = left - 1;
                index = index + 1;
            end
            if (out_valid)
                out;
            if (in_valid && in_first && !in_accept)
                arrive;
            cells;
            if (leave_valid)
                leave;
            else if (tx_in_2)
                fail("transmission that does not leave", 0, 1);
            if (in_valid && in_first && in_accept)
                arrive;
            tx_in_2 = tx_grant;
            tx_in_2_queue = tx_queue;
            singles = tx_grant ? singles + 1 : 0;
            if (singles > longest_run)
                longest_run = singles;
            // An expulsion that is due, and nothing in its way.
            if (leave_valid && leave_drop)
                alone = quiet > 3;
            quiet = in_valid || left > 0 ? 0 : quiet + 1;
            victim = 0;
            for (q = 0; q < QUEUES; q = q + 1)
                if (length[q] > threshold(q))
                    victim = 1;
            alone = alone && victim && drop_enable && quiet > 0 && !tx_grant && tx_left == 0;
            if (alone && cycle == drop_at + drop_beats)
                fail("expulsion that comes late", cycle - drop_at, drop_beats);
            waits = victim && drop_enable && !leave_valid && !tx_grant && drop_left == 0 && !in_valid && left == 0 ?
                    waits + 1 : 0;
            if (waits > 4)
                fail("idle cycles with an expulsion due", waits, 4);
        end
    endtask

    task counters; // after it
        for (q = 0; q < QUEUES; q = q + 1)
            if (lengths[q*W +: W] !== length[q] || free !== CELLS - used)
                fail("length or free", lengths[q*W +: W], length[q]);
    endtask

    task drive;
        begin
            if (cycle % 128 == 0) begin
                case (draw(4))
                    0: in_rate = draw(2) ? 0 : 10;
                    1: in_rate = 60;
                    default: in_rate = 100;
                endcase
                case (draw(4))
                    0: tx_rate = 0;
                    1: tx_rate = 20;
                    2: tx_rate = 60;
                    default: tx_rate = 100;
                endcase
                most = draw(2) ? LONGEST : 1 + draw(LONGEST);
                hot = draw(QUEUES);
                for (i = 0; i < CLASSES; i = i + 1)
                    mark_at[i*W +: W] = draw(3) ? 1 + draw(CELLS / 4) : CELLS;
                drop_enable = draw(4) != 0;
                for (i = 0; i < CLASSES; i = i + 1)
                    alpha_exp[i*XW +: XW] = 2 - 3 * i;
                streams = 0;
                evenly = draw(2);
                if (phase == 1) begin
                    in_rate = 0;
                    tx_rate = 100;
                end else if (draw(8) == 0) begin // single cells into one queue and out of it, one per cycle
                    streams = 1;
                    most = 1;
                    in_rate = 100;
                    tx_rate = 100;
                end else if (draw(8) == 0) begin // descriptors run out
                    most = 1;
                    in_rate = 100;
                    tx_rate = 0;
                    drop_enable = 0;
                end else if (draw(4) == 0) begin // everybody is over a threshold of 0, and nothing else happens
                    alpha_exp = {CLASSES{5'b10000}};
                    drop_enable = 1;
                    in_rate = 0;
                    tx_rate = draw(3) ? 20 : 0;
                end
            end
            in_valid = draw(100) < in_rate || (in_rate == 0 && left > 0);
            in_first = left == 0;
            in_queue = streams || (draw(3) && !evenly) ? hot : draw(QUEUES);
            in_cells = left == 0 ? 1 + draw(most) : draw(LONGEST + 1);
            in_data = left == 0 ? next_number * 16 : (next_number - 1) * 16 + index;
            tx_request = draw(100) < tx_rate;
            tx_queue = streams || draw(3) ? hot : draw(QUEUES);
            if (phase == 1)
                tx_queue = cycle % QUEUES;
        end
    endtask

    task clock;
        begin
            #1 drive;
            #1 check;
            #1 clk = 1;
            #1 counters;
            clk = 0;
            cycle = cycle + 1;
        end
    endtask

    initial begin
        for (i = 0; i < QUEUES; i = i + 1) begin
            length[i] = 0;
            head[i] = 0;
            tail[i] = 0;
            joined[i] = 0;
        end
        for (i = 0; i < CELLS; i = i + 1)
            held[i] = 0;
        #1 clk = 1;
        #1 clk = 0;
        #1 clk = 1;
        #1 clk = 0;
        rst = 0;
        while (cycle < CYCLES)
            clock;
        // Empty it, then fill it: every cell and descriptor has to be there.
        phase = 1;
        in_rate = 0;
        tx_rate = 100;
        repeat (2000)
            clock;
        if (used != 0 || free !== CELLS || backlog !== 0 || send_head != send_tail)
            fail("left in an empty buffer", used, 0);
        for (i = 0; i < CELLS; i = i + 1)
            if (held[i])
                fail("cell that leaked", i, -1);
        if (refusals == 0 || sends == 0 || drops == 0 || interruptions == 0 || marks == 0 || longest_run < 100)
            fail("something never happened", 0, 1);
        $display("ok: %0d lanes, %0d cycles, %0d refused, %0d sent, %0d expelled, %0d interrupted", LANES, cycle, refusals,
                 sends, drops, interruptions);
        $finish(0);
    end
endmodule
