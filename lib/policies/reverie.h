/*
 * reverie.h - what Reverie does alike for lossy traffic at the outputs (reverie.c) and for lossless traffic at the
 * inputs (reverie_lossless.c): a length that is filtered, and the number of congested queues by it.
 *
 * With q the length of an account after one of its packets has left,
 *
 *   l = min(q, l + (q - l) / filter)
 *   n = sum over the accounts of the class of min(1, l / congested), at least 1
 *   T = alpha (B - used) / n
 *
 * l follows a falling queue at once and a growing one slowly, and arrivals do not move it: a burst is admitted by what
 * the queue was before.
 */
#ifndef WEIR_POLICIES_REVERIE_H
#define WEIR_POLICIES_REVERIE_H

#include "weir/fixed.h"
#include "weir/policy.h"

#define REVERIE_FILTER_PARAM                                                                                           \
    "filter", WEIR_UNIT_COUNT, false, 100, 1, 1 << 20, NULL,                                                           \
        "Departures over which a length is averaged: 100 as in the authors' code, 1000 as in the paper."

#define REVERIE_CONGESTED_PARAM                                                                                        \
    "congested", WEIR_UNIT_SPACE, false, 20480, 1, INT32_MAX, NULL,                                                    \
        "Filtered length that counts as one congested queue."

struct reverie_filter {
    int64_t filter;
    weir_cells congested_cells;
    weir_q16 congested[WEIR_CLASSES_MAX]; /* of each class; n, where it is more than 1 */
    int64_t length_q16[];                 /* [accounts], cells */
};

static inline size_t reverie_filter_size(const struct weir_geometry *geometry)
{
    return sizeof(struct reverie_filter) + geometry->accounts * sizeof(int64_t);
}

static inline weir_cells reverie_filtered(const struct reverie_filter *f, weir_account account)
{
    return f->length_q16[account.i] >> 16;
}

static inline weir_q16 reverie_weight(const struct reverie_filter *f, int64_t length_q16)
{
    int64_t weight = length_q16 / f->congested_cells;
    return weight < WEIR_Q16_ONE ? weight : WEIR_Q16_ONE;
}

/* A packet has left the account, which now holds `cells`. */
static inline void reverie_move(struct reverie_filter *f, weir_account account, weir_class tc, weir_cells cells)
{
    int64_t *length = &f->length_q16[account.i], now = cells << 16;
    weir_q16 before = reverie_weight(f, *length);
    *length += (now - *length) / f->filter;
    if (*length > now)
        *length = now;
    f->congested[tc.i] += reverie_weight(f, *length) - before;
}

static inline weir_cells reverie_limit(const struct reverie_filter *f, const struct weir_view *view, weir_class tc,
                                       weir_q16 alpha)
{
    weir_q16 n = f->congested[tc.i] > WEIR_Q16_ONE ? f->congested[tc.i] : WEIR_Q16_ONE;
    return (weir_cells)(((weir_wide)weir_q16_mul(alpha, weir_view_shared_free(view)) << 16) / (weir_wide)n);
}

/* Takes new settings; what has been filtered stays, and counts by them. */
static inline void reverie_set(struct reverie_filter *f, const struct weir_geometry *geometry, int64_t filter,
                               int64_t congested_bytes)
{
    f->filter = filter;
    f->congested_cells = weir_cells_for_bytes(congested_bytes, geometry->cell_bytes);
    for (uint32_t tc = 0; tc < geometry->classes; tc++) {
        f->congested[tc] = 0;
        for (uint32_t p = 0; p < geometry->ports; p++)
            f->congested[tc] +=
                reverie_weight(f, f->length_q16[weir_account_of(geometry, (weir_port){p}, (weir_class){tc}).i]);
    }
}

#endif
