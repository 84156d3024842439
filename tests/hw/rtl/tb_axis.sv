// tb_axis - weir_tm_axis: random frames in at several inputs, right and wrong ones; a sink that stops and goes; resets at any
// time.
//
// Frames are followed by number: from their input into their queue, where they are admitted or refused by the rule of
// Dynamic Threshold, and out of it, expelled or sent. Checked in every cycle: a beat that waits does not change or vanish;
// frames come out whole and byte by byte as they went in, in the order in which they left their queues, and those of an
// input enter in the order in which they came. A wrong frame (beats too many, tuser, a hole in tkeep or no byte, a short beat in the
// middle, another tdest) is told of with its last beat and never enters. Afterwards every cell and descriptor is free. Also:
// a lone source never waits; inputs and queues take turns; a sink that always takes gets nine beats in ten cycles, and
// with DEPTH of 2^(NW + 2) or more a frame of one beat in each cycle. Prints
// "ok" or what is wrong.
`timescale 1ns / 1ns
module tb_axis;
    parameter CYCLES = 12000;
    parameter LANES = 2;
    parameter INPUTS = 3;
    parameter KEEP = 4;
    parameter DEPTH = 32;
    localparam PORTS = 4, CELLS = 64, PACKETS = 40, NW = 3, QW = 2, LONGEST = 7, W = 7, NUMBERS = 32768;

    reg                      clk = 0, rst = 1, drop_enable = 0, m_axis_tready = 0;
    reg  [4:0]               alpha_exp = 1;
    reg  [INPUTS-1:0]        s_axis_tvalid = 0, s_axis_tlast = 0, s_axis_tuser = 0;
    reg  [INPUTS*8*KEEP-1:0] s_axis_tdata = 0;
    reg  [INPUTS*KEEP-1:0]   s_axis_tkeep = 0;
    reg  [INPUTS*QW-1:0]     s_axis_tdest = 0;
    wire [INPUTS-1:0]        s_axis_tready, malformed, oversize;
    wire                     m_axis_tvalid, m_axis_tlast, m_axis_tuser, refused, expelled, sent;
    wire [8*KEEP-1:0]        m_axis_tdata;
    wire [KEEP-1:0]          m_axis_tkeep;
    wire [QW-1:0]            m_axis_tdest;
    wire [PORTS*W-1:0]       lengths;
    wire [W-1:0]             free;
    weir_tm_axis #(.PORTS(PORTS), .CELLS(CELLS), .PACKETS(PACKETS), .LANES(LANES), .NW(NW), .KEEP(KEEP), .INPUTS(INPUTS),
                   .DEPTH(DEPTH)) dut (.mark_at(7'd12), .*);

    reg     marked [0:NUMBERS-1];
    integer queue_of [0:NUMBERS-1], bytes_of [0:NUMBERS-1];
    // Lists of numbers: right frames of an input, frames in a queue, frames that are sent.
    integer came_in [0:INPUTS*NUMBERS-1], came_first [0:INPUTS-1], came_end [0:INPUTS-1];
    integer queued [0:PORTS*NUMBERS-1], queued_first [0:PORTS-1], queued_end [0:PORTS-1];
    integer leaving [0:NUMBERS-1], leaving_first, leaving_end;
    // The frame under way of each input: its number, its beats, those gone, and what is wrong with it.
    integer number [0:INPUTS-1], beats [0:INPUTS-1], gone [0:INPUTS-1], wrong [0:INPUTS-1];
    integer numbers, out_byte, taken, sendings;
    integer entered [0:INPUTS-1], granted [0:PORTS-1], kinds [0:5];
    integer cycle = 0, seed = 1, in_rate = 50, out_rate = 50, faults = 20, sources = INPUTS, marks = 0, refusals = 0, drops = 0, resets = 0,
            sizes = 0, p, k, n, wants, spread;
    reg              ending = 0, waits, everyone, lone;
    reg [INPUTS-1:0] done;
    reg [8*KEEP+KEEP+QW:0] waiting;

    function integer draw(input integer below);
        draw = $unsigned($random(seed)) % below;
    endfunction

    function [7:0] byte_of(input integer frame, input integer at);
        byte_of = at == 0 ? frame : frame * 7 + (frame >> 8) + at * 13;
    endfunction

    task fail(input [60*8-1:0] what, input integer is, input integer should);
        begin
            $display("tb_axis: cycle %0d: %0s: %0d instead of %0d", cycle, what, is, should);
            $finish(0);
            $fatal;
        end
    endtask

    task make(input integer input_); // a new frame
        begin
            number[input_] = numbers;
            wrong[input_] = draw(100) < faults ? 1 + draw(5) : 0;
            beats[input_] = wrong[input_] == 1 ? LONGEST + 1 + draw(20) : sizes != 0 ? sizes : 1 + draw(LONGEST);
            if (wrong[input_] >= 4 && beats[input_] == 1)
                wrong[input_] = 2;
            gone[input_] = 0;
            bytes_of[numbers] = beats[input_] * KEEP - draw(KEEP);
            queue_of[numbers] = draw(PORTS);
            kinds[wrong[input_]] = kinds[wrong[input_]] + 1;
            numbers = (numbers + 1) % NUMBERS;
        end
    endtask

    task drive(input integer input_); // its next beat, if none waits
        begin
            if (gone[input_] == beats[input_] && !ending && input_ < sources && draw(100) < in_rate)
                make(input_);
            if (gone[input_] < beats[input_] && (ending || draw(100) < in_rate)) begin
                s_axis_tvalid[input_] = 1;
                s_axis_tlast[input_] = gone[input_] == beats[input_] - 1;
                s_axis_tuser[input_] = s_axis_tlast[input_] ? wrong[input_] == 2 : draw(2); // means nothing before the last
                s_axis_tdest[input_*QW +: QW] = queue_of[number[input_]] + (wrong[input_] == 5 && gone[input_] == 1);
                for (k = 0; k < KEEP; k = k + 1) begin
                    s_axis_tdata[(input_*KEEP + k)*8 +: 8] = byte_of(number[input_], gone[input_] * KEEP + k);
                    s_axis_tkeep[input_*KEEP + k] = gone[input_] * KEEP + k < bytes_of[number[input_]];
                end
                if (wrong[input_] == 3 && s_axis_tlast[input_])
                    s_axis_tkeep[input_*KEEP +: KEEP] = KEEP > 2 && draw(2) ? 5 : 0;
                if (wrong[input_] == 4 && gone[input_] == 0)
                    s_axis_tkeep[input_*KEEP + KEEP - 1] = 0;
            end
        end
    endtask

    task went_in(input integer input_); // a beat was taken
        begin
            gone[input_] = gone[input_] + 1;
            if (gone[input_] < beats[input_] ? malformed[input_] | oversize[input_]
                                             : malformed[input_] !== (wrong[input_] > 1) || oversize[input_] !== (wrong[input_] == 1))
                fail("malformed and oversize", malformed[input_] * 2 + oversize[input_], wrong[input_]);
            if (gone[input_] == beats[input_] && wrong[input_] == 0) begin
                came_in[input_*NUMBERS + came_end[input_] % NUMBERS] = number[input_];
                came_end[input_] = came_end[input_] + 1;
            end
        end
    endtask

    task enter; // a frame is at the door
        begin
            p = dut.turn;
            if (came_first[p] == came_end[p])
                fail("a frame that was not whole or not right", p, -1);
            n = came_in[p*NUMBERS + came_first[p] % NUMBERS];
            came_first[p] = came_first[p] + 1;
            entered[p] = entered[p] + 1;
            if (dut.in_queue !== queue_of[n] || dut.in_cells !== (bytes_of[n] + KEEP - 1) / KEEP)
                fail("queue and cells", dut.in_queue, queue_of[n]);
            wants = lengths[queue_of[n]*W +: W] + dut.in_cells <= (alpha_exp[4] ? free >> 3 : {25'd0, free} << alpha_exp) &&
                    dut.in_cells <= free && dut.tm.descriptors != 0;
            if (refused !== !wants)
                fail("refused", refused, !wants);
            if (!refused) begin
                marked[n] = lengths[queue_of[n]*W +: W] - (dut.leave && dut.tm.leave_queue == queue_of[n] ? dut.leave_cells : 0) +
                            dut.in_cells >= 12;
                queued[queue_of[n]*NUMBERS + queued_end[queue_of[n]] % NUMBERS] = n;
                queued_end[queue_of[n]] = queued_end[queue_of[n]] + 1;
            end
            refusals = refusals + refused;
        end
    endtask

    task leave; // the head of a queue leaves it
        begin
            p = dut.tm.leave_queue;
            if (queued_first[p] == queued_end[p])
                fail("nothing to leave", p, -1);
            if (expelled !== dut.leave_drop)
                fail("expelled", expelled, dut.leave_drop);
            if (!expelled) begin
                leaving[leaving_end % NUMBERS] = queued[p*NUMBERS + queued_first[p] % NUMBERS];
                leaving_end = leaving_end + 1;
            end
            queued_first[p] = queued_first[p] + 1;
            drops = drops + expelled;
        end
    endtask

    task take; // a beat comes out
        begin
            if (leaving_first == leaving_end)
                fail("a frame that nobody sent", m_axis_tdest, -1);
            n = leaving[leaving_first % NUMBERS];
            for (k = 0; k < KEEP; k = k + 1) begin
                if (m_axis_tkeep[k] !== (out_byte + k < bytes_of[n]))
                    fail("tkeep", m_axis_tkeep[k], bytes_of[n] - out_byte);
                if (m_axis_tkeep[k] && m_axis_tdata[k*8 +: 8] !== byte_of(n, out_byte + k))
                    fail("byte", m_axis_tdata[k*8 +: 8], byte_of(n, out_byte + k));
            end
            out_byte = out_byte + KEEP;
            if (m_axis_tuser !== marked[n])
                fail("mark", m_axis_tuser, marked[n]);
            marks = marks + m_axis_tuser;
            if (m_axis_tlast !== (out_byte >= bytes_of[n]) || m_axis_tdest !== queue_of[n])
                fail("last, and queue", m_axis_tdest, queue_of[n]);
            if (m_axis_tlast) begin
                leaving_first = leaving_first + 1;
                out_byte = 0;
            end
            taken = taken + 1;
        end
    endtask

    task clock;
        begin
            #1;
            for (p = 0; p < INPUTS; p = p + 1)
                if (!s_axis_tvalid[p])
                    drive(p);
            m_axis_tready = draw(100) < out_rate;
            #1;
            done = s_axis_tvalid & s_axis_tready;
            lone = sources == 1 && done == 0 && s_axis_tvalid == 1;
            if (lone)
                fail("a lone source waits", 0, 1);
            for (p = 0; p < INPUTS; p = p + 1)
                if (done[p])
                    went_in(p);
                else if (malformed[p] !== 1'b0 || oversize[p] !== 1'b0)
                    fail("a pulse without a beat", malformed[p] * 2 + oversize[p], 0);
            if (dut.in_valid && dut.in_first)
                enter;
            else if (refused !== 1'b0)
                fail("refused without a frame", refused, 0);
            if (dut.leave)
                leave;
            else if (expelled !== 1'b0)
                fail("expelled without a frame", expelled, 0);
            if (waits && {m_axis_tvalid, m_axis_tlast, m_axis_tdest, m_axis_tkeep, m_axis_tdata} !== {1'b1, waiting})
                fail("a beat that waits", m_axis_tdata, waiting[8*KEEP-1:0]);
            waits = m_axis_tvalid && !m_axis_tready;
            waiting = {m_axis_tlast, m_axis_tdest, m_axis_tkeep, m_axis_tdata};
            if (m_axis_tvalid && m_axis_tready)
                take;
            sendings = sendings + (sent === 1'b1);
            everyone = everyone && &dut.backlog;
            if (dut.grant)
                granted[dut.choice] = granted[dut.choice] + 1;
            #1 clk = 1;
            #1 clk = 0;
            s_axis_tvalid = s_axis_tvalid & ~done;
            cycle = cycle + 1;
        end
    endtask

    task reset; // in the middle of anything
        begin
            for (p = 0; p < INPUTS; p = p + 1) begin
                came_first[p] = 0;
                came_end[p] = 0;
                beats[p] = 0;
                gone[p] = 0;
                wrong[p] = 0;
            end
            for (p = 0; p < PORTS; p = p + 1) begin
                queued_first[p] = 0;
                queued_end[p] = 0;
            end
            leaving_first = 0;
            leaving_end = 0;
            numbers = 0;
            out_byte = 0;
            sendings = 0;
            waits = 0;
            s_axis_tvalid = 0;
            rst = 1;
            repeat (1 + draw(2)) begin
                #1 clk = 1;
                #1 clk = 0;
            end
            rst = 0;
            resets = resets + 1;
        end
    endtask

    // Sources end their frames, and the sink takes what comes: then nothing is left.
    task drain;
        begin
            ending = 1;
            sources = INPUTS;
            out_rate = 100;
            repeat (800)
                clock;
            ending = 0;
            for (p = 0; p < INPUTS; p = p + 1)
                if (gone[p] != beats[p] || came_first[p] != came_end[p])
                    fail("frames that did not enter", came_first[p], came_end[p]);
            if (m_axis_tvalid !== 1'b0 || leaving_first != leaving_end || sendings != leaving_end)
                fail("frames that did not come out", leaving_first, leaving_end);
            if (free != CELLS || dut.tm.descriptors != PACKETS)
                fail("free cells", free, CELLS);
        end
    endtask

    task count_turns;
        begin
            for (p = 0; p < INPUTS; p = p + 1)
                entered[p] = 0;
            for (p = 0; p < PORTS; p = p + 1)
                granted[p] = 0;
            everyone = 1;
            taken = 0;
        end
    endtask

    initial begin
        for (p = 0; p < 6; p = p + 1)
            kinds[p] = 0;
        count_turns;
        reset;
        while (cycle < CYCLES) begin
            in_rate = 30 + draw(71);
            out_rate = draw(drop_enable ? 2 : 3) ? 100 : 10 + draw(60);
            faults = draw(2) ? 30 : 0;
            sources = draw(3) ? INPUTS : 1;
            // Below capacity the queues empty, above it they fill and frames are refused or expelled.
            drop_enable = cycle > CYCLES / 2;
            alpha_exp = 1;
            if (sources == 1)
                drain_others;
            for (spread = 100 + draw(200); spread > 0; spread = spread - 1) begin
                clock;
                if (drop_enable && spread == 60)
                    alpha_exp = 5'b11101; // queues are too long at once
            end
            if (draw(4) == 0)
                reset;
            else if (draw(4) == 0)
                drain;
        end
        drain;
        for (p = 0; p < 6; p = p + 1)
            if (kinds[p] == 0)
                fail("a kind of frame that never was", p, 1);
        if (refusals == 0 || drops == 0 || marks == 0 || resets < 4)
            fail("something never happened", drops, refusals);
        // All queues full, and a sink that always takes: turns of inputs and queues, and a beat per cycle but for gaps.
        reset;
        drop_enable = 0;
        alpha_exp = 3;
        faults = 0;
        sources = INPUTS;
        in_rate = 100;
        out_rate = 0;
        repeat (300)
            clock;
        out_rate = 100;
        count_turns;
        repeat (30)
            clock;
        if (!everyone)
            fail("queues that were to be full", dut.backlog, 15);
        if (taken < 27)
            fail("beats in 30 cycles", taken, 27);
        for (p = 1; p < PORTS; p = p + 1)
            if (granted[p] - granted[0] > 1 || granted[0] - granted[p] > 1)
                fail("turns of queues", granted[p], granted[0]);
        repeat (300)
            clock;
        for (p = 1; p < INPUTS; p = p + 1)
            if (entered[p] - entered[0] > 1 || entered[0] - entered[p] > 1)
                fail("turns of inputs", entered[p], entered[0]);
        drain;
        // Frames of one beat, one per cycle through all of it.
        sizes = 1;
        sources = 1;
        repeat (40)
            clock;
        count_turns;
        spread = refusals;
        repeat (200)
            clock;
        if (DEPTH >= 4 << NW && (taken != 200 || refusals != spread))
            fail("frames of one beat in 200 cycles", taken, 200);
        sizes = 0;
        drain;
        // Resets, one soon after the other.
        in_rate = 90;
        repeat (100) begin
            reset;
            repeat (10 + draw(60))
                clock;
        end
        drain;
        $display("ok: %0d cycles, %0d resets, %0d right frames, %0d refused, %0d expelled, wrong: %0d %0d %0d %0d %0d", cycle,
                 resets, kinds[0], refusals, drops, kinds[1], kinds[2], kinds[3], kinds[4], kinds[5]);
        $finish(0);
    end

    // Only the first input goes on, once the others' frames have gone in.
    task drain_others;
        begin
            ending = 1;
            sources = INPUTS;
            repeat (200)
                clock;
            ending = 0;
            sources = 1;
        end
    endtask
endmodule
