/*
 * run_result.h - what a run gave, in the numbers that measures, tables, JSON and CSV show. Of a run on real packets
 * (lab/testbed/result.c) only what can be seen from outside is known: there is no simulation to ask for the rest.
 */
#ifndef MEASURES_RUN_RESULT_H
#define MEASURES_RUN_RESULT_H

#include "run/measures/cdf.h"
#include "scenario/read/scenario.h"
#include "sim/pfc_summary.h"
#include "sim/sim.h"
#include "sim/summary.h"

#define RUN_BINS_MAX (SCENARIO_SIZE_BINS_MAX + 1u)

/* Packets of transports that measure them one by one: udp, and listed ones. */
struct run_packets {
    uint64_t sent, delivered;
    double delay_sum_ps, delay_max_ps;
    struct statistics delay_ps; /* of the delivered; percentiles to 1 % */
    struct run_cdf delay_cdf;
};

/* The jobs of a tag. */
struct run_jobs {
    uint64_t ranks;                 /* 0: there is none */
    uint64_t unfinished;            /* of these */
    uint64_t operations;            /* that ended */
    uint64_t bytes;                 /* that ranks received, from their own host too */
    weir_ps time_ps;                /* from the first start to the last end; WEIR_NEVER: some rank has not ended */
    double busy_ps, exposed_ps;     /* sums over ranks: a cpu computed; none did */
    uint64_t collective_bytes;      /* of its collective; 0: it is none */
    double bus_factor;              /* likewise */
    struct statistics iteration_ps; /* of the rounds that all ranks ended */
};

struct run_tag {
    const char *name;
    struct summary_flows flows;
    struct summary_flows bins[RUN_BINS_MAX]; /* the same by size */
    uint32_t bins_in_use;                    /* bins that have flows */
    struct summary_groups groups;
    struct summary_groups group_bins[RUN_BINS_MAX]; /* the same by size of the whole group */
    struct run_packets packets;
    struct run_jobs jobs;
    uint64_t lost;         /* packets, data and feedback */
    weir_ps first_loss_ps; /* WEIR_NEVER: none */
    struct run_cdf fct_ps, slowdown, qct_ps, qct_slowdown;
};

/* An output queue that lost or marked packets. */
struct run_place {
    uint32_t sw, port, tc;
    uint32_t neighbour; /* node at the other end */
    struct summary_losses losses;
};

/* One MMU: the peak use of its buffer. */
struct run_memory {
    uint32_t sw, number; /* number: within the switch */
    uint64_t peak_bytes, buffer_bytes;
};

/* Where packets stayed that were not delivered. */
struct run_lost {
    uint64_t total, refused, after_acceptance, unroutable, on_failed_links, by_watchdog, at_hosts;
};

/* How well a switch of real packets kept up with what it emulates. */
struct run_emulation {
    uint64_t behind; /* packets lost because the machine was too slow */
    weir_ps late_ps; /* the longest that a port which could have sent did not; emulated time */
};

/* The policy in the slotted model, over all sequences. Each greatest ratio is one that a theorem of the Credence paper
 * bounds by 1; NaN where predictions are none, or depend on more than the arrival. */
struct run_slot {
    uint64_t arrived, sent, lqd, optimum, follow, follow_all, naive;
    uint64_t removed;         /* accepted by the policy and lost later */
    uint64_t positive, least; /* predicted lost; what FollowLQD sends at least by Theorem 2 */
    bool predicted;
    double worst;                              /* greatest OPT / ALG */
    double lemma1, lemma2, theorem1, theorem2; /* greatest ratio of what is to what may be */
    uint64_t broken_lemma1, broken_lemma2, broken_theorem1, broken_theorem2; /* sequences on which it is above 1 */
};

struct run_result {
    const struct scenario *scenario;
    const struct sim *sim; /* null: the run was on real packets, and has measures only */
    bool interrupted;
    struct sim_progress totals;
    uint64_t digest;
    weir_bps *host_bps;                            /* [hosts]: rate of each host's link */
    struct run_tag *tags;                          /* [config.tag_count] */
    uint64_t unfinished_flows, unfinished_queries; /* of all tags */
    struct summary_losses losses;
    struct run_lost lost;
    struct run_place *places; /* most losses first */
    uint32_t place_count;
    uint32_t lossy_places;       /* of them, those with losses: they come first */
    struct run_memory *memories; /* by switch */
    uint32_t memory_count;
    uint64_t buffer_at_loss[MEASURE_BINS], bandwidth_at_loss[MEASURE_BINS]; /* over all MMUs */
    uint64_t sampled_losses;                                                /* in each of them */
    uint64_t buffer_in_use[MEASURE_BINS]; /* looks at MMUs of switches next to hosts */
    double *goodput_jain;                 /* [run_goodput_bins]: NaN: no index; null: none is asked for */
    double received_jain;                 /* NaN: fewer than two receivers */
    struct pfc_summary pfc;               /* of lossless classes */
    struct run_emulation emulation;       /* of real packets */
    struct run_slot slot;                 /* of the slotted model */
    bool timeouts_unknown;                /* this kernel does not count them: those of flows and groups mean nothing */
};

/* False: out of memory. Release with run_result_free either way. */
bool run_result_make(struct run_result *result, const struct scenario *scenario, const struct sim *sim,
                     bool interrupted);
void run_result_free(struct run_result *result);

/* Its parts; false: out of memory. Flows and queries, from their records, where scenario and totals.now are set; what
 * switches lost, marked and held (run_places.c); fairness (run_series.c). The last two are those of a simulation. */
bool run_result_add_tags(struct run_result *result, const struct records *records);
bool run_result_add_places(struct run_result *result);
bool run_result_add_fairness(struct run_result *result);
bool run_result_add_jobs(struct run_result *result); /* of a simulation, after tags */

/* Flows of this bin have from *min to *max bytes. */
void run_bin_range(const struct scenario *scenario, uint32_t bin, int64_t *min, int64_t *max);

/* Intervals of the goodput series that the run has been through, and a tag's goodput in one of them. */
uint32_t run_goodput_bins(const struct run_result *result);
double run_goodput_bps(const struct run_result *result, uint32_t tag, uint32_t bin);

/* Jain's index of goodputs over these intervals; NaN: no interval has one. */
double run_goodput_jain_mean(const struct run_result *result);
double run_goodput_jain_min(const struct run_result *result);

/* "s0-h3": the queue that a probe follows. */
void run_probe_place(const struct run_result *result, uint32_t probe, char place[40]);

/* The same as a part of names of measures, unique: ".1" behind it for one class of several, "-2" for a place that was
 * named before (parallel links, a queue followed twice). */
#define RUN_PLACE_MAX 80u
void run_probe_name(const struct run_result *result, uint32_t probe, char name[RUN_PLACE_MAX]);

/* Cells at the switch of a probe in bytes; NaN: there are none, below 0. */
double run_probe_bytes(const struct run_result *result, uint32_t probe, weir_cells cells);

/* Length of its queue in bytes, NaN: it has no points; what its port sent in the whole run, headers included, gaps
 * not. */
double run_probe_queue_mean(const struct run_result *result, uint32_t probe);
double run_probe_queue_max(const struct run_result *result, uint32_t probe);
double run_probe_bps(const struct run_result *result, uint32_t probe);

/* "s0", or "s0.1" where a switch has several MMUs. */
void run_memory_name(const struct run_result *result, const struct run_memory *memory, char name[32]);

/* Lost packets of lossless classes and a deadlock are violations unless the scenario expects them; how many of the two
 * happened. */
bool run_loss_violates(const struct run_result *result);
bool run_deadlock_violates(const struct run_result *result);
uint32_t run_violations_count(const struct run_result *result);

#endif
