// weir_enqueue - writes admitted packets: takes cells from the free list, links them, writes data and descriptor.
//
// Interface  in_*: one cell per cycle, in_first with the packet's queue and cells; cells of one packet follow each other,
//            gaps allowed. accept: the verdict of weir_admission in the cycle of in_first; a refused packet's cells are
//            ignored. mark: congestion was experienced, in the cycle of in_first. Outputs drive the free lists, the memories and the queues.
// Timing     cycle 0: verdict; 1: a cell (and, for the first, a descriptor) is popped; 2: data, link, and with the last
//            cell the descriptor are written, and the packet joins its queue. Two packets never wait for each other.
//            A cell that the counters call free may still be on its way back. It is popped a cycle after the verdict, and
//            while any is on its way at least one comes back per cycle: the free list is never found empty.
// Parameters QUEUES a power of two; CELLS, PACKETS >= 2; LANES 1 to 4; NW: bits of a packet's cells.
`default_nettype none
module weir_enqueue #(
    parameter QUEUES = 8,
    parameter CELLS = 256,
    parameter PACKETS = 64,
    parameter LANES = 1,
    parameter NW = 4,
    parameter DATA_BITS = 64,
    parameter QW = $clog2(QUEUES),
    parameter PW = $clog2(CELLS),
    parameter DW = $clog2(PACKETS)
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 in_valid,
    input  wire                 in_first,
    input  wire [QW-1:0]        in_queue,
    input  wire [NW-1:0]        in_cells,
    input  wire [DATA_BITS-1:0] in_data,
    input  wire                 mark,
    input  wire                 accept,
    output wire                 pop_cell,
    input  wire [PW-1:0]        popped_cell,
    output wire                 pop_pd,
    input  wire [DW-1:0]        popped_pd,
    output wire                 data_we,
    output wire [DATA_BITS-1:0] data,
    output wire                 link,
    output wire [1:0]           link_lane,
    output wire [PW-1:0]        link_cell,
    output wire                 put,
    output wire [QW-1:0]        put_queue,
    output wire [DW-1:0]        put_pd,
    output wire [NW-1:0]        put_cells,
    output wire                 put_mark,
    output wire [LANES*PW-1:0]  put_heads
);
    weir_require #(.MET((QUEUES & (QUEUES - 1)) == 0 && CELLS >= 2 && PACKETS >= 2 && LANES >= 1 &&
                        LANES <= 4)) legal ();
    localparam [31:0] LANES_ = LANES;
    localparam [1:0] LAST_LANE = LANES_[1:0] - 2'd1;

    // Cycle 0: which cell of which packet is this?
    reg          taking; // the packet under way was accepted
    reg [QW-1:0] queue;
    reg [NW-1:0] left;   // cells still to come
    reg [1:0]    lane;   // of the next cell
    reg          deep;   // every sublist has a cell

    wire          takes = in_valid & (in_first ? accept : taking);
    wire [NW-1:0] now_left = in_first ? in_cells : left;
    wire [1:0]    now_lane = in_first ? 2'd0 : lane;
    wire          now_deep = ~in_first & deep;

    always @(posedge clk)
        if (rst)
            taking <= 1'b0;
        else if (in_valid) begin
            taking <= takes;
            left <= now_left - 1'b1;
            lane <= now_lane == LAST_LANE ? 2'd0 : now_lane + 2'd1;
            deep <= now_deep | now_lane == LAST_LANE;
            if (in_first)
                queue <= in_queue;
        end

    // Cycle 1: pop.
    reg                 valid1, first1, last1, deep1;
    reg [1:0]           lane1;
    reg [QW-1:0]        queue1;
    reg [NW-1:0]        cells1;
    reg                 mark1;
    reg [DATA_BITS-1:0] data1;
    always @(posedge clk) begin
        valid1 <= takes & ~rst;
        first1 <= in_first;
        last1 <= now_left == {{(NW-1){1'b0}}, 1'b1};
        deep1 <= now_deep;
        lane1 <= now_lane;
        queue1 <= in_first ? in_queue : queue;
        data1 <= in_data;
        if (in_first) begin
            cells1 <= in_cells;
            mark1 <= mark;
        end
    end
    assign pop_cell = valid1;
    assign pop_pd = valid1 & first1;

    // Cycle 2: write.
    reg                 valid2, first2, last2, deep2;
    reg [1:0]           lane2;
    reg [QW-1:0]        queue2;
    reg [NW-1:0]        cells2;
    reg                 mark2;
    reg [DATA_BITS-1:0] data2;
    reg [DW-1:0]        held_pd;
    reg [LANES*PW-1:0]  heads; // of the packet under way
    reg [LANES*PW-1:0]  tails;
    always @(posedge clk) begin
        valid2 <= valid1 & ~rst;
        first2 <= first1;
        last2 <= last1;
        deep2 <= deep1;
        lane2 <= lane1;
        queue2 <= queue1;
        cells2 <= cells1;
        mark2 <= mark1;
        data2 <= data1;
        if (valid2) begin
            heads <= put_heads;
            held_pd <= put_pd;
        end
    end

    genvar l;
    generate
        for (l = 0; l < LANES; l = l + 1) begin : sublist
            localparam [31:0] ME = l;
            wire mine = lane2 == ME[1:0];
            assign put_heads[l*PW +: PW] = mine & ~deep2 ? popped_cell : heads[l*PW +: PW];
            always @(posedge clk)
                if (valid2 & mine)
                    tails[l*PW +: PW] <= popped_cell;
        end
    endgenerate

    reg [PW-1:0] tail;
    integer k;
    always @* begin
        tail = tails[0 +: PW];
        for (k = 0; k < LANES; k = k + 1)
            if (lane2 == k[1:0])
                tail = tails[k*PW +: PW];
    end

    assign data_we = valid2;
    assign data = data2;
    assign link = valid2 & deep2;
    assign link_lane = lane2;
    assign link_cell = tail;
    assign put = valid2 & last2;
    assign put_queue = queue2;
    assign put_pd = first2 ? popped_pd : held_pd;
    assign put_cells = cells2;
    assign put_mark = mark2;
endmodule
`default_nettype wire
