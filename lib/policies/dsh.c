/*
 * dsh.c - Dynamic and Shared Headroom: one insurance per input port instead of one headroom per queue, and headroom of
 * queues taken from the shared pool when they are congested.
 *
 * The queues of a port share its link, so together they never need more than Phi, if the whole port is paused. Pausing
 * a port hurts queues that did nothing, so queues are paused first, early enough that what still arrives fits below the
 * threshold. With T = alpha (B - used), q what a queue and p what all lossless queues of its port hold of the shared
 * pool, h what the port holds of the headroom pool, and N_q lossless classes:
 *
 *   queue    pause at q >= X_q = T - tau, resume at q <= X_q - delta_queue
 *   port     pause at h > 0 or p >= X_p = N_q T, resume at h = 0 and p <= X_p - delta_port
 *   place    private minimum first; then shared, if p < X_p or the port is not paused, and the pool has room; else
 *            insurance, if h + len <= Phi; else refuse
 *   tau      the estimate of dsh_estimate.h; 0 while the lossless packets of the port go to one queue for > window
 *
 * Invariant: while senders obey pauses within the bound that Phi was sized for, nothing is refused. For comparison,
 * without shared headroom tau is 0 and a paused queue at T takes insurance at once, and without insurance what would
 * go there is refused.
 *
 * Paper: Shan et al., "Efficient Headroom Allocation With Two-Level Flow Control for Lossless Datacenter Networks",
 * ToN 2025, section IV.
 */
#include <assert.h>

#include "dsh_estimate.h"
#include "static_headroom.h"
#include "weir/fixed.h"

enum dsh_param {
    DSH_ALPHA = DSH_ESTIMATE_PARAM_COUNT,
    DSH_WINDOW,
    DSH_DELTA_QUEUE,
    DSH_DELTA_PORT,
    DSH_SHARED_HEADROOM,
    DSH_INSURANCE,
    DSH_PARAM_COUNT
};

static const struct weir_param dsh_param_table[] = {
    {DSH_GAIN_PARAM("gain_g", "Weight of a new gradient in the average.")},
    {DSH_GAIN_PARAM("gain_v", "Weight of a new deviation in the average.")},
    {DSH_K_PARAM},
    {DSH_ARITHMETIC_PARAM},
    {STATIC_HEADROOM_ALPHA_PARAM},
    {"window", WEIR_UNIT_TIME, false, 10 * WEIR_PS_PER_MS, 0, 1000 * WEIR_PS_PER_S, NULL,
     "A port whose packets go to one queue for longer gives it no headroom in the shared pool."},
    {"delta_queue", WEIR_UNIT_SPACE, false, 0, 0, INT64_C(1) << 30, NULL,
     "How far a queue must fall below its threshold before it is resumed."},
    {"delta_port", WEIR_UNIT_SPACE, false, 0, 0, INT64_C(1) << 30, NULL,
     "How far a port must fall below its threshold before it is resumed."},
    {"shared_headroom", WEIR_UNIT_FLAG, false, 1, 0, 1, NULL, "Headroom of queues in the shared pool."},
    {"insurance", WEIR_UNIT_FLAG, false, 1, 0, 1, NULL, "Reserve headroom for ports."},
};

struct dsh_params {
    weir_q16 alpha;
    weir_ps window_ps;
    bool shared_headroom, insurance;
};

struct dsh_derived {
    weir_cells queues; /* N_q */
    weir_cells delta_queue_cells, delta_port_cells;
    struct weir_dsh_rule rule;
};

struct dsh_state {
    struct dsh_params params;
    struct dsh_derived derived;
    struct weir_dsh_port port[]; /* vars: [ports], followed by the estimates, [accounts] */
};

static size_t dsh_state_size(const struct weir_geometry *geometry)
{
    return sizeof(struct dsh_state) + geometry->ports * sizeof(struct weir_dsh_port) +
           geometry->accounts * sizeof(struct weir_dsh_estimate);
}

static struct weir_dsh_estimate *dsh_estimate(const struct dsh_state *s, const struct weir_view *view,
                                              weir_account queue)
{
    return (struct weir_dsh_estimate *)(uintptr_t)&s->port[view->geometry.ports] + queue.i;
}

static void dsh_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct dsh_state *s = state;
    uint32_t cell_bytes = view->geometry.cell_bytes;
    s->params.alpha = values->of[DSH_ALPHA][0];
    s->derived.queues = weir_lossless_queues(&view->geometry);
    s->params.window_ps = values->of[DSH_WINDOW][0];
    s->derived.delta_queue_cells = weir_cells_for_bytes(values->of[DSH_DELTA_QUEUE][0], cell_bytes);
    s->derived.delta_port_cells = weir_cells_for_bytes(values->of[DSH_DELTA_PORT][0], cell_bytes);
    s->params.shared_headroom = values->of[DSH_SHARED_HEADROOM][0];
    s->params.insurance = values->of[DSH_INSURANCE][0];
    weir_dsh_rule_load(&s->derived.rule, values);
}

static void dsh_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct dsh_state *s = state;
    s->derived.rule = (struct weir_dsh_rule){0};
    dsh_change(s, view, values);
    for (uint32_t p = 0; p < view->geometry.ports; p++)
        weir_dsh_port_init(&s->port[p], weir_view_port(view, (weir_port){p})->rate_bps, view->geometry.cell_bytes,
                           weir_view_uplink(view, (weir_port){p})->headroom_cells);
    for (uint32_t a = 0; a < view->geometry.accounts; a++)
        weir_dsh_estimate_init(dsh_estimate(s, view, (weir_account){a}));
}

/* How far below T a queue is paused. */
static weir_cells dsh_tau(const struct dsh_state *s, const struct weir_view *view, weir_account queue, weir_port port)
{
    bool none = !s->params.shared_headroom || s->port[port.i].single;
    return none ? 0 : dsh_estimate(s, view, queue)->phi_cells;
}

static struct weir_verdict dsh_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    const struct dsh_state *s = state;
    struct weir_verdict verdict = weir_accept_if_room();
    if (!(arrival->flags & WEIR_FLAG_LOSSLESS) || arrival->need_cells == 0)
        return verdict;
    assert(s->derived.queues > 0); /* the arrival is of one of these */
    const struct weir_port_state *p = weir_view_port(view, arrival->port);
    weir_cells free_cells = weir_view_shared_free(view), xoff = weir_q16_mul(s->params.alpha, free_cells);
    bool paused = s->params.shared_headroom ? p->paused : p->paused_mask >> arrival->tc.i & 1;
    bool below = s->params.shared_headroom ? p->shared_cells < s->derived.queues * xoff
                                           : weir_view_shared(view, arrival->account) < xoff;
    if (arrival->need_cells <= free_cells && (!paused || below))
        return verdict;
    if (!s->params.insurance || p->headroom_cells + arrival->cells > s->port[arrival->port.i].headroom_cells)
        return weir_refuse(WEIR_REASON_NO_ROOM);
    verdict.charge = WEIR_CHARGE_HEADROOM;
    return verdict;
}

static void dsh_on_enqueue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct dsh_state *s = state;
    weir_dsh_port_arrive(&s->port[event->port.i], event->tc, s->params.window_ps, event->now);
    weir_dsh_estimate_update(dsh_estimate(s, view, event->account), &s->derived.rule, &s->port[event->port.i],
                             weir_view_length(view, event->account), event->now);
}

static uint32_t dsh_pause_mask(const void *state, const struct weir_view *view, weir_port port, uint32_t asked,
                               bool *port_level)
{
    const struct dsh_state *s = state;
    assert((asked & ~view->geometry.lossless_mask) == 0);
    const struct weir_port_state *p = weir_view_port(view, port);
    weir_cells threshold = weir_q16_mul(s->params.alpha, weir_view_shared_free(view));
    weir_cells port_xoff = s->derived.queues * threshold;
    uint32_t mask = 0;
    *port_level = p->headroom_cells > 0 ||
                  weir_headroom_is_full(p->shared_cells, port_xoff, s->derived.delta_port_cells, p->paused);
    for (uint32_t left = asked; left; left &= left - 1) {
        weir_class tc = {(uint32_t)__builtin_ctz(left)};
        weir_account queue = weir_account_of(&view->geometry, port, tc);
        weir_cells xoff = threshold - dsh_tau(s, view, queue, port);
        mask |= (uint32_t)weir_headroom_is_full(weir_view_shared(view, queue), xoff, s->derived.delta_queue_cells,
                                                p->paused_mask >> tc.i & 1)
                << tc.i;
    }
    return mask;
}

static weir_cells dsh_threshold(const void *state, const struct weir_view *view, weir_account queue)
{
    const struct dsh_state *s = state;
    return weir_q16_mul(s->params.alpha, weir_view_shared_free(view)) -
           dsh_tau(s, view, queue, weir_account_port(&view->geometry, queue));
}

static weir_cells dsh_resume_level(const void *state, const struct weir_view *view, weir_port port)
{
    const struct dsh_state *s = state;
    const struct weir_port_state *p = weir_view_port(view, port);
    weir_cells least = INT64_MAX;
    if (p->paused && p->headroom_cells == 0)
        least = (p->shared_cells + s->derived.delta_port_cells + s->derived.queues - 1) / s->derived.queues;
    for (uint32_t left = p->paused_mask; left; left &= left - 1) {
        weir_account queue = weir_account_of(&view->geometry, port, (weir_class){(uint32_t)__builtin_ctz(left)});
        weir_cells wanted =
            weir_view_shared(view, queue) + dsh_tau(s, view, queue, port) + s->derived.delta_queue_cells;
        least = wanted < least ? wanted : least;
    }
    return least == INT64_MAX ? -1 : weir_headroom_level(view, s->params.alpha, least);
}

static weir_cells dsh_reserve(const struct weir_geometry *geometry, const struct weir_reserve *inputs,
                              const struct weir_values *values)
{
    weir_cells sum = 0;
    for (uint32_t p = 0; values->of[DSH_INSURANCE][0] && geometry->lossless_mask && p < geometry->ports; p++)
        sum += weir_reserve_uplink(inputs, p)->headroom_cells;
    return sum;
}

const struct weir_policy weir_policy_dsh = {
    .name = "dsh",
    .title = "Dynamic and Shared Headroom",
    .source = "Shan et al., ToN 2025",
    .deviations = "Algorithm 2's signed average also with tables; an estimate is held to [0, Phi]; the packet that "
                  "crosses a threshold is charged to the shared pool, so that equation 1 bounds the insurance.",
    .headroom = "one headroom per port; what a queue needs beyond, it takes from the shared pool",
    .needs = WEIR_NEED_INGRESS,
    .params = dsh_param_table,
    .param_count = DSH_PARAM_COUNT,
    .state_size = dsh_state_size,
    .init = dsh_init,
    .change = dsh_change,
    .admit = dsh_admit,
    .on_enqueue = dsh_on_enqueue,
    .pause_mask = dsh_pause_mask,
    .resume_level = dsh_resume_level,
    .threshold = dsh_threshold,
    .reserve = dsh_reserve,
};
