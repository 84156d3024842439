// tb_pfc - weir_pfc_receive against frames of the library's encoder, good and spoilt, and weir_pfc_send into
// weir_pfc_receive: what one end is to pause is paused at the other, for as long as it is to be and no longer. Each frame
// that is sent is compared byte by byte with what the standard says. Prints "ok" or what is wrong.
`timescale 1ns / 1ns
module tb_pfc;
    parameter VECTORS = "vectors";
    parameter KEEP = 8;
    localparam QUANTUM = 3, QUANTA = 100, REFRESH = 150;

    reg               clk = 0, rst = 1, beat = 0, last = 0, user = 0;
    reg  [8*KEEP-1:0] data = 0;
    reg  [KEEP-1:0]   keep = 0;
    wire [7:0]        paused, far;
    wire              taken, far_taken;
    weir_pfc_receive #(.KEEP(KEEP), .QUANTUM(QUANTUM)) receive (
        .clk(clk), .rst(rst), .beat(beat), .s_axis_tdata(data), .s_axis_tkeep(keep), .s_axis_tlast(last),
        .s_axis_tuser(user), .paused(paused), .taken(taken)
    );
    reg  [7:0]        pause = 0;
    reg               ready = 0;
    wire              m_valid, m_last;
    wire [8*KEEP-1:0] m_data;
    wire [KEEP-1:0]   m_keep;
    weir_pfc_send #(.KEEP(KEEP), .QUANTA(QUANTA), .REFRESH(REFRESH)) send (
        .clk(clk), .rst(rst), .pause(pause), .source(48'h020000000001), .m_axis_tvalid(m_valid), .m_axis_tready(ready),
        .m_axis_tdata(m_data), .m_axis_tkeep(m_keep), .m_axis_tlast(m_last)
    );
    weir_pfc_receive #(.KEEP(KEEP), .QUANTUM(QUANTUM)) other (
        .clk(clk), .rst(rst), .beat(m_valid & ready), .s_axis_tdata(m_data), .s_axis_tkeep(m_keep), .s_axis_tlast(m_last),
        .s_axis_tuser(1'b0), .paused(far), .taken(far_taken)
    );

    integer seed = 1, file, length, good, enabled, c, b, k, cycle = 0, frames = 0, sent = 0, since = 0, quiet = 0;
    integer times [0:7], left [0:7];
    reg [7:0] bytes [0:60], out [0:63];
    integer out_at = 0, fields, value, refreshed = 0;

    function integer draw(input integer below);
        draw = $unsigned($random(seed)) % below;
    endfunction

    task fail(input [50*8-1:0] what, input integer is, input integer should);
        begin
            $display("tb_pfc: frame %0d, cycle %0d: %0s: %0h instead of %0h", frames, cycle, what, is, should);
            $finish(0);
            $fatal;
        end
    endtask

    task clock;
        begin
            #1 clk = 1;
            #1 clk = 0;
            cycle = cycle + 1;
        end
    endtask

    // A cycle of the receiver alone; left[c]: cycles that class c is still paused.
    task receive_clock;
        begin
            clock;
            for (c = 0; c < 8; c = c + 1) begin
                if (left[c] > 0)
                    left[c] = left[c] - 1;
            end
        end
    endtask

    task compare;
        for (c = 0; c < 8; c = c + 1)
            if (paused[c] !== (left[c] > 0))
                fail("paused", paused, c);
    endtask

    task frame_in;
        begin
            user = draw(10) == 0;
            if (draw(6) == 0) begin // the end of a longer frame
                good = 0;
                repeat (1 + draw(9)) begin
                    beat = 1;
                    last = 0;
                    data = {2*KEEP{4'h5}};
                    keep = {KEEP{1'b1}};
                    receive_clock;
                    compare;
                end
            end
            for (b = 0; b < length; b = b + KEEP) begin
                while (draw(3) == 0) begin
                    beat = 0;
                    receive_clock;
                    compare;
                end
                beat = 1;
                last = b + KEEP >= length;
                for (k = 0; k < KEEP; k = k + 1) begin
                    data[8*k +: 8] = b + k <= 60 ? bytes[b + k] : 8'd0;
                    keep[k] = b + k < length;
                end
                receive_clock;
                compare;
            end
            beat = 0;
            last = 0;
            clock; // in which it takes effect
            for (c = 0; c < 8; c = c + 1)
                left[c] = good != 0 && !user && enabled[c] ? times[c] * QUANTUM : left[c] > 0 ? left[c] - 1 : 0;
            if (taken !== (good != 0 && !user))
                fail("a frame taken", taken, good);
            compare;
            repeat (draw(60)) begin
                receive_clock;
                compare;
            end
        end
    endtask

    task check_sent; // a whole frame is in `out`
        begin
            sent = sent + 1;
            if (out_at != 60)
                fail("bytes of a frame", out_at, 60);
            if ({out[0], out[1], out[2], out[3], out[4], out[5]} !== 48'h0180c2000001 ||
                {out[6], out[7], out[8], out[9], out[10], out[11]} !== 48'h020000000001 ||
                {out[12], out[13], out[14], out[15], out[16]} !== 40'h8808010100)
                fail("head of a frame", out[12], 8'h88);
            for (c = 0; c < 8; c = c + 1)
                if ({out[18 + 2*c], out[19 + 2*c]} !== 16'd0 && (!out[17][c] || {out[18 + 2*c], out[19 + 2*c]} !== QUANTA))
                    fail("time of a class", out[19 + 2*c], QUANTA);
            for (b = 34; b < 60; b = b + 1)
                if (out[b] !== 0)
                    fail("padding", out[b], 0);
            out_at = 0;
        end
    endtask

    initial begin
        for (c = 0; c < 8; c = c + 1)
            left[c] = 0;
        repeat (2)
            clock;
        rst = 0;
        file = $fopen(VECTORS, "r");
        while ($fscanf(file, "%d %h %h", length, good, enabled) == 3) begin
            for (c = 0; c < 8; c = c + 1)
                fields = $fscanf(file, "%h", times[c]);
            for (b = 0; b < 61; b = b + 1) begin
                fields = $fscanf(file, "%h", value);
                bytes[b] = value;
            end
            frames = frames + 1;
            frame_in;
        end
        if (frames < 100)
            fail("frames", frames, 100);
        // Both ends: the far one follows within two frames, and stays.
        cycle = 0;
        repeat (30000) begin
            if (draw(700) == 0) begin
                pause = draw(3) ? draw(256) : 0;
                since = 0;
            end
            ready = draw(4) != 0;
            #1;
            if (m_valid && ready) begin
                for (k = 0; k < KEEP; k = k + 1)
                    if (m_keep[k]) begin
                        out[out_at] = m_data[8*k +: 8];
                        out_at = out_at + 1;
                    end
                if (m_last)
                    check_sent;
            end
            refreshed = refreshed + (far_taken && since > 250);
            quiet = since > 400 && pause == 0 ? quiet + m_valid : quiet;
            clock;
            since = since + 1;
            if (since > 250 && far !== pause)
                fail("paused at the far end", far, pause);
        end
        if (sent < 100 || refreshed < 20 || quiet != 0)
            fail("frames sent, refreshed, without need", sent, refreshed);
        $display("ok: %0d frames received, %0d sent", frames, sent);
        $finish(0);
    end
endmodule
