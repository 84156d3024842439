// Round robin from any state, with any bitmap: no victim without a request, and always the nearest one behind
// the last victim. From "nearest" follows fairness: a queue that stays requesting is served after at most
// QUEUES - 1 others. `wait_` counts that, for one queue that the solver chooses.
module prove_rr #(
    parameter QUEUES = 16
) (
    input wire                clk,
    input wire [QUEUES-1:0]   request,
    input wire                take
);
    reg  started = 0;
    wire rst = ~started; // in the first cycle
    always @(posedge clk)
        started <= 1;

    localparam QW = $clog2(QUEUES);
    wire          valid;
    wire [QW-1:0] index;
    weir_rr_select #(.QUEUES(QUEUES)) dut (.request(request), .last(last), .valid(valid), .index(index));

    (* anyconst *) reg [QW-1:0] queue;
    reg  [QW-1:0] last = {QW{1'b1}}; // victim, followed from outside
    reg  [QW:0]   wait_ = 0;
    wire          over = request[queue];
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
            if (valid)
                assert (request[index]);
            if (valid && over)
                assert (chosen <= distance);
            assert ({1'b0, distance} + wait_ <= QUEUES - 1);
        end
    end
endmodule
