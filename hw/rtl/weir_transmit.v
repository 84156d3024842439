// weir_transmit - walks the cells of a packet that is sent: one cell per cycle is read and freed.
//
// Interface  load: a packet with these heads and cells begins in the next cycle. beat: a cell is being read and freed now,
//            `cell`; first and last mark it. left: cells still to go, this cycle's included. re/ask/next: its reads of the
//            cell-pointer memory.
// Timing     a beat per cycle from the cycle after load on; load may come in the cycle of the last beat.
// Parameters CELLS >= 2; LANES 1 to 4; NW: bits of a packet's cells.
`default_nettype none
module weir_transmit #(
    parameter CELLS = 256,
    parameter LANES = 1,
    parameter NW = 4,
    parameter PW = $clog2(CELLS)
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                load,
    input  wire [NW-1:0]       cells,
    input  wire [LANES*PW-1:0] heads,
    output wire                beat,
    output wire                first,
    output wire                last,
    output reg  [NW-1:0]       left,
    output reg  [PW-1:0]       cell_,
    output wire [LANES-1:0]    re,
    output wire [LANES*PW-1:0] ask,
    input  wire [LANES*PW-1:0] next
);
    weir_require #(.MET(CELLS >= 2 && LANES >= 1 && LANES <= 4)) legal ();
    localparam [31:0] LANES_ = LANES;
    localparam [1:0] LAST_LANE = LANES_[1:0] - 2'd1;
    localparam [NW+2:0] SUBLISTS = LANES_[NW+2:0];

    reg  [1:0]          lane;
    reg                 is_first;
    reg  [LANES*PW-1:0] held;    // next cell of each sublist, once it was read
    reg  [LANES-1:0]    reading; // it comes out of the memory in this cycle
    wire [LANES*PW-1:0] current;

    assign beat = |left;
    assign first = is_first;
    assign last = left == {{(NW-1){1'b0}}, 1'b1};
    assign ask = current;

    wire more = {3'b000, left} > SUBLISTS; // this sublist has another cell

    genvar l;
    generate
        for (l = 0; l < LANES; l = l + 1) begin : sublist
            localparam [31:0] ME = l;
            assign current[l*PW +: PW] = reading[l] ? next[l*PW +: PW] : held[l*PW +: PW];
            assign re[l] = beat & more & lane == ME[1:0];
        end
    endgenerate

    integer k;
    always @* begin
        cell_ = current[0 +: PW];
        for (k = 0; k < LANES; k = k + 1)
            if (lane == k[1:0])
                cell_ = current[k*PW +: PW];
    end

    always @(posedge clk) begin
        held <= load ? heads : current;
        if (rst) begin
            left <= 0;
            reading <= 0;
            lane <= 0;
            is_first <= 1'b0;
        end else begin
            reading <= load ? {LANES{1'b0}} : re;
            if (load) begin
                left <= cells;
                lane <= 0;
                is_first <= 1'b1;
            end else if (beat) begin
                left <= left - 1'b1;
                lane <= lane == LAST_LANE ? 2'd0 : lane + 2'd1;
                is_first <= 1'b0;
            end
        end
    end
endmodule
`default_nettype wire
