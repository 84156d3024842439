/*
 * naive_adaptive.c - adaptive headroom for the naive model.
 */
#include "naive_static.h"

/* The most cells that so many bytes of packets take, over all sizes of packet; in 2^-20 of a cell, rounded up. */
static weir_cells worst_cells(const struct weir_uplink *uplink, int64_t bytes, uint32_t cell_bytes)
{
    uint64_t cells = 0, wire = 1;
    for (uint32_t size = uplink->least_bytes > 0 ? uplink->least_bytes : 1; size <= uplink->mtu_bytes; size++) {
        uint64_t of_size = (size + cell_bytes - 1) / cell_bytes, on_wire = (uint64_t)size + uplink->gap_bytes;
        if (of_size * wire > cells * on_wire) {
            cells = of_size;
            wire = on_wire;
        }
    }
    uint64_t per_byte = (cells * (1 << 20) + wire - 1) / wire;
    bytes += 4 * (int64_t)uplink->gap_bytes;
    return (weir_cells)((naive_wide)per_byte * bytes / (1 << 20)) + 1;
}

/* 2 (C D + MTU) + 3840, and if wished the PAUSE frame, one MTU, slower processing and cells filled in part. */
static weir_cells adaptive_limit(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    (void)tc;
    const struct naive_input *in = &n->input[input];
    naive_wide byte_ps = (naive_wide)8 * WEIR_PS_PER_S;
    int64_t on_link = (int64_t)(((naive_wide)in->rate_bps * in->uplink.delay_ps + byte_ps - 1) / byte_ps);
    int64_t bytes = 2 * (on_link + in->uplink.mtu_bytes) + 3840;
    if (naive_scheme_value(n, "terms", 0) == 0)
        return weir_cells_for_bytes(bytes, n->config.cell_bytes);
    bytes += 64 + in->uplink.mtu_bytes;
    bytes += in->uplink.processing_bytes > 3840 ? in->uplink.processing_bytes - 3840 : 0;
    return n->config.cell_bytes == 1 ? bytes : worst_cells(&in->uplink, bytes, n->config.cell_bytes);
}

const struct naive_scheme naive_adaptive = {
    .name = "adaptive", .limit = adaptive_limit, .place = naive_static_place, .pauses_queue = naive_static_pauses};
