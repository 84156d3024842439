// The whole traffic manager, small, with any traffic, any scheduler, and any switching of alpha and the head-drop. One packet that the
// solver chooses is followed: its cells come out once, in order and unchanged, and never after it was expelled; packets of
// its queue that came before leave before it. Every cell is in one place: held cells are never handed out, free ones never
// freed, and while a packet that left has cells to free, one is freed in every cycle, so that none leaks. An interrupted
// head-drop leaves queues and counters as they were. tx_ready follows from transmissions alone, whatever the head-drop is
// doing. Interruptions cycle by cycle are in prove_dequeue.sv.
module prove_tm #(
    parameter CELLS = 4,
    parameter PACKETS = 3,
    parameter LANES = 1
) (
    input wire       clk,
    input wire       in_valid,
    input wire [1:0] in_queue,
    input wire [1:0] in_cells,
    input wire       tx_request,
    input wire [1:0] tx_queue,
    input wire       drop_enable,
    input wire       in_tag,
    input wire       no_threshold // alpha so small that T is 0, from one cycle to the next
);
    reg  started = 0;
    wire rst = ~started; // in the first cycle
    always @(posedge clk)
        started <= 1;

    localparam QUEUES = 4, QW = 2, NW = 2, W = $clog2(CELLS + 1), PW = $clog2(CELLS);
    wire                out_marked;
    wire                in_accept, tx_ready, tx_grant, out_valid, out_first, out_last, leave_valid, leave_drop;
    wire [QUEUES-1:0]   backlog;
    wire [QW-1:0]       out_queue, leave_queue;
    wire [1:0]          out_data;
    wire [NW-1:0]       leave_cells;
    wire [QUEUES*W-1:0] lengths;
    wire [W-1:0]        free;
    wire                take_valid, interrupted, starved, out_mark;
    wire [PW-1:0]       take_cell;
    wire [LANES-1:0]    free_valid;
    wire [LANES*PW-1:0] free_cells;
    reg                 chosen = 0, gone = 0, expelled = 0, done = 0;
    reg  [1:0]          left = 0; // cells of the packet under way
    wire                in_first = left == 0;
    reg                 marked_in = 0; // the packet under way is the chosen one
    wire                chooses = in_valid & in_first & in_tag & in_accept & ~chosen;
    wire                in_marked = in_first ? chooses : marked_in;
    reg  [1:0]          in_index = 0;

    weir_tm #(.PORTS(4), .CLASSES(1), .CELLS(CELLS), .PACKETS(PACKETS), .LANES(LANES), .NW(NW), .DATA_BITS(3), .XW(5)) dut (
        .clk(clk), .rst(rst), .alpha_exp(no_threshold ? 5'b10000 : 5'd0), .mark_at({W{1'b1}}), .drop_enable(drop_enable), .in_valid(in_valid), .in_first(in_first),
        .in_queue(in_queue), .in_cells(in_cells), .in_data({in_marked, in_first ? 2'd0 : in_index}),
        .in_accept(in_accept), .tx_request(tx_request), .tx_queue(tx_queue), .tx_ready(tx_ready), .tx_grant(tx_grant),
        .backlog(backlog), .out_valid(out_valid), .out_first(out_first), .out_last(out_last), .out_queue(out_queue), .out_mark(out_mark),
        .out_data({out_marked, out_data}), .leave_valid(leave_valid), .leave_drop(leave_drop),
        .leave_queue(leave_queue), .leave_cells(leave_cells), .lengths(lengths), .free(free), .take_valid(take_valid),
        .take_cell(take_cell), .free_valid(free_valid), .free_cells(free_cells), .interrupted(interrupted),
        .starved(starved)
    );

    // The chosen packet.
    reg [QW-1:0] queue = 0;
    reg [NW-1:0] size = 0;
    reg [3:0]    before = 0; // packets of its queue that leave first
    reg [1:0]    next_out = 0;
    // Packets in each queue, as far as verdicts and departures tell.
    reg [3:0]    held [0:QUEUES-1];
    reg [W-1:0]  length [0:QUEUES-1];
    // Cells.
    reg [CELLS-1:0] out_of_list = 0;
    reg [2:0]       tx_left = 0;
    reg             tx_in_2 = 0;
    reg  [3:0]      owed = 0; // cells of packets that left, not yet free
    reg  [2:0]      frees;
    integer i;

    initial begin
        for (i = 0; i < QUEUES; i = i + 1) begin
            held[i] = 0;
            length[i] = 0;
        end
    end
    wire mine = chosen & ~gone & leave_valid & leave_queue == queue;

    always @(posedge clk) begin
        if (!rst) begin
            assume (!(in_valid && in_first) || in_cells != 0);
            if (in_valid) begin
                left <= in_first ? in_cells - 1'b1 : left - 1'b1;
                in_index <= in_first ? 2'd1 : in_index + 1'b1;
                marked_in <= in_marked;
            end
            // FIFO order of descriptors.
            if (chooses) begin
                chosen <= 1;
                queue <= in_queue;
                size <= in_cells;
                before <= held[in_queue] - (leave_valid && leave_queue == in_queue);
            end
            for (i = 0; i < QUEUES; i = i + 1)
                held[i] <= held[i] + (in_accept && in_queue == i) - (leave_valid && leave_queue == i);
            if (leave_valid)
                assert (held[leave_queue] != 0);
            if (mine) begin
                if (before == 0) begin
                    gone <= 1;
                    expelled <= leave_drop;
                    assert (leave_cells == size);
                end
                before <= before - 1'b1;
            end
            // Its cells.
            if (out_valid && out_marked) begin
                assert (gone && !expelled && !done);
                assert (out_queue == queue);
                assert (out_data == next_out);
                assert (out_first == (next_out == 0));
                assert (out_last == (next_out + 1'b1 == size));
                next_out <= next_out + 1'b1;
                done <= out_last;
            end
            // Every cell.
            if (take_valid)
                assert (!out_of_list[take_cell]);
            for (i = 0; i < LANES; i = i + 1)
                if (free_valid[i])
                    assert (out_of_list[free_cells[i*PW +: PW]]);
            assert (!starved);
            // The scheduler never waits for a head-drop.
            assert (tx_ready == (tx_left <= 2 && (!tx_in_2 || leave_cells == 1)));
            assert (tx_grant == (tx_request && tx_ready && backlog[tx_queue]));
            for (i = 0; i < QUEUES; i = i + 1) // no packet is asked for twice, or before it is there
                assert (!backlog[i] || held[i] > (tx_in_2 && leave_queue == i));
            tx_in_2 <= tx_grant;
            if (tx_in_2)
                assert (leave_valid && !leave_drop);
            tx_left <= tx_in_2 ? leave_cells : tx_left != 0 ? tx_left - 1'b1 : 0;
            if (leave_valid && leave_drop)
                assert (!tx_grant && drop_enable);
            assert (!interrupted || !leave_valid);
            // Every cell comes back.
            assert (owed == 0 || frees != 0);
            assert (frees <= owed);
            owed <= owed + (leave_valid ? leave_cells : 0) - frees;
            // Counters.
            assert (free <= CELLS);
            for (i = 0; i < QUEUES; i = i + 1) begin
                length[i] <= length[i] + (in_accept && in_queue == i ? in_cells : 0)
                             - (leave_valid && leave_queue == i ? leave_cells : 0);
                assert (lengths[i*W +: W] == length[i]);
            end
        end
    end

    reg [CELLS-1:0] taken, freed;
    always @* begin
        frees = 0;
        for (i = 0; i < LANES; i = i + 1)
            frees = frees + free_valid[i];
        taken = take_valid ? 1 << take_cell : 0;
        freed = 0;
        for (i = 0; i < LANES; i = i + 1)
            if (free_valid[i])
                freed = freed | 1 << free_cells[i*PW +: PW];
    end
    always @(posedge clk)
        out_of_list <= rst ? 0 : (out_of_list | taken) & ~freed;
endmodule
