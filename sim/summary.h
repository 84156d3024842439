/*
 * summary.h - results in numbers: from records and observations to completion times, slowdowns, percentiles and totals.
 * Works on a finished simulation; nothing here runs during it.
 */
#ifndef SIM_SUMMARY_H
#define SIM_SUMMARY_H

#include "sim/net/measure.h"
#include "sim/net/records.h"

/* A sample of values and its statistics, all 0 when empty. */
struct summary_values {
    uint64_t count;
    double mean, min, max;
    double p50, p90, p95, p99, p999; /* nearest rank: the smallest value that has p % of the sample at or below it */
};

/* Which flows a summary is about. */
struct summary_filter {
    uint32_t tag;                 /* or SUMMARY_ANY */
    int64_t min_bytes, max_bytes; /* inclusive */
    weir_ps from_ps, until_ps;    /* started in [from, until) */
};

#define SUMMARY_ANY UINT32_MAX

struct summary_flows {
    uint64_t flows, finished;
    struct summary_values fct_ps;   /* of finished flows */
    struct summary_values slowdown; /* finish over ideal */
    uint64_t timeouts, flows_with_timeouts, again;
    uint64_t lossless;      /* flows of which no packet was lost */
    int64_t lossless_bytes; /* of those that have an end */
    int64_t delivered_bytes;
    double goodput_bps; /* delivered over the span from the first start to the last finish (or the end of the run) */
};

/* Queries, bursts, rounds of a collective (groups): finished when all their flows were launched and are finished. */
struct summary_groups {
    uint64_t groups, finished;
    struct summary_values qct_ps;
    struct summary_values slowdown; /* of groups with one receiver, against the ideal of the group: summary_flows.c */
    uint64_t groups_with_timeouts;
    uint64_t lossless; /* groups of which no packet was lost */
    int64_t lossless_bytes;
};

/* The times and slowdowns behind a summary, both sorted, for distributions. */
struct summary_samples {
    double *times, *slowdowns; /* times in ps */
    uint64_t time_count, slowdown_count;
};

struct summary_losses {
    uint64_t refused[WEIR_REASON_COUNT], lost[WEIR_CAUSE_COUNT];
    uint64_t watchdog; /* by the PFC watchdog, of lossless classes */
    uint64_t total, marked;
};

/* False: out of memory. */
bool summary_flows(const struct records *records, const struct summary_filter *filter, weir_ps end_ps,
                   struct summary_flows *out);

/* What groups are measured against. */
struct summary_network {
    const struct sim_config *config; /* its wire, and what its traffic launches */
    const weir_bps *host_bps;        /* [hosts]: rate of each host's link */
};
bool summary_groups(const struct records *records, const struct summary_filter *filter,
                    const struct summary_network *network, struct summary_groups *out);

/* The same, with the samples; release them with summary_samples_free either way. */
bool summary_flows_sampled(const struct records *records, const struct summary_filter *filter, weir_ps end_ps,
                           struct summary_flows *out, struct summary_samples *samples);
bool summary_groups_sampled(const struct records *records, const struct summary_filter *filter,
                            const struct summary_network *network, struct summary_groups *out,
                            struct summary_samples *samples);
void summary_samples_free(struct summary_samples *samples);

void summary_losses(const struct measure *measure, uint32_t sw, struct summary_losses *out); /* SUMMARY_ANY: all */

/* Statistics of `count` values; reorders them. */
void summary_values(double *values, uint64_t count, struct summary_values *out);

/* Statistics of `count` values of which the i-th, growing, occurs weights[i] times. */
void summary_weighted(const double *values, const uint64_t *weights, uint32_t count, struct summary_values *out);

/* Percentile (0 to 100) of a histogram of fractions (measure.h), as a fraction. */
double summary_bins_percentile(const uint64_t *bins, double percent);

/* Jain's fairness index. */
double summary_jain(const double *values, uint32_t count);

#endif
