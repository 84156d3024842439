/*
 * gather.h - the end of a run by several ranks: rank 0 gets what all have counted.
 */
#ifndef SIM_PARALLEL_GATHER_H
#define SIM_PARALLEL_GATHER_H

#include <stdbool.h>

struct sim;

/* After the run: rank 0 has all results. False: see sim->error. */
bool gather_ranks(struct sim *sim);

#endif
