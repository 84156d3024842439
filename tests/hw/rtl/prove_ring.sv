// The free list, for any caller that returns only what it holds: a cell that the solver chooses is never handed out while it
// is out, and none leaks: the list is empty exactly when all cells are out.
module prove_ring #(
    parameter ENTRIES = 4,
    parameter LANES = 2
) (
    input wire             clk,
    input wire             pop_,
    input wire [LANES-1:0] push_,
    input wire [LANES*$clog2(ENTRIES)-1:0] pushed
);
    reg  started = 0;
    wire rst = ~started; // in the first cycle
    always @(posedge clk)
        started <= 1;

    localparam PW = $clog2(ENTRIES), CW = $clog2(ENTRIES + 1);

    wire [PW-1:0] popped;
    wire          empty;
    reg  [ENTRIES-1:0] out = 0; // cells that the caller has
    reg                came = 0; // popped is valid in this cycle

    wire pop = pop_ & ~empty;
    reg [LANES-1:0] push;
    reg [ENTRIES-1:0] back;
    integer i;
    always @* begin
        push = 0;
        back = 0;
        for (i = 0; i < LANES; i = i + 1)
            if (push_[i] && (i == 0 || push[i > 0 ? i-1 : 0]) && out[pushed[i*PW +: PW]] && !back[pushed[i*PW +: PW]]) begin
                push[i] = 1;
                back[pushed[i*PW +: PW]] = 1;
            end
    end
    weir_free_ring #(.ENTRIES(ENTRIES), .LANES(LANES)) dut (
        .clk(clk), .rst(rst), .pop(pop), .popped(popped), .push(push), .pushed(pushed), .empty(empty)
    );

    reg [CW:0] count; // cells that are out or on their way
    always @* begin
        count = came;
        for (i = 0; i < ENTRIES; i = i + 1)
            count = count + out[i];
    end
    always @(posedge clk) begin
        came <= pop & ~rst;
        out <= rst ? 0 : (out & ~back) | (came ? 1 << popped : 0);
        if (!rst) begin
            if (came)
                assert (!out[popped]);
            assert (empty == (count == ENTRIES));
        end
    end
endmodule
