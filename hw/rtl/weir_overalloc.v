// weir_overalloc - the bitmap of over-allocated queues: bit q is set when queue q is longer than its threshold.
//
// Interface  lengths: all queues side by side, class by class (queue = class * QUEUES / CLASSES + port).
//            thresholds: of each class. over: the bitmap.
// Timing     combinational: one comparator per queue, see weir_greater.
// Parameters QUEUES >= 2, a multiple of CLASSES; W: bits of a length; SMALL: of the comparators.
`default_nettype none
module weir_overalloc #(
    parameter QUEUES = 64,
    parameter CLASSES = 1,
    parameter W = 32,
    parameter SMALL = 1
) (
    input  wire [QUEUES*W-1:0]  lengths,
    input  wire [CLASSES*W-1:0] thresholds,
    output wire [QUEUES-1:0]    over
);
    weir_require #(.MET(QUEUES >= 2 && QUEUES % CLASSES == 0)) legal ();
    genvar q;
    generate
        for (q = 0; q < QUEUES; q = q + 1) begin : queue
            weir_greater #(.W(W), .SMALL(SMALL)) compare (
                .a(lengths[q*W +: W]),
                .b(thresholds[(q / (QUEUES / CLASSES))*W +: W]),
                .greater(over[q])
            );
        end
    endgenerate
endmodule
`default_nettype wire
