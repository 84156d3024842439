// weir_free_ring - the free list: which cells (or descriptors) are free, handed out in the order in which they came back.
//
// A ring in memories of its own, not a list through the cell-pointer memory: arrivals then read nothing there, and every
// memory has one read and one write port. LANES banks take that many cells back in a cycle. Cells that were never used
// come from a counter, so that nothing has to be written after reset.
//
// Interface  pop: take one; popped is there in the next cycle. push: bit i returns pushed[i]; set bits are contiguous
//            from bit 0. empty: nothing is free.
// Timing     a cell pushed in a cycle can be popped in the next one. pop while empty is an error of the caller.
// Parameters ENTRIES >= 2; LANES 1 to 4. The others follow.
`default_nettype none
module weir_free_ring #(
    parameter ENTRIES = 256,
    parameter LANES = 1,
    parameter PW = $clog2(ENTRIES),
    parameter CW = $clog2(ENTRIES + 1)
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                pop,
    output wire [PW-1:0]       popped,
    input  wire [LANES-1:0]    push,
    input  wire [LANES*PW-1:0] pushed,
    output wire                empty
);
    weir_require #(.MET(ENTRIES >= 2 && LANES >= 1 && LANES <= 4)) legal ();
    localparam ROWS = (ENTRIES + LANES - 1) / LANES;
    localparam RW = ROWS < 2 ? 1 : $clog2(ROWS);
    localparam LW = 3; // bits of a bank number and of a sum of two
    localparam [31:0] ROWS_ = ROWS, LANES_ = LANES, ENTRIES_ = ENTRIES;
    localparam [RW-1:0] LAST_ROW = ROWS_[RW-1:0] - 1'b1;
    localparam [LW-1:0] BANKS = LANES_[LW-1:0];
    localparam [CW-1:0] ALL = ENTRIES_[CW-1:0];

    reg [CW-1:0] fresh; // cells below were handed out once
    reg [CW-1:0] available;
    reg [RW-1:0] write_row, read_row;
    reg [LW-1:0] write_bank, read_bank, popped_bank;
    reg          popped_fresh;
    reg [PW-1:0] popped_new;

    wire is_fresh = fresh != ALL;
    wire ring_pop = pop & ~is_fresh;

    reg [LW-1:0] count;
    reg [CW-1:0] grown;
    integer k;
    always @* begin
        count = 0;
        grown = 0;
        for (k = 0; k < LANES; k = k + 1) begin
            count = count + {{(LW-1){1'b0}}, push[k]};
            grown = grown + {{(CW-1){1'b0}}, push[k]};
        end
    end

    wire [RW-1:0] next_row = write_row == LAST_ROW ? {RW{1'b0}} : write_row + 1'b1;
    wire [LW-1:0] end_bank = write_bank + count;
    wire          wraps = end_bank >= BANKS;
    wire          read_wraps = read_bank == BANKS - 1'b1;

    wire [LANES*PW-1:0] words;
    genvar b;
    generate
        for (b = 0; b < LANES; b = b + 1) begin : bank
            localparam [31:0] ME_ = b;
            localparam [LW-1:0] ME = ME_[LW-1:0];
            wire          behind = ME < write_bank; // goes into the next row
            wire [LW-1:0] item = ME - write_bank + (behind ? BANKS : {LW{1'b0}});
            reg           we;
            reg  [PW-1:0] word;
            integer       j;
            always @* begin
                we = 1'b0;
                word = 0;
                for (j = 0; j < LANES; j = j + 1)
                    if (item == j[LW-1:0]) begin
                        we = push[j];
                        word = pushed[j*PW +: PW];
                    end
            end
            weir_ram #(.WIDTH(PW), .DEPTH(ROWS < 2 ? 2 : ROWS)) memory (
                .clk(clk), .we(we), .waddr(behind ? next_row : write_row), .wdata(word),
                .re(ring_pop & read_bank == ME), .raddr(read_row), .rdata(words[b*PW +: PW])
            );
        end
    endgenerate

    reg [PW-1:0] from_ring;
    always @* begin
        from_ring = words[0 +: PW];
        for (k = 0; k < LANES; k = k + 1)
            if (popped_bank == k[LW-1:0])
                from_ring = words[k*PW +: PW];
    end
    assign empty = available == 0;
    assign popped = popped_fresh ? popped_new : from_ring;

    always @(posedge clk)
        if (rst) begin
            fresh <= 0;
            write_row <= 0;
            write_bank <= 0;
            read_row <= 0;
            read_bank <= 0;
            popped_bank <= 0;
            popped_fresh <= 1'b0;
            popped_new <= 0;
            available <= ALL;
        end else begin
            available <= available + grown - {{(CW-1){1'b0}}, pop};
            if (wraps) begin
                write_row <= next_row;
                write_bank <= end_bank - BANKS;
            end else
                write_bank <= end_bank;
            if (pop) begin
                popped_fresh <= is_fresh;
                popped_new <= fresh[PW-1:0];
                popped_bank <= read_bank;
            end
            if (pop & is_fresh)
                fresh <= fresh + 1'b1;
            if (ring_pop) begin
                read_bank <= read_wraps ? {LW{1'b0}} : read_bank + 1'b1;
                if (read_wraps)
                    read_row <= read_row == LAST_ROW ? {RW{1'b0}} : read_row + 1'b1;
            end
        end

`ifdef FORMAL
    always @(posedge clk)
        if (!rst && pop)
            assert (!empty);
`endif
endmodule
`default_nettype wire
