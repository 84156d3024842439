/*
 * headroom_policy.h - the smallest ingress policy that does everything an ingress policy can: a fixed XOFF and XON
 * per account, packets above XOFF charged to headroom, the whole port paused above its own limit. For tests of
 * the MMU's ingress side.
 */
#ifndef TESTS_SUPPORT_HEADROOM_POLICY_H
#define TESTS_SUPPORT_HEADROOM_POLICY_H

#include "weir/policy.h"

#define HEADROOM_XOFF 100
#define HEADROOM_XON 40
#define HEADROOM_PORT_XOFF 250

struct headroom_state {
    int64_t enqueued, dequeued, dropped, ticks; /* events told */
    weir_cells shared_before;                   /* of the last enqueue */
};

static size_t headroom_state_size(const struct weir_geometry *geometry)
{
    (void)geometry;
    return sizeof(struct headroom_state);
}

static void headroom_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    (void)view;
    (void)values;
    *(struct headroom_state *)state = (struct headroom_state){0};
}

static struct weir_verdict headroom_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    (void)state;
    struct weir_verdict verdict = weir_accept_if_room();
    weir_cells length = weir_view_length(view, arrival->account);
    if (arrival->flags & WEIR_FLAG_LOSSLESS && length + arrival->cells > HEADROOM_XOFF)
        verdict.charge = WEIR_CHARGE_HEADROOM;
    if (!(arrival->flags & WEIR_FLAG_LOSSLESS) && arrival->cells == 13)
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD); /* the ingress side has a say for lossy packets too */
    return verdict;
}

static void headroom_on_enqueue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct headroom_state *s = state;
    (void)view;
    s->enqueued++;
    s->shared_before = event->shared_before;
}

static void headroom_on_dequeue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    (void)view;
    (void)event;
    ((struct headroom_state *)state)->dequeued++;
}

static void headroom_on_drop(void *state, const struct weir_view *view, const struct weir_event *event)
{
    (void)view;
    (void)event;
    ((struct headroom_state *)state)->dropped++;
}

static void headroom_on_tick(void *state, const struct weir_view *view, weir_ps now)
{
    (void)view;
    (void)now;
    ((struct headroom_state *)state)->ticks++;
}

static weir_ps headroom_next_tick(const void *state, const struct weir_view *view)
{
    (void)state;
    (void)view;
    return 12345;
}

static uint32_t headroom_pause_mask(const void *state, const struct weir_view *view, weir_port port, uint32_t asked,
                                    bool *port_level)
{
    uint32_t mask = 0;
    (void)state;
    for (uint32_t tc = 0; tc < view->geometry.classes; tc++) {
        if (!(asked >> tc & 1))
            continue;
        weir_cells length = weir_view_length(view, weir_account_of(&view->geometry, port, (weir_class){tc}));
        bool paused = view->port[port.i].paused_mask >> tc & 1;
        if (length >= HEADROOM_XOFF || (paused && length > HEADROOM_XON))
            mask |= 1u << tc;
    }
    *port_level = view->port[port.i].cells >= HEADROOM_PORT_XOFF;
    return mask;
}

static const struct weir_policy headroom_policy = {
    .name = "test-headroom",
    .needs = WEIR_NEED_INGRESS | WEIR_NEED_LOSSY,
    .state_size = headroom_state_size,
    .init = headroom_init,
    .admit = headroom_admit,
    .on_enqueue = headroom_on_enqueue,
    .on_dequeue = headroom_on_dequeue,
    .on_drop = headroom_on_drop,
    .on_tick = headroom_on_tick,
    .next_tick = headroom_next_tick,
    .pause_mask = headroom_pause_mask,
};

#endif
