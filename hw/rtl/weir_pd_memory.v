// weir_pd_memory - the packet-descriptor memory: of each packet its cells, its mark and the heads of its pointer sublists, and the
// next packet of its queue.
//
// Interface  write_*: the body of a descriptor, once per packet. link_*: `link_next` follows `link_pd` in its queue.
//            re/read_pd: ask; cells, mark, heads and next are there in the next cycle.
// Timing     a link written in the cycle of a read of the same descriptor is seen by that read; a body is not.
// Parameters PACKETS >= 2; LANES 1 to 4; CELLS >= 2; NW: bits of a packet's cells.
`default_nettype none
module weir_pd_memory #(
    parameter PACKETS = 64,
    parameter CELLS = 256,
    parameter LANES = 1,
    parameter NW = 4,
    parameter PW = $clog2(CELLS),
    parameter DW = $clog2(PACKETS)
) (
    input  wire                clk,
    input  wire                write,
    input  wire [DW-1:0]       write_pd,
    input  wire [NW-1:0]       write_cells,
    input  wire                write_mark,
    input  wire [LANES*PW-1:0] write_heads,
    input  wire                link,
    input  wire [DW-1:0]       link_pd,
    input  wire [DW-1:0]       link_next,
    input  wire                re,
    input  wire [DW-1:0]       read_pd,
    output wire [NW-1:0]       cells,
    output wire                mark,
    output wire [LANES*PW-1:0] heads,
    output wire [DW-1:0]       next
);
    weir_require #(.MET(PACKETS >= 2 && CELLS >= 2 && LANES >= 1 && LANES <= 4)) legal ();
    reg           passed; // the link came in the cycle of the read
    reg  [DW-1:0] passed_next;
    wire [DW-1:0] stored_next;

    weir_ram #(.WIDTH(1 + NW + LANES*PW), .DEPTH(PACKETS)) bodies (
        .clk(clk), .we(write), .waddr(write_pd), .wdata({write_mark, write_cells, write_heads}),
        .re(re), .raddr(read_pd), .rdata({mark, cells, heads})
    );
    weir_ram #(.WIDTH(DW), .DEPTH(PACKETS)) links (
        .clk(clk), .we(link), .waddr(link_pd), .wdata(link_next),
        .re(re), .raddr(read_pd), .rdata(stored_next)
    );

    always @(posedge clk)
        if (re) begin
            passed <= link & link_pd == read_pd;
            passed_next <= link_next;
        end
    assign next = passed ? passed_next : stored_next;
endmodule
`default_nettype wire
