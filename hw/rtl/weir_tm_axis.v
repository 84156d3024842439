// weir_tm_axis - weir_tm between AXI streams: frames of bytes in by several inputs, out by one output that serves the
// queues round robin.
//
// A beat is a cell. Each input stores a frame until it is whole (weir_axis_frames), so a wrong one is dropped there and
// harms nobody else. Whole frames enter in turns of inputs, a beat per cycle. The traffic manager itself never waits; so
// its packets are asked for only when the output buffer has room for the longest one.
//
// Interface  s_axis_*: input i has the i-th part of each vector. tkeep: bytes, from the lowest on, all but in the last
//            beat; tdest: the queue; tuser: with tlast, the frame is bad. m_axis_*: tdest is the queue, tuser
//            that the frame is to be marked (ECN), in every beat.
//            Pulses, a frame each: malformed (tuser, tkeep or tdest wrong) and oversize (more than 2^NW - 1 beats), by input;
//            refused by Dynamic Threshold; expelled; sent, when it is whole in the output buffer. lengths, free: counters.
// Timing     at least eleven cycles from the last beat in to the first beat out. tready falls only where several inputs offer
//            more than a beat per cycle together. A reset forgets every frame; beats that follow it are a new frame.
// Parameters as weir_tm; KEEP: bytes of a beat, 1 or more; INPUTS: 1 or more; DEPTH: beats of each input's store and of the
//            output buffer, a power of two, at least 2^(NW + 1).
`default_nettype none
module weir_tm_axis #(
    parameter PORTS = 8,
    parameter CLASSES = 1,
    parameter CELLS = 256,
    parameter PACKETS = 64,
    parameter LANES = 1,
    parameter NW = 4,
    parameter KEEP = 8,
    parameter INPUTS = 1,
    parameter DEPTH = 64,
    parameter XW = 5,
    parameter SMALL = 1,
    parameter QUEUES = PORTS * CLASSES,
    parameter QW = $clog2(QUEUES),
    parameter W = $clog2(CELLS + 1)
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire [CLASSES*XW-1:0]    alpha_exp,
    input  wire [CLASSES*W-1:0]     mark_at,
    input  wire                     drop_enable,
    input  wire [INPUTS-1:0]        s_axis_tvalid,
    output wire [INPUTS-1:0]        s_axis_tready,
    input  wire [INPUTS*8*KEEP-1:0] s_axis_tdata,
    input  wire [INPUTS*KEEP-1:0]   s_axis_tkeep,
    input  wire [INPUTS-1:0]        s_axis_tlast,
    input  wire [INPUTS*QW-1:0]     s_axis_tdest,
    input  wire [INPUTS-1:0]        s_axis_tuser,
    output wire                     m_axis_tvalid,
    input  wire                     m_axis_tready,
    output wire [8*KEEP-1:0]        m_axis_tdata,
    output wire [KEEP-1:0]          m_axis_tkeep,
    output wire                     m_axis_tlast,
    output wire [QW-1:0]            m_axis_tdest,
    output wire                     m_axis_tuser,
    output wire [INPUTS-1:0]        malformed,
    output wire [INPUTS-1:0]        oversize,
    output wire                     refused,
    output wire                     expelled,
    output wire                     sent,
    output wire [QUEUES*W-1:0]      lengths,
    output wire [W-1:0]             free
);
    localparam AW = $clog2(DEPTH);
    localparam BW = KEEP > 1 ? $clog2(KEEP) : 1;
    localparam DW = BW + 8*KEEP; // valid bytes less one, and the bytes
    localparam IW = INPUTS > 1 ? $clog2(INPUTS) : 1;
    localparam [31:0] DEPTH_ = DEPTH;

    weir_require #(.MET(KEEP >= 1 && INPUTS >= 1 && DEPTH == 1 << AW && DEPTH >= 2 << NW)) legal ();

    // Frames that are whole, by input.
    wire [INPUTS-1:0]    waits, begins_at, reads_at;
    wire [INPUTS*QW-1:0] queues;
    wire [INPUTS*NW-1:0] sizes;
    wire [INPUTS*DW-1:0] stored;
    reg  [IW-1:0]        turn, next; // input whose frame enters, or entered last; whose is next
    reg  [NW-1:0]        left;       // beats of it still to be read
    wire                 busy = |left;
    wire                 begins = ~busy & |waits;
    wire [NW-1:0]        next_size = sizes[next*NW +: NW];

    integer i, at;
    always @* begin
        next = turn;
        for (i = INPUTS - 1; i > 0; i = i - 1) begin
            at = {{(32-IW){1'b0}}, turn} + i;
            if (at >= INPUTS)
                at = at - INPUTS;
            if (waits[at[IW-1:0]])
                next = at[IW-1:0];
        end
    end
    genvar p;
    generate
        for (p = 0; p < INPUTS; p = p + 1) begin : source
            localparam [31:0] ME = p;
            assign begins_at[p] = begins & next == ME[IW-1:0];
            assign reads_at[p] = begins_at[p] | (busy & turn == ME[IW-1:0]);
            weir_axis_frames #(.KEEP(KEEP), .NW(NW), .QW(QW), .DEPTH(DEPTH)) frames (
                .clk(clk), .rst(rst), .s_axis_tvalid(s_axis_tvalid[p]), .s_axis_tready(s_axis_tready[p]),
                .s_axis_tdata(s_axis_tdata[p*8*KEEP +: 8*KEEP]), .s_axis_tkeep(s_axis_tkeep[p*KEEP +: KEEP]),
                .s_axis_tlast(s_axis_tlast[p]), .s_axis_tdest(s_axis_tdest[p*QW +: QW]),
                .s_axis_tuser(s_axis_tuser[p]), .frame(waits[p]), .queue(queues[p*QW +: QW]),
                .cells(sizes[p*NW +: NW]), .begin_(begins_at[p]), .read(reads_at[p]),
                .data(stored[p*DW +: DW]), .malformed(malformed[p]), .oversize(oversize[p])
            );
        end
    endgenerate

    // The beat that was read enters.
    reg           in_valid, in_first;
    reg  [QW-1:0] in_queue;
    reg  [NW-1:0] in_cells;
    always @(posedge clk) begin
        in_first <= begins;
        in_queue <= queues[next*QW +: QW];
        in_cells <= next_size;
        if (rst) begin
            turn <= 0;
            left <= 0;
            in_valid <= 1'b0;
        end else begin
            in_valid <= begins | busy;
            if (begins) begin
                turn <= next;
                left <= next_size - 1'b1;
            end else if (busy)
                left <= left - 1'b1;
        end
    end

    wire              accept, grant, out_valid, out_last, out_mark, leave, leave_drop, any;
    wire [QUEUES-1:0] backlog;
    wire [QW-1:0]     out_queue, choice;
    wire [NW-1:0]     leave_cells;
    wire [DW-1:0]     out_data;
    reg  [QW-1:0]     last_choice;

    // Beats of the output buffer that nobody has: a packet counts as the longest until its descriptor is read.
    reg  [AW:0] room;
    wire [AW:0] longest = {{(AW+1-NW){1'b0}}, {NW{1'b1}}};
    wire        asks = any & room >= longest;
    wire        pops = m_axis_tvalid & m_axis_tready;
    wire [AW:0] returned = leave & ~leave_drop ? longest - {{(AW+1-NW){1'b0}}, leave_cells} : {(AW+1){1'b0}};

    weir_rr_select #(.QUEUES(QUEUES)) scheduler (.request(backlog), .last(last_choice), .valid(any), .index(choice));
    always @(posedge clk)
        if (rst) begin
            last_choice <= {QW{1'b1}};
            room <= DEPTH_[AW:0];
        end else begin
            if (grant)
                last_choice <= choice;
            room <= room + returned + {{AW{1'b0}}, pops} - (grant ? longest : {(AW+1){1'b0}});
        end

    /* verilator lint_off PINCONNECTEMPTY */
    weir_tm #(
        .PORTS(PORTS), .CLASSES(CLASSES), .CELLS(CELLS), .PACKETS(PACKETS), .LANES(LANES), .NW(NW), .DATA_BITS(DW),
        .XW(XW), .SMALL(SMALL)
    ) tm (
        .clk(clk), .rst(rst), .alpha_exp(alpha_exp), .mark_at(mark_at), .drop_enable(drop_enable), .in_valid(in_valid),
        .in_first(in_first), .in_queue(in_queue), .in_cells(in_cells), .in_data(stored[turn*DW +: DW]),
        .in_accept(accept), .tx_request(asks), .tx_queue(choice), .tx_ready(), .tx_grant(grant), .backlog(backlog),
        .out_valid(out_valid), .out_first(), .out_last(out_last), .out_queue(out_queue), .out_mark(out_mark), .out_data(out_data),
        .leave_valid(leave), .leave_drop(leave_drop), .leave_queue(), .leave_cells(leave_cells), .lengths(lengths),
        .free(free), .take_valid(), .take_cell(), .free_valid(), .free_cells(), .interrupted(), .starved()
    );
    /* verilator lint_on PINCONNECTEMPTY */
    assign refused = in_valid & in_first & ~accept;
    assign expelled = leave & leave_drop;
    assign sent = out_valid & out_last;

    wire [BW-1:0] bytes;
    weir_fifo #(.WIDTH(2 + QW + DW), .DEPTH(DEPTH)) buffer (
        .clk(clk), .rst(rst), .push(out_valid), .in({out_mark, out_last, out_queue, out_data}), .pop(pops),
        .valid(m_axis_tvalid), .out({m_axis_tuser, m_axis_tlast, m_axis_tdest, bytes, m_axis_tdata})
    );
    localparam [KEEP-1:0] ALL = {KEEP{1'b1}};
    localparam [KEEP-1:0] LOWEST = 1;
    assign m_axis_tkeep = m_axis_tlast ? ~(ALL - LOWEST << bytes) : ALL;
endmodule
`default_nettype wire
