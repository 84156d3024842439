/*
 * reverie.c - Reverie's lossy side: a dynamic threshold that looks at filtered lengths, and leaves room to others by
 * how many queues are congested.
 *
 *   refuse  if  l + len > alpha (B - used) / n   or   len > B - used
 *
 * with l and n as reverie.h says, q and B counted in the one pool that lossy and lossless traffic share, and a large
 * alpha for what flows send before congestion control has heard of them (unscheduled packets).
 *
 * Paper: V. Addanki, W. Bai, S. Schmid, M. Apostolaki, "Reverie: Low Pass Filter-Based Switch Buffer Sharing for
 * Datacenters with RDMA and TCP Traffic", NSDI 2024; details as in the authors' simulator.
 */
#include <string.h>

#include "reverie.h"

enum { REVERIE_ALPHA, REVERIE_UNSCHEDULED, REVERIE_FILTER, REVERIE_CONGESTED, REVERIE_PARAMS };

struct reverie_params {
    weir_q16 alpha[WEIR_CLASSES_MAX];
    weir_q16 unscheduled_alpha;
};

struct reverie_state {
    struct reverie_params params;
    struct reverie_filter filter; /* as derived and vars */
};

static const struct weir_param reverie_param_table[REVERIE_PARAMS] = {
    {"alpha", WEIR_UNIT_RATIO, true, WEIR_Q16_ONE, 1, 4096 * WEIR_Q16_ONE, NULL,
     "Share of the free buffer for the congested queues of the class together."},
    {"unscheduled_alpha", WEIR_UNIT_RATIO, false, 1024 * WEIR_Q16_ONE, 0, 4096 * WEIR_Q16_ONE, NULL,
     "The same for packets of a flow's first bandwidth-delay product; 0: no special alpha."},
    {REVERIE_FILTER_PARAM},
    {REVERIE_CONGESTED_PARAM},
};

static size_t reverie_state_size(const struct weir_geometry *geometry)
{
    return offsetof(struct reverie_state, filter) + reverie_filter_size(geometry);
}

static void reverie_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct reverie_state *s = state;
    memcpy(s->params.alpha, values->of[REVERIE_ALPHA], sizeof s->params.alpha);
    s->params.unscheduled_alpha = values->of[REVERIE_UNSCHEDULED][0];
    reverie_set(&s->filter, &view->geometry, values->of[REVERIE_FILTER][0], values->of[REVERIE_CONGESTED][0]);
}

static void reverie_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    memset(state, 0, reverie_state_size(&view->geometry));
    reverie_change(state, view, values);
}

static weir_cells reverie_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    const struct reverie_state *s = state;
    weir_class tc = weir_account_class(&view->geometry, account);
    return reverie_limit(&s->filter, view, tc, s->params.alpha[tc.i]);
}

static struct weir_verdict reverie_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    const struct reverie_state *s = state;
    bool boost = arrival->flags & WEIR_FLAG_UNSCHEDULED && s->params.unscheduled_alpha > 0;
    weir_q16 alpha = boost ? s->params.unscheduled_alpha : s->params.alpha[arrival->tc.i];
    if (reverie_filtered(&s->filter, arrival->account) + arrival->need_cells >
        reverie_limit(&s->filter, view, arrival->tc, alpha))
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}

static void reverie_on_dequeue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct reverie_state *s = state;
    reverie_move(&s->filter, event->account, event->tc, weir_view_shared(view, event->account));
}

static void reverie_on_drop(void *state, const struct weir_view *view, const struct weir_event *event)
{
    if (event->cause != WEIR_CAUSE_REFUSED)
        reverie_on_dequeue(state, view, event);
}

const struct weir_policy weir_policy_reverie = {
    .name = "reverie",
    .title = "Reverie, lossy side",
    .source = "Addanki, Bai, Schmid & Apostolaki, NSDI 2024",
    .deviations =
        "n follows every departure; the authors' code takes a queue's part when its threshold is asked for. A "
        "packet that is lost from a queue counts as one that left.",
    .params = reverie_param_table,
    .param_count = REVERIE_PARAMS,
    .state_size = reverie_state_size,
    .init = reverie_init,
    .change = reverie_change,
    .admit = reverie_admit,
    .on_dequeue = reverie_on_dequeue,
    .on_drop = reverie_on_drop,
    .threshold = reverie_threshold,
};
