// weir_admission - may this packet enter? Dynamic Threshold's rule, which is Occamy's too.
//
//   accept  if  length + cells <= threshold  and  cells <= free  and  a packet descriptor is free
//
// Interface  length, threshold: of the packet's queue; cells: of the packet, 0 is refused; free: of the buffer.
// Timing     combinational.
// Parameters W: bits of a length, 2^W > cells of the buffer; NW: bits of a packet's cells, 1 <= NW < W.
`default_nettype none
module weir_admission #(
    parameter W = 16,
    parameter NW = 8
) (
    input  wire [W-1:0]  length,
    input  wire [NW-1:0] cells,
    input  wire [W-1:0]  free,
    input  wire [W-1:0]  threshold,
    input  wire          has_descriptor,
    output wire          accept
);
    weir_require #(.MET(NW >= 1 && NW < W)) legal ();
    // length + cells - threshold - 1 < 0: a row of full adders first, so that one carry chain is enough.
    wire [W+1:0] a = {2'b00, length};
    wire [W+1:0] b = {{(W+2-NW){1'b0}}, cells};
    wire [W+1:0] c = {2'b11, ~threshold}; // -threshold - 1
    wire [W+1:0] sums = a ^ b ^ c;
    wire [W+1:0] carries = ((a & b) | (a & c) | (b & c)) << 1;
    /* verilator lint_off UNUSEDSIGNAL */ // of the sum, the sign
    wire [W+1:0] difference = sums + carries;
    /* verilator lint_on UNUSEDSIGNAL */
    wire       under = difference[W+1];
    wire       room = {{(W+1-NW){1'b0}}, cells} <= {1'b0, free};

    assign accept = |cells & under & room & has_descriptor;
endmodule
`default_nettype wire
