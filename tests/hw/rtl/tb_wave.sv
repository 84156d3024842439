// tb_wave - prints the waveforms of docs/reference/rtl.md: a head-drop that is interrupted in its cycle 2, and one in its cycle 4.
`timescale 1ns / 1ns
module tb_wave;
    localparam CYCLES = 16;
    reg         clk = 0, rst = 1, drop_enable = 0, in_valid = 0, in_first = 1, tx_request = 0;
    reg  [4:0]  alpha_exp = 0;
    reg  [1:0]  in_queue = 0, tx_queue = 1;
    reg  [2:0]  in_cells = 1;
    wire        in_accept, tx_ready, tx_grant, out_valid, out_first, out_last, leave_valid, leave_drop, take_valid;
    wire        interrupted, starved, out_mark;
    wire [3:0]  backlog;
    wire [1:0]  out_queue, leave_queue;
    wire [7:0]  out_data;
    wire [2:0]  leave_cells;
    wire [19:0] lengths;
    wire [4:0]  free;
    wire [3:0]  take_cell;
    wire        free_valid;
    wire [3:0]  free_cells;
    weir_tm #(.PORTS(4), .CELLS(16), .PACKETS(8), .NW(3), .DATA_BITS(8)) dut (.in_data(8'd0), .mark_at(5'd31), .*);

    reg [CYCLES*8-1:0] request, grant, read, interrupt, sent, expelled, freed, out;
    integer i;

    task clock;
        begin
            #1 clk = 1;
            #1 clk = 0;
        end
    endtask

    task packet(input [1:0] queue, input [2:0] cells);
        begin
            in_queue = queue;
            in_cells = cells;
            in_valid = 1;
            in_first = 1;
            clock;
            in_first = 0;
            repeat (cells - 1)
                clock;
            in_valid = 0;
        end
    endtask

    function [7:0] high(input on);
        high = on ? "#" : ".";
    endfunction

    initial begin
        clock;
        rst = 0;
        packet(0, 4);
        packet(1, 1);
        packet(1, 1);
        repeat (3)
            clock;
        alpha_exp = 5'b10000; // T = 0: all queues are over-allocated
        clock; // which the selector sees in the next cycle
        for (i = 0; i < CYCLES; i = i + 1) begin
            drop_enable = i < 8;
            tx_request = i == 1 || i == 6;
            #1;
            request = {request, high(tx_request)};
            grant = {grant, high(tx_grant)};
            read = {read, high(dut.pd_read)};
            interrupt = {interrupt, high(interrupted)};
            sent = {sent, high(leave_valid & ~leave_drop)};
            expelled = {expelled, high(leave_valid & leave_drop)};
            freed = {freed, high(free_valid)};
            out = {out, high(out_valid)};
            clock;
        end
        $display("tx_request    %s", request);
        $display("tx_grant      %s", grant);
        $display("PD read       %s", read);
        $display("interrupted   %s", interrupt);
        $display("sent          %s", sent);
        $display("expelled      %s", expelled);
        $display("cell freed    %s", freed);
        $display("out_valid     %s", out);
        $finish(0);
    end
endmodule
