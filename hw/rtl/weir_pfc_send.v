// weir_pfc_send - priority flow control: says to the other end of a link which classes it may send (IEEE 802.1Qbb).
//
// A frame goes out when a class is to be paused or resumed, and again for paused classes before their time is over. It has
// 60 bytes; the MAC adds the check sequence. Classes that change while a frame goes out are in the next one.
//
// Interface  pause: bit c: class c is to be paused now. source: the port's address, first byte highest. m_axis_*: the
//            frame, in beats of KEEP bytes, lowest first; feed it to the MAC ahead of data.
// Timing     a frame begins in the second cycle after a change, if none is under way. Paused classes are told again every
//            REFRESH cycles.
// Parameters KEEP: bytes of a beat, 1 to 60; QUANTA: time of a pause, in 512 bit times, 1 to 65535; REFRESH: cycles,
//            shorter than QUANTA last, 2 or more.
`default_nettype none
module weir_pfc_send #(
    parameter KEEP = 8,
    parameter QUANTA = 65535,
    parameter REFRESH = 1024
) (
    input  wire              clk,
    input  wire              rst,
    input  wire [7:0]        pause,
    input  wire [47:0]       source,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [8*KEEP-1:0] m_axis_tdata,
    output wire [KEEP-1:0]   m_axis_tkeep,
    output wire              m_axis_tlast
);
    weir_require #(.MET(KEEP >= 1 && KEEP <= 60 && QUANTA >= 1 && QUANTA <= 65535 && REFRESH >= 2)) legal ();
    localparam BEATS = (60 + KEEP - 1) / KEEP;
    localparam LAST = 60 - (BEATS - 1) * KEEP; // bytes of the last beat
    localparam BW = $clog2(BEATS + 1);
    localparam TW = $clog2(REFRESH);
    localparam [31:0] QUANTA_ = QUANTA, BEATS_ = BEATS, REFRESH_ = REFRESH;

    reg  [7:0]               told;
    reg  [TW-1:0]            since; // cycles since paused classes were told
    reg  [BW-1:0]            left;
    reg  [8*KEEP*BEATS-1:0]  frame; // what is left of it, the next byte lowest

    wire       again = since == REFRESH_[TW-1:0] - 1'b1;
    wire [7:0] due = (pause ^ told) | (again ? pause : 8'd0);
    wire       begins = ~|left & |due;

    wire [47:0]              group = 48'h0180c2000001;
    wire [111:0]             head = {group, source, 16'h8808};
    reg  [8*KEEP*BEATS-1:0]  next;
    integer i;
    always @* begin
        next = 0;
        for (i = 0; i < 14; i = i + 1)
            next[8*i +: 8] = head[8*(13 - i) +: 8];
        next[8*14 +: 16] = 16'h0101;
        next[8*17 +: 8] = due;
        for (i = 0; i < 8; i = i + 1)
            if (due[i] & pause[i])
                next[8*(18 + 2*i) +: 16] = {QUANTA_[7:0], QUANTA_[15:8]};
    end

    assign m_axis_tvalid = |left;
    assign m_axis_tlast = left == 1;
    assign m_axis_tdata = frame[8*KEEP-1:0];
    assign m_axis_tkeep = m_axis_tlast ? {KEEP{1'b1}} >> (KEEP - LAST) : {KEEP{1'b1}};

    always @(posedge clk)
        if (rst) begin
            told <= 0;
            since <= 0;
            left <= 0;
        end else begin
            if (begins) begin
                told <= pause;
                frame <= next;
                left <= BEATS_[BW-1:0];
            end else if (m_axis_tvalid & m_axis_tready) begin
                frame <= frame >> 8 * KEEP;
                left <= left - 1'b1;
            end
            since <= begins & again ? {TW{1'b0}} : since == REFRESH_[TW-1:0] - 1'b1 ? since : since + 1'b1;
        end
endmodule
`default_nettype wire
