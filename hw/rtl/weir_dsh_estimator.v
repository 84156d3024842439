// weir_dsh_estimator - DSH's estimate of the headroom that a queue will need, by tables (its Algorithm 3 with the signed
// step of Algorithm 2; lib/policies/dsh_estimate.c, estimate=table).
//
//   g = 2^(log2 |dq| - log2 dt)    v = |g - g_avg|    g_avg += (g - g_avg) / 4    v_avg += (v - v_avg) / 4
//   phi = PHI * (g_avg + 4 v_avg), by a staircase of 64 steps
//
// No division; the one product is with a constant. Gradients are in line rates with 20 fractional bits.
//
// Interface  valid: a packet arrived; length: of its queue with it, cells; now: time, ps. phi: cells of headroom.
// Timing     an arrival per cycle; phi shows it from the ninth cycle after it on. A first arrival, and one at the time of
//            the last, leave phi alone.
// Parameters LW: bits of a length; TW: bits of a time; LOG2_CELL: 2^16 log2 of the time of a cell at line rate in ps with 20
//            fractional bits, rounded down; PHI: cells of headroom at a gradient of one line rate; HW: bits of phi.
`default_nettype none
module weir_dsh_estimator #(
    parameter LW = 16,
    parameter TW = 40,
    parameter LOG2_CELL = 2225981,
    parameter PHI = 300,
    parameter HW = $clog2(PHI + 1)
) (
    input  wire          clk,
    input  wire          rst,
    input  wire          valid,
    input  wire [LW-1:0] length,
    input  wire [TW-1:0] now,
    output reg  [HW-1:0] phi
);
    localparam GW = 44; // signed gradients: 2^40 and a sum of five
    localparam [31:0] CELL = LOG2_CELL, PHI_ = PHI;

    // Stage 1: what changed since the arrival before.
    reg           started, valid1, falls1;
    reg  [LW-1:0] last_length, dq1;
    reg  [TW-1:0] last_time, dt1;
    wire          falls = length < last_length;
    wire [TW-1:0] dt = now - last_time;
    wire          counts = valid & (~started | dt != 0);

    always @(posedge clk) begin
        falls1 <= falls;
        dq1 <= falls ? last_length - length : length - last_length;
        dt1 <= dt;
        if (rst) begin
            started <= 1'b0;
            valid1 <= 1'b0;
        end else begin
            valid1 <= counts & started;
            if (counts) begin
                started <= 1'b1;
                last_length <= length;
                last_time <= now;
            end
        end
    end

    // Stage 2: the place of the leading one.
    reg  [5:0]      q_place, t_place, q_place2, t_place2;
    reg             valid2, falls2, none2;
    reg  [LW-1:0]   dq2;
    reg  [TW-1:0]   dt2;
    integer i;
    always @* begin
        q_place = 0;
        for (i = 0; i < LW; i = i + 1)
            if (dq1[i])
                q_place = i[5:0];
        t_place = 0;
        for (i = 0; i < TW; i = i + 1)
            if (dt1[i])
                t_place = i[5:0];
    end
    always @(posedge clk) begin
        valid2 <= valid1 & ~rst;
        falls2 <= falls1;
        none2 <= dq1 == 0;
        dq2 <= dq1;
        dt2 <= dt1;
        q_place2 <= q_place;
        t_place2 <= t_place;
    end

    // Stage 3: logarithms, by a look at the eight bits behind it.
    /* verilator lint_off UNUSEDSIGNAL */ // bits are cut off on purpose
    wire [LW+7:0] q_shifted = {dq2, 8'd0} >> q_place2;
    wire [TW+7:0] t_shifted = {dt2, 8'd0} >> t_place2;
    /* verilator lint_on UNUSEDSIGNAL */
    wire [15:0]   q_fraction, t_fraction;
    weir_log2_rom log_q (.index(q_shifted[7:0]), .value(q_fraction));
    weir_log2_rom log_t (.index(t_shifted[7:0]), .value(t_fraction));

    reg               valid3, falls3, none3;
    reg signed [23:0] q_log3, t_log3;
    always @(posedge clk) begin
        valid3 <= valid2 & ~rst;
        falls3 <= falls2;
        none3 <= none2;
        q_log3 <= {2'b00, q_place2, q_fraction};
        t_log3 <= {2'b00, t_place2, t_fraction};
    end

    // Stage 4: their difference, and its power of two.
    /* verilator lint_off UNUSEDSIGNAL */ // bits are cut off on purpose
    wire signed [23:0] exponent = q_log3 + $signed(CELL[23:0]) - t_log3;
    /* verilator lint_on UNUSEDSIGNAL */
    wire [30:0] power;
    weir_exp2_rom exponential (.index(exponent[15:8]), .value(power));

    reg        valid4, falls4, none4;
    reg [7:0]  whole4;
    reg [30:0] power4;
    always @(posedge clk) begin
        valid4 <= valid3 & ~rst;
        falls4 <= falls3;
        none4 <= none3 | exponent[23];
        whole4 <= exponent[23:16];
        power4 <= power;
    end

    // Stage 5: the gradient.
    /* verilator lint_off UNUSEDSIGNAL */ // bits are cut off on purpose
    wire [GW+30:0]      raised = {{GW{1'b0}}, power4} << whole4[5:0];
    /* verilator lint_on UNUSEDSIGNAL */
    wire signed [GW-1:0] size = none4 ? 0 : whole4 >= 8'd40 ? 44'sd1 <<< 40 : raised[GW+29:30];

    reg                 valid5;
    reg signed [GW-1:0] change5;
    always @(posedge clk) begin
        valid5 <= valid4 & ~rst;
        change5 <= falls4 ? -size : size;
    end

    // Stage 6: its average, which the next arrival needs, and how far off it was.
    reg                 valid6;
    reg signed [GW-1:0] g_avg, step6;
    wire signed [GW-1:0] step = change5 - g_avg;
    always @(posedge clk) begin
        valid6 <= valid5 & ~rst;
        step6 <= step;
        if (rst)
            g_avg <= 0;
        else if (valid5)
            g_avg <= g_avg + (step >>> 2);
    end

    // Stage 7: the deviation's average. g_avg is that of this arrival now.
    reg                 valid7;
    reg signed [GW-1:0] g_avg7, v_avg;
    wire signed [GW-1:0] deviation = step6 < 0 ? -step6 : step6;
    always @(posedge clk) begin
        valid7 <= valid6 & ~rst;
        g_avg7 <= g_avg;
        if (rst)
            v_avg <= 0;
        else if (valid6)
            v_avg <= v_avg + ((deviation - v_avg) >>> 2);
    end

    // Stage 8: the stairs.
    wire signed [GW-1:0] gradient = g_avg7 + (v_avg <<< 2);
    reg                  valid8, none8, all8;
    reg [5:0]            stair8;
    always @(posedge clk) begin
        valid8 <= valid7 & ~rst;
        none8 <= gradient <= 0;
        all8 <= |gradient[GW-2:20];
        stair8 <= gradient[19:14];
    end

    // Stage 9: the headroom.
    wire [6:0]    stair = {1'b0, stair8} + 7'd1;
    /* verilator lint_off UNUSEDSIGNAL */ // bits are cut off on purpose
    wire [HW+6:0] scaled = {{HW{1'b0}}, stair} * {7'd0, PHI_[HW-1:0]} + 63;
    /* verilator lint_on UNUSEDSIGNAL */
    always @(posedge clk)
        if (rst)
            phi <= 0;
        else if (valid8)
            phi <= none8 ? {HW{1'b0}} : all8 ? PHI_[HW-1:0] : scaled[HW+5:6];
endmodule
`default_nettype wire
