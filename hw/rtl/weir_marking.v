// weir_marking - step ECN (DCTCP): is a packet that enters to be marked? (lib/core/marking.c, kind STEP)
//
//   mark  if  length with the packet >= mark_at
//
// Interface  length: with the packet; length_less: the same if a packet of the queue leaves in this cycle, which `less`
//            says: the one that leaves goes first. mark_at: 2^W - 1 marks nothing.
// Timing     combinational; less may come late.
// Parameters W: bits of a length, 2^W > cells of the buffer.
`default_nettype none
module weir_marking #(
    parameter W = 16
) (
    input  wire [W-1:0] length,
    input  wire [W-1:0] length_less,
    input  wire         less,
    input  wire [W-1:0] mark_at,
    output wire         mark
);
    weir_require #(.MET(W >= 1)) legal ();
    wire of_all = length >= mark_at;
    wire of_less = length_less >= mark_at;
    assign mark = less ? of_less : of_all;
endmodule
`default_nettype wire
