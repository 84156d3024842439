// weir_axis_frames - stores the frames of an AXI stream until they are whole: only then is their length known.
//
// A frame that is wrong never leaves: its beats are forgotten, and the frames around it are untouched. Wrong are a frame of
// more than 2^NW - 1 beats; tuser at its last beat; tkeep with a hole, empty, or not full before the last beat; tdest that
// changes.
//
// Interface  s_axis: any source; tdest and tuser as above. frame: a whole one waits, of `cells` beats for `queue`; begin_:
//            it leaves, and `read` takes its beats, one each, also the first: data is there in the next cycle, the number
//            of valid bytes less one in front of it. malformed, oversize: a frame was forgotten.
// Timing     a frame can begin two cycles after its last beat. tready falls while DEPTH beats are held: a frame that is
//            forgotten gives its beats back.
// Parameters KEEP: bytes of a beat; NW: bits of a frame's beats; QW: bits of tdest; DEPTH: beats, a power of two, at least
//            2^(NW + 1): then one source whose frames leave at a beat per cycle never waits.
`default_nettype none
module weir_axis_frames #(
    parameter KEEP = 8,
    parameter NW = 4,
    parameter QW = 3,
    parameter DEPTH = 32,
    parameter BW = KEEP > 1 ? $clog2(KEEP) : 1
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 s_axis_tvalid,
    output wire                 s_axis_tready,
    input  wire [8*KEEP-1:0]    s_axis_tdata,
    input  wire [KEEP-1:0]      s_axis_tkeep,
    input  wire                 s_axis_tlast,
    input  wire [QW-1:0]        s_axis_tdest,
    input  wire                 s_axis_tuser,
    output wire                 frame,
    output wire [QW-1:0]        queue,
    output wire [NW-1:0]        cells,
    input  wire                 begin_,
    input  wire                 read,
    output wire [BW+8*KEEP-1:0] data,
    output wire                 malformed,
    output wire                 oversize
);
    weir_require #(.MET(KEEP >= 1 && NW >= 1 && (DEPTH & (DEPTH - 1)) == 0 && DEPTH >= 2 << NW)) legal ();
    localparam AW = $clog2(DEPTH);
    localparam [AW:0] ONE = 1;

    reg  [AW:0]   write_at, whole_at, read_at; // beats up to whole_at belong to whole frames
    reg           first, wrong, over;          // of the frame under way
    reg  [NW-1:0] count;
    reg  [QW-1:0] dest;

    wire [AW:0] held = write_at - read_at;
    assign s_axis_tready = ~held[AW];

    wire          beat = s_axis_tvalid & s_axis_tready;
    wire          now_over = ~first & (over | &count);
    wire [NW-1:0] now_count = first ? {{(NW-1){1'b0}}, 1'b1} : count + 1'b1;
    wire [KEEP-1:0] keep_next = s_axis_tkeep + 1'b1; // 0 where all are set
    wire          keep_wrong = s_axis_tlast ? ~s_axis_tkeep[0] | |(s_axis_tkeep & keep_next) : ~&s_axis_tkeep;
    wire          now_wrong = (~first & (wrong | s_axis_tdest != dest)) | keep_wrong | (s_axis_tlast & s_axis_tuser);
    wire          ends = beat & s_axis_tlast;
    wire          stores = beat & ~now_over;
    wire          forgets = beat & (now_over | (s_axis_tlast & now_wrong));
    wire          completes = ends & ~now_over & ~now_wrong;

    assign malformed = ends & ~now_over & now_wrong;
    assign oversize = ends & now_over;

    reg [BW-1:0] bytes; // less one
    integer k;
    always @* begin
        bytes = 0;
        for (k = 1; k < KEEP; k = k + 1)
            bytes = bytes + {{(BW-1){1'b0}}, s_axis_tkeep[k]};
    end

    always @(posedge clk)
        if (rst) begin
            write_at <= 0;
            whole_at <= 0;
            read_at <= 0;
            first <= 1'b1;
            wrong <= 1'b0;
            over <= 1'b0;
        end else begin
            if (forgets)
                write_at <= whole_at;
            else if (stores)
                write_at <= write_at + ONE;
            if (completes)
                whole_at <= write_at + ONE;
            if (read)
                read_at <= read_at + ONE;
            if (beat) begin
                first <= s_axis_tlast;
                wrong <= now_wrong;
                over <= now_over;
                count <= now_count;
                if (first)
                    dest <= s_axis_tdest;
            end
        end

    weir_ram #(.WIDTH(BW + 8*KEEP), .DEPTH(DEPTH)) beats (
        .clk(clk), .we(stores), .waddr(write_at[AW-1:0]), .wdata({bytes, s_axis_tdata}),
        .re(read), .raddr(read_at[AW-1:0]), .rdata(data)
    );
    weir_fifo #(.WIDTH(QW + NW), .DEPTH(DEPTH)) frames (
        .clk(clk), .rst(rst), .push(completes), .in({s_axis_tdest, now_count}),
        .pop(begin_), .valid(frame), .out({queue, cells})
    );
endmodule
`default_nettype wire
