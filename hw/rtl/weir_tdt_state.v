// weir_tdt_state - TDT's state decision module (its Figure 5), one per port: counters and comparators, no timer.
//
//   nec  net arrivals without a loss    at NEC: absorption        oc1  sent while normal: at OC1 nec and dec start again
//   oc2  sent while absorbing: at OC2 normal                       dc   lost while not evacuating: at DC evacuation
//   dec  departures in a row: at DEC everything starts again, normal
//   a loss for want of room ends absorption; a port below its lower bound that sends ends evacuation
//
// Counters count cells (dec: packets), as lib/policies/tdt.c does.
//
// Interface  one event per cycle: enqueue, dequeue or drop of a packet of `cells`; overflow: the drop was for want of room;
//            low: the port holds less than its lower bound, this dequeue counted. state: {evacuation, absorption}; 00 normal.
// Timing     state shows an event from the next cycle on.
// Parameters W: bits of a counter; NW: bits of a packet's cells < W; NEC, OC1, OC2, DC: cells, DEC: packets, all 1 to
//            2^W - 2^NW.
`default_nettype none
module weir_tdt_state #(
    parameter W = 16,
    parameter NW = 4,
    parameter NEC = 64,
    parameter OC1 = 64,
    parameter OC2 = 1024,
    parameter DC = 256,
    parameter DEC = 3
) (
    input  wire          clk,
    input  wire          rst,
    input  wire          enqueue,
    input  wire          dequeue,
    input  wire          drop,
    input  wire [NW-1:0] cells,
    input  wire          overflow,
    input  wire          low,
    output reg  [1:0]    state
);
    weir_require #(.MET(NW < W)) legal ();
    localparam [1:0] NORMAL = 2'b00, ABSORPTION = 2'b01, EVACUATION = 2'b10;
    localparam [31:0] NEC_ = NEC, OC1_ = OC1, OC2_ = OC2, DC_ = DC, DEC_ = DEC;

    reg  [W-1:0] nec, oc1, oc2, dc, dec;
    wire [W-1:0] n = {{(W-NW){1'b0}}, cells};
    wire [W-1:0] nec_up = nec + n, oc1_up = oc1 + n, oc2_up = oc2 + n, dc_up = dc + n, dec_up = dec + 1'b1;

    wire nec_full = nec_up >= NEC_[W-1:0];
    wire oc1_full = oc1_up >= OC1_[W-1:0];
    wire oc2_full = oc2_up >= OC2_[W-1:0];
    wire dc_full = dc_up >= DC_[W-1:0];
    wire dec_full = dec_up >= DEC_[W-1:0];

    wire to_absorption = enqueue & state == NORMAL & nec_full;
    wire to_evacuation = drop & state != EVACUATION & dc_full;
    wire restores = dequeue & (dec_full | (state == ABSORPTION & oc2_full) | (state == EVACUATION & low));
    wire overflows = drop & state == ABSORPTION & overflow;
    wire enters = to_absorption | to_evacuation | restores | overflows;

    always @(posedge clk)
        if (rst) begin
            state <= NORMAL;
            nec <= 0;
            oc1 <= 0;
            oc2 <= 0;
            dc <= 0;
            dec <= 0;
        end else begin
            if (enters)
                state <= to_absorption ? ABSORPTION : to_evacuation ? EVACUATION : NORMAL;
            if (enters | drop)
                nec <= 0;
            else if (enqueue & state == NORMAL)
                nec <= nec_up;
            else if (dequeue)
                nec <= state == NORMAL & oc1_full | nec < n ? {W{1'b0}} : nec - n;
            if (enters)
                oc1 <= 0;
            else if (dequeue & state == NORMAL)
                oc1 <= oc1_full ? {W{1'b0}} : oc1_up;
            if (enters)
                oc2 <= 0;
            else if (dequeue & state == ABSORPTION)
                oc2 <= oc2_up;
            if (to_evacuation | (dequeue & dec_full))
                dc <= 0;
            else if (drop & state != EVACUATION)
                dc <= dc_up;
            if (enqueue | drop | (dequeue & (dec_full | (state == NORMAL & oc1_full))))
                dec <= 0;
            else if (dequeue)
                dec <= dec_up;
        end
endmodule
`default_nettype wire
