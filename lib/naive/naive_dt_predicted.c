/*
 * naive_dt_predicted.c - dynamic threshold with predictions for the naive model.
 */
#include "naive_features.h"

/* Where q + need > alpha F and it fits, the oracle decides. */
static enum weir_reason dt_predicted_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    int64_t feature[WEIR_FEATURE_COUNT];
    weir_cells need = naive_need(n, arrival->account, arrival->cells);
    weir_cells length = n->account[arrival->account.i].shared_cells + need;
    if (length <= naive_alpha_free(n, arrival->tc.i))
        return WEIR_REASON_NONE;
    if (need > naive_shared_free(n))
        return WEIR_REASON_NONE; /* the model says: no room */
    naive_see(n, n->state, arrival->account.i, feature);
    bool lost = n->config.oracle->predict(n->config.oracle, arrival->index, feature);
    return lost ? WEIR_REASON_PREDICTED : WEIR_REASON_NONE;
}

static void dt_predicted_on_dequeue(struct weir_naive *n, const struct weir_event *event)
{
    naive_averages_move(n, n->state, event);
}

const struct naive_policy naive_dt_predicted = {
    .name = "dt-predicted",
    .state_size = naive_averages_size,
    .admit = dt_predicted_admit,
    .on_dequeue = dt_predicted_on_dequeue,
};
