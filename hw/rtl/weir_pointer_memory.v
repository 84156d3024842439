// weir_pointer_memory - the cell-pointer memory: behind each cell, the next cell of the same sublist.
//
// Cell i of a packet is in sublist i mod LANES. Each sublist has a memory of its own, so that LANES pointers are read in a
// cycle (Occamy, section 2.1). The link of a cell is in the memory of the sublist it belongs to.
//
// Interface  write_*: append `write_next` behind `write_cell` in sublist write_lane. re/cell: ask per sublist.
// Timing     next is there in the cycle after re, and stays until the next re of its sublist.
// Parameters CELLS >= 2; LANES 1 to 4.
`default_nettype none
module weir_pointer_memory #(
    parameter CELLS = 256,
    parameter LANES = 1,
    parameter PW = $clog2(CELLS)
) (
    input  wire                clk,
    input  wire                write,
    input  wire [1:0]          write_lane,
    input  wire [PW-1:0]       write_cell,
    input  wire [PW-1:0]       write_next,
    input  wire [LANES-1:0]    re,
    input  wire [LANES*PW-1:0] cells,
    output wire [LANES*PW-1:0] next
);
    weir_require #(.MET(CELLS >= 2 && LANES >= 1 && LANES <= 4)) legal ();
    genvar l;
    generate
        for (l = 0; l < LANES; l = l + 1) begin : lane
            localparam [31:0] ME = l;
            weir_ram #(.WIDTH(PW), .DEPTH(CELLS)) memory (
                .clk(clk), .we(write & write_lane == ME[1:0]), .waddr(write_cell), .wdata(write_next),
                .re(re[l]), .raddr(cells[l*PW +: PW]), .rdata(next[l*PW +: PW])
            );
        end
    endgenerate
endmodule
`default_nettype wire
