/*
 * naive_sih.c - static and independent headroom for the naive model.
 */
#include "naive_static.h"

static weir_cells sih_limit(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    (void)tc;
    return n->input[input].uplink.headroom_cells;
}

const struct naive_scheme naive_sih = {
    .name = "sih", .limit = sih_limit, .place = naive_static_place, .pauses_queue = naive_static_pauses};
