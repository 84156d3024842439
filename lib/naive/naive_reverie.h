/*
 * naive_reverie.h - what both sides of Reverie do alike, for the naive model. Filtered lengths are in cells / 65536 and
 * moved on each departure; what queues count for is added up whenever it is asked for.
 */
#ifndef WEIR_NAIVE_REVERIE_H
#define WEIR_NAIVE_REVERIE_H

#include "naive_static.h"

static inline int64_t reverie_moved(int64_t filtered, weir_cells length, int64_t filter)
{
    int64_t moved = filtered + (length * 65536 - filtered) / filter;
    return moved < length * 65536 ? moved : length * 65536;
}

/* min(1, l / congested), in 1/65536. */
static inline int64_t reverie_counts(int64_t filtered, weir_cells congested)
{
    return filtered / congested < 65536 ? filtered / congested : 65536;
}

/* alpha F / n, n of a sum of the above. */
static inline weir_cells reverie_share(const struct weir_naive *n, int64_t alpha, int64_t sum)
{
    naive_wide whole = (naive_wide)weir_q16_mul(alpha, naive_shared_free(n)) * 65536;
    return (weir_cells)(whole / (sum > 65536 ? sum : 65536));
}

#endif
