// weir_selector - Occamy's head-drop selector: who loses the next packet (its Figure 8).
//
// Interface  lengths, thresholds: as in weir_overalloc. valid: some queue is over-allocated; index: the next one in turn.
//            take: the packet of `index` leaves now, so that the turn passes on.
// Timing     valid and index follow the counters within the cycle; take moves the cursor at the clock edge.
// Parameters QUEUES: a power of two, 4 or more; CLASSES divides it; W: bits of a length; SMALL: of the comparators.
`default_nettype none
module weir_selector #(
    parameter QUEUES = 64,
    parameter CLASSES = 1,
    parameter W = 32,
    parameter SMALL = 1,
    parameter QW = $clog2(QUEUES)
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire [QUEUES*W-1:0]  lengths,
    input  wire [CLASSES*W-1:0] thresholds,
    input  wire                 take,
    output wire                 valid,
    output wire [QW-1:0]        index
);
    weir_require #(.MET(QUEUES >= 4 && (QUEUES & (QUEUES - 1)) == 0 && QUEUES % CLASSES == 0)) legal ();
    reg  [QW-1:0]     cursor; // last victim
    wire [QUEUES-1:0] over;

    weir_overalloc #(.QUEUES(QUEUES), .CLASSES(CLASSES), .W(W), .SMALL(SMALL)) bitmap (
        .lengths(lengths), .thresholds(thresholds), .over(over)
    );
    weir_rr_select #(.QUEUES(QUEUES)) round_robin (
        .request(over), .last(cursor), .valid(valid), .index(index)
    );

    always @(posedge clk)
        if (rst)
            cursor <= {QW{1'b1}};
        else if (take)
            cursor <= index;
endmodule
`default_nettype wire
