/*
 * credence.c - Credence: LQD's queue lengths as thresholds, and a prediction of what LQD would push out.
 *
 * FollowLQD suffers because it takes in packets that LQD later pushes out. Credence asks an oracle whether LQD would
 * lose the arrival, and does not take it in. With right answers it keeps exactly the packets that LQD keeps; a
 * safeguard bounds the harm of wrong ones: while every queue is shorter than its equal share, all is accepted.
 *
 *   accept  if  N * (longest real queue) < B          N being the number of ports
 *   refuse  if  q + need > T          T being the virtual length after this arrival (virtual_lqd.c)
 *   refuse  if  the arrival fits and the oracle says that LQD loses it
 *
 * The oracle sees, in bytes before the arrival, the queue, the buffer and their moving averages (oracle_features.h):
 * the real ones, or those of the virtual LQD, which do not depend on what Credence decides (section 6.1 of the paper).
 *
 * Invariant: with unit packets, N dividing B, tail removal in LQD and a right oracle, the packets held here are those
 * of LQD's queues that LQD will send: a queue of LQD is such packets first and then the ones it will push out.
 *
 * Paper: V. Addanki, M. Pacut, S. Schmid, "Credence: augmenting datacenter switch buffer sharing with ML
 * predictions", NSDI 2024. Deviations: packets of any size; virtual queues drain at their port's rate.
 */
#include <assert.h>
#include <string.h>

#include "oracle_features.h"
#include "virtual_lqd.h"

enum { CREDENCE_TAU = VIRTUAL_LQD_PARAM_COUNT, CREDENCE_FREE, CREDENCE_COUNTERS, CREDENCE_PARAM_COUNT };

enum credence_counters { CREDENCE_REAL, CREDENCE_VIRTUAL };

static const char *const credence_counters_names[] = {"real", "virtual", NULL};

struct credence_params {
    uint32_t free_mask; /* bit c: class c is outside of Credence */
    uint32_t counters;  /* enum credence_counters: what the features are of, averages included */
};

/* In memory followed by the features and the virtual LQD. */
struct credence_state {
    struct credence_params params;
};

static const struct weir_param credence_param_table[] = {
    {VIRTUAL_LQD_DRAIN_PARAM},
    {VIRTUAL_LQD_QUANTUM_PARAM},
    {FEATURES_TAU_PARAM},
    {"free", WEIR_UNIT_FLAG, true, 0, 0, 1, NULL,
     "Whether a class is accepted whenever there is room, unseen by the virtual LQD: the authors' code does so with "
     "the class of the ACKs."},
    {"counters", WEIR_UNIT_CHOICE, false, CREDENCE_REAL, CREDENCE_REAL, CREDENCE_VIRTUAL, credence_counters_names,
     "What the oracle sees: the real queue and buffer, or those of the virtual LQD."},
};

static size_t credence_state_size(const struct weir_geometry *geometry)
{
    return sizeof(struct credence_state) + weir_features_size(geometry) + weir_virtual_lqd_size(geometry);
}

static struct weir_features *credence_features(struct credence_state *s)
{
    return (struct weir_features *)(s + 1);
}

static struct weir_virtual_lqd *credence_lqd(struct credence_state *s, const struct weir_view *view)
{
    return (struct weir_virtual_lqd *)(credence_features(s)->account + view->geometry.accounts);
}

static void credence_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct credence_state *s = state;
    credence_features(s)->tau_ps = values->of[CREDENCE_TAU][0];
    s->params.counters = (uint32_t)values->of[CREDENCE_COUNTERS][0];
    s->params.free_mask = 0;
    for (uint32_t tc = 0; tc < view->geometry.classes; tc++)
        s->params.free_mask |= (uint32_t)values->of[CREDENCE_FREE][tc] << tc;
    weir_virtual_lqd_load(credence_lqd(s, view), values);
}

static void credence_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    memset(state, 0, credence_state_size(&view->geometry));
    weir_virtual_lqd_init(credence_lqd(state, view), &view->geometry);
    credence_change(state, view, values);
}

/* Where the virtual LQD keeps the averages, in `room`; null when they are of the real queues. */
static const struct weir_virtual_lqd_averages *credence_averages(struct credence_state *s,
                                                                 struct weir_virtual_lqd_averages *room)
{
    struct weir_features *features = credence_features(s);
    *room = (struct weir_virtual_lqd_averages){features->account, &features->buffer, features->tau_ps};
    return s->params.counters == CREDENCE_VIRTUAL ? room : NULL;
}

/* The virtual LQD takes the arrival; returns the lengths before it. */
static struct weir_lengths credence_arrive(struct credence_state *s, const struct weir_view *view,
                                           const struct weir_arrival *arrival)
{
    struct weir_virtual_lqd *lqd = credence_lqd(s, view);
    struct weir_virtual_lqd_averages room;
    const struct weir_virtual_lqd_averages *averages = credence_averages(s, &room);
    struct weir_lengths before = weir_lengths_of(view, arrival->account);
    if (averages) {
        weir_virtual_lqd_catch_up(lqd, view, averages, arrival->now);
        before = (struct weir_lengths){weir_virtual_lqd_length(lqd, arrival->account), weir_virtual_lqd_used(lqd)};
    }
    weir_virtual_lqd_arrive(lqd, view, averages, arrival);
    return before;
}

static struct weir_verdict credence_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    struct credence_state *s = state;
    assert(view->oracle); /* the table asks for one */
    if (s->params.free_mask >> arrival->tc.i & 1)
        return weir_accept_if_room();
    struct weir_lengths before = credence_arrive(s, view, arrival);
    weir_cells limit = weir_virtual_lqd_length(credence_lqd(s, view), arrival->account);
    if (weir_features_is_safe(view))
        return weir_accept_if_room();
    if (weir_view_shared(view, arrival->account) + arrival->need_cells > limit)
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    if (arrival->need_cells <= weir_view_shared_free(view) &&
        weir_features_predict_loss(credence_features(s), view, arrival, before))
        return weir_refuse(WEIR_REASON_PREDICTED);
    return weir_accept_if_room();
}

static void credence_on_dequeue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct credence_state *s = state;
    struct weir_virtual_lqd_averages room;
    const struct weir_virtual_lqd_averages *averages = credence_averages(s, &room);
    weir_virtual_lqd_dequeue(credence_lqd(s, view), view, averages, event);
    if (!averages)
        weir_features_move(credence_features(s), view, event);
}

static void credence_on_drop(void *state, const struct weir_view *view, const struct weir_event *event)
{
    if (event->cause == WEIR_CAUSE_FLUSHED)
        weir_virtual_lqd_flush(credence_lqd(state, view), event);
}

static void credence_on_idle(void *state, const struct weir_view *view, weir_port port, weir_ps now)
{
    struct weir_virtual_lqd_averages room;
    weir_virtual_lqd_idle(credence_lqd(state, view), view, credence_averages(state, &room), port, now);
}

static void credence_on_tick(void *state, const struct weir_view *view, weir_ps now)
{
    struct weir_virtual_lqd_averages room;
    weir_virtual_lqd_catch_up(credence_lqd(state, view), view, credence_averages(state, &room), now);
}

static const struct weir_virtual_lqd *credence_const_lqd(const struct credence_state *s, const struct weir_view *view)
{
    const struct weir_features *features = (const struct weir_features *)(s + 1);
    return (const struct weir_virtual_lqd *)(features->account + view->geometry.accounts);
}

static weir_cells credence_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    return weir_virtual_lqd_length(credence_const_lqd(state, view), account);
}

const struct weir_policy weir_policy_credence = {
    .name = "credence",
    .title = "Credence: FollowLQD with predictions",
    .source = "Addanki, Pacut & Schmid, NSDI 2024",
    .deviations = "A virtual tie never evicts, as in LQD; a virtual queue drains at its port's rate while the "
                  "real port is idle (drain=dequeue: only with real departures, as the artifact).",
    .needs = WEIR_NEED_LONGEST | WEIR_NEED_ORACLE,
    .params = credence_param_table,
    .param_count = CREDENCE_PARAM_COUNT,
    .state_size = credence_state_size,
    .init = credence_init,
    .change = credence_change,
    .admit = credence_admit,
    .on_dequeue = credence_on_dequeue,
    .on_drop = credence_on_drop,
    .on_idle = credence_on_idle,
    .on_tick = credence_on_tick,
    .threshold = credence_threshold,
};
