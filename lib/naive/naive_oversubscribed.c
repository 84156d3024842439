/*
 * naive_oversubscribed.c - oversubscribed headroom for the naive model.
 */
#include "naive_static.h"

static weir_cells oversubscribed_limit(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    (void)tc;
    weir_cells whole = n->input[input].uplink.headroom_cells;
    return naive_scheme_value(n, "pool", 0) != 0 ? whole : naive_scheme_value(n, "ratio", 0) * whole / 65536;
}

const struct naive_scheme naive_oversubscribed = {.name = "oversubscribed",
                                                  .limit = oversubscribed_limit,
                                                  .place = naive_static_place,
                                                  .pauses_queue = naive_static_pauses};
