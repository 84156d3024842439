// tb_waves - prints docs/reference/rtl-waves.md: what each module does, cycle by cycle, in one run of the traffic manager, one of the
// stream wrapper and one of the comparison blocks.
`timescale 1ns / 1ns
module tb_waves;
    localparam CYCLES = 26, ROWS = 110;
    reg clk = 0, rst = 1;

    // The traffic manager: 4 queues, 16 cells, as in tb_wave.
    reg         drop_enable = 0, in_valid = 0, in_first = 1, tx_request = 0;
    reg  [4:0]  alpha_exp = 0;
    reg  [1:0]  in_queue = 0, tx_queue = 1;
    reg  [2:0]  in_cells = 1;
    reg  [7:0]  in_data = 8'h10;
    wire        in_accept, tx_ready, tx_grant, out_valid, out_first, out_last, leave_valid, leave_drop, take_valid;
    wire        interrupted, starved, out_mark, free_valid;
    wire [3:0]  backlog, take_cell, free_cells;
    wire [1:0]  out_queue, leave_queue;
    wire [7:0]  out_data;
    wire [2:0]  leave_cells;
    wire [19:0] lengths;
    wire [4:0]  free;
    weir_tm #(.PORTS(4), .CELLS(16), .PACKETS(8), .NW(3), .DATA_BITS(8)) tm (.mark_at(5'd31), .*);

    // The wrapper.
    reg         s_valid = 0, s_last = 0, s_bad = 0, m_ready = 1;
    reg  [1:0]  s_dest = 0;
    reg  [7:0]  s_data = 0;
    wire        s_ready, m_valid, m_last, m_user, m_keep, malformed, oversize, refused, expelled, sent;
    wire [7:0]  m_data;
    wire [1:0]  m_dest;
    wire [19:0] axis_lengths;
    wire [4:0]  axis_free;
    weir_tm_axis #(.PORTS(4), .CELLS(16), .PACKETS(8), .NW(3), .KEEP(1), .DEPTH(16)) axis (
        .clk(clk), .rst(rst), .alpha_exp(5'd0), .mark_at(5'd31), .drop_enable(1'b0), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready),
        .s_axis_tdata(s_data), .s_axis_tkeep(1'b1), .s_axis_tlast(s_last), .s_axis_tdest(s_dest), .s_axis_tuser(s_bad),
        .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data), .m_axis_tkeep(m_keep),
        .m_axis_tlast(m_last), .m_axis_tdest(m_dest), .m_axis_tuser(m_user), .malformed(malformed), .oversize(oversize), .refused(refused),
        .expelled(expelled), .sent(sent), .lengths(axis_lengths), .free(axis_free)
    );

    // The comparison blocks.
    reg  [15:0] values = 0;
    wire [1:0]  finder_index;
    wire [3:0]  finder_maximum;
    weir_max_finder #(.COUNT(4), .W(4)) finder (.values(values), .index(finder_index), .maximum(finder_maximum));
    reg         enqueue = 0, dequeue = 0, drop = 0;
    wire [1:0]  tdt_state;
    weir_tdt_state #(.W(8), .NW(3), .NEC(6), .OC1(6), .OC2(8), .DC(6), .DEC(3)) tdt (
        .clk(clk), .rst(rst), .enqueue(enqueue), .dequeue(dequeue), .drop(drop), .cells(3'd2), .overflow(1'b0), .low(1'b0),
        .state(tdt_state)
    );
    reg         dsh_valid = 0;
    reg  [15:0] dsh_length = 0;
    reg  [39:0] dsh_now = 0;
    wire [3:0]  phi;
    weir_dsh_estimator #(.PHI(15)) dsh (.clk(clk), .rst(rst), .valid(dsh_valid), .length(dsh_length), .now(dsh_now), .phi(phi));
    reg         lqd_in = 0, lqd_out = 0;
    reg  [1:0]  lqd_queue = 0;
    reg  [2:0]  lqd_cells = 3;
    wire [3:0]  lqd_threshold;
    wire [15:0] lqd_lengths;
    weir_virtual_lqd #(.QUEUES(4), .CELLS(7), .NW(2), .W(4)) lqd (
        .clk(clk), .rst(rst), .in_valid(lqd_in), .in_queue(lqd_queue), .in_cells(lqd_cells[1:0]), .threshold(lqd_threshold),
        .out_valid(lqd_out), .out_queue(lqd_queue), .out_cells(lqd_cells[1:0]), .out_empty(1'b0), .lengths(lqd_lengths)
    );
    // Credence's forest: one tree that asks "is the queue above 2?" at each step.
    reg         write = 0;
    reg  [2:0]  write_index = 0;
    reg  [7:0]  write_limit = 0;
    reg  [7:0]  queue_length = 0;
    wire        lost, accept;
    weir_forest #(.TREES(1), .DEPTH(2), .W(8)) forest (
        .clk(clk), .write(write), .write_tree(4'd0), .write_index(write_index), .write_feature(2'd0), .write_limit(write_limit),
        .features({24'd0, queue_length}), .lost(lost)
    );
    wire [31:0] virtual_lengths;
    weir_credence #(.QUEUES(4), .PORTS(4), .CELLS(200), .NW(3), .TREES(1), .DEPTH(2)) credence (
        .clk(clk), .rst(rst), .in_valid(lqd_in), .in_queue(lqd_queue), .in_cells(3'd1), .length(queue_length),
        .used(queue_length), .queue_average(8'd0), .buffer_average(8'd0), .lengths({24'd0, queue_length << 4}), .accept(accept),
        .out_valid(1'b0), .out_queue(2'd0), .out_cells(3'd0), .out_empty(1'b0), .write(write), .write_tree(4'd0),
        .write_index(write_index), .write_feature(2'd0), .write_limit(write_limit), .virtual_lengths(virtual_lengths)
    );

    // Rows: a character per cycle.
    reg [CYCLES*8-1:0] row [0:ROWS-1];
    reg [24*8-1:0]     name [0:ROWS-1];
    integer            at = 0, i, k, cycle = 0, first;

    function [7:0] digit(input [3:0] value);
        digit = value < 10 ? "0" + value : "a" + value - 10;
    endfunction

    task bit_(input [24*8-1:0] label, input value);
        begin
            name[at] = label;
            row[at] = {row[at], value === 1'bx ? "x" : value ? "#" : "."};
            at = at + 1;
        end
    endtask

    task hex(input [24*8-1:0] label, input [3:0] value);
        begin
            name[at] = label;
            row[at] = {row[at], ^value === 1'bx ? "x" : digit(value)};
            at = at + 1;
        end
    endtask

    task sample;
        begin
            at = 0;
            bit_("in_valid", in_valid); bit_("in_first", in_first & in_valid); hex("in_cells", in_cells);
            hex("length", tm.in_length); hex("free", free); hex("threshold", tm.in_threshold); bit_("in_accept", in_accept);
            // 7
            bit_("add_valid", in_accept); bit_("sub_valid", leave_valid); hex("sub_cells", leave_cells);
            hex("length of queue 0", lengths[4:0]); hex("length of queue 1", lengths[9:5]); hex("free", free);
            // 13
            bit_("accept", in_accept); bit_("pop_cell", tm.pop_cell); hex("popped_cell", tm.popped_cell);
            bit_("data_we", tm.data_we); bit_("link", tm.link); bit_("put", tm.put); hex("put_cells", tm.put_cells);
            // 20
            bit_("pop", tm.pop_cell); hex("popped, a cycle late", tm.popped_cell); bit_("push", free_valid);
            hex("pushed", free_cells); hex("available", tm.free_cells_ring.available);
            // 25
            bit_("put", tm.put); hex("put_queue", tm.put_queue); bit_("link", tm.pd_link); hex("look_queue", tm.look_queue);
            hex("look_pd", tm.look_pd); bit_("take", leave_valid); hex("backlog", backlog);
            // 32
            hex("over, bitmap", tm.over); hex("last, cursor", tm.last_victim);
            bit_("valid, a cycle late", tm.select_valid); hex("index", tm.select_queue); hex("candidate, cycle 2", tm.leave_queue);
            bit_("due", tm.still_due); bit_("take", leave_valid & leave_drop);
            // 39
            bit_("tx_request", tm.dequeue.tx_serves); bit_("drop_request", tm.dequeue.drop_request);
            bit_("tx_grant", tx_grant); bit_("drop_grant", tm.dequeue.drop_grant);
            // 43
            bit_("tx_ready", tx_ready); bit_("cycle 1, pd_read", tm.pd_read); bit_("cycle 2", tm.dequeue.valid2);
            bit_("interrupted", interrupted); bit_("leave", leave_valid); bit_("leave_drop", leave_valid & leave_drop);
            bit_("walk", tm.walk); bit_("free_valid", free_valid); bit_("data_read", tm.data_read);
            // 52
            bit_("load", tm.dequeue.transmit.load); bit_("beat", tm.dequeue.tx_beat); hex("cell", tm.dequeue.tx_cell);
            bit_("last", tm.dequeue.transmit.last & tm.dequeue.tx_beat);
            // 56
            bit_("load", tm.dequeue.executor.load); bit_("go", tm.dequeue.executor.go); hex("left", tm.dequeue.executor.left);
            bit_("ready", tm.dequeue.executor_ready); bit_("push", tm.dequeue.drop_push); hex("pushed", tm.dequeue.drop_cells);
            bit_("re", tm.dequeue.drop_re);
            // 63
            bit_("write", tm.put); hex("write_pd", tm.put_pd); bit_("re", tm.pd_read); hex("read_pd", tm.look_pd);
            hex("cells, a cycle late", tm.pd_cells); hex("heads", tm.pd_heads);
            // 69
            bit_("write", tm.link); hex("write_cell", tm.link_cell); bit_("re", tm.walk); hex("cells", tm.walk_cells);
            hex("next, a cycle late", tm.walk_next);
            // 74
            bit_("we", tm.data_we); hex("write_cell", tm.popped_cell); bit_("re", tm.data_read); hex("read_cell", tm.data_cell);
            bit_("out_valid", out_valid); hex("out_data", out_data);
            // 80
            bit_("s_axis_tvalid", s_valid); bit_("s_axis_tlast", s_last); bit_("s_axis_tuser", s_bad);
            bit_("malformed", malformed); bit_("frame", axis.waits); bit_("begin", axis.begins);
            bit_("read", axis.reads_at); bit_("m_axis_tvalid", m_valid); bit_("m_axis_tready", m_ready);
            hex("m_axis_tdata", m_data); bit_("m_axis_tlast", m_last & m_valid);
            // 91
            hex("value 0", values[3:0]); hex("value 1", values[7:4]); hex("value 2", values[11:8]); hex("value 3", values[15:12]);
            hex("index", finder_index); hex("maximum", finder_maximum);
        end
    endtask

    // The others have rows of their own.
    reg [CYCLES*8-1:0] more [0:19];
    reg [24*8-1:0]     more_name [0:19];
    integer            more_at = 0;
    task other(input [24*8-1:0] label, input is_bit, input [3:0] value);
        begin
            more_name[more_at] = label;
            more[more_at] = {more[more_at], ^value === 1'bx ? "x" : !is_bit ? digit(value) : value[0] ? "#" : "."};
            more_at = more_at + 1;
        end
    endtask

    task sample_others;
        begin
            more_at = 0;
            other("enqueue", 1, enqueue); other("dequeue", 1, dequeue); other("drop", 1, drop); other("state", 0, tdt_state);
            // 4
            other("valid", 1, dsh_valid); other("length", 0, dsh_length); other("phi", 0, phi);
            // 7
            other("in_valid", 1, lqd_in); other("queue", 0, lqd_queue); other("threshold", 0, lqd_threshold);
            other("length of queue 0", 0, lqd_lengths[3:0]); other("length of queue 1", 0, lqd_lengths[7:4]);
            // 12
            other("write", 1, write); other("write_index", 0, write_index); other("feature 0", 0, queue_length);
            other("lost", 1, lost);
            // 16
            other("in_valid", 1, lqd_in); other("length", 0, queue_length); other("accept", 1, accept);
        end
    endtask

    task show(input [70*8-1:0] title, input integer from, input integer to);
        begin
            $display("\n## %0s\n```", title);
            for (k = from; k < to; k = k + 1)
                $display("%-24s%s", string'(name[k]), row[k]);
            $display("```");
        end
    endtask

    task show_other(input [60*8-1:0] title, input integer from, input integer to);
        begin
            $display("\n## %0s\n```", title);
            for (k = from; k < to; k = k + 1)
                $display("%-24s%s", string'(more_name[k]), more[k]);
            $display("```");
        end
    endtask

    task drive; // what happens in which cycle
        begin
            // A packet of four cells for queue 0, two of one for queue 1; then T = 0 and head-drop, with two transmissions.
            in_valid = cycle < 6;
            in_first = cycle == 0 || cycle == 4 || cycle == 5;
            in_queue = cycle < 4 ? 0 : 1;
            in_cells = cycle < 4 ? 4 : 1;
            in_data = cycle;
            if (cycle == 8)
                alpha_exp = 5'b10000;
            drop_enable = cycle >= 9 && cycle < 17;
            tx_request = cycle == 10 || cycle == 15;
            // Three packets of two beats, the second bad; the sink stops for four cycles.
            s_valid = cycle < 6;
            s_last = cycle == 1 || cycle == 3 || cycle == 5;
            s_bad = cycle == 3;
            s_dest = cycle / 2;
            s_data = cycle + 1;
            m_ready = cycle < 13 || cycle > 16;
            values = {4'd3, cycle < 8 ? 4'd5 : 4'd3, 4'd4, cycle[3:0]};
            // Net arrivals of 6 cells: absorption; 8 cells sent in it: normal; 6 cells lost: evacuation; 3 departures: normal.
            enqueue = cycle < 3 || cycle == 4 || cycle == 6 || cycle == 8;
            dequeue = cycle == 3 || cycle == 5 || cycle == 7 || cycle == 9 || cycle > 16 && cycle < 20;
            drop = cycle > 11 && cycle < 15;
            dsh_valid = cycle > 1 && cycle < 20;
            dsh_length = cycle < 10 ? 2 * cycle : 30 - cycle;
            dsh_now = 100000 * cycle;
            lqd_in = cycle > 5 && cycle < 10;
            lqd_queue = cycle < 8 ? 0 : 1;
            // Nodes 1 to 3, leaves 4 to 7: lost on the right.
            write = cycle > 0 && cycle < 8;
            write_index = cycle;
            write_limit = cycle < 4 ? 2 : cycle == 7 ? 1 : 8'hff;
            queue_length = cycle < 6 ? 0 : cycle - 5;
        end
    endtask

    initial begin
        for (i = 0; i < ROWS; i = i + 1)
            row[i] = "";
        repeat (2) begin
            #1 clk = 1;
            #1 clk = 0;
        end
        rst = 0;
        for (cycle = 0; cycle < CYCLES; cycle = cycle + 1) begin
            drive;
            #1 sample;
            sample_others;
            #1 clk = 1;
            #1 clk = 0;
        end
        $display("# Waveforms of the hardware\n");
        $display("One run, a character per cycle: `#` is 1, `.` is 0, a digit a value (hexadecimal, its lowest digit), `x` not yet");
        $display("known. This page is what tests/hw/rtl/tb_waves.sv prints. [rtl.md](rtl.md) says what the modules are for.\n");
        $display("In the traffic manager (4 queues, 16 cells) a packet of four cells arrives for queue 0 and two of one cell for");
        $display("queue 1. From cycle 8 on the threshold is 0, and from cycle 9 on packets are expelled. The scheduler asks in");
        $display("cycles 10 and 15.");
        show("weir_threshold, weir_admission", 0, 7);
        show("weir_counters", 7, 13);
        show("weir_enqueue", 13, 20);
        show("weir_free_ring", 20, 25);
        show("weir_queues", 25, 32);
        show("weir_overalloc, weir_rr_select, weir_selector, weir_recheck", 32, 39);
        show("weir_arbiter", 39, 43);
        show("weir_dequeue", 43, 52);
        show("weir_transmit", 52, 56);
        show("weir_executor", 56, 63);
        show("weir_pd_memory", 63, 69);
        show("weir_pointer_memory", 69, 74);
        show("weir_cell_memory, weir_ram", 74, 80);
        $display("\nThree frames of two beats through the stream wrapper, the second one bad; the sink stops in cycles 13 to 16.");
        show("weir_axis_frames, weir_fifo, weir_tm_axis", 80, 91);
        $display("\nThe blocks for comparison, with small numbers.");
        show("weir_max_finder", 91, 97);
        show_other("weir_tdt_state (1 absorbs, 2 evacuates)", 0, 4);
        show_other("weir_dsh_estimator", 4, 7);
        show_other("weir_virtual_lqd (7 cells, 3 per packet)", 7, 12);
        show_other("weir_forest (lost above 2)", 12, 16);
        show_other("weir_credence (safe while length is below 4)", 16, 19);
        $finish(0);
    end
endmodule
