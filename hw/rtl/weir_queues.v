// weir_queues - first and last descriptor of each queue.
//
// A queue that gets its first packet keeps that one in `first`, one that loses its head gets the next in `head`; so each
// table has one write port.
//
// Interface  put: descriptor put_pd joins queue put_queue; link tells the PD memory to write it behind link_pd. look_queue
//            -> look_pd: the packet of a queue that is next; look_last: no packet is behind it. take: the packet that was
//            looked at a cycle ago leaves: it was of take_queue, take_last is what look_last said, take_next follows it.
//            takes: that is certain already. backlog: queues with a packet that is next, one that is certain to leave
//            not counted. put and take may name the same queue.
// Timing     look, link and backlog are combinational; the tables change at the clock edge. While a packet is certain to
//            leave, a look at its queue shows the one behind it, so that packets of a queue can leave one per cycle.
// Parameters QUEUES: a power of two, 2 or more; PACKETS >= 2.
`default_nettype none
module weir_queues #(
    parameter QUEUES = 8,
    parameter PACKETS = 64,
    parameter QW = $clog2(QUEUES),
    parameter DW = $clog2(PACKETS)
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              put,
    input  wire [QW-1:0]     put_queue,
    input  wire [DW-1:0]     put_pd,
    output wire              link,
    output wire [DW-1:0]     link_pd,
    input  wire [QW-1:0]     look_queue,
    output wire [DW-1:0]     look_pd,
    output wire              look_last,
    input  wire              take,
    input  wire              takes,
    input  wire              take_last,
    input  wire [QW-1:0]     take_queue,
    input  wire [DW-1:0]     take_next,
    output wire [QUEUES-1:0] backlog
);
    weir_require #(.MET(QUEUES >= 2 && (QUEUES & (QUEUES - 1)) == 0 && PACKETS >= 2)) legal ();
    localparam [QUEUES-1:0] ONE = 1;

    reg [DW-1:0]     head [0:QUEUES-1];
    reg [DW-1:0]     first [0:QUEUES-1];
    reg [DW-1:0]     tail [0:QUEUES-1];
    reg [QUEUES-1:0] is_first; // its head is in `first`
    reg [QUEUES-1:0] filled;   // has a packet

    wire empties = take & take_last;
    wire starts = put & (~filled[put_queue] | (empties & put_queue == take_queue));
    wire behind = takes & look_queue == take_queue;

    assign look_pd = behind ? take_next : is_first[look_queue] ? first[look_queue] : head[look_queue];
    assign look_last = look_pd == tail[look_queue] & ~(put & put_queue == look_queue);
    assign link = put & filled[put_queue];
    assign link_pd = tail[put_queue];
    assign backlog = filled & ~(takes & take_last ? ONE << take_queue : {QUEUES{1'b0}});

    always @(posedge clk) begin
        if (put)
            tail[put_queue] <= put_pd;
        if (starts)
            first[put_queue] <= put_pd;
        if (take)
            head[take_queue] <= take_next;
        if (rst) begin
            filled <= 0;
            is_first <= 0;
        end else begin
            if (take) begin
                is_first[take_queue] <= 1'b0;
                if (empties)
                    filled[take_queue] <= 1'b0;
            end
            if (put)
                filled[put_queue] <= 1'b1;
            if (starts)
                is_first[put_queue] <= 1'b1;
        end
    end
endmodule
`default_nettype wire
