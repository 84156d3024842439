// weir_pfc_receive - priority flow control: which classes the other end of a link wants paused (IEEE 802.1Qbb).
//
// It looks at the frames that come in, beside whoever takes them. A PFC frame is one of 60 bytes (the MAC took the check
// sequence off) to 01-80-C2-00-00-01 with type 0x8808 and opcode 0x0101, without tuser at its end. Any other changes nothing.
//
// Interface  s_axis_*: a beat that was taken, `beat`; KEEP bytes, lowest first. paused: bit c: class c may not be sent.
//            taken: a PFC frame took effect.
// Timing     paused follows the last beat by two cycles. A class is resumed QUANTUM cycles per 512 bit times later, or by a
//            time of 0.
// Parameters KEEP: bytes of a beat, 1 to 60; QUANTUM: cycles that 512 bit times last on the link, 1 or more.
`default_nettype none
module weir_pfc_receive #(
    parameter KEEP = 8,
    parameter QUANTUM = 8
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              beat,
    input  wire [8*KEEP-1:0] s_axis_tdata,
    input  wire [KEEP-1:0]   s_axis_tkeep,
    input  wire              s_axis_tlast,
    input  wire              s_axis_tuser,
    output reg  [7:0]        paused,
    output reg               taken
);
    weir_require #(.MET(KEEP >= 1 && KEEP <= 60 && QUANTUM >= 1)) legal ();
    localparam BEATS = (60 + KEEP - 1) / KEEP;
    localparam LAST = 60 - (BEATS - 1) * KEEP;
    localparam BW = $clog2(BEATS + 2);
    localparam TW = 16 + $clog2(QUANTUM + 1);
    localparam [31:0] BEATS_ = BEATS, QUANTUM_ = QUANTUM;

    // The last bytes that came, the newest highest: at the end of a frame of 60 all of it.
    reg  [8*KEEP*BEATS-1:0] bytes;
    reg  [BW-1:0]           count; // of beats before this one, at most BEATS + 1
    reg                     ends;
    /* verilator lint_off UNUSEDSIGNAL */ // the oldest beat
    wire [8*KEEP*(BEATS+1)-1:0] longer = {s_axis_tdata, bytes};
    /* verilator lint_on UNUSEDSIGNAL */
    always @(posedge clk) begin
        if (beat)
            bytes <= longer[8*KEEP*(BEATS+1)-1:8*KEEP];
        if (rst) begin
            count <= 0;
            ends <= 1'b0;
        end else begin
            ends <= beat & s_axis_tlast & ~s_axis_tuser & count == BEATS_[BW-1:0] - 1'b1 &
                    s_axis_tkeep == {KEEP{1'b1}} >> (KEEP - LAST);
            if (beat)
                count <= s_axis_tlast ? {BW{1'b0}} : count > BEATS_[BW-1:0] ? count : count + 1'b1;
        end
    end

    wire ours = bytes[47:0] == 48'h010000c28001 & bytes[8*12 +: 32] == 32'h01010888;
    genvar c;
    generate
        for (c = 0; c < 8; c = c + 1) begin : class_
            reg  [TW-1:0] left;
            wire [15:0]   quanta = {bytes[8*(18 + 2*c) +: 8], bytes[8*(19 + 2*c) +: 8]};
            wire [TW-1:0] cycles = {{(TW-16){1'b0}}, quanta} * QUANTUM_[TW-1:0];
            always @(posedge clk)
                if (rst) begin
                    left <= 0;
                    paused[c] <= 1'b0;
                end else if (ends & ours & bytes[8*17 + c]) begin
                    left <= cycles;
                    paused[c] <= quanta != 0;
                end else if (paused[c]) begin
                    left <= left - 1'b1;
                    paused[c] <= left != 1;
                end
        end
    endgenerate
    always @(posedge clk)
        taken <= ends & ours & ~rst;
endmodule
`default_nettype wire
