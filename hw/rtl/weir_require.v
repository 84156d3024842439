// weir_require - stops elaboration where a module's parameters are out of range; the message names the instance.
//
// Interface  none. Timing: none.
// Parameters MET: what a module asks of its parameters.
`default_nettype none
module weir_require #(
    parameter MET = 1
) ();
    generate
        if (!MET) begin : refused
`ifdef __ICARUS__ // no $error as an item of a module before version 12
            parameters_out_of_range_see_the_head_of_the_module_around_this legal ();
`else
            $error("parameters are out of range: see the head of the module around this instance");
`endif
        end
    endgenerate
endmodule
`default_nettype wire
