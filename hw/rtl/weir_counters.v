// weir_counters - cells that each queue holds, and cells that nobody holds: the only owner of both numbers.
//
// Interface  add_*: a packet was admitted. sub_*: a packet left, sent or expelled. Both may come in one cycle, for the
//            same queue too. add_length: of add_queue; add_sum: with add_cells; add_sum_less: the same less sub_cells, if
//            add_less: the packet that leaves is of that queue. lengths: all queues side by side, queue 0 lowest.
// Timing     counters show an event from the next cycle on; add_length is of this one. The sums are ready before it is
//            known whether they count: add_valid and sub_valid only choose among them, and may come late in the cycle.
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
    output wire [W-1:0]        add_length,
    output wire [W-1:0]        add_sum,
    output wire [W-1:0]        add_sum_less,
    output wire                add_less,
    input  wire                sub_valid,
    input  wire [QW-1:0]       sub_queue,
    input  wire [NW-1:0]       sub_cells,
    output wire [QUEUES*W-1:0] lengths,
    output reg  [W-1:0]        free
);
    weir_require #(.MET(QUEUES >= 2 && (QUEUES & (QUEUES - 1)) == 0 && 1 << W > CELLS && NW < W)) legal ();
    localparam [31:0] ALL = CELLS;

    wire [W-1:0] n = {{(W-NW){1'b0}}, add_cells};
    wire [W-1:0] m = {{(W-NW){1'b0}}, sub_cells};
    wire         same = add_queue == sub_queue;
    wire [W-1:0] sub_length = lengths[sub_queue*W +: W];
    assign add_length = lengths[add_queue*W +: W];

    wire [W-1:0] lowered = sub_length - m;
    wire [W-1:0] raised = add_length + n;
    wire [W-1:0] raised_lowered = raised - m; // of one queue
    assign add_sum = raised;
    assign add_sum_less = raised_lowered;
    assign add_less = same & sub_valid;
    wire [W-1:0] raised_now = add_less ? raised_lowered : raised;

    wire [W-1:0] freed = free + m;
    wire [W-1:0] freed_held = free + m - n;
    wire [W-1:0] held = free - n;

    always @(posedge clk)
        if (rst)
            free <= ALL[W-1:0];
        else
            free <= add_valid ? (sub_valid ? freed_held : held) : sub_valid ? freed : free;

    genvar q;
    generate
        for (q = 0; q < QUEUES; q = q + 1) begin : queue
            localparam [31:0] ME = q;
            reg [W-1:0] length;
            wire        adds = add_valid & add_queue == ME[QW-1:0];
            wire        subs = sub_valid & sub_queue == ME[QW-1:0];

            always @(posedge clk)
                if (rst)
                    length <= 0;
                else if (adds)
                    length <= raised_now;
                else if (subs)
                    length <= lowered;
            assign lengths[q*W +: W] = length;
        end
    endgenerate
endmodule
`default_nettype wire
