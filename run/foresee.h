/*
 * foresee.h - what LQD would lose: the run before a run whose oracle knows it.
 */
#ifndef RUN_FORESEE_H
#define RUN_FORESEE_H

#include "scenario/read/scenario.h"

/* Runs the scenario with LQD in the switches whose oracle is to be perfect, and fills in the answers. Right where
 * arrivals do not depend on what is lost. SIM_DONE; SIM_RUNNING: `progress` stopped it; else an error. */
enum sim_status run_foresee(struct scenario *scenario, sim_progress_function *progress, void *context,
                            struct weir_error *error);

/* LQD, and its values when it removes tails. */
const struct weir_policy *run_lqd(struct weir_values *values);

#endif
