// weir_dsh_estimator - DSH's estimate of the headroom that a queue will need, by tables (its Algorithm 3 with the signed
// step of Algorithm 2; lib/policies/dsh_estimate.c, estimate=table).
//
//   g = 2^(log2 |dq| - log2 dt)    v = |g - g_avg|    g_avg += (g - g_avg) / 4    v_avg += (v - v_avg) / 4
//   phi = PHI * (g_avg + 4 v_avg), by a staircase of 64 steps
//
// No division; the one product is with a constant. Gradients are in line rates with 20 fractional bits.
//
// Interface  valid: a packet arrived; length: of its queue with it, cells; now: time, ps. phi: cells of headroom.
// Timing     combinational up to the registers: phi shows an arrival from the next cycle on. A first arrival, and one at the
//            time of the last, leave phi alone.
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

    reg                 started;
    reg [LW-1:0]        last_length;
    reg [TW-1:0]        last_time;
    reg signed [GW-1:0] g_avg, v_avg;

    wire          falls = length < last_length;
    wire [LW-1:0] dq = falls ? last_length - length : length - last_length;
    wire [TW-1:0] dt = now - last_time;

    // Logarithms: the place of the leading one and a look at the eight bits behind it.
    reg [5:0]      q_place, t_place;
    /* verilator lint_off UNUSEDSIGNAL */ // bits are cut off on purpose
    reg [LW+7:0]   q_shifted;
    reg [TW+7:0]   t_shifted;
    /* verilator lint_on UNUSEDSIGNAL */
    integer i;
    always @* begin
        q_place = 0;
        for (i = 0; i < LW; i = i + 1)
            if (dq[i])
                q_place = i[5:0];
        t_place = 0;
        for (i = 0; i < TW; i = i + 1)
            if (dt[i])
                t_place = i[5:0];
        q_shifted = {dq, 8'd0} >> q_place;
        t_shifted = {dt, 8'd0} >> t_place;
    end
    wire [15:0] q_fraction, t_fraction;
    weir_log2_rom log_q (.index(q_shifted[7:0]), .value(q_fraction));
    weir_log2_rom log_t (.index(t_shifted[7:0]), .value(t_fraction));

    /* verilator lint_off UNUSEDSIGNAL */ // bits are cut off on purpose
    wire signed [23:0] exponent = $signed({2'b00, q_place, q_fraction}) + $signed(CELL[23:0])
                                - $signed({2'b00, t_place, t_fraction});
    /* verilator lint_on UNUSEDSIGNAL */
    wire [30:0]        power;
    weir_exp2_rom exponential (.index(exponent[15:8]), .value(power));

    wire [7:0]         whole = exponent[23:16];
    /* verilator lint_off UNUSEDSIGNAL */ // bits are cut off on purpose
    wire [GW+30:0]     raised = {{GW{1'b0}}, power} << whole[5:0];
    /* verilator lint_on UNUSEDSIGNAL */
    reg signed [GW-1:0] size;
    always @* begin
        if (dq == 0 || whole[7])
            size = 0;
        else if (whole >= 8'd40)
            size = 44'sd1 <<< 40;
        else
            size = raised[GW+29:30];
    end

    wire signed [GW-1:0] step = (falls ? -size : size) - g_avg;
    wire signed [GW-1:0] deviation = step < 0 ? -step : step;
    wire signed [GW-1:0] g_next = g_avg + (step >>> 2);
    wire signed [GW-1:0] v_next = v_avg + ((deviation - v_avg) >>> 2);
    wire signed [GW-1:0] gradient = g_next + (v_next <<< 2);

    wire [6:0]    stair = {1'b0, gradient[19:14]} + 7'd1;
    /* verilator lint_off UNUSEDSIGNAL */ // bits are cut off on purpose
    wire [HW+6:0] scaled = {{HW{1'b0}}, stair} * {7'd0, PHI_[HW-1:0]} + 63;
    /* verilator lint_on UNUSEDSIGNAL */

    always @(posedge clk)
        if (rst) begin
            started <= 1'b0;
            g_avg <= 0;
            v_avg <= 0;
            phi <= 0;
        end else if (valid & (~started | dt != 0)) begin
            started <= 1'b1;
            last_length <= length;
            last_time <= now;
            if (started) begin
                g_avg <= g_next;
                v_avg <= v_next;
                if (gradient <= 0)
                    phi <= 0;
                else if (|gradient[GW-2:20])
                    phi <= PHI_[HW-1:0];
                else
                    phi <= scaled[HW+5:6];
            end
        end
endmodule
`default_nettype wire
