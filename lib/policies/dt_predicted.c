/*
 * dt_predicted.c - Dynamic Threshold with predictions: what LQD would keep may pass the threshold.
 *
 * DT keeps buffer back for accounts that become active later, and loses bursts that would have fitted. An oracle knows
 * which packets LQD would keep. These enter while there is room; all others are treated as DT treats them, so that
 * wrong answers cost at most what DT or complete sharing would have cost.
 *
 *   accept  if  q + need <= alpha * (B - used)
 *   accept  if  the arrival fits and the oracle says that LQD keeps it
 *   refuse  otherwise
 *
 * with q, B and used counted in the shared pool. The oracle is asked only above the threshold.
 *
 * Ours; after A. Choudhury, E. Hahne, "Dynamic queue length thresholds for shared-memory packet switches", ToN 1998,
 * and V. Addanki, M. Pacut, S. Schmid, "Credence: augmenting datacenter switch buffer sharing with ML predictions",
 * NSDI 2024.
 */
#include <assert.h>
#include <string.h>

#include "oracle_features.h"
#include "weir/fixed.h"

enum { DT_PREDICTED_ALPHA, DT_PREDICTED_TAU, DT_PREDICTED_PARAM_COUNT };

struct dt_predicted_params {
    weir_q16 alpha[WEIR_CLASSES_MAX];
};

/* In memory followed by the features. */
struct dt_predicted_state {
    struct dt_predicted_params params;
};

static const struct weir_param dt_predicted_param_table[] = {
    {"alpha", WEIR_UNIT_RATIO, true, WEIR_Q16_ONE / 2, 1, 4096 * WEIR_Q16_ONE, NULL,
     "Share of the free buffer that one account may hold, whatever is predicted."},
    {FEATURES_TAU_PARAM},
};

static size_t dt_predicted_state_size(const struct weir_geometry *geometry)
{
    return sizeof(struct dt_predicted_state) + weir_features_size(geometry);
}

static struct weir_features *dt_predicted_features(void *state)
{
    return (struct weir_features *)((struct dt_predicted_state *)state + 1);
}

static void dt_predicted_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct dt_predicted_state *s = state;
    (void)view;
    memcpy(s->params.alpha, values->of[DT_PREDICTED_ALPHA], sizeof s->params.alpha);
    dt_predicted_features(s)->tau_ps = values->of[DT_PREDICTED_TAU][0];
}

static void dt_predicted_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    memset(state, 0, dt_predicted_state_size(&view->geometry));
    dt_predicted_change(state, view, values);
}

static weir_cells dt_predicted_class_threshold(const struct dt_predicted_state *s, const struct weir_view *view,
                                               weir_class tc)
{
    return weir_q16_mul(s->params.alpha[tc.i], weir_view_shared_free(view));
}

static weir_cells dt_predicted_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    return dt_predicted_class_threshold(state, view, weir_account_class(&view->geometry, account));
}

static struct weir_verdict dt_predicted_admit(void *state, const struct weir_view *view,
                                              const struct weir_arrival *arrival)
{
    assert(view->oracle); /* the table asks for one */
    weir_cells length = weir_view_shared(view, arrival->account) + arrival->need_cells;
    if (length <= dt_predicted_class_threshold(state, view, arrival->tc) ||
        arrival->need_cells > weir_view_shared_free(view))
        return weir_accept_if_room();
    if (weir_features_predict_loss(dt_predicted_features(state), view, arrival,
                                   weir_lengths_of(view, arrival->account)))
        return weir_refuse(WEIR_REASON_PREDICTED);
    return weir_accept_if_room();
}

static void dt_predicted_on_dequeue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    weir_features_move(dt_predicted_features(state), view, event);
}

const struct weir_policy weir_policy_dt_predicted = {
    .name = "dt-predicted",
    .title = "Dynamic Threshold with predictions",
    .source = "weir; after Choudhury & Hahne, ToN 1998",
    .needs = WEIR_NEED_ORACLE,
    .params = dt_predicted_param_table,
    .param_count = DT_PREDICTED_PARAM_COUNT,
    .state_size = dt_predicted_state_size,
    .init = dt_predicted_init,
    .change = dt_predicted_change,
    .admit = dt_predicted_admit,
    .on_dequeue = dt_predicted_on_dequeue,
    .threshold = dt_predicted_threshold,
};
