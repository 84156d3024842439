/*
 * ranks.h - a network simulated by several ranks, each of which is a thread of the test: letters pass through memory.
 */
#ifndef TESTS_SUPPORT_RANKS_H
#define TESTS_SUPPORT_RANKS_H

#include "sim/sim.h"

#define RANKS_MAX 8u

struct ranks_run {
    struct sim *sim[RANKS_MAX]; /* null: was not made */
    enum sim_status status[RANKS_MAX];
    struct weir_error error[RANKS_MAX]; /* of those that were not made */
    uint64_t letters, bytes;            /* that were exchanged */

    /* Set before, or 0: a rank leaves at its n-th exchange, as one that is killed; a function to ask as it runs. */
    uint32_t leaves, leaves_at;
    sim_progress_function *progress;
    void *context;
};

/* Runs it. The results are those of sim[0]. */
void ranks_run(struct ranks_run *run, const struct sim_config *config, uint32_t ranks);
void ranks_run_free(struct ranks_run *run);

#endif
