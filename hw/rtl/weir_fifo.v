// weir_fifo - a queue of words in a block RAM; its head is a register.
//
// Interface  push/in: append. valid/out: the head; pop: it leaves. The caller keeps at most DEPTH words in it.
// Timing     a word that is pushed into an empty queue is the head two cycles later; then a word per cycle.
// Parameters WIDTH >= 1; DEPTH: a power of two, 2 or more.
`default_nettype none
module weir_fifo #(
    parameter WIDTH = 8,
    parameter DEPTH = 16
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             push,
    input  wire [WIDTH-1:0] in,
    input  wire             pop,
    output reg              valid,
    output wire [WIDTH-1:0] out
);
    weir_require #(.MET(WIDTH >= 1 && DEPTH >= 2 && (DEPTH & (DEPTH - 1)) == 0)) legal ();
    localparam AW = $clog2(DEPTH);
    localparam [AW:0] ONE = 1;

    reg  [AW:0] write_at, read_at;
    wire        fetch = write_at != read_at & (pop | ~valid);

    weir_ram #(.WIDTH(WIDTH), .DEPTH(DEPTH)) words (
        .clk(clk), .we(push), .waddr(write_at[AW-1:0]), .wdata(in),
        .re(fetch), .raddr(read_at[AW-1:0]), .rdata(out)
    );
    always @(posedge clk)
        if (rst) begin
            write_at <= 0;
            read_at <= 0;
            valid <= 1'b0;
        end else begin
            if (push)
                write_at <= write_at + ONE;
            if (fetch)
                read_at <= read_at + ONE;
            valid <= fetch | (valid & ~pop);
        end
endmodule
`default_nettype wire
