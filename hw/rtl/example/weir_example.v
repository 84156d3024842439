// weir_example - a shared-memory switch's buffer as one would place it on a chip: weir_tm_axis and its registers.
//
// Two inputs of 2 bytes per cycle, 4 queues, 512 cells of 2 bytes, Occamy. Everything is registered in the wrapper or passes
// one gate level of it, so that the pins can be those of other blocks. An iCE40 HX8K holds it (make rtl-report states the
// routed clock); example/tb_example.sv drives it.
//
// Interface  s0_axis_*, s1_axis_*: frames in; tdest is the queue, tuser marks a bad frame. m_axis_*: frames out; tuser: to be marked. s_axil_*:
//            registers, see weir_axil.
// Timing     as weir_tm_axis.
// Parameters none.
`default_nettype none
module weir_example (
    input  wire        clk,
    input  wire        rst,
    input  wire        s0_axis_tvalid,
    output wire        s0_axis_tready,
    input  wire [15:0] s0_axis_tdata,
    input  wire [1:0]  s0_axis_tkeep,
    input  wire        s0_axis_tlast,
    input  wire [1:0]  s0_axis_tdest,
    input  wire        s0_axis_tuser,
    input  wire        s1_axis_tvalid,
    output wire        s1_axis_tready,
    input  wire [15:0] s1_axis_tdata,
    input  wire [1:0]  s1_axis_tkeep,
    input  wire        s1_axis_tlast,
    input  wire [1:0]  s1_axis_tdest,
    input  wire        s1_axis_tuser,
    output wire        m_axis_tvalid,
    input  wire        m_axis_tready,
    output wire [15:0] m_axis_tdata,
    output wire [1:0]  m_axis_tkeep,
    output wire        m_axis_tlast,
    output wire [1:0]  m_axis_tdest,
    output wire        m_axis_tuser,
    input  wire [8:0]  s_axil_awaddr,
    input  wire        s_axil_awvalid,
    output wire        s_axil_awready,
    input  wire [31:0] s_axil_wdata,
    input  wire [3:0]  s_axil_wstrb,
    input  wire        s_axil_wvalid,
    output wire        s_axil_wready,
    output wire [1:0]  s_axil_bresp,
    output wire        s_axil_bvalid,
    input  wire        s_axil_bready,
    input  wire [8:0]  s_axil_araddr,
    input  wire        s_axil_arvalid,
    output wire        s_axil_arready,
    output wire [31:0] s_axil_rdata,
    output wire [1:0]  s_axil_rresp,
    output wire        s_axil_rvalid,
    input  wire        s_axil_rready
);
    localparam PORTS = 4, CELLS = 512, PACKETS = 128, NW = 6, W = $clog2(CELLS + 1);

    wire [4:0]         alpha_exp;
    wire [W-1:0]       mark_at, free;
    wire               drop_enable, refused, expelled, sent;
    wire [1:0]         malformed, oversize;
    wire [PORTS*W-1:0] lengths;

    weir_tm_axis #(.PORTS(PORTS), .CELLS(CELLS), .PACKETS(PACKETS), .NW(NW), .KEEP(2), .INPUTS(2), .DEPTH(256)) buffer (
        .clk(clk), .rst(rst), .alpha_exp(alpha_exp), .mark_at(mark_at), .drop_enable(drop_enable),
        .s_axis_tvalid({s1_axis_tvalid, s0_axis_tvalid}), .s_axis_tready({s1_axis_tready, s0_axis_tready}),
        .s_axis_tdata({s1_axis_tdata, s0_axis_tdata}), .s_axis_tkeep({s1_axis_tkeep, s0_axis_tkeep}),
        .s_axis_tlast({s1_axis_tlast, s0_axis_tlast}), .s_axis_tdest({s1_axis_tdest, s0_axis_tdest}),
        .s_axis_tuser({s1_axis_tuser, s0_axis_tuser}),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready), .m_axis_tdata(m_axis_tdata),
        .m_axis_tkeep(m_axis_tkeep), .m_axis_tlast(m_axis_tlast), .m_axis_tdest(m_axis_tdest), .m_axis_tuser(m_axis_tuser),
        .malformed(malformed), .oversize(oversize), .refused(refused), .expelled(expelled), .sent(sent),
        .lengths(lengths), .free(free)
    );
    weir_axil #(.QUEUES(PORTS), .INPUTS(2), .CELLS(CELLS)) registers (
        .clk(clk), .rst(rst), .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready), .s_axil_araddr(s_axil_araddr),
        .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready), .s_axil_rdata(s_axil_rdata),
        .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .alpha_exp(alpha_exp), .mark_at(mark_at), .drop_enable(drop_enable), .malformed(malformed), .oversize(oversize),
        .refused(refused), .expelled(expelled), .sent(sent), .lengths(lengths), .free(free)
    );
endmodule
`default_nettype wire
