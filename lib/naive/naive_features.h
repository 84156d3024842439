/*
 * naive_features.h - for the naive model, what policies that ask an oracle show it of the real buffer.
 */
#ifndef WEIR_NAIVE_FEATURES_H
#define WEIR_NAIVE_FEATURES_H

#include "naive_virtual.h"
#include "weir/oracle.h"

struct naive_average {
    int64_t q8;    /* moving average in cells, 8 fractional bits */
    weir_ps at_ps; /* when it last moved */
};

/* Averages are [accounts], and at the end that of the buffer. */
static inline size_t naive_averages_size(const struct weir_naive *n)
{
    return (n->account_count + 1) * sizeof(struct naive_average);
}

/* Lengths and averages before the arrival at account a. */
static inline void naive_see(const struct weir_naive *n, const struct naive_average *average, uint32_t a,
                             int64_t feature[WEIR_FEATURE_COUNT])
{
    int64_t cell_bytes = n->config.cell_bytes;
    feature[WEIR_FEATURE_QUEUE] = n->account[a].cells * cell_bytes;
    feature[WEIR_FEATURE_QUEUE_AVERAGE] = (average[a].q8 * cell_bytes) >> 8;
    feature[WEIR_FEATURE_BUFFER] = n->used_cells * cell_bytes;
    feature[WEIR_FEATURE_BUFFER_AVERAGE] = (average[n->account_count].q8 * cell_bytes) >> 8;
}

/* A packet was sent. */
static inline void naive_averages_move(const struct weir_naive *n, struct naive_average *average,
                                       const struct weir_event *event)
{
    struct naive_average *own = &average[event->account.i], *all = &average[n->account_count];
    weir_ps tau = naive_value(n, "tau", 0);
    naive_average_move(&own->q8, &own->at_ps, n->account[event->account.i].cells, tau, event->now);
    naive_average_move(&all->q8, &all->at_ps, n->used_cells, tau, event->now);
}

/* Credence's safeguard: the longest account is below B / N, N ports. */
static inline bool naive_is_safe(const struct weir_naive *n)
{
    weir_account longest = naive_longest(n, n->config.classes);
    weir_cells length = longest.i < n->account_count ? n->account[longest.i].shared_cells : 0;
    return length * n->config.ports < naive_shared_size(n);
}

#endif
