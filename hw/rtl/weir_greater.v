// weir_greater - a > b, unsigned.
//
// Interface  a, b in; greater out.
// Timing     combinational. SMALL = 1 goes through two bits per step, lowest first, each step a function of five inputs:
//            one LUT. Its delay grows with W. SMALL = 0 leaves the form to the synthesizer, which builds a carry chain (more
//            LUTs, faster). An ASIC wants SMALL = 0: the steps stay a chain there (docs/reference/rtl-cost.md).
// Parameters W >= 1; SMALL 0 or 1.
`default_nettype none
module weir_greater #(
    parameter W = 32,
    parameter SMALL = 1
) (
    input  wire [W-1:0] a,
    input  wire [W-1:0] b,
    output wire         greater
);
    weir_require #(.MET(W >= 1)) legal ();
    localparam STEPS = (W + 1) / 2;

    generate
        if (SMALL == 0) begin : any_form
            assign greater = a > b;
        end else begin : steps
            /* verilator lint_off UNUSEDSIGNAL */ // the bit above is for an odd W
            wire [W:0]     x = {1'b0, a};
            wire [W:0]     y = {1'b0, b};
            /* verilator lint_on UNUSEDSIGNAL */
            wire [STEPS:0] above;
            assign above[0] = 1'b0;
            genvar i;
            for (i = 0; i < STEPS; i = i + 1) begin : step
                weir_greater_step pair (.a(x[2*i +: 2]), .b(y[2*i +: 2]), .below(above[i]), .above(above[i+1]));
            end
            assign greater = above[STEPS];
        end
    endgenerate
endmodule
`default_nettype wire
