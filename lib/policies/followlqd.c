/*
 * followlqd.c - FollowLQD: each account may hold what LQD, serving the same arrivals, would hold of it.
 *
 * LQD shares a buffer well but must push packets out. FollowLQD computes how long LQD's queues would be (see
 * virtual_lqd.c) and holds its own queues to these lengths, which needs no push-out. It cannot undo what it took in:
 * when LQD pushes out, a threshold falls below the real queue, and arrivals that LQD keeps find no room here.
 *
 *   refuse  if  q + need > T,  T being the virtual length after this arrival
 *
 * Invariant: the thresholds of all accounts together never exceed the shared pool.
 *
 * Paper: V. Addanki, M. Pacut, S. Schmid, "Credence: augmenting datacenter switch buffer sharing with ML
 * predictions", NSDI 2024, appendix B. There all packets are equal and a virtual queue drains when its real queue
 * has its turn, empty or not; here sizes differ and it drains at its port's rate.
 */
#include "virtual_lqd.h"

static const struct weir_param followlqd_param_table[] = {{VIRTUAL_LQD_DRAIN_PARAM}, {VIRTUAL_LQD_QUANTUM_PARAM}};

static void followlqd_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    (void)view;
    weir_virtual_lqd_load(state, values);
}

static void followlqd_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    weir_virtual_lqd_init(state, &view->geometry);
    weir_virtual_lqd_load(state, values);
}

static struct weir_verdict followlqd_admit(void *state, const struct weir_view *view,
                                           const struct weir_arrival *arrival)
{
    weir_virtual_lqd_arrive(state, view, NULL, arrival);
    if (weir_view_shared(view, arrival->account) + arrival->need_cells >
        weir_virtual_lqd_length(state, arrival->account))
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}

static void followlqd_on_dequeue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    weir_virtual_lqd_dequeue(state, view, NULL, event);
}

static void followlqd_on_drop(void *state, const struct weir_view *view, const struct weir_event *event)
{
    (void)view;
    if (event->cause == WEIR_CAUSE_FLUSHED)
        weir_virtual_lqd_flush(state, event);
}

static void followlqd_on_idle(void *state, const struct weir_view *view, weir_port port, weir_ps now)
{
    weir_virtual_lqd_idle(state, view, NULL, port, now);
}

static void followlqd_on_tick(void *state, const struct weir_view *view, weir_ps now)
{
    weir_virtual_lqd_catch_up(state, view, NULL, now);
}

static weir_cells followlqd_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    (void)view;
    return weir_virtual_lqd_length(state, account);
}

const struct weir_policy weir_policy_followlqd = {
    .name = "followlqd",
    .title = "FollowLQD: LQD's lengths as thresholds",
    .source = "Addanki, Pacut & Schmid, NSDI 2024 (Credence), appendix B",
    .deviations = "A virtual tie never evicts, as in LQD; a virtual queue drains at its port's rate while the "
                  "real port is idle (drain=dequeue: only with real departures, as the artifact).",
    .params = followlqd_param_table,
    .param_count = VIRTUAL_LQD_PARAM_COUNT,
    .state_size = weir_virtual_lqd_size,
    .init = followlqd_init,
    .change = followlqd_change,
    .admit = followlqd_admit,
    .on_dequeue = followlqd_on_dequeue,
    .on_drop = followlqd_on_drop,
    .on_idle = followlqd_on_idle,
    .on_tick = followlqd_on_tick,
    .threshold = followlqd_threshold,
};
