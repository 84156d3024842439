// weir_tm_axis - weir_tm behind AXI streams, with a round-robin output scheduler and a small output buffer.
//
// A beat is a cell. The traffic manager itself never waits; so packets are asked for only when the output buffer has room
// for the longest one.
//
// Interface  s_axis: tdest is the queue, tuser the packet's cells, both valid in its first beat; tlast ends it; tready is
//            always 1; packets that are refused vanish, and `refused` says so in the cycle of the first beat.
//            m_axis: tdest is the queue.
// Timing     at least six cycles from the last beat in to the first beat out.
// Parameters as weir_tm; DEPTH: cells of the output buffer, a power of two, at least 2^(NW + 1).
module weir_tm_axis #(
    parameter PORTS = 8,
    parameter CLASSES = 1,
    parameter CELLS = 256,
    parameter PACKETS = 64,
    parameter LANES = 1,
    parameter NW = 4,
    parameter DATA_BITS = 64,
    parameter DEPTH = 64,
    parameter XW = 5,
    parameter SMALL = 1,
    parameter QUEUES = PORTS * CLASSES,
    parameter QW = $clog2(QUEUES)
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire [CLASSES*XW-1:0] alpha_exp,
    input  wire                  drop_enable,
    input  wire                  s_axis_tvalid,
    output wire                  s_axis_tready,
    input  wire [DATA_BITS-1:0]  s_axis_tdata,
    input  wire                  s_axis_tlast,
    input  wire [QW-1:0]         s_axis_tdest,
    input  wire [NW-1:0]         s_axis_tuser,
    output wire                  m_axis_tvalid,
    input  wire                  m_axis_tready,
    output wire [DATA_BITS-1:0]  m_axis_tdata,
    output wire                  m_axis_tlast,
    output wire [QW-1:0]         m_axis_tdest,
    output wire                  refused,
    output wire                  expelled
);
    localparam AW = $clog2(DEPTH);
    localparam [31:0] DEPTH_ = DEPTH;

    assign s_axis_tready = 1'b1;
    reg first;
    always @(posedge clk)
        if (rst)
            first <= 1'b1;
        else if (s_axis_tvalid)
            first <= s_axis_tlast;

    wire                 accept, grant, out_valid, out_last, leave, leave_drop, any;
    wire [QUEUES-1:0]    backlog;
    wire [QW-1:0]        out_queue, turn;
    wire [NW-1:0]        leave_cells;
    wire [DATA_BITS-1:0] out_data;
    reg  [QW-1:0]        last_turn;

    // Cells of the output buffer that nobody has: a packet counts as the longest until its descriptor is read.
    reg  [AW:0] room;
    wire [AW:0] longest = {{(AW+1-NW){1'b0}}, {NW{1'b1}}};
    wire        asks = any & room >= longest;
    wire        pops = m_axis_tvalid & m_axis_tready;
    wire [AW:0] returned = leave & ~leave_drop ? longest - {{(AW+1-NW){1'b0}}, leave_cells} : {(AW+1){1'b0}};

    weir_rr_select #(.QUEUES(QUEUES)) scheduler (.request(backlog), .last(last_turn), .valid(any), .index(turn));
    always @(posedge clk)
        if (rst) begin
            last_turn <= {QW{1'b1}};
            room <= DEPTH_[AW:0];
        end else begin
            if (grant)
                last_turn <= turn;
            room <= room + returned + {{AW{1'b0}}, pops} - (grant ? longest : {(AW+1){1'b0}});
        end

    /* verilator lint_off PINCONNECTEMPTY */
    weir_tm #(
        .PORTS(PORTS), .CLASSES(CLASSES), .CELLS(CELLS), .PACKETS(PACKETS), .LANES(LANES), .NW(NW),
        .DATA_BITS(DATA_BITS), .XW(XW), .SMALL(SMALL)
    ) tm (
        .clk(clk), .rst(rst), .alpha_exp(alpha_exp), .drop_enable(drop_enable), .in_valid(s_axis_tvalid),
        .in_first(first), .in_queue(s_axis_tdest), .in_cells(s_axis_tuser), .in_data(s_axis_tdata), .in_accept(accept),
        .tx_request(asks), .tx_queue(turn), .tx_ready(), .tx_grant(grant), .backlog(backlog),
        .out_valid(out_valid), .out_first(), .out_last(out_last), .out_queue(out_queue), .out_data(out_data),
        .leave_valid(leave), .leave_drop(leave_drop), .leave_queue(), .leave_cells(leave_cells), .lengths(), .free(),
        .take_valid(), .take_cell(), .free_valid(), .free_cells(), .interrupted(), .starved()
    );
    /* verilator lint_on PINCONNECTEMPTY */
    assign refused = s_axis_tvalid & first & ~accept;
    assign expelled = leave & leave_drop;

    reg  [DATA_BITS+QW:0] word [0:DEPTH-1];
    reg  [AW:0]           write_at, read_at;
    always @(posedge clk) begin
        if (out_valid)
            word[write_at[AW-1:0]] <= {out_last, out_queue, out_data};
        if (rst) begin
            write_at <= 0;
            read_at <= 0;
        end else begin
            write_at <= write_at + {{AW{1'b0}}, out_valid};
            read_at <= read_at + {{AW{1'b0}}, pops};
        end
    end
    assign m_axis_tvalid = write_at != read_at;
    assign {m_axis_tlast, m_axis_tdest, m_axis_tdata} = word[read_at[AW-1:0]];
endmodule
