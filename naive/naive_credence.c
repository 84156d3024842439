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

static bool credence_predicts_loss(const struct weir_naive *n, const struct weir_arrival *arrival)
{
    const struct naive_account *account = &n->account[arrival->account.i];
    const struct credence_average *average = credence_averages(n);
    int64_t cell_bytes = n->config.cell_bytes;
    int64_t feature[WEIR_FEATURE_COUNT] = {
        [WEIR_FEATURE_QUEUE] = account->cells * cell_bytes,
        [WEIR_FEATURE_QUEUE_AVERAGE] = (average[arrival->account.i].q8 * cell_bytes) >> 8,
        [WEIR_FEATURE_BUFFER] = n->used_cells * cell_bytes,
        [WEIR_FEATURE_BUFFER_AVERAGE] = (average[n->account_count].q8 * cell_bytes) >> 8,
    };
    return n->config.oracle->predict(n->config.oracle, arrival->index, feature);
}

/* While the longest account is below B / N, N ports, all may enter; then the virtual length and the oracle decide. */
static enum weir_reason credence_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    if (naive_value(n, "free", arrival->tc.i) != 0)
        return WEIR_REASON_NONE;
    naive_virtual_arrive(n, arrival);
    weir_account longest = naive_longest(n, n->config.classes);
    weir_cells length = longest.i < n->account_count ? n->account[longest.i].shared_cells : 0;
    if (length * n->config.ports < naive_shared_size(n))
        return WEIR_REASON_NONE;
    if (naive_virtual_over(n, arrival))
        return WEIR_REASON_OVER_THRESHOLD;
    if (naive_need(n, arrival->account, arrival->cells) > naive_shared_free(n))
        return WEIR_REASON_NONE;
    return credence_predicts_loss(n, arrival) ? WEIR_REASON_PREDICTED : WEIR_REASON_NONE;
}

/* Moves an average towards the present cells by the share of tau that passed. */
static void credence_move(const struct weir_naive *n, struct credence_average *average, weir_cells cells, weir_ps now)
{
    weir_ps tau = naive_value(n, "tau", 0);
    weir_ps passed = now - average->at_ps < tau ? now - average->at_ps : tau;
    weir_q16 gain = passed * WEIR_Q16_ONE / tau;
    average->q8 += ((cells * 256 - average->q8) * gain) >> 16;
    average->at_ps = now;
}

static void credence_on_dequeue(struct weir_naive *n, const struct weir_event *event)
{
    struct credence_average *average = credence_averages(n);
    naive_virtual_on_dequeue(n, event);
    credence_move(n, &average[event->account.i], n->account[event->account.i].cells, event->now);
    credence_move(n, &average[n->account_count], n->used_cells, event->now);
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
