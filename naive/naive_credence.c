/*
 * naive_credence.c - Credence for the naive model: LQD's lengths (naive_virtual.h) as thresholds, and an oracle.
 */
#include "naive_virtual.h"
#include "weir/oracle.h"

struct credence_average {
    int64_t q8;    /* moving average in cells, 8 fractional bits */
    weir_ps at_ps; /* when it last moved */
};

static size_t credence_state_size(const struct weir_naive *n)
{
    return naive_virtual_size(n) + (n->account_count + 1) * sizeof(struct credence_average);
}

/* [accounts], and at the end that of the buffer; behind the virtual LQD. */
static struct credence_average *credence_averages(const struct weir_naive *n)
{
    return (struct credence_average *)((struct naive_virtual *)n->state + n->account_count);
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

/* And of the real one. */
static void credence_see(const struct weir_naive *n, uint32_t a, int64_t feature[WEIR_FEATURE_COUNT])
{
    const struct credence_average *average = credence_averages(n);
    int64_t cell_bytes = n->config.cell_bytes;
    feature[WEIR_FEATURE_QUEUE] = n->account[a].cells * cell_bytes;
    feature[WEIR_FEATURE_QUEUE_AVERAGE] = (average[a].q8 * cell_bytes) >> 8;
    feature[WEIR_FEATURE_BUFFER] = n->used_cells * cell_bytes;
    feature[WEIR_FEATURE_BUFFER_AVERAGE] = (average[n->account_count].q8 * cell_bytes) >> 8;
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
        credence_see(n, arrival->account.i, feature);
    naive_virtual_arrive(n, arrival);
    weir_account longest = naive_longest(n, n->config.classes);
    weir_cells length = longest.i < n->account_count ? n->account[longest.i].shared_cells : 0;
    if (length * n->config.ports < naive_shared_size(n))
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
    struct credence_average *average = credence_averages(n);
    naive_virtual_on_dequeue(n, event);
    weir_ps tau = naive_value(n, "tau", 0);
    struct credence_average *own = &average[event->account.i], *all = &average[n->account_count];
    naive_average_move(&own->q8, &own->at_ps, n->account[event->account.i].cells, tau, event->now);
    naive_average_move(&all->q8, &all->at_ps, n->used_cells, tau, event->now);
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
