// weir_dequeue - the dequeue pipeline that transmission and head-drop share (Occamy, Figure 9).
//
//   cycle 1   read the descriptor at the head of the queue
//   cycle 2   take it out of the queue; the counters change
//   cycle 3.. free the cells and read the pointers behind them; read the data, for transmission only
//   cycle 2   the next descriptor to be sent is read, if this packet has one cell; else cycle 3 at the earliest
//
// A head-drop gives way at every cycle. If the scheduler asks in cycle 1 or 2, nothing has happened and the head-drop is
// forgotten. From cycle 3 on the packet is gone from its queue; the executor stops while a transmission reads pointers,
// and goes on afterwards. The selector looks at the counters of the cycle before, so in cycle 2 the victim is looked at
// again (weir_recheck): only the queue whose turn it is then, and which is then over its threshold, loses a packet.
//
// Interface  tx_request/tx_queue: the output scheduler asks; served in the same cycle if tx_ready and the queue has
//            backlog (tx_grant). select_*: who ought to lose a packet; drop_enable: whether anybody may; still_due: the
//            victim in cycle 2, leave_queue, is the right one. look/read/pd_*: queue table and PD memory. leave*: a packet
//            leaves in this cycle: a transmission certainly (sends), a head-drop perhaps (tries). free_*: cells for the free list.
//            walk_*: reads of the cell-pointer memory. data_*: reads of the cell-data memory.
//            interrupted: a head-drop in cycle 2 gave way to the scheduler.
// Timing     tx_ready depends on transmissions only, so head-drop never delays the scheduler by a cycle. A packet of n
//            cells occupies the scheduler for n cycles, the executor for max(2, n / LANES rounded up).
// Parameters QUEUES a power of two; CELLS, PACKETS >= 2; LANES 1 to 4; NW: bits of a packet's cells, 2 or more.
`default_nettype none
module weir_dequeue #(
    parameter QUEUES = 8,
    parameter CELLS = 256,
    parameter PACKETS = 64,
    parameter LANES = 1,
    parameter NW = 4,
    parameter QW = $clog2(QUEUES),
    parameter PW = $clog2(CELLS),
    parameter DW = $clog2(PACKETS)
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                tx_request,
    input  wire [QW-1:0]       tx_queue,
    output wire                tx_ready,
    output wire                tx_grant,
    input  wire                drop_enable,
    input  wire                select_valid,
    input  wire [QW-1:0]       select_queue,
    input  wire                still_due,
    input  wire [QUEUES-1:0]   backlog,
    output wire [QW-1:0]       look_queue,
    input  wire [DW-1:0]       look_pd,
    input  wire                look_last,
    output wire                pd_read,
    input  wire [NW-1:0]       pd_cells,
    input  wire [LANES*PW-1:0] pd_heads,
    output wire                leave,
    output wire                sends,
    output wire                tries,
    output wire                leave_drop,
    output reg                 leave_last,
    output wire [QW-1:0]       leave_queue,
    output wire [DW-1:0]       leave_pd,
    output wire [NW-1:0]       leave_cells,
    output wire [LANES-1:0]    walk,
    output wire [LANES*PW-1:0] walk_cells,
    input  wire [LANES*PW-1:0] walk_next,
    output wire [LANES-1:0]    free_valid,
    output wire [LANES*PW-1:0] free_cells,
    output wire                data_read,
    output wire [PW-1:0]       data_cell,
    output wire                data_first,
    output wire                data_last,
    output reg  [QW-1:0]       data_queue,
    output wire                interrupted
);
    weir_require #(.MET((QUEUES & (QUEUES - 1)) == 0 && CELLS >= 2 && PACKETS >= 2 && LANES >= 1 && LANES <= 4 &&
                        NW >= 2)) legal ();
    // Cycle 1.
    reg           valid2, drop2;
    reg  [QW-1:0] queue2;
    reg  [DW-1:0] pd2;
    wire [NW-1:0] tx_left;
    wire          executor_ready, executor_soon, drop_grant;

    assign tx_ready = tx_left <= {{(NW-2){1'b0}}, 2'd2} & (~sends | pd_cells == {{(NW-1){1'b0}}, 1'b1});

    wire tx_serves = tx_request & tx_ready & backlog[tx_queue];
    wire drop_request = drop_enable & select_valid & backlog[select_queue] & ~valid2 & executor_soon;

    weir_arbiter arbiter (
        .tx_request(tx_serves), .drop_request(drop_request), .tx_grant(tx_grant), .drop_grant(drop_grant)
    );
    assign look_queue = tx_grant ? tx_queue : select_queue;
    assign pd_read = tx_grant | drop_grant;

    always @(posedge clk) begin
        valid2 <= pd_read & ~rst;
        drop2 <= drop_grant;
        queue2 <= look_queue;
        pd2 <= look_pd;
        leave_last <= look_last;
    end

    // Cycle 2.
    assign sends = valid2 & ~drop2;
    assign tries = valid2 & drop2;
    assign interrupted = tries & tx_grant;
    assign leave = sends | (tries & drop_enable & still_due & executor_ready & ~tx_grant);
    assign leave_drop = drop2;
    assign leave_queue = queue2;
    assign leave_pd = pd2;
    assign leave_cells = pd_cells;

    // Cycle 3 and on.
    wire                tx_beat;
    wire [PW-1:0]       tx_cell;
    wire [LANES-1:0]    tx_re, drop_re, drop_push;
    wire [LANES*PW-1:0] tx_ask, drop_ask, drop_cells;

    weir_transmit #(.CELLS(CELLS), .LANES(LANES), .NW(NW)) transmit (
        .clk(clk), .rst(rst), .load(leave & ~drop2), .cells(pd_cells), .heads(pd_heads),
        .beat(tx_beat), .first(data_first), .last(data_last), .left(tx_left), .cell_(tx_cell),
        .re(tx_re), .ask(tx_ask), .next(walk_next)
    );
    weir_executor #(.CELLS(CELLS), .LANES(LANES), .NW(NW)) executor (
        .clk(clk), .rst(rst), .load(leave & drop2), .cells(pd_cells), .heads(pd_heads), .go(~tx_beat),
        .ready(executor_ready), .soon(executor_soon), .push(drop_push), .pushed(drop_cells),
        .re(drop_re), .ask(drop_ask), .next(walk_next)
    );

    localparam [LANES-1:0] ONE = 1;
    assign walk = tx_beat ? tx_re : drop_re;
    assign walk_cells = tx_beat ? tx_ask : drop_ask;
    assign free_valid = tx_beat ? ONE : drop_push;
    assign free_cells[0 +: PW] = tx_beat ? tx_cell : drop_cells[0 +: PW];
    generate
        if (LANES > 1) begin : others
            assign free_cells[LANES*PW-1:PW] = drop_cells[LANES*PW-1:PW];
        end
    endgenerate
    assign data_read = tx_beat;
    assign data_cell = tx_cell;

    always @(posedge clk)
        if (leave & ~drop2)
            data_queue <= queue2;
endmodule
`default_nettype wire
