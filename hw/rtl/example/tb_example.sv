// tb_example - weir_example in simulation: frames of random lengths in, a sink that stops and goes, registers read and set.
//
//   iverilog -g2012 -o example weir_example.v tb_example.sv ../weir_*.v && vvp example
//
// Each frame carries its number in its first bytes. The bench checks that every byte comes out as it went in, each frame
// at most once and in order of its input and queue, that what did not come out is what the registers count as refused or
// expelled, and that settings can be written and read back. Prints "ok" and the counters, or what is wrong.
`timescale 1ns / 1ns
module tb_example;
    parameter FRAMES = 2000; // of each input
    reg         clk = 0, rst = 1;
    reg         s_axis_tvalid [0:1];
    wire [1:0]  s_axis_tready;
    reg  [15:0] s_axis_tdata [0:1];
    reg  [1:0]  s_axis_tkeep [0:1], s_axis_tdest [0:1];
    reg         s_axis_tlast [0:1];
    wire        m_axis_tvalid, m_axis_tlast, m_axis_tuser;
    reg         m_axis_tready = 0;
    wire [15:0] m_axis_tdata;
    wire [1:0]  m_axis_tkeep, m_axis_tdest;
    reg  [8:0]  s_axil_awaddr = 0, s_axil_araddr = 0;
    reg         s_axil_awvalid = 0, s_axil_wvalid = 0, s_axil_bready = 0, s_axil_arvalid = 0, s_axil_rready = 0;
    reg  [31:0] s_axil_wdata = 0;
    wire        s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid;
    wire [1:0]  s_axil_bresp, s_axil_rresp;
    wire [31:0] s_axil_rdata;

    weir_example dut (
        .s0_axis_tvalid(s_axis_tvalid[0]), .s0_axis_tready(s_axis_tready[0]), .s0_axis_tdata(s_axis_tdata[0]),
        .s0_axis_tkeep(s_axis_tkeep[0]), .s0_axis_tlast(s_axis_tlast[0]), .s0_axis_tdest(s_axis_tdest[0]), .s0_axis_tuser(1'b0),
        .s1_axis_tvalid(s_axis_tvalid[1]), .s1_axis_tready(s_axis_tready[1]), .s1_axis_tdata(s_axis_tdata[1]),
        .s1_axis_tkeep(s_axis_tkeep[1]), .s1_axis_tlast(s_axis_tlast[1]), .s1_axis_tdest(s_axis_tdest[1]), .s1_axis_tuser(1'b0),
        .s_axil_wstrb(4'hf), .*
    );
    always #5 clk = ~clk;

    // Inputs: frame n of input i goes to a random queue and has 4 to 126 bytes: i, the number's two bytes, then a pattern.
    integer seed = 1, length_of [0:2*FRAMES-1], queue_of [0:2*FRAMES-1], next_in [0:1], at_in [0:1], i, k, p, n, b;
    integer newest [0:7]; // by input and queue: the last frame that came out
    integer in_rate = 60, out_rate = 60, out_at = 0, out_frame = 0, came = 0, marked = 0, quiet = 0, cycle = 0;
    reg [31:0] value, sent, refused, expelled;

    function integer draw(input integer below);
        draw = $unsigned($random(seed)) % below;
    endfunction

    function [7:0] byte_of(input integer frame, input integer at);
        byte_of = at == 0 ? frame / FRAMES : at == 1 ? (frame % FRAMES) >> 8 : at == 2 ? frame % FRAMES : frame * 5 + at;
    endfunction

    task fail(input [40*8-1:0] what, input integer is, input integer should);
        begin
            $display("tb_example: cycle %0d: %0s: %0d instead of %0d", cycle, what, is, should);
            $finish(0);
            $fatal;
        end
    endtask

    task source(input integer input_); // its next beat, if none waits
        if (!s_axis_tvalid[input_] && next_in[input_] < FRAMES && draw(100) < in_rate) begin
            n = input_ * FRAMES + next_in[input_];
            s_axis_tvalid[input_] = 1;
            s_axis_tdata[input_] = {byte_of(n, at_in[input_] + 1), byte_of(n, at_in[input_])};
            s_axis_tkeep[input_] = at_in[input_] + 1 < length_of[n] ? 2'b11 : 2'b01;
            s_axis_tlast[input_] = at_in[input_] + 2 >= length_of[n];
            s_axis_tdest[input_] = queue_of[n];
        end
    endtask

    task taken(input integer input_); // a beat went in
        begin
            s_axis_tvalid[input_] = 0;
            at_in[input_] = s_axis_tlast[input_] ? 0 : at_in[input_] + 2;
            next_in[input_] = next_in[input_] + s_axis_tlast[input_];
        end
    endtask

    task sink; // a beat was taken
        begin
            if (out_at == 0)
                out_frame = m_axis_tdata[7:0] * FRAMES + m_axis_tdata[15:8] * 256; // its lowest byte is in the next beat
            else if (out_at == 2) begin
                out_frame = out_frame + m_axis_tdata[7:0];
                i = out_frame / FRAMES * 4 + m_axis_tdest;
                if (out_frame >= 2 * FRAMES || queue_of[out_frame] != m_axis_tdest || newest[i] >= out_frame)
                    fail("frame", out_frame, newest[i] + 1);
                newest[i] = out_frame;
            end
            for (b = 0; b < 2; b = b + 1)
                if (m_axis_tkeep[b] && out_at >= 2 && m_axis_tdata[8*b +: 8] !== byte_of(out_frame, out_at + b))
                    fail("byte", m_axis_tdata[8*b +: 8], byte_of(out_frame, out_at + b));
            out_at = out_at + m_axis_tkeep[0] + m_axis_tkeep[1];
            if (m_axis_tlast) begin
                if (out_at != length_of[out_frame])
                    fail("bytes of a frame", out_at, length_of[out_frame]);
                came = came + 1;
                marked = marked + m_axis_tuser;
                out_at = 0;
            end
        end
    endtask

    // Signals are driven at the falling edge. What happens at the rising one is what they are just before it.
    reg [1:0] goes_in;
    always @(negedge clk) begin
        cycle = cycle + 1;
        if (cycle % 300 == 0) begin
            in_rate = 20 + draw(81);
            out_rate = 20 + draw(81);
        end
        m_axis_tready = draw(100) < out_rate;
        for (k = 0; k < 2; k = k + 1) begin
            if (goes_in[k])
                taken(k);
            if (!rst)
                source(k);
        end
    end
    always @(posedge clk) begin
        goes_in = {s_axis_tvalid[1], s_axis_tvalid[0]} & s_axis_tready & {2{~rst}};
        if (m_axis_tvalid && m_axis_tready && !rst)
            sink;
        quiet = m_axis_tvalid || next_in[0] + next_in[1] < 2 * FRAMES ? 0 : quiet + 1;
    end

    task read(input [8:0] address, output [31:0] result);
        begin
            @(negedge clk) s_axil_araddr = address;
            s_axil_arvalid = 1;
            s_axil_rready = 1;
            @(posedge clk) while (!s_axil_arready) @(posedge clk);
            @(negedge clk) s_axil_arvalid = 0;
            while (!s_axil_rvalid) @(negedge clk);
            result = s_axil_rdata;
            if (s_axil_rresp != 0)
                fail("answer to a read", s_axil_rresp, 0);
            @(negedge clk) s_axil_rready = 0;
        end
    endtask

    task write(input [8:0] address, input [31:0] data, input [1:0] answer);
        begin
            @(negedge clk) s_axil_awaddr = address;
            s_axil_wdata = data;
            s_axil_awvalid = 1;
            s_axil_wvalid = 1;
            s_axil_bready = 1;
            @(posedge clk) while (!s_axil_awready) @(posedge clk);
            @(negedge clk) {s_axil_awvalid, s_axil_wvalid} = 0;
            while (!s_axil_bvalid) @(negedge clk);
            if (s_axil_bresp != answer)
                fail("answer to a write", s_axil_bresp, answer);
            @(negedge clk) s_axil_bready = 0;
        end
    endtask

    initial begin
        for (p = 0; p < 2 * FRAMES; p = p + 1) begin
            length_of[p] = 4 + draw(123);
            queue_of[p] = draw(4);
        end
        for (p = 0; p < 8; p = p + 1)
            newest[p] = -1;
        for (p = 0; p < 2; p = p + 1) begin
            s_axis_tvalid[p] = 0;
            next_in[p] = 0;
            at_in[p] = 0;
        end
        repeat (4) @(negedge clk);
        rst = 0;
        read(9'h000, value);
        if (value !== "WEIR")
            fail("first register", value, "WEIR");
        read(9'h014, value);
        if (value !== 1)
            fail("head-drop after reset", value, 1);
        write(9'h040, 1, 0); // alpha 2
        read(9'h040, value);
        if (value !== 1)
            fail("alpha that was written", value, 1);
        write(9'h010, 1, 2); // the number of cells is only read: SLVERR
        write(9'h044, 1, 2); // nor is there a second class
        write(9'h014, 0, 0);
        read(9'h014, value);
        if (value !== 0)
            fail("head-drop switched off", value, 0);
        write(9'h014, 1, 0);
        write(9'h080, 100, 0); // queues of 100 cells and more are marked
        read(9'h080, value);
        if (value !== 100)
            fail("cells that are marked", value, 100);
        repeat (20) begin // while frames pass, alpha changes: head-drop expels what is then too long
            repeat (300) @(negedge clk);
            write(9'h040, draw(2) ? -3 : 2, 0);
        end
        read(9'h040, value);
        if (value !== -3 && value !== 2)
            fail("sign of alpha", value, -3);
        while (quiet < 200) @(negedge clk);
        read(9'h028, refused);
        read(9'h02c, expelled);
        read(9'h030, sent);
        if (sent !== came || sent + refused + expelled !== 2 * FRAMES)
            fail("frames counted", sent + refused + expelled, 2 * FRAMES);
        if (refused == 0 || expelled == 0 || sent < FRAMES / 4 || marked == 0 || marked > sent / 2)
            fail("something never happened", expelled, 1);
        read(9'h018, value);
        if (value !== 512)
            fail("free cells at the end", value, 512);
        for (p = 0; p < 4; p = p + 1) begin
            read(9'h100 + 4 * p, value);
            if (value !== 0)
                fail("cells of a queue at the end", value, 0);
        end
        $display("ok: %0d frames in %0d cycles: %0d sent, %0d marked, %0d refused, %0d expelled", 2 * FRAMES, cycle, sent,
                 marked, refused, expelled);
        $finish(0);
    end
endmodule
