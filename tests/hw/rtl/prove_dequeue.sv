// The dequeue pipeline with transmit and executor, interrupted in every cycle: any scheduler, selector, backlog and
// packets of 1 to 2^NW - 1 cells. Cell p of a sublist is followed by p + 1, so that every pointer is known beforehand.
//
// A head-drop that gives way in cycle 1 or 2 leaves nothing behind: no packet leaves, no cell is freed. From cycle 3 on every cell of the
// packet is freed, the right ones, in order, LANES in each cycle in which no transmission reads pointers; nothing else is.
// Transmissions are served as if there were no head-drop. REACH says that an interruption of its kind never happens, which
// has to be false: 1 to 4 the scheduler asks in that cycle, 5 the executor stands still with cells left.
module prove_dequeue #(
    parameter LANES = 1,
    parameter REACH = 0
) (
    input wire                clk,
    input wire                tx_request,
    input wire                tx_queue,
    input wire                drop_enable,
    input wire                select_valid,
    input wire                select_queue,
    input wire [1:0]          backlog,
    input wire                look_pd,
    input wire                look_last,
    input wire                still_due,
    input wire [NW-1:0]       any_cells,
    input wire [LANES*PW-1:0] any_heads
);
    localparam NW = 3, CELLS = 8, PW = 3;
    reg  started = 0;
    wire rst = ~started; // in the first cycle
    always @(posedge clk)
        started <= 1;

    wire                tx_ready, tx_grant, look_queue, pd_read, leave, leave_drop, leave_queue, leave_pd, data_read, data_first,
                        data_last, data_queue, interrupted, sends, tries, leave_last;
    wire [NW-1:0]       leave_cells;
    wire [LANES-1:0]    walk, free_valid;
    wire [LANES*PW-1:0] walk_cells, free_cells;
    wire [PW-1:0]       data_cell;
    reg  [LANES*PW-1:0] walk_next;
    reg  [NW-1:0]       pd_cells;
    reg  [LANES*PW-1:0] pd_heads;

    weir_dequeue #(.QUEUES(2), .CELLS(CELLS), .PACKETS(2), .LANES(LANES), .NW(NW)) dut (
        .clk(clk), .rst(rst), .tx_request(tx_request), .tx_queue(tx_queue), .tx_ready(tx_ready), .tx_grant(tx_grant),
        .drop_enable(drop_enable), .select_valid(select_valid), .select_queue(select_queue), .still_due(still_due),
        .backlog(backlog), .look_queue(look_queue), .look_pd(look_pd), .look_last(look_last), .pd_read(pd_read), .pd_cells(pd_cells), .pd_heads(pd_heads),
        .leave(leave), .sends(sends), .tries(tries), .leave_drop(leave_drop), .leave_last(leave_last), .leave_queue(leave_queue), .leave_pd(leave_pd), .leave_cells(leave_cells),
        .walk(walk), .walk_cells(walk_cells), .walk_next(walk_next), .free_valid(free_valid), .free_cells(free_cells),
        .data_read(data_read), .data_cell(data_cell), .data_first(data_first), .data_last(data_last),
        .data_queue(data_queue), .interrupted(interrupted)
    );

    // The memories: what is read is there in the next cycle, and anything if nothing was read.
    integer l;
    always @(posedge clk) begin
        pd_cells <= any_cells;
        pd_heads <= any_heads;
        for (l = 0; l < LANES; l = l + 1)
            walk_next[l*PW +: PW] <= walk[l] ? walk_cells[l*PW +: PW] + 1'b1 : any_heads[l*PW +: PW];
    end

    // What has to happen.
    reg                 tx_in_2 = 0, drop_in_2 = 0, drop_in_3 = 0, drop_in_4 = 0, queue_in_2 = 0, pd_in_2 = 0, last_in_2 = 0;
    reg  [NW-1:0]       tx_left = 0, tx_size = 0, drop_left = 0;
    reg  [LANES*PW-1:0] tx_at, drop_at;
    reg  [1:0]          lane = 0; // of the transmission
    wire [PW-1:0]       tx_cell = tx_at[lane*PW +: PW];
    wire                asks = drop_enable & select_valid & backlog[select_queue];

    always @(posedge clk) begin
        tx_in_2 <= !rst && tx_grant;
        drop_in_2 <= !rst && pd_read && !tx_grant;
        drop_in_3 <= !rst && leave && leave_drop;
        drop_in_4 <= drop_in_3;
        queue_in_2 <= look_queue;
        pd_in_2 <= look_pd;
        last_in_2 <= look_last;
        if (leave && !leave_drop) begin
            tx_left <= leave_cells;
            tx_size <= leave_cells;
            tx_at <= pd_heads;
            lane <= 0;
        end else if (tx_left != 0) begin
            tx_left <= tx_left - 1'b1;
            tx_at[lane*PW +: PW] <= tx_cell + 1'b1;
            lane <= lane == LANES - 1 ? 0 : lane + 1'b1;
        end
        if (leave && leave_drop) begin
            drop_left <= leave_cells;
            drop_at <= pd_heads;
        end else if (tx_left == 0) begin
            drop_left <= drop_left > LANES ? drop_left - LANES : 0;
            for (l = 0; l < LANES; l = l + 1)
                drop_at[l*PW +: PW] <= drop_at[l*PW +: PW] + 1'b1;
        end
        if (rst) begin
            tx_left <= 0;
            drop_left <= 0;
        end else begin
            assume (pd_cells != 0);
            // The scheduler: as if there were no head-drop.
            assert (tx_ready == (tx_left <= 2 && (!tx_in_2 || pd_cells == 1)));
            assert (tx_grant == (tx_request && tx_ready && backlog[tx_queue]));
            if (tx_in_2)
                assert (leave && !leave_drop);
            assert (sends == tx_in_2 && tries == drop_in_2);
            assert (data_read == (tx_left != 0));
            if (data_read)
                assert (data_cell == tx_cell && data_first == (tx_left == tx_size) && data_last == (tx_left == 1));
            // Cycle 1.
            if (pd_read && !tx_grant)
                assert (asks && look_queue == select_queue);
            // Cycle 2.
            assert (interrupted == (drop_in_2 && tx_grant));
            if (leave) begin
                assert (leave_queue == queue_in_2 && leave_pd == pd_in_2 && leave_last == last_in_2 && leave_cells == pd_cells);
                assert (leave_drop ? drop_in_2 && !tx_grant && drop_enable && still_due : tx_in_2);
            end
            // A packet begins only if the one before it is free at the end of this cycle.
            if (leave && leave_drop)
                assert (drop_left == 0 || (drop_left <= LANES && tx_left == 0));
            // Cycle 3 and on.
            for (l = 0; l < LANES; l = l + 1)
                if (tx_left != 0) begin
                    assert (free_valid[l] == (l == 0));
                    assert (l != 0 || free_cells[0 +: PW] == tx_cell);
                end else begin
                    assert (free_valid[l] == (drop_left > l));
                    assert (!free_valid[l] || free_cells[l*PW +: PW] == drop_at[l*PW +: PW]);
                end
            case (REACH)
            1: assert (!(asks && !tx_in_2 && !drop_in_2 && drop_left == 0 && tx_grant));
            2: assert (!interrupted);
            3: assert (!(drop_in_3 && tx_grant));
            4: assert (!(drop_in_4 && drop_left != 0 && tx_grant));
            5: assert (!(drop_left != 0 && tx_left != 0));
            default: ;
            endcase
        end
    end
endmodule
