// weir_threshold - Dynamic Threshold's T = alpha * free for each class, with alpha a power of two.
//
// The product is a shift, rounded down. T saturates at 2^W - 1, which never changes a decision: a queue that would
// need more than that does not fit into the buffer either.
//
// Interface  free: cells nobody holds. alpha_exp: log2(alpha) of each class, signed. threshold: T of each class, cells.
// Timing     combinational.
// Parameters CLASSES >= 1; W: bits of a length, 2^W > cells of the buffer; XW: bits of an exponent, 2 to 6.
`default_nettype none
module weir_threshold #(
    parameter CLASSES = 1,
    parameter W = 16,
    parameter XW = 5
) (
    input  wire [W-1:0]          free,
    input  wire [CLASSES*XW-1:0] alpha_exp,
    output wire [CLASSES*W-1:0]  threshold
);
    weir_require #(.MET(CLASSES >= 1 && XW >= 2 && XW <= 6)) legal ();
    localparam WIDE = W + (1 << (XW - 1));

    genvar c;
    generate
        for (c = 0; c < CLASSES; c = c + 1) begin : class_
            wire [XW-1:0]   up = alpha_exp[c*XW +: XW];
            wire [XW-1:0]   down = ~up + 1'b1;
            wire [WIDE-1:0] raised = {{(WIDE-W){1'b0}}, free} << up[XW-2:0];
            wire [W-1:0]    lowered = free >> down;
            wire            overflow = |raised[WIDE-1:W];
            assign threshold[c*W +: W] = up[XW-1] ? lowered : overflow ? {W{1'b1}} : raised[W-1:0];
        end
    endgenerate
endmodule
`default_nettype wire
