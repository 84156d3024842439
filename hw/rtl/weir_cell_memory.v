// weir_cell_memory - the cell-data memory: what the packets say. One cell in and one cell out per cycle; that is the
// memory bandwidth which transmissions share, and which a head-drop does not use.
//
// Interface  we/write_cell/write_data; re/read_cell. Timing: read_data is there in the cycle after re.
// Parameters CELLS >= 2; DATA_BITS: bits of a cell.
`default_nettype none
module weir_cell_memory #(
    parameter CELLS = 256,
    parameter DATA_BITS = 64,
    parameter PW = $clog2(CELLS)
) (
    input  wire                 clk,
    input  wire                 we,
    input  wire [PW-1:0]        write_cell,
    input  wire [DATA_BITS-1:0] write_data,
    input  wire                 re,
    input  wire [PW-1:0]        read_cell,
    output wire [DATA_BITS-1:0] read_data
);
    weir_require #(.MET(CELLS >= 2 && DATA_BITS >= 1)) legal ();
    weir_ram #(.WIDTH(DATA_BITS), .DEPTH(CELLS)) memory (
        .clk(clk), .we(we), .waddr(write_cell), .wdata(write_data),
        .re(re), .raddr(read_cell), .rdata(read_data)
    );
endmodule
`default_nettype wire
