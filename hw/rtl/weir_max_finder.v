// weir_max_finder - the longest queue: what push-out would have to know in every cycle. For comparison with weir_selector.
//
// Interface  values: side by side, value 0 lowest; index: of the largest, the lowest of equal ones; maximum: its value.
// Timing     combinational: log2(COUNT) comparators and multiplexers of W bits one after the other.
// Parameters COUNT: a power of two, 2 or more; W >= 1.
`default_nettype none
module weir_max_finder #(
    parameter COUNT = 64,
    parameter W = 16,
    parameter IW = $clog2(COUNT)
) (
    input  wire [COUNT*W-1:0] values,
    output wire [IW-1:0]      index,
    output wire [W-1:0]       maximum
);
    weir_require #(.MET(COUNT >= 2 && (COUNT & (COUNT - 1)) == 0 && W >= 1)) legal ();
    localparam HALF = COUNT / 2;

    wire [W-1:0] low, high;
    wire         wins = high > low;
    assign maximum = wins ? high : low;

    generate
        if (COUNT == 2) begin : pair
            assign low = values[0 +: W];
            assign high = values[W +: W];
            assign index = wins;
        end else begin : halves
            wire [IW-2:0] low_index, high_index;
            weir_max_finder #(.COUNT(HALF), .W(W)) lower (
                .values(values[0 +: HALF*W]), .index(low_index), .maximum(low)
            );
            weir_max_finder #(.COUNT(HALF), .W(W)) upper (
                .values(values[HALF*W +: HALF*W]), .index(high_index), .maximum(high)
            );
            assign index = {wins, wins ? high_index : low_index};
        end
    endgenerate
endmodule
`default_nettype wire
