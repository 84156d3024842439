// weir_queues - first and last descriptor of each queue.
//
// A queue that gets its first packet keeps that one in `first`, one that loses its head gets the next in `head`; so each
// table has one write port.
//
// Interface  put: descriptor put_pd joins queue put_queue; link tells the PD memory to write it behind link_pd. look_queue
//            -> look_pd: head of a queue. take: the head of take_queue leaves, take_next follows it. backlog: queues with a
//            packet. put and take may name the same queue.
// Timing     look and link are combinational; the tables change at the clock edge.
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
    input  wire              take,
    input  wire [QW-1:0]     take_queue,
    input  wire [DW-1:0]     take_next,
    output reg  [QUEUES-1:0] backlog
);
    weir_require #(.MET(QUEUES >= 2 && (QUEUES & (QUEUES - 1)) == 0 && PACKETS >= 2)) legal ();
    reg [DW-1:0]     head [0:QUEUES-1];
    reg [DW-1:0]     first [0:QUEUES-1];
    reg [DW-1:0]     tail [0:QUEUES-1];
    reg [QUEUES-1:0] is_first; // its head is in `first`

    wire [DW-1:0] take_pd = is_first[take_queue] ? first[take_queue] : head[take_queue];
    wire          empties = take & take_pd == tail[take_queue];
    wire          refills = empties & put & put_queue == take_queue;

    assign look_pd = is_first[look_queue] ? first[look_queue] : head[look_queue];
    assign link = put & backlog[put_queue];
    assign link_pd = tail[put_queue];

    wire starts = put & (~backlog[put_queue] | refills);

    always @(posedge clk) begin
        if (put)
            tail[put_queue] <= put_pd;
        if (starts)
            first[put_queue] <= put_pd;
        if (take)
            head[take_queue] <= take_next;
        if (rst) begin
            backlog <= 0;
            is_first <= 0;
        end else begin
            if (take) begin
                is_first[take_queue] <= 1'b0;
                if (empties)
                    backlog[take_queue] <= 1'b0;
            end
            if (put)
                backlog[put_queue] <= 1'b1;
            if (starts)
                is_first[put_queue] <= 1'b1;
        end
    end
endmodule
`default_nettype wire
