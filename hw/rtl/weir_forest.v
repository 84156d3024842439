// weir_forest - a random forest for Credence's question "would LQD lose this packet?": TREES trees, DEPTH questions each.
//
// A tree is full: node 1 is the root, node 2i or 2i + 1 follows node i as its feature is at most or above the limit. What
// ends earlier is filled up with equal leaves. Each leaf leans to "lost" (above 0) or to "kept"; the sum decides.
//
// Interface  write_*: sets a node (index 1 to 2^DEPTH - 1: write_limit, write_feature) or a leaf (index 2^DEPTH and up:
//            write_limit's low LEAN bits, signed) of a tree. features: four of them side by side. lost: the answer.
// Timing     lost is combinational: DEPTH comparators and multiplexers, and an adder.
// Parameters TREES 1 to 16; DEPTH 2 to 6; W: bits of a feature, at least LEAN; LEAN: bits of a leaf.
`default_nettype none
module weir_forest #(
    parameter TREES = 4,
    parameter DEPTH = 4,
    parameter W = 16,
    parameter LEAN = 8
) (
    input  wire             clk,
    input  wire             write,
    input  wire [3:0]       write_tree,
    input  wire [DEPTH:0]   write_index,
    input  wire [1:0]       write_feature,
    input  wire [W-1:0]     write_limit,
    input  wire [4*W-1:0]   features,
    output wire             lost
);
    weir_require #(.MET(TREES >= 1 && TREES <= 16 && DEPTH >= 2 && DEPTH <= 6 && W >= LEAN)) legal ();
    localparam NODES = 1 << DEPTH;
    localparam SUM = LEAN + 4;

    wire [TREES*LEAN-1:0] leans;
    genvar t;
    generate
        for (t = 0; t < TREES; t = t + 1) begin : tree
            localparam [31:0] ME = t;
            reg [W-1:0]     limit [0:NODES-1];
            reg [1:0]       feature [0:NODES-1];
            reg [LEAN-1:0]  leaf [0:NODES-1];
            always @(posedge clk)
                if (write & write_tree == ME[3:0]) begin
                    if (write_index[DEPTH])
                        leaf[write_index[DEPTH-1:0]] <= write_limit[LEAN-1:0];
                    else begin
                        limit[write_index[DEPTH-1:0]] <= write_limit;
                        feature[write_index[DEPTH-1:0]] <= write_feature;
                    end
                end

            reg [DEPTH-1:0] at; // of the node, without the leading one of leaves
            integer step;
            always @* begin
                at = 1;
                for (step = 0; step < DEPTH; step = step + 1)
                    at = {at[DEPTH-2:0], features[feature[at]*W +: W] > limit[at]};
            end
            assign leans[t*LEAN +: LEAN] = leaf[at];
        end
    endgenerate

    reg signed [SUM-1:0] sum;
    integer k;
    always @* begin
        sum = 0;
        for (k = 0; k < TREES; k = k + 1)
            sum = sum + {{(SUM-LEAN){leans[k*LEAN+LEAN-1]}}, leans[k*LEAN +: LEAN]};
    end
    assign lost = sum > 0;
endmodule
`default_nettype wire
