// weir_ram - memory with one write and one read port, both synchronous.
//
// Interface  we/waddr/wdata write at the clock edge. re/raddr ask; rdata is there in the next cycle and stays until the
//            next re.
// Timing     A word written in a cycle can be asked for in the next one. Asked for in the same cycle, the old word comes.
// Parameters WIDTH >= 1, DEPTH >= 2. AW follows.
`default_nettype none
module weir_ram #(
    parameter WIDTH = 8,
    parameter DEPTH = 16,
    parameter AW = $clog2(DEPTH)
) (
    input  wire             clk,
    input  wire             we,
    input  wire [AW-1:0]    waddr,
    input  wire [WIDTH-1:0] wdata,
    input  wire             re,
    input  wire [AW-1:0]    raddr,
    output reg  [WIDTH-1:0] rdata
);
    weir_require #(.MET(WIDTH >= 1 && DEPTH >= 2)) legal ();
    reg [WIDTH-1:0] word [0:DEPTH-1];

    always @(posedge clk) begin
        if (we)
            word[waddr] <= wdata;
        if (re)
            rdata <= word[raddr];
    end
endmodule
`default_nettype wire
