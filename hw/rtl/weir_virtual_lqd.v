// weir_virtual_lqd - Credence's thresholds: the queue lengths that LQD would have, as arithmetic (lib/policies/virtual_lqd.c).
//
//   over = total + cells - CELLS
//   over <= 0                                       length[queue] += cells
//   longest J with length[J] > length[queue] + cells    length[J] -= over, length[queue] += cells
//   else                                            nothing: LQD refuses the arrival
//
// Departures lower a virtual queue by what the real one sends; `empty`, that the real queue is empty then, clears it
// (drain=dequeue there, as the authors' code).
//
// Interface  in_*: an arrival, accepted or not. out_*: a real departure; not in a cycle with an arrival. threshold: the
//            length of in_queue with this arrival counted.
// Timing     threshold is combinational, through a maximum finder; lengths change at the clock edge.
// Parameters QUEUES: a power of two, 2 or more; CELLS: of the shared pool; W: 2^W > CELLS + 2^NW; NW: bits of a packet's
//            cells < W.
`default_nettype none
module weir_virtual_lqd #(
    parameter QUEUES = 64,
    parameter CELLS = 4096,
    parameter NW = 4,
    parameter W = $clog2(CELLS + (1 << NW) + 1),
    parameter QW = $clog2(QUEUES)
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                in_valid,
    input  wire [QW-1:0]       in_queue,
    input  wire [NW-1:0]       in_cells,
    output wire [W-1:0]        threshold,
    input  wire                out_valid,
    input  wire [QW-1:0]       out_queue,
    input  wire [NW-1:0]       out_cells,
    input  wire                out_empty,
    output wire [QUEUES*W-1:0] lengths
);
    weir_require #(.MET(QUEUES >= 2 && (QUEUES & (QUEUES - 1)) == 0 && 1 << W > CELLS + (1 << NW) && NW < W)) legal ();
    localparam [31:0] CELLS_ = CELLS;

    reg  [W-1:0]  total;
    reg  [W-1:0]  length, leaving;
    wire [W-1:0]  longest_cells;
    wire [QW-1:0] longest;
    weir_max_finder #(.COUNT(QUEUES), .W(W)) finder (.values(lengths), .index(longest), .maximum(longest_cells));

    integer q;
    always @* begin
        length = lengths[0 +: W];
        leaving = lengths[0 +: W];
        for (q = 0; q < QUEUES; q = q + 1) begin
            if (in_queue == q[QW-1:0])
                length = lengths[q*W +: W];
            if (out_queue == q[QW-1:0])
                leaving = lengths[q*W +: W];
        end
    end

    wire [W-1:0] n = {{(W-NW){1'b0}}, in_cells};
    wire [W-1:0] m = {{(W-NW){1'b0}}, out_cells};
    wire [W-1:0] grown = length + n;
    wire [W-1:0] filled = total + n;
    wire         is_over = filled > CELLS_[W-1:0];
    wire [W-1:0] over = filled - CELLS_[W-1:0];
    wire         evicts = is_over & longest_cells > grown;
    wire         enters = ~is_over | evicts;
    wire [W-1:0] taken = out_empty | leaving < m ? leaving : m;

    assign threshold = enters ? grown : length;

    always @(posedge clk)
        if (rst)
            total <= 0;
        else if (in_valid & enters)
            total <= evicts ? CELLS_[W-1:0] : filled;
        else if (out_valid)
            total <= total - taken;

    genvar i;
    generate
        for (i = 0; i < QUEUES; i = i + 1) begin : queue
            localparam [31:0] ME = i;
            reg [W-1:0] cells;
            always @(posedge clk)
                if (rst)
                    cells <= 0;
                else if (in_valid) begin
                    if (enters & in_queue == ME[QW-1:0])
                        cells <= grown;
                    else if (evicts & longest == ME[QW-1:0])
                        cells <= cells - over;
                end else if (out_valid & out_queue == ME[QW-1:0])
                    cells <= cells - taken;
            assign lengths[i*W +: W] = cells;
        end
    endgenerate
endmodule
`default_nettype wire
