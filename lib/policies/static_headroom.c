/*
 * static_headroom.c - placement, pause and resume of the schemes with a fixed headroom per queue. The rule and the
 * reason for it are in static_headroom.h.
 */
#include <assert.h>

#include "static_headroom.h"
#include "weir/fixed.h"

size_t weir_static_headroom_size(const struct weir_geometry *geometry)
{
    return sizeof(struct weir_static_headroom) + geometry->ports * sizeof(weir_cells);
}

void weir_static_headroom_load(struct weir_static_headroom *s, const struct weir_view *view,
                               const struct weir_values *values)
{
    s->params.alpha = values->of[STATIC_HEADROOM_ALPHA][0];
    s->derived.delta_cells = weir_cells_for_bytes(values->of[STATIC_HEADROOM_DELTA][0], view->geometry.cell_bytes);
}

struct weir_verdict weir_static_headroom_admit(void *state, const struct weir_view *view,
                                               const struct weir_arrival *arrival)
{
    const struct weir_static_headroom *s = state;
    struct weir_verdict verdict = weir_accept_if_room();
    if (!(arrival->flags & WEIR_FLAG_LOSSLESS) || arrival->need_cells == 0)
        return verdict;
    const struct weir_holding *queue = weir_view_account(view, arrival->account);
    weir_cells free_cells = weir_view_shared_free(view);
    bool paused = weir_view_port(view, arrival->port)->paused_mask >> arrival->tc.i & 1;
    if (arrival->need_cells <= free_cells &&
        (!paused || queue->shared_cells < weir_q16_mul(s->params.alpha, free_cells)))
        return verdict;
    if (queue->headroom_cells + arrival->cells > s->limit_cells[arrival->port.i])
        return weir_refuse(WEIR_REASON_NO_ROOM);
    verdict.charge = WEIR_CHARGE_HEADROOM;
    return verdict;
}

static const struct weir_holding *static_headroom_queue(const struct weir_view *view, weir_port port, uint32_t tc)
{
    return weir_view_account(view, weir_account_of(&view->geometry, port, (weir_class){tc}));
}

uint32_t weir_static_headroom_pause_mask(const void *state, const struct weir_view *view, weir_port port,
                                         uint32_t asked, bool *port_level)
{
    const struct weir_static_headroom *s = state;
    assert((asked & ~view->geometry.lossless_mask) == 0);
    uint32_t paused = weir_view_port(view, port)->paused_mask, mask = 0;
    weir_cells xoff = weir_q16_mul(s->params.alpha, weir_view_shared_free(view));
    (void)port_level;
    for (uint32_t left = asked; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        const struct weir_holding *queue = static_headroom_queue(view, port, tc);
        bool full = weir_headroom_is_full(queue->shared_cells, xoff, s->derived.delta_cells, paused >> tc & 1);
        mask |= (uint32_t)(full || queue->headroom_cells > 0) << tc;
    }
    return mask;
}

weir_cells weir_static_headroom_resume_level(const void *state, const struct weir_view *view, weir_port port)
{
    const struct weir_static_headroom *s = state;
    weir_cells least = INT64_MAX; /* a queue with headroom waits for its own departures, whatever the threshold */
    for (uint32_t left = weir_view_port(view, port)->paused_mask; left; left &= left - 1) {
        const struct weir_holding *queue = static_headroom_queue(view, port, (uint32_t)__builtin_ctz(left));
        if (queue->headroom_cells == 0 && queue->shared_cells < least)
            least = queue->shared_cells;
    }
    return least == INT64_MAX ? -1 : weir_headroom_level(view, s->params.alpha, least + s->derived.delta_cells);
}

weir_cells weir_static_headroom_limit(const void *state, const struct weir_view *view, weir_port port)
{
    (void)view;
    return ((const struct weir_static_headroom *)state)->limit_cells[port.i];
}

weir_cells weir_static_headroom_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    const struct weir_static_headroom *s = state;
    (void)account;
    return weir_q16_mul(s->params.alpha, weir_view_shared_free(view));
}

weir_cells weir_static_headroom_reserve(const struct weir_geometry *geometry, const struct weir_reserve *inputs,
                                        const struct weir_values *values)
{
    weir_cells sum = 0;
    (void)values;
    for (uint32_t port = 0; port < geometry->ports; port++)
        sum = weir_headroom_add(geometry, sum, weir_reserve_uplink(inputs, port)->headroom_cells);
    return sum;
}
