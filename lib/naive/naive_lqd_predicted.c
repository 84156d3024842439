/*
 * naive_lqd_predicted.c - longest queue drop with predictions for the naive model.
 */
#include "naive_features.h"

/* While the longest account is below B / N, N ports, all may enter; then what is predicted kept. */
static enum weir_reason lqd_predicted_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    int64_t feature[WEIR_FEATURE_COUNT];
    if (naive_is_safe(n))
        return WEIR_REASON_NONE;
    naive_see(n, n->state, arrival->account.i, feature);
    bool lost = n->config.oracle->predict(n->config.oracle, arrival->index, feature);
    return lost ? WEIR_REASON_PREDICTED : WEIR_REASON_NONE;
}

/* The longest account loses its last packet, unless the arrival's own would then be as long. */
static struct weir_victim lqd_predicted_victim(const struct weir_naive *n, const struct weir_question *question)
{
    struct weir_victim victim = {WEIR_NO_ACCOUNT, true};
    if (question->why != WEIR_WHY_PUSHOUT)
        return victim;
    const struct weir_arrival *arrival = question->arrival;
    weir_account longest = naive_longest(n, n->config.classes);
    weir_cells own = n->account[arrival->account.i].shared_cells + naive_need(n, arrival->account, arrival->cells);
    if (longest.i < n->account_count && n->account[longest.i].shared_cells > own)
        victim.account = longest;
    return victim;
}

static void lqd_predicted_on_dequeue(struct weir_naive *n, const struct weir_event *event)
{
    naive_averages_move(n, n->state, event);
}

const struct naive_policy naive_lqd_predicted = {
    .name = "lqd-predicted",
    .state_size = naive_averages_size,
    .admit = lqd_predicted_admit,
    .victim = lqd_predicted_victim,
    .on_dequeue = lqd_predicted_on_dequeue,
};
