/*
 * naive_reverie.c - Reverie for the naive model.
 */
#include "naive_reverie.h"

static int64_t *reverie_filtered(const struct weir_naive *n, uint32_t account)
{
    return (int64_t *)n->state + account;
}

static size_t reverie_state_size(const struct weir_naive *n)
{
    return n->account_count * sizeof(int64_t);
}

static enum weir_reason reverie_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    int64_t alpha = naive_value(n, "alpha", arrival->tc.i), unscheduled = naive_value(n, "unscheduled_alpha", 0),
            sum = 0;
    if ((arrival->flags & WEIR_FLAG_UNSCHEDULED) != 0 && unscheduled > 0)
        alpha = unscheduled;
    for (uint32_t a = 0; a < n->account_count; a++)
        if (n->account[a].tc.i == arrival->tc.i)
            sum += reverie_counts(*reverie_filtered(n, a), naive_space(n, "congested", 0, 0));
    weir_cells length = *reverie_filtered(n, arrival->account.i) / 65536;
    return naive_over(length + naive_need(n, arrival->account, arrival->cells) > reverie_share(n, alpha, sum));
}

static void reverie_on_dequeue(struct weir_naive *n, const struct weir_event *event)
{
    int64_t *filtered = reverie_filtered(n, event->account.i);
    *filtered = reverie_moved(*filtered, n->account[event->account.i].shared_cells, naive_value(n, "filter", 0));
}

static void reverie_on_drop(struct weir_naive *n, const struct weir_event *event)
{
    if (event->cause != WEIR_CAUSE_REFUSED)
        reverie_on_dequeue(n, event);
}

const struct naive_policy naive_reverie = {
    .name = "reverie",
    .state_size = reverie_state_size,
    .admit = reverie_admit,
    .on_dequeue = reverie_on_dequeue,
    .on_drop = reverie_on_drop,
};
