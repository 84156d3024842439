// weir_arbiter - who reads the PD memory: the output scheduler whenever it asks, else the head-drop.
//
// Interface  tx_request, drop_request in; at most one grant out.
// Timing     combinational. tx_grant does not depend on drop_request: head-drop never delays the scheduler.
`default_nettype none
module weir_arbiter (
    input  wire tx_request,
    input  wire drop_request,
    output wire tx_grant,
    output wire drop_grant
);
    assign tx_grant = tx_request;
    assign drop_grant = drop_request & ~tx_request;
endmodule
`default_nettype wire
