// blocks - the blocks that Occamy is compared with, side by side, for blocks.cpp and tb_blocks.sv.
module blocks #(
    parameter PORTS = 8,
    parameter CELLS = 200,
    parameter NW = 4,
    parameter PHI = 300,
    parameter LOG2_CELL = 2225981,
    parameter W = $clog2(CELLS + (1 << NW) + 1)
) (
    input  wire                clk,
    input  wire                rst,
    // TDT: an event of one port.
    input  wire [PORTS-1:0]    tdt_enqueue,
    input  wire [PORTS-1:0]    tdt_dequeue,
    input  wire [PORTS-1:0]    tdt_drop,
    input  wire [NW-1:0]       tdt_cells,
    input  wire                tdt_overflow,
    input  wire                tdt_low,
    output wire [2*PORTS-1:0]  tdt_state,
    // The virtual LQD.
    input  wire                lqd_in,
    input  wire                lqd_out,
    input  wire [2:0]          lqd_queue,
    input  wire [NW-1:0]       lqd_cells,
    input  wire                lqd_empty,
    output wire [W-1:0]        lqd_threshold,
    output wire [PORTS*W-1:0]  lqd_lengths,
    // DSH.
    input  wire                dsh_valid,
    input  wire [15:0]         dsh_length,
    input  wire [39:0]         dsh_now,
    output wire [$clog2(PHI+1)-1:0] dsh_phi,
    // The forest.
    input  wire                forest_write,
    input  wire [3:0]          forest_tree,
    input  wire [4:0]          forest_index,
    input  wire [1:0]          forest_feature,
    input  wire [15:0]         forest_limit,
    input  wire [63:0]         forest_features,
    output wire                forest_lost,
    // The maximum finder.
    input  wire [63:0]         finder_values,
    output wire [3:0]          finder_index,
    output wire [3:0]          finder_maximum,
    // Credence, with a virtual LQD and a forest of its own, which is written with the other.
    input  wire                credence_in,
    input  wire                credence_out,
    input  wire [2:0]          credence_queue,
    input  wire [NW-1:0]       credence_cells,
    input  wire                credence_empty,
    input  wire [W-1:0]        credence_length,
    input  wire [W-1:0]        credence_used,
    input  wire [W-1:0]        credence_queue_average,
    input  wire [W-1:0]        credence_buffer_average,
    input  wire [PORTS*W-1:0]  credence_lengths,
    output wire                credence_accept,
    output wire [PORTS*W-1:0]  credence_virtual
);
    localparam SPLIT = (2 * CELLS + PORTS) / (2 * PORTS);
    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port
            weir_tdt_state #(.NW(NW), .NEC(SPLIT), .OC1(SPLIT), .OC2(2 * CELLS), .DC(CELLS / 2), .DEC(3)) tdt (
                .clk(clk), .rst(rst), .enqueue(tdt_enqueue[p]), .dequeue(tdt_dequeue[p]), .drop(tdt_drop[p]),
                .cells(tdt_cells), .overflow(tdt_overflow), .low(tdt_low), .state(tdt_state[2*p +: 2])
            );
        end
    endgenerate
    weir_virtual_lqd #(.QUEUES(PORTS), .CELLS(CELLS), .NW(NW)) lqd (
        .clk(clk), .rst(rst), .in_valid(lqd_in), .in_queue(lqd_queue), .in_cells(lqd_cells), .threshold(lqd_threshold),
        .out_valid(lqd_out), .out_queue(lqd_queue), .out_cells(lqd_cells), .out_empty(lqd_empty), .lengths(lqd_lengths)
    );
    weir_dsh_estimator #(.PHI(PHI), .LOG2_CELL(LOG2_CELL)) dsh (
        .clk(clk), .rst(rst), .valid(dsh_valid), .length(dsh_length), .now(dsh_now), .phi(dsh_phi)
    );
    weir_forest forest (
        .clk(clk), .write(forest_write), .write_tree(forest_tree), .write_index(forest_index),
        .write_feature(forest_feature), .write_limit(forest_limit), .features(forest_features), .lost(forest_lost)
    );
    weir_max_finder #(.COUNT(16), .W(4)) finder (
        .values(finder_values), .index(finder_index), .maximum(finder_maximum)
    );
    weir_credence #(.QUEUES(PORTS), .PORTS(PORTS), .CELLS(CELLS), .NW(NW)) credence (
        .clk(clk), .rst(rst), .in_valid(credence_in), .in_queue(credence_queue), .in_cells(credence_cells),
        .length(credence_length), .used(credence_used), .queue_average(credence_queue_average),
        .buffer_average(credence_buffer_average), .lengths(credence_lengths), .accept(credence_accept),
        .out_valid(credence_out), .out_queue(credence_queue), .out_cells(credence_cells), .out_empty(credence_empty),
        .write(forest_write), .write_tree(forest_tree), .write_index(forest_index), .write_feature(forest_feature),
        .write_limit(forest_limit[W-1:0]), .virtual_lengths(credence_virtual)
    );
endmodule
