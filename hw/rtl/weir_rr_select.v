// weir_rr_select - round robin over a bitmap: the next set bit after the last one served.
//
// Two levels: a bit per group says whether the group has a request, so that each search is over about the square root of
// the bits. That keeps it at one cycle for 64 and for 512 requests.
//
// Interface  request: the bitmap; last: whom the search begins behind. valid: any request; index: the first one behind
//            `last`, going round, `last` itself being the last choice.
// Timing     combinational.
// Parameters QUEUES: a power of two, 4 or more. GROUP: bits per group, a power of two, 2 <= GROUP < QUEUES.
`default_nettype none
module weir_rr_select #(
    parameter QUEUES = 64,
    parameter QW = $clog2(QUEUES),
    parameter GROUP = 1 << ((QW + 1) / 2)
) (
    input  wire [QUEUES-1:0] request,
    input  wire [QW-1:0]     last,
    output wire              valid,
    output wire [QW-1:0]     index
);
    weir_require #(.MET(QUEUES >= 4 && (QUEUES & (QUEUES - 1)) == 0 && GROUP >= 2 && GROUP < QUEUES &&
                        (GROUP & (GROUP - 1)) == 0)) legal ();
    localparam BW = $clog2(GROUP);
    localparam GROUPS = QUEUES / GROUP;
    localparam GW = QW - BW;

    wire [GW-1:0] last_group = last[QW-1:BW];
    wire [BW-1:0] last_bit = last[BW-1:0];

    wire [GROUPS-1:0] any;
    genvar g;
    generate
        for (g = 0; g < GROUPS; g = g + 1) begin : group
            assign any[g] = |request[g*GROUP +: GROUP];
        end
    endgenerate

    // Masks of what lies strictly behind the last one served.
    wire [GROUPS-1:0] later_groups = {GROUPS{1'b1}} << last_group << 1;
    wire [GROUP-1:0]  later_bits = {GROUP{1'b1}} << last_bit << 1;

    wire [GROUP-1:0]  here = request[last_group*GROUP +: GROUP] & later_bits;
    wire [GROUPS-1:0] behind = any & later_groups;
    wire [GROUPS-1:0] candidates = |behind ? behind : any;

    reg [GW-1:0] first_group;
    reg [BW-1:0] first_bit;
    integer i;
    always @* begin
        first_group = 0;
        for (i = GROUPS - 1; i >= 0; i = i - 1)
            if (candidates[i])
                first_group = i[GW-1:0];
    end

    wire [GW-1:0]    group_index = |here ? last_group : first_group;
    wire [GROUP-1:0] bits = |here ? here : request[first_group*GROUP +: GROUP];
    always @* begin
        first_bit = 0;
        for (i = GROUP - 1; i >= 0; i = i - 1)
            if (bits[i])
                first_bit = i[BW-1:0];
    end

    assign valid = |any;
    assign index = {group_index, first_bit};
endmodule
`default_nettype wire
