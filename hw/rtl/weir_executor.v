// weir_executor - Occamy's head-drop executor: returns the cells of an expelled packet, LANES per cycle, and reads no
// data.
//
// Interface  load: a packet with these heads and cells was taken out of its queue. go: nobody else needs the cell-pointer
//            memory in this cycle. push/pushed: to the free list. ready: a packet may be loaded at the end of this cycle
//            if go stays; soon: the same for the end of the next one. re/ask/next: its reads of the cell-pointer memory.
// Timing     LANES cells per cycle with go; without go it stands still and loses nothing, for as long as it takes.
// Parameters CELLS >= 2; LANES 1 to 4; NW: bits of a packet's cells.
`default_nettype none
module weir_executor #(
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
    input  wire                go,
    output wire                ready,
    output wire                soon,
    output wire [LANES-1:0]    push,
    output wire [LANES*PW-1:0] pushed,
    output wire [LANES-1:0]    re,
    output wire [LANES*PW-1:0] ask,
    input  wire [LANES*PW-1:0] next
);
    weir_require #(.MET(CELLS >= 2 && LANES >= 1 && LANES <= 4)) legal ();
    localparam [31:0] LANES_ = LANES;
    localparam [NW+2:0] STEP = LANES_[NW+2:0];

    reg  [NW-1:0]       left;
    reg  [LANES*PW-1:0] held;
    reg  [LANES-1:0]    reading;
    wire [LANES*PW-1:0] current;

    wire [NW+2:0] wide = {3'b000, left};
    wire          ends = wide <= STEP;

    assign pushed = current;
    assign ask = current;
    assign ready = ~|left | (go & ends);
    assign soon = wide <= STEP + STEP;

    genvar l;
    generate
        for (l = 0; l < LANES; l = l + 1) begin : sublist
            localparam [31:0] ME = l;
            assign current[l*PW +: PW] = reading[l] ? next[l*PW +: PW] : held[l*PW +: PW];
            assign push[l] = go & wide > ME[NW+2:0];
            assign re[l] = go & wide > STEP + ME[NW+2:0];
        end
    endgenerate

    always @(posedge clk) begin
        held <= load ? heads : current;
        if (rst) begin
            left <= 0;
            reading <= 0;
        end else begin
            reading <= load ? {LANES{1'b0}} : re;
            if (load)
                left <= cells;
            else if (go)
                left <= ends ? {NW{1'b0}} : left - STEP[NW-1:0];
        end
    end
endmodule
`default_nettype wire
