/*
 * reverie_lossless.c - Reverie's lossless side: a queue of an input is paused by its filtered length.
 *
 *   place    private minimum first; then shared, if the queue holds no headroom, l <= T and the pool has room; else
 *            headroom, if h + len <= Phi_i; else refuse
 *   pause    h > 0
 *   resume   h = 0 and l + delta <= T
 *
 * with l the filtered length of all that the queue holds and T its threshold (reverie.h), h what it holds of headroom,
 * and Phi_i the headroom of a queue of input i. A burst is paused late, when the headroom begins to fill, and a queue
 * that stays long is paused by what it was. Used with reverie for the lossy classes, which share the pool.
 *
 * Paper: see reverie.c.
 */
#include <string.h>

#include "reverie.h"
#include "static_headroom.h"

enum { LOSSLESS_FILTER = STATIC_HEADROOM_PARAM_COUNT, LOSSLESS_CONGESTED, LOSSLESS_PARAMS };

struct reverie_lossless_params {
    weir_q16 alpha;
};

struct reverie_lossless_derived {
    weir_cells delta_cells;
};

struct reverie_lossless_state {
    struct reverie_lossless_params params;
    struct reverie_lossless_derived derived;
    struct reverie_filter filter; /* as derived and vars */
};

static const struct weir_param reverie_lossless_param_table[LOSSLESS_PARAMS] = {
    {STATIC_HEADROOM_ALPHA_PARAM},
    {STATIC_HEADROOM_DELTA_PARAM},
    {REVERIE_FILTER_PARAM},
    {REVERIE_CONGESTED_PARAM},
};

static size_t reverie_lossless_state_size(const struct weir_geometry *geometry)
{
    return offsetof(struct reverie_lossless_state, filter) + reverie_filter_size(geometry);
}

static void reverie_lossless_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct reverie_lossless_state *s = state;
    s->params.alpha = values->of[STATIC_HEADROOM_ALPHA][0];
    s->derived.delta_cells = weir_cells_for_bytes(values->of[STATIC_HEADROOM_DELTA][0], view->geometry.cell_bytes);
    reverie_set(&s->filter, &view->geometry, values->of[LOSSLESS_FILTER][0], values->of[LOSSLESS_CONGESTED][0]);
}

static void reverie_lossless_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    memset(state, 0, reverie_lossless_state_size(&view->geometry));
    reverie_lossless_change(state, view, values);
}

static weir_cells reverie_lossless_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    const struct reverie_lossless_state *s = state;
    return reverie_limit(&s->filter, view, weir_account_class(&view->geometry, account), s->params.alpha);
}

static struct weir_verdict reverie_lossless_admit(void *state, const struct weir_view *view,
                                                  const struct weir_arrival *arrival)
{
    const struct reverie_lossless_state *s = state;
    struct weir_verdict verdict = weir_accept_if_room();
    const struct weir_holding *queue = weir_view_account(view, arrival->account);
    if (!(arrival->flags & WEIR_FLAG_LOSSLESS) || arrival->need_cells == 0)
        return verdict;
    if (queue->headroom_cells == 0 && arrival->need_cells <= weir_view_shared_free(view) &&
        reverie_filtered(&s->filter, arrival->account) <= reverie_lossless_threshold(s, view, arrival->account))
        return verdict;
    if (queue->headroom_cells + arrival->cells > weir_view_uplink(view, arrival->port)->headroom_cells)
        return weir_refuse(WEIR_REASON_NO_ROOM);
    verdict.charge = WEIR_CHARGE_HEADROOM;
    return verdict;
}

static uint32_t reverie_lossless_pause_mask(const void *state, const struct weir_view *view, weir_port port,
                                            uint32_t asked, bool *port_level)
{
    const struct reverie_lossless_state *s = state;
    uint32_t paused = weir_view_port(view, port)->paused_mask, mask = 0;
    (void)port_level;
    for (uint32_t left = asked; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        weir_account account = weir_account_of(&view->geometry, port, (weir_class){tc});
        bool stays = paused >> tc & 1 && reverie_filtered(&s->filter, account) + s->derived.delta_cells >
                                             reverie_lossless_threshold(s, view, account);
        mask |= (uint32_t)(stays || weir_view_headroom(view, account) > 0) << tc;
    }
    return mask;
}

static void reverie_lossless_on_dequeue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct reverie_lossless_state *s = state;
    if (view->geometry.lossless_mask >> event->tc.i & 1)
        reverie_move(&s->filter, event->account, event->tc, weir_view_length(view, event->account));
}

static void reverie_lossless_on_drop(void *state, const struct weir_view *view, const struct weir_event *event)
{
    if (event->cause != WEIR_CAUSE_REFUSED)
        reverie_lossless_on_dequeue(state, view, event);
}

const struct weir_policy weir_policy_reverie_lossless = {
    .name = "reverie-lossless",
    .title = "Reverie, lossless side",
    .source = "Addanki, Bai, Schmid & Apostolaki, NSDI 2024",
    .deviations = "The threshold does not count the packet that it decides about. n as in reverie.",
    .headroom = "one headroom per queue, sized for the worst case of its link",
    .needs = WEIR_NEED_INGRESS,
    .params = reverie_lossless_param_table,
    .param_count = LOSSLESS_PARAMS,
    .state_size = reverie_lossless_state_size,
    .init = reverie_lossless_init,
    .change = reverie_lossless_change,
    .admit = reverie_lossless_admit,
    .pause_mask = reverie_lossless_pause_mask,
    .on_dequeue = reverie_lossless_on_dequeue,
    .on_drop = reverie_lossless_on_drop,
    .reserve = weir_static_headroom_reserve,
    .threshold = reverie_lossless_threshold,
};
