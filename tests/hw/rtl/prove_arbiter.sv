// The arbiter: never two grants, none without a request, one whenever there is a request, and the scheduler's does not
// depend on the head-drop.
module prove_arbiter (
    input wire clk,
    input wire tx,
    input wire drop,
    input wire other_drop
);
    wire tx_grant, drop_grant, other_grant, unused;
    weir_arbiter dut (.tx_request(tx), .drop_request(drop), .tx_grant(tx_grant), .drop_grant(drop_grant));
    weir_arbiter twin (.tx_request(tx), .drop_request(other_drop), .tx_grant(other_grant), .drop_grant(unused));
    always @(posedge clk) begin
        assert (!(tx_grant && drop_grant));
        assert (!tx_grant || tx);
        assert (!drop_grant || drop);
        assert ((tx_grant || drop_grant) == (tx || drop));
        assert (tx_grant == other_grant);
    end
endmodule
