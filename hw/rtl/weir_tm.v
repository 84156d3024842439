// weir_tm - a traffic manager: shared packet memory, Dynamic Threshold at the door, Occamy's head-drop behind it.
//
// Interface
//   alpha_exp    log2(alpha) of each class, signed; drop_enable: 1 Occamy, 0 plain DT. Both may change at any time.
//   mark_at      step ECN of each class: a packet whose queue has so many cells with it is marked; 2^W - 1: none is.
//   in_*         a cell per cycle, never refused by a stall: in_first with in_queue and in_cells (1 to 2^NW - 1); the cells
//                of a packet follow each other, gaps allowed. in_accept: the verdict, in the cycle of in_first.
//   tx_*         the output scheduler asks for the head of a queue that has backlog; tx_grant in the same cycle.
//   out_*        the packet's cells, one per cycle, from the third cycle after tx_grant on; out_mark: congestion experienced.
//                Whether the packet may be marked is for the one who writes it into the header.
//   leave_*      a packet leaves the buffer: sent, or expelled (leave_drop). It does so in the cycle after its descriptor
//                was read.
//   lengths,free the counters. Queue = class * PORTS + port.
//   take_*, free_valid/cell, interrupted   for looking only: cells as they leave and join the free list, a
//                head-drop that gave way in its cycle 2, and a free list that was found empty (never).
// Timing     an arrival and a packet that leaves in the same cycle do not see each other. That equals one after the other:
//            a refused arrival first, or an accepted one last (more room would not have refused it).
// Parameters PORTS * CLASSES: a power of two, 4 or more; CELLS, PACKETS >= 2; LANES: parallel pointer sublists, 1 to 4;
//            NW: bits of a packet's cells, 2 <= NW < W; DATA_BITS: of a cell; XW: bits of an exponent; SMALL: as
//            weir_greater.
`default_nettype none
module weir_tm #(
    parameter PORTS = 8,
    parameter CLASSES = 1,
    parameter CELLS = 256,
    parameter PACKETS = 64,
    parameter LANES = 1,
    parameter NW = 4,
    parameter DATA_BITS = 64,
    parameter XW = 5,
    parameter SMALL = 1,
    parameter QUEUES = PORTS * CLASSES,
    parameter QW = $clog2(QUEUES),
    parameter W = $clog2(CELLS + 1),
    parameter PW = $clog2(CELLS),
    parameter DW = $clog2(PACKETS)
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire [CLASSES*XW-1:0] alpha_exp,
    input  wire [CLASSES*W-1:0]  mark_at,
    input  wire                  drop_enable,
    input  wire                  in_valid,
    input  wire                  in_first,
    input  wire [QW-1:0]         in_queue,
    input  wire [NW-1:0]         in_cells,
    input  wire [DATA_BITS-1:0]  in_data,
    output wire                  in_accept,
    input  wire                  tx_request,
    input  wire [QW-1:0]         tx_queue,
    output wire                  tx_ready,
    output wire                  tx_grant,
    output wire [QUEUES-1:0]     backlog,
    output reg                   out_valid,
    output reg                   out_first,
    output reg                   out_last,
    output reg  [QW-1:0]         out_queue,
    output reg                   out_mark,
    output wire [DATA_BITS-1:0]  out_data,
    output wire                  leave_valid,
    output wire                  leave_drop,
    output wire [QW-1:0]         leave_queue,
    output wire [NW-1:0]         leave_cells,
    output wire [QUEUES*W-1:0]   lengths,
    output wire [W-1:0]          free,
    output reg                   take_valid,
    output wire [PW-1:0]         take_cell,
    output wire [LANES-1:0]      free_valid,
    output wire [LANES*PW-1:0]   free_cells,
    output wire                  interrupted,
    output wire                  starved
);
    weir_require #(.MET(QUEUES >= 4 && (QUEUES & (QUEUES - 1)) == 0 && CELLS >= 2 && PACKETS >= 2 && LANES >= 1 &&
                        LANES <= 4 && NW >= 2 && NW < W)) legal ();
    localparam CW = $clog2(PACKETS + 1);

    // Admission.
    wire [CLASSES*W-1:0] thresholds;
    wire [W-1:0]         in_length, in_sum, in_sum_less;
    wire                 in_less, in_mark;
    wire [31:0]          in_class = {{(32-QW){1'b0}}, in_queue} >> $clog2(PORTS);
    wire [W-1:0]         in_threshold = thresholds[in_class*W +: W];
    reg  [CW-1:0]        descriptors; // not promised to a packet
    weir_threshold #(.CLASSES(CLASSES), .W(W), .XW(XW)) dynamic (
        .free(free), .alpha_exp(alpha_exp), .threshold(thresholds)
    );
    wire fits;
    weir_admission #(.W(W), .NW(NW)) admission (
        .length(in_length), .cells(in_cells), .free(free), .threshold(in_threshold),
        .has_descriptor(|descriptors), .accept(fits)
    );
    assign in_accept = in_valid & in_first & fits;

    localparam [31:0] PACKETS_ = PACKETS;
    localparam [CW-1:0] ONE = 1;
    wire [CW-1:0] one_more = descriptors + ONE, one_less = descriptors - ONE;
    always @(posedge clk)
        if (rst)
            descriptors <= PACKETS_[CW-1:0];
        else if (leave_valid ^ in_accept)
            descriptors <= in_accept ? one_less : one_more;

    weir_counters #(.QUEUES(QUEUES), .CELLS(CELLS), .NW(NW)) counters (
        .clk(clk), .rst(rst), .add_valid(in_accept), .add_queue(in_queue), .add_cells(in_cells),
        .add_length(in_length), .add_sum(in_sum), .add_sum_less(in_sum_less),
        .add_less(in_less), .sub_valid(leave_valid), .sub_queue(leave_queue), .sub_cells(leave_cells), .lengths(lengths), .free(free)
    );

    weir_marking #(.W(W)) marking (
        .length(in_sum), .length_less(in_sum_less), .less(in_less), .mark_at(mark_at[in_class*W +: W]), .mark(in_mark)
    );

    // Memories.
    wire                 pop_cell, pop_pd, data_we, link, put, pd_link, pd_read, data_read, data_first, data_last;
    wire [PW-1:0]        popped_cell, link_cell, data_cell;
    wire [DW-1:0]        popped_pd, put_pd, pd_link_to, look_pd, leave_pd, pd_next;
    wire [1:0]           link_lane;
    wire [QW-1:0]        put_queue, look_queue, data_queue, select_queue;
    wire [NW-1:0]        put_cells, pd_cells;
    wire [LANES*PW-1:0]  put_heads, pd_heads, walk_cells, walk_next;
    wire [LANES-1:0]     walk;
    wire [DATA_BITS-1:0] data;
    wire                 select_valid, put_mark, pd_mark, still_due, drop_tried, sends, look_last, leave_last, no_cell, no_pd;
    wire [QUEUES-1:0]    over;
    wire [QW-1:0]        last_victim;

    weir_free_ring #(.ENTRIES(CELLS), .LANES(LANES)) free_cells_ring (
        .clk(clk), .rst(rst), .pop(pop_cell), .popped(popped_cell), .push(free_valid), .pushed(free_cells),
        .empty(no_cell)
    );
    weir_free_ring #(.ENTRIES(PACKETS), .LANES(1)) free_pds_ring (
        .clk(clk), .rst(rst), .pop(pop_pd), .popped(popped_pd), .push(leave_valid), .pushed(leave_pd), .empty(no_pd)
    );
    weir_pointer_memory #(.CELLS(CELLS), .LANES(LANES)) pointers (
        .clk(clk), .write(link), .write_lane(link_lane), .write_cell(link_cell), .write_next(popped_cell),
        .re(walk), .cells(walk_cells), .next(walk_next)
    );
    weir_cell_memory #(.CELLS(CELLS), .DATA_BITS(DATA_BITS)) cells (
        .clk(clk), .we(data_we), .write_cell(popped_cell), .write_data(data),
        .re(data_read), .read_cell(data_cell), .read_data(out_data)
    );
    weir_pd_memory #(.PACKETS(PACKETS), .CELLS(CELLS), .LANES(LANES), .NW(NW)) descriptors_memory (
        .clk(clk), .write(put), .write_pd(put_pd), .write_cells(put_cells), .write_mark(put_mark),
        .write_heads(put_heads),
        .link(pd_link), .link_pd(pd_link_to), .link_next(put_pd),
        .re(pd_read), .read_pd(look_pd), .cells(pd_cells), .mark(pd_mark), .heads(pd_heads), .next(pd_next)
    );
    weir_queues #(.QUEUES(QUEUES), .PACKETS(PACKETS)) queues (
        .clk(clk), .rst(rst), .put(put), .put_queue(put_queue), .put_pd(put_pd), .link(pd_link), .link_pd(pd_link_to),
        .look_queue(look_queue), .look_pd(look_pd), .look_last(look_last),
        .take(leave_valid), .takes(sends), .take_last(leave_last), .take_queue(leave_queue), .take_next(pd_next), .backlog(backlog)
    );

    // In and out.
    weir_enqueue #(
        .QUEUES(QUEUES), .CELLS(CELLS), .PACKETS(PACKETS), .LANES(LANES), .NW(NW), .DATA_BITS(DATA_BITS)
    ) enqueue (
        .clk(clk), .rst(rst), .in_valid(in_valid), .in_first(in_first), .in_queue(in_queue), .in_cells(in_cells),
        .in_data(in_data), .mark(in_mark), .accept(in_accept), .pop_cell(pop_cell), .popped_cell(popped_cell), .pop_pd(pop_pd),
        .popped_pd(popped_pd), .data_we(data_we), .data(data), .link(link), .link_lane(link_lane),
        .link_cell(link_cell), .put(put), .put_queue(put_queue), .put_pd(put_pd), .put_cells(put_cells), .put_mark(put_mark),
        .put_heads(put_heads)
    );
    weir_selector #(.QUEUES(QUEUES), .CLASSES(CLASSES), .W(W), .SMALL(SMALL), .STAGED(1)) selector (
        .clk(clk), .rst(rst), .lengths(lengths), .thresholds(thresholds), .take(leave_valid & leave_drop),
        .tries(drop_tried), .take_queue(leave_queue), .valid(select_valid), .index(select_queue), .over(over), .last(last_victim)
    );
    weir_recheck #(.QUEUES(QUEUES)) recheck (.over(over), .last(last_victim), .candidate(leave_queue), .due(still_due));
    weir_dequeue #(
        .QUEUES(QUEUES), .CELLS(CELLS), .PACKETS(PACKETS), .LANES(LANES), .NW(NW)
    ) dequeue (
        .clk(clk), .rst(rst), .tx_request(tx_request), .tx_queue(tx_queue), .tx_ready(tx_ready), .tx_grant(tx_grant),
        .drop_enable(drop_enable), .select_valid(select_valid), .select_queue(select_queue), .still_due(still_due),
        .backlog(backlog), .look_queue(look_queue), .look_pd(look_pd), .look_last(look_last), .pd_read(pd_read), .pd_cells(pd_cells), .pd_heads(pd_heads),
        .leave(leave_valid), .sends(sends), .tries(drop_tried), .leave_drop(leave_drop), .leave_last(leave_last), .leave_queue(leave_queue), .leave_pd(leave_pd),
        .leave_cells(leave_cells), .walk(walk), .walk_cells(walk_cells), .walk_next(walk_next),
        .free_valid(free_valid), .free_cells(free_cells), .data_read(data_read), .data_cell(data_cell),
        .data_first(data_first), .data_last(data_last), .data_queue(data_queue), .interrupted(interrupted)
    );

    reg mark3; // of the packet that is read
    always @(posedge clk) begin
        out_valid <= data_read & ~rst;
        out_first <= data_first;
        out_last <= data_last;
        out_queue <= data_queue;
        if (sends)
            mark3 <= pd_mark;
        out_mark <= mark3;
        take_valid <= pop_cell & ~rst;
    end
    assign take_cell = popped_cell;
    assign starved = (pop_cell & no_cell) | (pop_pd & no_pd);
endmodule
`default_nettype wire
