// weir_selector - Occamy's head-drop selector: who loses the next packet (its Figure 8).
//
// Interface  lengths, thresholds: as in weir_overalloc. valid: some queue is over-allocated; index: the next one in turn.
//            take: a packet of take_queue is expelled now, so that the turn passes on; tries: it may be. over: the bitmap;
//            last: the last victim.
// Timing     over follows the counters within the cycle, and so do valid and index. STAGED = 1 gives the answer of the cycle
//            before, from a register, as if a try were a take, and none if it was not: for a design that asks weir_recheck
//            before it acts.
//            take moves the cursor at the clock edge.
// Parameters QUEUES: a power of two, 4 or more; CLASSES divides it; W: bits of a length; SMALL: of the comparators; STAGED:
//            0 or 1.
`default_nettype none
module weir_selector #(
    parameter QUEUES = 64,
    parameter CLASSES = 1,
    parameter W = 32,
    parameter SMALL = 1,
    parameter STAGED = 0,
    parameter QW = $clog2(QUEUES)
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire [QUEUES*W-1:0]  lengths,
    input  wire [CLASSES*W-1:0] thresholds,
    input  wire                 take,
    /* verilator lint_off UNUSEDSIGNAL */ // where nothing is staged
    input  wire                 tries,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire [QW-1:0]        take_queue,
    output wire                 valid,
    output wire [QW-1:0]        index,
    output wire [QUEUES-1:0]    over,
    output reg  [QW-1:0]        last
);
    weir_require #(.MET(QUEUES >= 4 && (QUEUES & (QUEUES - 1)) == 0 && QUEUES % CLASSES == 0 && STAGED <= 1)) legal ();
    weir_overalloc #(.QUEUES(QUEUES), .CLASSES(CLASSES), .W(W), .SMALL(SMALL)) bitmap (
        .lengths(lengths), .thresholds(thresholds), .over(over)
    );

    wire          found;
    wire [QW-1:0] found_index;
    generate
        if (STAGED == 0) begin : at_once
            weir_rr_select #(.QUEUES(QUEUES)) round_robin (
                .request(over), .last(last), .valid(found), .index(found_index)
            );
            assign valid = found;
            assign index = found_index;
        end else begin : staged
            reg          held;
            reg [QW-1:0] held_index;
            weir_rr_select #(.QUEUES(QUEUES)) round_robin (
                .request(over), .last(tries ? take_queue : last), .valid(found), .index(found_index)
            );
            always @(posedge clk) begin
                held <= found & ~(tries & ~take) & ~rst;
                held_index <= found_index;
            end
            assign valid = held;
            assign index = held_index;
        end
    endgenerate

    always @(posedge clk)
        if (rst)
            last <= {QW{1'b1}};
        else if (take)
            last <= take_queue;
endmodule
`default_nettype wire
