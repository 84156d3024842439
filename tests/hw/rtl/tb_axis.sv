// tb_axis - weir_tm_axis by its streams alone: random packets in, a sink that stops and goes.
//
// Checked in every cycle: a beat that waits does not change or vanish; packets come out whole, one after the other, beat by
// beat as they went in, and those of a queue in the order in which they were admitted. Without head-drop every admitted
// packet comes out; with it, the ones that do not are as many as `expelled` said. Also: that queues with backlog take
// turns, that a sink which always takes gets nine beats in ten cycles, and that a packet that finds its queue too long is refused, by
// the rule of Dynamic Threshold, for which the counters inside are read. Prints "ok" or what is wrong.
`timescale 1ns / 1ns
module tb_axis;
    parameter CYCLES = 12000;
    parameter LANES = 2;
    localparam PORTS = 4, CELLS = 64, PACKETS = 40, NW = 3, DEPTH = 16, QW = 2, LONGEST = 7;

    reg         clk = 0, rst = 1, drop_enable = 0, s_axis_tvalid = 0, s_axis_tlast = 0, m_axis_tready = 0;
    reg  [4:0]  alpha_exp = 1;
    reg  [31:0] s_axis_tdata = 0;
    reg  [QW-1:0] s_axis_tdest = 0;
    reg  [NW-1:0] s_axis_tuser = 0;
    wire        s_axis_tready, m_axis_tvalid, m_axis_tlast, refused, expelled;
    wire [31:0] m_axis_tdata;
    wire [QW-1:0] m_axis_tdest;
    weir_tm_axis #(.PORTS(PORTS), .CELLS(CELLS), .PACKETS(PACKETS), .LANES(LANES), .NW(NW), .DATA_BITS(32),
                   .DEPTH(DEPTH)) dut (.*);

    // Packets by number: queue, cells, whether admitted; the queues in order.
    integer queue_of [0:65535], cells_of [0:65535];
    integer order [0:PORTS*4096-1], head [0:PORTS-1], tail [0:PORTS-1], sent [0:PORTS-1];
    integer number = 0, left = 0, index = 0, cells = 0, cycle = 0, seed = 1, in_rate = 50, out_rate = 50;
    integer admitted = 0, came = 0, lost = 0, skipped = 0, drops = 0, now_number = -1, now_index = 0, i, n, wants;
    integer busy = 0, beats = 0, turns = 0, fewest, most;
    reg         waits = 0;
    reg  [31:0] waiting_data;
    reg         waiting_last, everyone = 0;

    function integer draw(input integer below);
        draw = $unsigned($random(seed)) % below;
    endfunction

    task fail(input [60*8-1:0] what, input integer is, input integer should);
        begin
            $display("tb_axis: cycle %0d: %0s: %0d instead of %0d", cycle, what, is, should);
            $finish(0);
            $fatal;
        end
    endtask

    task admit; // in the cycle of the first beat
        begin
            wants = dut.tm.lengths[s_axis_tdest*7 +: 7] + cells <=
                    (alpha_exp[4] ? dut.tm.free >> 3 : {25'd0, dut.tm.free} << alpha_exp) && cells <= dut.tm.free &&
                    dut.tm.descriptors != 0;
            if (refused !== !wants)
                fail("refused", refused, !wants);
            queue_of[number] = s_axis_tdest;
            cells_of[number] = cells;
            if (!refused) begin
                order[s_axis_tdest*4096 + tail[s_axis_tdest] % 4096] = number;
                tail[s_axis_tdest] = tail[s_axis_tdest] + 1;
                admitted = admitted + 1;
            end
            number = number + 1;
        end
    endtask

    task take; // a beat is handed over
        begin
            n = m_axis_tdata / 16;
            if (now_index == 0) begin
                if (n < 0 || n >= number || queue_of[n] != m_axis_tdest)
                    fail("queue of the packet", m_axis_tdest, n);
                now_number = n;
                while (head[m_axis_tdest] < tail[m_axis_tdest] && order[m_axis_tdest*4096 + head[m_axis_tdest] % 4096] != n) begin
                    skipped = skipped + 1;
                    head[m_axis_tdest] = head[m_axis_tdest] + 1;
                end
                if (head[m_axis_tdest] == tail[m_axis_tdest])
                    fail("packet out of turn", n, -1);
                head[m_axis_tdest] = head[m_axis_tdest] + 1;
                came = came + 1;
            end
            if (m_axis_tdata !== now_number * 16 + now_index || m_axis_tdest !== queue_of[now_number])
                fail("beat", m_axis_tdata, now_number * 16 + now_index);
            if (m_axis_tlast !== (now_index + 1 == cells_of[now_number]))
                fail("last", m_axis_tlast, !m_axis_tlast);
            now_index = m_axis_tlast ? 0 : now_index + 1;
            beats = beats + 1;
        end
    endtask

    task drive;
        begin
            s_axis_tvalid = draw(100) < in_rate;
            if (s_axis_tvalid && left == 0) begin
                cells = 1 + draw(LONGEST);
                left = cells;
                index = 0;
                s_axis_tdest = draw(PORTS);
            end
            s_axis_tuser = index == 0 ? cells : draw(8); // of no meaning later
            s_axis_tdata = (index == 0 ? number : number - 1) * 16 + index;
            s_axis_tlast = s_axis_tvalid && left == 1;
            m_axis_tready = draw(100) < out_rate;
        end
    endtask

    task clock;
        begin
            #1 drive;
            #1;
            if (s_axis_tready !== 1'b1)
                fail("tready", s_axis_tready, 1);
            if (!s_axis_tvalid && refused !== 1'b0)
                fail("refused without a packet", refused, 0);
            if (s_axis_tvalid) begin
                if (index == 0)
                    admit;
                else if (refused !== 1'b0)
                    fail("refused in the middle", refused, 0);
                left = left - 1;
                index = left == 0 ? 0 : index + 1;
            end
            if (waits && (m_axis_tvalid !== 1'b1 || m_axis_tdata !== waiting_data || m_axis_tlast !== waiting_last))
                fail("a beat that waits", m_axis_tdata, waiting_data);
            waits = m_axis_tvalid && !m_axis_tready;
            waiting_data = m_axis_tdata;
            waiting_last = m_axis_tlast;
            if (m_axis_tvalid && m_axis_tready)
                take;
            drops = drops + (expelled === 1'b1);
            everyone = everyone && &dut.tm.backlog;
            if (dut.grant)
                sent[dut.turn] = sent[dut.turn] + 1;
            #1 clk = 1;
            #1 clk = 0;
            cycle = cycle + 1;
        end
    endtask

    // Empties it: what was admitted has come, or was expelled.
    task drain;
        begin
            while (left > 0) begin
                in_rate = 100;
                clock;
            end
            in_rate = 0;
            out_rate = 100;
            repeat (600)
                clock;
            if (m_axis_tvalid !== 1'b0 || now_index != 0)
                fail("left in the output", m_axis_tvalid, 0);
            if (came + drops != admitted)
                fail("packets that came or were expelled", came + drops, admitted);
        end
    endtask

    initial begin
        for (i = 0; i < PORTS; i = i + 1) begin
            head[i] = 0;
            tail[i] = 0;
            sent[i] = 0;
        end
        repeat (2) begin
            #1 clk = 1;
            #1 clk = 0;
        end
        rst = 0;
        while (cycle < CYCLES) begin
            in_rate = 30 + draw(71);
            out_rate = draw(3) ? 100 : 10 + draw(60);
            // Below capacity the queues empty, above it they fill and packets are refused or expelled.
            if (cycle > CYCLES / 2) begin
                drop_enable = 1;
                alpha_exp = draw(2) ? 1 : 5'b11101;
            end
            repeat (200)
                clock;
        end
        if (drops == 0 || admitted == number)
            fail("something never happened", drops, admitted);
        drain;
        if (skipped > drops)
            fail("packets that never came", skipped, drops);
        // All queues full, and a sink that always takes: turns, and one beat per cycle but for gaps between packets.
        drop_enable = 0;
        alpha_exp = 3;
        in_rate = 100;
        out_rate = 0;
        repeat (300)
            clock;
        out_rate = 100;
        for (i = 0; i < PORTS; i = i + 1)
            sent[i] = 0;
        everyone = 1;
        beats = 0;
        repeat (30)
            clock;
        fewest = sent[0];
        most = sent[0];
        for (i = 1; i < PORTS; i = i + 1) begin
            if (sent[i] < fewest)
                fewest = sent[i];
            if (sent[i] > most)
                most = sent[i];
        end
        if (!everyone)
            fail("queues that were to be full", dut.tm.backlog, 15);
        if (most - fewest > 1)
            fail("turns", most, fewest);
        if (beats < 27)
            fail("beats in 30 cycles", beats, 27);
        drain;
        $display("ok: %0d cycles, %0d packets, %0d admitted, %0d came, %0d expelled", cycle, number, admitted, came, drops);
        $finish(0);
    end
endmodule
