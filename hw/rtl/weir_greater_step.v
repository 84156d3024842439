// weir_greater_step - one step of weir_greater's small form: two bits of a > b, given what the bits below say.
//
// Interface  a, b: two bits; below: a > b in the bits below; above: a > b so far.
// Timing     combinational: five inputs, one LUT. A module of its own that keeps its walls, since synthesizers would trade
//            the LUTs that it saves for speed.
(* keep_hierarchy *)
`default_nettype none
module weir_greater_step (
    input  wire [1:0] a,
    input  wire [1:0] b,
    input  wire       below,
    output wire       above
);
    assign above = {a, below} > {b, 1'b0};
endmodule
`default_nettype wire
