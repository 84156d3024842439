// weir_axil - registers of weir_tm_axis behind AXI-Lite: settings, lengths, and counters of its pulses.
//
//   address   what                                                             read, write
//   0x00      0x57454952, "WEIR"                                               r
//   0x04      queues; 0x08: classes; 0x0c: inputs; 0x10: cells                 r
//   0x14      bit 0: drop_enable                                               rw
//   0x18      free cells                                                       r
//   0x20      frames malformed; 0x24: oversize; 0x28: refused; 0x2c: expelled; 0x30: sent. They wrap at 2^32.      r
//   0x40 + 4c log2(alpha) of class c, signed; read with its sign               rw
//   0x80 + 4c cells from which on class c is marked (ECN); at first 2^W - 1, never   rw
//   0x100 + 4q   cells of queue q                                              r
//
// Interface  s_axil_*: one read and one write under way at a time. Another address, or a write where only reads go,
//            answers SLVERR and changes nothing. A write counts if all of wstrb is set.
//            The others connect to those of weir_tm_axis of the same name.
// Timing     an answer comes in the cycle after address (and data) were taken. Settings hold from that cycle on; counters
//            include the pulses of the cycle before the address was taken.
// Parameters QUEUES: a power of two, 2 to 1024; CLASSES 1 to 16; INPUTS >= 1; CELLS below 2^W; XW: 2 to 6; ALPHA_EXP,
//            DROP_ENABLE: after reset, of all classes; AW: bits of an address, 2^AW >= 256 + 4 QUEUES.
`default_nettype none
module weir_axil #(
    parameter QUEUES = 8,
    parameter CLASSES = 1,
    parameter INPUTS = 1,
    parameter CELLS = 256,
    parameter XW = 5,
    parameter ALPHA_EXP = 3,
    parameter DROP_ENABLE = 1,
    parameter W = $clog2(CELLS + 1),
    parameter QW = $clog2(QUEUES),
    parameter AW = QUEUES > 64 ? QW + 3 : 9
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire [AW-1:0]         s_axil_awaddr,
    input  wire                  s_axil_awvalid,
    output wire                  s_axil_awready,
    input  wire [31:0]           s_axil_wdata,
    input  wire [3:0]            s_axil_wstrb,
    input  wire                  s_axil_wvalid,
    output wire                  s_axil_wready,
    output reg  [1:0]            s_axil_bresp,
    output reg                   s_axil_bvalid,
    input  wire                  s_axil_bready,
    input  wire [AW-1:0]         s_axil_araddr,
    input  wire                  s_axil_arvalid,
    output wire                  s_axil_arready,
    output reg  [31:0]           s_axil_rdata,
    output reg  [1:0]            s_axil_rresp,
    output reg                   s_axil_rvalid,
    input  wire                  s_axil_rready,
    output reg  [CLASSES*XW-1:0] alpha_exp,
    output reg  [CLASSES*W-1:0]  mark_at,
    output reg                   drop_enable,
    input  wire [INPUTS-1:0]     malformed,
    input  wire [INPUTS-1:0]     oversize,
    input  wire                  refused,
    input  wire                  expelled,
    input  wire                  sent,
    input  wire [QUEUES*W-1:0]   lengths,
    input  wire [W-1:0]          free
);
    weir_require #(.MET(QUEUES >= 2 && QUEUES <= 1024 && (QUEUES & (QUEUES - 1)) == 0 && CLASSES >= 1 && CLASSES <= 16 &&
                        INPUTS >= 1 && CELLS < 1 << W && XW >= 2 && XW <= 6 && 1 << AW >= 256 + 4 * QUEUES)) legal ();
    localparam [31:0] ALPHA = ALPHA_EXP, EXPELS = DROP_ENABLE, CLASSES_ = CLASSES;
    localparam [1:0] OKAY = 2'b00, SLVERR = 2'b10;

    // Pulses: 0 malformed, 1 oversize, 2 refused, 3 expelled, 4 sent.
    reg [31:0] frames [0:4];
    reg [31:0] wrong, long;
    integer i;
    always @* begin
        wrong = 0;
        long = 0;
        for (i = 0; i < INPUTS; i = i + 1) begin
            wrong = wrong + {31'd0, malformed[i]};
            long = long + {31'd0, oversize[i]};
        end
    end
    always @(posedge clk) begin
        frames[0] <= rst ? 0 : frames[0] + wrong;
        frames[1] <= rst ? 0 : frames[1] + long;
        frames[2] <= rst ? 0 : frames[2] + {31'd0, refused};
        frames[3] <= rst ? 0 : frames[3] + {31'd0, expelled};
        frames[4] <= rst ? 0 : frames[4] + {31'd0, sent};
    end

    // Words of an address.
    /* verilator lint_off UNUSEDSIGNAL */ // the two lowest bits are inside a word
    function [11:0] word(input [AW-1:0] address);
        word = {{(14-AW){1'b0}}, address[AW-1:2]};
    endfunction
    /* verilator lint_on UNUSEDSIGNAL */

    wire        writes = s_axil_awvalid & s_axil_wvalid & ~s_axil_bvalid;
    wire [11:0] write_at = word(s_axil_awaddr);
    wire        write_alpha = write_at >= 16 && write_at < 12'd16 + CLASSES_[11:0];
    wire        write_mark = write_at >= 32 && write_at < 12'd32 + CLASSES_[11:0];
    assign s_axil_awready = writes;
    assign s_axil_wready = writes;

    always @(posedge clk)
        if (rst) begin
            s_axil_bvalid <= 1'b0;
            drop_enable <= EXPELS[0];
            alpha_exp <= {CLASSES{ALPHA[XW-1:0]}};
            mark_at <= {CLASSES*W{1'b1}};
        end else begin
            if (s_axil_bready)
                s_axil_bvalid <= 1'b0;
            if (writes) begin
                s_axil_bvalid <= 1'b1;
                s_axil_bresp <= write_alpha || write_mark || write_at == 5 ? OKAY : SLVERR;
                if (&s_axil_wstrb && write_at == 5)
                    drop_enable <= s_axil_wdata[0];
                if (&s_axil_wstrb && write_alpha)
                    alpha_exp[write_at[3:0]*XW +: XW] <= s_axil_wdata[XW-1:0];
                if (&s_axil_wstrb && write_mark)
                    mark_at[write_at[3:0]*W +: W] <= s_axil_wdata[W-1:0];
            end
        end

    wire        reads = s_axil_arvalid & s_axil_arready;
    wire [11:0] read_at = word(s_axil_araddr);
    wire        read_alpha = read_at >= 16 && read_at < 12'd16 + CLASSES_[11:0];
    wire        read_mark = read_at >= 32 && read_at < 12'd32 + CLASSES_[11:0];
    wire        read_length = {20'd0, read_at} >= 64 && {20'd0, read_at} < 64 + QUEUES;
    wire [3:0]    class_at = read_alpha | read_mark ? read_at[3:0] : 4'd0;
    wire [W-1:0]  marks_from = mark_at[class_at*W +: W];
    wire [XW-1:0] exponent = alpha_exp[class_at*XW +: XW];
    /* verilator lint_off UNUSEDSIGNAL */ // of queues, the low bits
    wire [11:0] queue_at = read_at - 12'd64;
    /* verilator lint_on UNUSEDSIGNAL */
    reg  [31:0] found;
    reg         known;
    assign s_axil_arready = ~s_axil_rvalid;

    always @* begin
        known = 1'b1;
        case (read_at)
            0: found = 32'h57454952;
            1: found = QUEUES;
            2: found = CLASSES;
            3: found = INPUTS;
            4: found = CELLS;
            5: found = {31'd0, drop_enable};
            6: found = {{(32-W){1'b0}}, free};
            8, 9, 10, 11, 12: found = frames[read_at[2:0]];
            default: begin
                known = read_alpha | read_mark | read_length;
                found = read_alpha ? {{(32-XW){exponent[XW-1]}}, exponent}
                      : read_mark ? {{(32-W){1'b0}}, marks_from}
                      : read_length ? {{(32-W){1'b0}}, lengths[queue_at[QW-1:0]*W +: W]} : 0;
            end
        endcase
    end
    always @(posedge clk)
        if (rst)
            s_axil_rvalid <= 1'b0;
        else begin
            if (s_axil_rready)
                s_axil_rvalid <= 1'b0;
            if (reads) begin
                s_axil_rvalid <= 1'b1;
                s_axil_rdata <= found;
                s_axil_rresp <= known ? OKAY : SLVERR;
            end
        end

    /* verilator lint_off UNUSEDSIGNAL */ // settings do not fill a word
    wire unused = &s_axil_wdata;
    /* verilator lint_on UNUSEDSIGNAL */
endmodule
`default_nettype wire
