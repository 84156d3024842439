// weir_recheck - is this queue still the one that loses the next packet? What weir_selector would say of this cycle's
// bitmap, of one queue only: it is over its threshold, and no queue is between the last victim and it.
//
// Interface  over: the bitmap; last: the last victim; candidate: the queue asked about. due: the answer.
// Timing     combinational. What lies between follows from last and candidate alone, so that a late bitmap passes two
//            gates and a tree of ORs, and no encoder.
// Parameters QUEUES: a power of two, 2 or more.
`default_nettype none
module weir_recheck #(
    parameter QUEUES = 64,
    parameter QW = $clog2(QUEUES)
) (
    input  wire [QUEUES-1:0] over,
    input  wire [QW-1:0]     last,
    input  wire [QW-1:0]     candidate,
    output wire              due
);
    weir_require #(.MET(QUEUES >= 2 && (QUEUES & (QUEUES - 1)) == 0)) legal ();
    localparam [QUEUES-1:0] ALL = {QUEUES{1'b1}}, ONE = 1;

    wire [QUEUES-1:0] behind_last = ALL << last << 1;
    wire [QUEUES-1:0] before_it = ~(ALL << candidate);
    wire              wraps = candidate <= last;
    wire [QUEUES-1:0] between = wraps ? behind_last | before_it : behind_last & before_it;

    assign due = |(over & (ONE << candidate)) & ~|(over & between);
endmodule
`default_nettype wire
