/*
 * naive_fab.c - flow-aware buffer for the naive model.
 */
#include "naive_internal.h"

/* Short: flagged, or with fewer bytes than `short` by the table, without a table by the sender. */
static bool fab_is_short(const struct weir_naive *n, const struct weir_arrival *arrival)
{
    const struct weir_flow_view *flow = arrival->flow;
    if (naive_chooses(n, "identify", "flag"))
        return (arrival->flags & WEIR_FLAG_UNSCHEDULED) != 0;
    if (naive_value(n, "entries", 0) > 0)
        return flow->entry != NULL && flow->entry->bytes < naive_value(n, "short", 0);
    return flow->bytes >= 0 && flow->bytes + flow->packet_bytes < naive_value(n, "short", 0);
}

/* Over if q + need > alpha F, with the alpha of short or of long flows. */
static enum weir_reason fab_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    weir_cells need = naive_need(n, arrival->account, arrival->cells);
    int64_t alpha =
        fab_is_short(n, arrival) ? naive_value(n, "short_alpha", 0) : naive_value(n, "alpha", arrival->tc.i);
    weir_cells length = n->account[arrival->account.i].shared_cells + need;
    return naive_over(length > weir_q16_mul(alpha, naive_shared_free(n)));
}

const struct naive_policy naive_fab = {.name = "fab", .admit = fab_admit};
