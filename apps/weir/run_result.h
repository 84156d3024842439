/*
 * run_result.h - what a simulation gave, in the numbers that tables, JSON and CSV show.
 */
#ifndef WEIR_RUN_RESULT_H
#define WEIR_RUN_RESULT_H

#include "scenario/scenario.h"
#include "sim/sim.h"
#include "sim/summary.h"

#define RUN_PLACES_MAX 8u /* queues with the most losses that are listed */

struct run_tag {
    const char *name;
    struct summary_flows flows;
    struct summary_groups groups;
    uint64_t packets; /* of transports that measure packets one by one */
    double delay_sum_ps, delay_max_ps;
};

/* An output queue that lost packets. */
struct run_place {
    uint32_t sw, port, tc;
    uint32_t neighbour; /* node at the other end */
    struct summary_losses losses;
};

struct run_result {
    const struct scenario *scenario;
    const struct sim *sim;
    bool interrupted;
    struct sim_progress totals;
    uint64_t digest;
    struct run_tag *tags; /* [config.tag_count] */
    struct summary_losses losses;
    uint64_t unroutable, failed; /* packets without a way, and on links that failed */
    struct run_place places[RUN_PLACES_MAX];
    uint32_t place_count;
    uint64_t buffer_at_loss[MEASURE_BINS], bandwidth_at_loss[MEASURE_BINS]; /* over all memories */
};

/* False: out of memory. Release with run_result_free either way. */
bool run_result_make(struct run_result *result, const struct scenario *scenario, const struct sim *sim,
                     bool interrupted);
void run_result_free(struct run_result *result);

/* "s0-h3": the queue that a probe follows. */
void run_probe_place(const struct run_result *result, uint32_t probe, char place[40]);

/* The node at the other end of a switch's port. */
uint32_t run_neighbour(const struct topology *topology, uint32_t sw, uint32_t port);

#endif
