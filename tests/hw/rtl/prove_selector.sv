// The selector from reset on, with any lengths and thresholds: no victim without a request, and always the nearest one behind
// the last victim. From "nearest" follows fairness: a queue that stays over its threshold is served after at most
// QUEUES - 1 others. `wait_` counts that, for one queue that the solver chooses.
module prove_selector #(
    parameter QUEUES = 16,
    parameter W = 3,
    parameter QW = $clog2(QUEUES)
) (
    input wire                clk,
    input wire [QUEUES*W-1:0] lengths,
    input wire [W-1:0]        threshold,
    input wire                take,
    input wire [QW-1:0]       candidate
);
    reg  started = 0;
    wire rst = ~started; // in the first cycle
    always @(posedge clk)
        started <= 1;

    wire              valid, due;
    wire [QUEUES-1:0] bitmap;
    wire [QW-1:0]     index, cursor;
    weir_selector #(.QUEUES(QUEUES), .W(W)) dut (
        .clk(clk), .rst(rst), .lengths(lengths), .thresholds(threshold), .take(take & valid), .tries(1'b0), .take_queue(index), .valid(valid), .index(index), .over(bitmap),
        .last(cursor)
    );
    weir_recheck #(.QUEUES(QUEUES)) recheck (.over(bitmap), .last(cursor), .candidate(candidate), .due(due));

    (* anyconst *) reg [QW-1:0] queue;
    reg  [QW-1:0] last = {QW{1'b1}}; // victim, followed from outside
    reg  [QW:0]   wait_ = 0;
    wire          over = lengths[queue*W +: W] > threshold;
    wire [QW-1:0] distance = queue - last - 1'b1;   // others that may come before it
    wire [QW-1:0] chosen = index - last - 1'b1;

    always @(posedge clk) begin
        if (rst) begin
            last <= {QW{1'b1}};
            wait_ <= 0;
        end else begin
            if (take & valid)
                last <= index;
            wait_ <= !over ? 0 : take & valid ? (index == queue ? 0 : wait_ + 1'b1) : wait_;
        end
        if (!rst) begin
            assert (valid || !over);
            assert (due == (valid && index == candidate)); // weir_recheck says the same without an encoder
            if (valid)
                assert (lengths[index*W +: W] > threshold);
            if (valid && over)
                assert (chosen <= distance);
            assert ({1'b0, distance} + wait_ <= QUEUES - 1);
        end
    end
endmodule
