// weir_credence - Credence's admission: virtual LQD, safeguard and forest (lib/policies/credence.c).
//
//   accept  if there is room and
//           PORTS * (longest real queue) < CELLS,  or  length + cells <= threshold and the forest says "kept"
//
// Interface  in_*: an arrival; length and lengths: of the real queues before it; used: of the buffer; averages: of
//            in_queue and of the buffer, which the design keeps as it likes. out_*, write_*: as weir_virtual_lqd and
//            weir_forest. Features in cells: queue, its average, buffer, its average.
// Timing     accept is combinational.
// Parameters as weir_virtual_lqd and weir_forest; PORTS: a power of two; W follows from CELLS, and CELLS + 2^NW >= 128, so
//            that a leaf fits.
`default_nettype none
module weir_credence #(
    parameter QUEUES = 64,
    parameter PORTS = 64,
    parameter CELLS = 4096,
    parameter NW = 4,
    parameter TREES = 4,
    parameter DEPTH = 4,
    parameter W = $clog2(CELLS + (1 << NW) + 1),
    parameter QW = $clog2(QUEUES)
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                in_valid,
    input  wire [QW-1:0]       in_queue,
    input  wire [NW-1:0]       in_cells,
    input  wire [W-1:0]        length,
    input  wire [W-1:0]        used,
    input  wire [W-1:0]        queue_average,
    input  wire [W-1:0]        buffer_average,
    input  wire [QUEUES*W-1:0] lengths,
    output wire                accept,
    input  wire                out_valid,
    input  wire [QW-1:0]       out_queue,
    input  wire [NW-1:0]       out_cells,
    input  wire                out_empty,
    input  wire                write,
    input  wire [3:0]          write_tree,
    input  wire [DEPTH:0]      write_index,
    input  wire [1:0]          write_feature,
    input  wire [W-1:0]        write_limit,
    output wire [QUEUES*W-1:0] virtual_lengths
);
    weir_require #(.MET((PORTS & (PORTS - 1)) == 0 && CELLS + (1 << NW) >= 128)) legal ();
    localparam [31:0] CELLS_ = CELLS;
    localparam PB = $clog2(PORTS);

    wire [W-1:0]  threshold, peak;
    wire          lost;
    weir_virtual_lqd #(.QUEUES(QUEUES), .CELLS(CELLS), .NW(NW)) lqd (
        .clk(clk), .rst(rst), .in_valid(in_valid), .in_queue(in_queue), .in_cells(in_cells), .threshold(threshold),
        .out_valid(out_valid), .out_queue(out_queue), .out_cells(out_cells), .out_empty(out_empty),
        .lengths(virtual_lengths)
    );
    /* verilator lint_off PINCONNECTEMPTY */
    weir_max_finder #(.COUNT(QUEUES), .W(W)) longest (.values(lengths), .index(), .maximum(peak));
    /* verilator lint_on PINCONNECTEMPTY */
    weir_forest #(.TREES(TREES), .DEPTH(DEPTH), .W(W)) forest (
        .clk(clk), .write(write), .write_tree(write_tree), .write_index(write_index), .write_feature(write_feature),
        .write_limit(write_limit), .features({buffer_average, used, queue_average, length}), .lost(lost)
    );

    wire [W-1:0] n = {{(W-NW){1'b0}}, in_cells};
    wire         safe = {peak, {PB{1'b0}}} < {{PB{1'b0}}, CELLS_[W-1:0]};
    wire         under = length + n <= threshold;
    wire         room = used + n <= CELLS_[W-1:0];

    assign accept = in_valid & room & (safe | (under & ~lost));
endmodule
`default_nettype wire
