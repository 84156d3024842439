// weir_counters - cells that each queue holds, and cells that nobody holds: the only owner of both numbers.
//
// Interface  add_*: a packet was admitted. sub_*: a packet left, sent or expelled. Both may come in one cycle, for the
//            same queue too. lengths: all queues side by side, queue 0 lowest.
// Timing     counters show an event from the next cycle on.
// Parameters QUEUES: a power of two, 2 or more; CELLS: of the buffer; W: 2^W > CELLS; NW: bits of a packet's cells < W.
`default_nettype none
module weir_counters #(
    parameter QUEUES = 8,
    parameter CELLS = 256,
    parameter W = $clog2(CELLS + 1),
    parameter NW = 4,
    parameter QW = $clog2(QUEUES)
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                add_valid,
    input  wire [QW-1:0]       add_queue,
    input  wire [NW-1:0]       add_cells,
    input  wire                sub_valid,
    input  wire [QW-1:0]       sub_queue,
    input  wire [NW-1:0]       sub_cells,
    output wire [QUEUES*W-1:0] lengths,
    output reg  [W-1:0]        free
);
    weir_require #(.MET(QUEUES >= 2 && (QUEUES & (QUEUES - 1)) == 0 && 1 << W > CELLS && NW < W)) legal ();
    localparam [31:0] ALL = CELLS;

    wire [W-1:0] plus = add_valid ? {{(W-NW){1'b0}}, add_cells} : 0;
    wire [W-1:0] minus = sub_valid ? {{(W-NW){1'b0}}, sub_cells} : 0;

    always @(posedge clk)
        if (rst)
            free <= ALL[W-1:0];
        else
            free <= free + minus - plus;

    genvar q;
    generate
        for (q = 0; q < QUEUES; q = q + 1) begin : queue
            localparam [31:0] ME = q;
            reg [W-1:0] length;
            wire        adds = add_queue == ME[QW-1:0];
            wire        subs = sub_queue == ME[QW-1:0];

            always @(posedge clk)
                if (rst)
                    length <= 0;
                else
                    length <= length + (adds ? plus : 0) - (subs ? minus : 0);
            assign lengths[q*W +: W] = length;
        end
    endgenerate
endmodule
`default_nettype wire
