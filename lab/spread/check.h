/*
 * check.h - mistakes that no single run shows: a value that the sweep replaces everywhere, a change of the command
 * line that is lost to it, a measure that no run can have.
 */
#ifndef EXPERIMENT_CHECK_H
#define EXPERIMENT_CHECK_H

#include "lab/spread/plan.h"

/* What an axis sets may be left out of the file, but what the file says there is not wrong. An exit code. */
int run_check_base(const struct run_plan *plan);

/* No change of the command line is replaced by an axis. */
int run_check_changes(const struct run_plan *plan, const struct run_changes *changes);

/* Figures and claims name measures that runs with these tags can have. */
int run_check_measures(const struct run_plan *plan, const struct flow_tags *tags);

/* The same, with all that are wrong. */
void run_check_names(const struct run_plan *plan, const struct scenario *scenario, struct error_list *all);

#endif
