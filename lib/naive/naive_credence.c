/*
 * naive_credence.c - Credence for the naive model: LQD's lengths (naive_virtual.h) as thresholds, and an oracle.
 */
#include "naive_features.h"

static size_t credence_state_size(const struct weir_naive *n)
{
    return naive_virtual_size(n) + naive_averages_size(n);
}

/* Behind the virtual LQD. */
static struct naive_average *credence_averages(const struct weir_naive *n)
{
    return (struct naive_average *)((struct naive_virtual *)n->state + n->account_count);
}

/* What the oracle sees before the arrival, of LQD's buffer. */
static void credence_see_virtual(const struct weir_naive *n, uint32_t a, int64_t feature[WEIR_FEATURE_COUNT])
{
    const struct naive_virtual *v = n->state;
    int64_t cell_bytes = n->config.cell_bytes;
    feature[WEIR_FEATURE_QUEUE] = v[a].cells * cell_bytes;
    feature[WEIR_FEATURE_QUEUE_AVERAGE] = (v[a].average_q8 * cell_bytes) >> 8;
    feature[WEIR_FEATURE_BUFFER] = naive_virtual_used(n) * cell_bytes;
    feature[WEIR_FEATURE_BUFFER_AVERAGE] = (v[0].used_q8 * cell_bytes) >> 8;
}

/* While the longest account is below B / N, N ports, all may enter; then the virtual length and the oracle decide. */
static enum weir_reason credence_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    if (naive_value(n, "free", arrival->tc.i) != 0)
        return WEIR_REASON_NONE;
    int64_t feature[WEIR_FEATURE_COUNT];
    if (naive_chooses(n, "counters", "virtual"))
        credence_see_virtual(n, arrival->account.i, feature);
    else
        naive_see(n, credence_averages(n), arrival->account.i, feature);
    naive_virtual_arrive(n, arrival);
    if (naive_is_safe(n))
        return WEIR_REASON_NONE;
    if (naive_virtual_over(n, arrival))
        return WEIR_REASON_OVER_THRESHOLD;
    if (naive_need(n, arrival->account, arrival->cells) > naive_shared_free(n))
        return WEIR_REASON_NONE;
    bool lost = n->config.oracle->predict(n->config.oracle, arrival->index, feature);
    return lost ? WEIR_REASON_PREDICTED : WEIR_REASON_NONE;
}

static void credence_on_dequeue(struct weir_naive *n, const struct weir_event *event)
{
    naive_virtual_on_dequeue(n, event);
    naive_averages_move(n, credence_averages(n), event);
}

const struct naive_policy naive_credence = {
    .name = "credence",
    .state_size = credence_state_size,
    .on_time = naive_virtual_on_time,
    .admit = credence_admit,
    .on_dequeue = credence_on_dequeue,
    .on_drop = naive_virtual_on_drop,
    .on_idle = naive_virtual_on_idle,
};
