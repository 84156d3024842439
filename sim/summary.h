/*
 * summary.h - what a finished simulation adds up to: completion times and slowdowns of flows and of groups of flows,
 * from their records; losses, from what switches counted. Nothing here runs during the simulation.
 */
#ifndef SIM_SUMMARY_H
#define SIM_SUMMARY_H

#include "sim/net/measure.h"
#include "sim/net/records.h"
#include "sim/statistics.h"

/* Which flows a summary is about. */
struct summary_filter {
    uint32_t tag;                 /* or SUMMARY_ANY */
    int64_t min_bytes, max_bytes; /* inclusive */
    weir_ps from_ps, until_ps;    /* started in [from, until) */
};

#define SUMMARY_ANY UINT32_MAX

/*
 * What did not finish takes longer than its age, the time from its start to the end of the run. The statistics count it
 * so (statistics_of_censored); those named `finished` leave it out. A flow without an end is neither finished nor
 * unfinished.
 */
struct summary_flows {
    uint64_t flows, finished, unfinished;
    struct statistics fct_ps;   /* from start to finish */
    struct statistics slowdown; /* that over the ideal, where it is known */
    struct statistics fct_finished_ps, slowdown_finished;
    struct statistics acked_ps; /* from start to when the sender knew of the finish, of those that did */
    uint64_t timeouts, flows_with_timeouts, again;
    uint64_t lossless;      /* flows of which no packet was lost */
    int64_t lossless_bytes; /* of those that have an end */
    int64_t delivered_bytes;
    double goodput_bps; /* delivered over the span from the first start to the last finish (or the end of the run) */
};

/* Queries, bursts, rounds of a collective (groups): finished when all their flows were launched and are finished. */
struct summary_groups {
    uint64_t groups, finished, unfinished;
    struct statistics qct_ps;
    struct statistics slowdown; /* of groups with one receiver, against the ideal of the group: summary.c */
    struct statistics qct_finished_ps, slowdown_finished;
    uint64_t groups_with_timeouts;
    uint64_t lossless; /* groups of which no packet was lost */
    int64_t lossless_bytes;
};

/* The times and slowdowns behind a summary, both sorted, for distributions: of the finished. */
struct summary_samples {
    double *times, *slowdowns; /* times in ps */
    uint64_t time_count, slowdown_count;
    double *ages, *bounds; /* of the unfinished: least times and slowdowns. Used up by the statistics */
    uint64_t age_count, bound_count;
    double *acks; /* times until senders knew; used up by the statistics */
    uint64_t ack_count;
};

struct summary_losses {
    uint64_t refused[WEIR_REASON_COUNT], lost[WEIR_CAUSE_COUNT];
    uint64_t trimmed;     /* of these, those that left a copy and went on as that */
    uint64_t copies_lost; /* of these copies; as packets of their own class they are counted above */
    uint64_t watchdog;    /* by the PFC watchdog, of lossless classes */
    uint64_t total, marked;
};

/* False: out of memory. */
bool summary_flows(const struct records *records, const struct summary_filter *filter, weir_ps end_ps,
                   struct summary_flows *out);

/* What groups are measured against. */
struct summary_network {
    const struct sim_config *config; /* its wire, and what its traffic launches */
    const weir_bps *host_bps;        /* [hosts]: rate of each host's link */
    weir_ps end_ps;                  /* of the run */
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

/* Adds what one output queue of a switch lost and marked. */
void summary_queue_losses(const struct measure_switch *sw, uint32_t queue, struct summary_losses *out);

/* Of one switch; SUMMARY_ANY: of all. */
void summary_losses(const struct measure *measure, uint32_t sw, struct summary_losses *out);

#endif
