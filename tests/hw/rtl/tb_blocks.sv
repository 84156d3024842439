// tb_blocks - the comparison blocks against vectors that agree with the library (blocks.cpp): for faults in them.
// Prints "ok" or what is wrong. Of each part, only the outputs that it is about are compared.
`timescale 1ns / 1ns
module tb_blocks;
    parameter VECTORS = "vectors.txt";
    reg         clk = 0, rst;
    reg  [7:0]  tdt_enqueue, tdt_dequeue, tdt_drop;
    reg  [3:0]  tdt_cells, lqd_cells, forest_tree, credence_cells;
    reg         tdt_overflow, tdt_low, lqd_in, lqd_out, lqd_empty, dsh_valid, forest_write;
    reg  [2:0]  lqd_queue, credence_queue;
    reg  [15:0] dsh_length, forest_limit;
    reg  [39:0] dsh_now;
    reg  [4:0]  forest_index;
    reg  [1:0]  forest_feature;
    reg  [63:0] forest_features, finder_values, credence_lengths;
    reg         credence_in, credence_out, credence_empty;
    reg  [7:0]  credence_length, credence_used, credence_queue_average, credence_buffer_average;
    wire [15:0] tdt_state;
    wire [7:0]  lqd_threshold;
    wire [63:0] lqd_lengths, credence_virtual;
    wire [8:0]  dsh_phi;
    wire        forest_lost, credence_accept;
    wire [3:0]  finder_index, finder_maximum;
    blocks dut (.*);

    integer     file, line = 0, fields, part;
    reg  [15:0] e_state;
    reg  [7:0]  e_threshold;
    reg  [63:0] e_lengths, e_virtual;
    reg  [8:0]  e_phi;
    reg         e_lost, e_accept;
    reg  [3:0]  e_index, e_maximum;

    task same(input [20*8-1:0] what, input [63:0] is, input [63:0] should);
        if (is !== should) begin
            $display("tb_blocks: line %0d: %0s: %0h instead of %0h", line, what, is, should);
            $finish(0);
            $fatal;
        end
    endtask

    initial begin
        file = $fopen(VECTORS, "r");
        forever begin
            fields = $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h", part, rst, tdt_enqueue, tdt_dequeue,
                             tdt_drop, tdt_cells, tdt_overflow, tdt_low, e_state, lqd_in, lqd_out, lqd_queue, lqd_cells,
                             lqd_empty, e_threshold, e_lengths);
            fields = fields + $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h", dsh_valid, dsh_length, dsh_now, e_phi,
                                      forest_write, forest_tree, forest_index, forest_feature, forest_limit, forest_features,
                                      e_lost);
            fields = fields + $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h %h %h %h %h", finder_values, e_index, e_maximum,
                                      credence_in, credence_out, credence_queue, credence_cells, credence_empty,
                                      credence_length, credence_used, credence_queue_average, credence_buffer_average,
                                      credence_lengths, e_accept, e_virtual);
            if (fields != 42) begin
                if (line < 1000)
                    $display("tb_blocks: no vectors");
                else
                    $display("ok: %0d vectors", line);
                $finish(0);
                $fatal;
            end
            line = line + 1;
            #1;
            if (part == 0 && line > 2)
                same("TDT's states", tdt_state, e_state);
            if (part == 1) begin
                if (lqd_in)
                    same("threshold", lqd_threshold, e_threshold);
                same("virtual lengths", lqd_lengths, e_lengths);
            end
            if (part == 2)
                same("phi", dsh_phi, e_phi);
            if (part == 3 && !forest_write)
                same("forest", forest_lost, e_lost);
            if (part == 4) begin
                same("maximum", finder_maximum, e_maximum);
                same("its index", finder_index, e_index);
            end
            if (part == 5) begin
                if (credence_in)
                    same("verdict", credence_accept, e_accept);
                same("virtual lengths", credence_virtual, e_virtual);
            end
            #1 clk = 1;
            #1 clk = 0;
        end
    end
endmodule
