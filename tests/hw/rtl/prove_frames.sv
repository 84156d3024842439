// weir_axis_frames and weir_fifo, small, with any source, right and wrong frames, and any reader that takes whole frames.
//
// A frame waits only if it is whole and right, in the order of arrival, with its length and queue; its beats come out once,
// in order and unchanged; a beat of a wrong frame never does. A frame is reported wrong if and only if it is. tready is
// whether a beat has room, and a forgotten frame gives its room back. The head of the fifo stays until it is taken: with it, what AXI asks of tvalid, tdata and
// tlast of an output.
module prove_frames #(
    parameter NW = 2,
    parameter DEPTH = 8
) (
    input wire       clk,
    input wire       tvalid,
    input wire       tag, // of the frame, at its first beat
    input wire [1:0] tkeep,
    input wire       tlast,
    input wire       tdest,
    input wire       tuser,
    input wire       wants, // the reader begins if a frame waits
    input wire       sink   // the output's tready
);
    localparam LONGEST = (1 << NW) - 1;
    reg  started = 0;
    wire rst = ~started; // in the first cycle
    always @(posedge clk)
        started <= 1;

    wire          tready, frame, queue, malformed, oversize;
    wire [NW-1:0] cells;
    wire [16:0]   data;
    reg  [NW:0]   index = 0; // of the beat that is offered, no more than LONGEST + 1
    reg           wrong = 0, mark = 0, dest = 0;
    reg  [NW-1:0] left = 0, out_index = 0;
    reg           reading = 0;
    wire          begins = frame & wants & left == 0;
    wire          reads = begins | left != 0;
    wire          now_mark = index == 0 ? tag : mark;

    weir_axis_frames #(.KEEP(2), .NW(NW), .QW(1), .DEPTH(DEPTH)) dut (
        .clk(clk), .rst(rst), .s_axis_tvalid(tvalid), .s_axis_tready(tready),
        .s_axis_tdata({now_mark, {(15-NW){1'b0}}, index[NW-1:0]}), .s_axis_tkeep(tkeep), .s_axis_tlast(tlast),
        .s_axis_tdest(tdest), .s_axis_tuser(tuser), .frame(frame), .queue(queue), .cells(cells), .begin_(begins),
        .read(reads), .data(data), .malformed(malformed), .oversize(oversize)
    );

    // What has to happen: right frames that went in, in a ring.
    reg [NW+1:0] model [0:7]; // mark, queue, beats
    reg          half [0:7];  // the last beat has one byte
    reg [3:0]    in_at = 0, out_at = 0, head = 0;
    reg [3:0]    kept = 0, now = 0; // beats of whole frames, and of the one under way
    wire         beat = tvalid & tready;
    wire         long_now = index >= LONGEST;
    wire         keep_wrong = tlast ? !tkeep[0] : tkeep != 3;
    wire         wrong_now = (index != 0 && (wrong || tdest != dest)) || keep_wrong || (tlast && tuser);

    always @(posedge clk)
        if (!rst) begin
            assert (oversize == (beat && tlast && long_now));
            assert (malformed == (beat && tlast && !long_now && wrong_now));
            assert (tready == (kept + now < DEPTH));
            kept <= kept + (beat && tlast && !long_now && !wrong_now ? now + 1'b1 : 0) - reads;
            if (beat)
                now <= tlast || long_now ? 0 : now + 1'b1;
            if (beat) begin
                index <= tlast ? 0 : long_now ? index : index + 1'b1;
                wrong <= wrong_now;
                if (index == 0) begin
                    mark <= tag;
                    dest <= tdest;
                end
                if (tlast && !long_now && !wrong_now) begin
                    model[in_at[2:0]] <= {now_mark, tdest, index[NW-1:0] + 1'b1};
                    half[in_at[2:0]] <= !tkeep[1];
                    in_at <= in_at + 1'b1;
                end
            end
            if (frame)
                assert (in_at != head && {queue, cells} == model[head[2:0]][NW:0]);
            if (begins) begin
                head <= head + 1'b1;
                out_at <= head;
                left <= cells - 1'b1;
            end else if (left != 0)
                left <= left - 1'b1;
            reading <= reads;
            out_index <= begins ? 0 : out_index + 1'b1;
            if (reading) begin
                assert (data[15] == model[out_at[2:0]][NW+1] && data[NW-1:0] == out_index);
                assert (data[16] == !(left == 0 && half[out_at[2:0]]));
            end
            // A frame that is whole is seen two cycles later, if none is before it.
            if (in_at != head && !frame)
                assert (unseen < 2);
            unseen <= in_at != head && !frame ? unseen + 1'b1 : 0;
        end else
            unseen <= 0;
    reg [1:0] unseen = 0;

    // The output's fifo, as weir_tm_axis fills it: never beyond its room.
    reg  [2:0] inside = 0;
    wire       out_valid;
    wire [3:0] out;
    reg  [3:0] next_in = 0, next_out = 0, old_out = 0;
    reg        old_wait = 0;
    wire       push = wants & inside < 4;
    weir_fifo #(.WIDTH(4), .DEPTH(4)) fifo (
        .clk(clk), .rst(rst), .push(push), .in(next_in), .pop(out_valid & sink), .valid(out_valid), .out(out)
    );
    always @(posedge clk)
        if (!rst) begin
            inside <= inside + push - (out_valid & sink);
            next_in <= next_in + push;
            if (out_valid) begin
                assert (out == next_out && inside != 0);
                next_out <= next_out + sink;
            end
            assert (!old_wait || (out_valid && out == old_out));
            old_wait <= out_valid & ~sink;
            old_out <= out;
        end
endmodule
