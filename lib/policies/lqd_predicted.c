/*
 * lqd_predicted.c - push-out with predictions: what would be pushed out later is not written first.
 *
 * Push-out pays for its freedom with memory bandwidth: a packet that is pushed out was written in vain, and taking it
 * out costs once more. An oracle says which arrivals these are; they are refused. Where it overlooks one, push-out
 * corrects it. So only one kind of error costs throughput, a packet that is refused though LQD would keep it, and
 * Credence's safeguard bounds that.
 *
 *   accept  if  N * (longest real queue) < B          N being the number of ports
 *   refuse  if  the oracle says that LQD loses it
 *   accept  otherwise, as LQD: while it does not fit, the longest account J loses its last packet if q_J > q + need
 *
 * Invariant: with unit packets, N dividing B and a right oracle nothing is pushed out, and the packets held are those
 * of LQD (tail removal) that it will send.
 *
 * Ours; after E. Hahne, A. Kesselman, Y. Mansour, "Competitive buffer management for shared-memory switches", SPAA
 * 2001, and V. Addanki, M. Pacut, S. Schmid, "Credence: augmenting datacenter switch buffer sharing with ML
 * predictions", NSDI 2024.
 */
#include <assert.h>
#include <string.h>

#include "oracle_features.h"

static const struct weir_param lqd_predicted_param_table[] = {
    {FEATURES_TAU_PARAM},
};

static void lqd_predicted_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct weir_features *features = state;
    (void)view;
    features->tau_ps = values->of[0][0];
}

static void lqd_predicted_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    memset(state, 0, weir_features_size(&view->geometry));
    lqd_predicted_change(state, view, values);
}

static struct weir_verdict lqd_predicted_admit(void *state, const struct weir_view *view,
                                               const struct weir_arrival *arrival)
{
    if (!weir_features_is_safe(view) &&
        weir_features_predict_loss(state, view, arrival, weir_lengths_of(view, arrival->account)))
        return weir_refuse(WEIR_REASON_PREDICTED);
    return (struct weir_verdict){WEIR_ACCEPT, WEIR_REASON_NONE, WEIR_CHARGE_SHARED};
}

static struct weir_victim lqd_predicted_victim(const void *state, const struct weir_view *view,
                                               const struct weir_question *question)
{
    const struct weir_arrival *arrival = question->arrival;
    (void)state;
    if (question->why != WEIR_WHY_PUSHOUT)
        return (struct weir_victim){WEIR_NO_ACCOUNT, false};
    assert(arrival && arrival->cells > 0);
    weir_account longest = weir_view_longest(view);
    weir_cells own =
        weir_view_shared(view, arrival->account) + weir_view_shared_need(view, arrival->account, arrival->cells);
    if (weir_account_is(longest, WEIR_NO_ACCOUNT) || weir_view_shared(view, longest) <= own)
        return (struct weir_victim){WEIR_NO_ACCOUNT, false};
    return (struct weir_victim){longest, true};
}

static void lqd_predicted_on_dequeue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    weir_features_move(state, view, event);
}

const struct weir_policy weir_policy_lqd_predicted = {
    .name = "lqd-predicted",
    .title = "Longest Queue Drop with predictions",
    .source = "weir; after Hahne, Kesselman & Mansour, SPAA 2001",
    .needs = WEIR_NEED_LONGEST | WEIR_NEED_ORACLE,
    .params = lqd_predicted_param_table,
    .param_count = 1,
    .state_size = weir_features_size,
    .init = lqd_predicted_init,
    .change = lqd_predicted_change,
    .admit = lqd_predicted_admit,
    .victim = lqd_predicted_victim,
    .on_dequeue = lqd_predicted_on_dequeue,
};
