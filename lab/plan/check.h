/*
 * check.h - all mistakes of a scenario file, not only the first; among them those that no single run shows: a value
 * that the sweep replaces everywhere, a change of the command line that is lost to it, a measure that no run can have.
 */
#ifndef LAB_PLAN_CHECK_H
#define LAB_PLAN_CHECK_H

#include "lab/plan/plan.h"

/* What an axis sets may be left out of the file, but what the file says there is not wrong. An exit code. */
int plan_check_base(const struct plan *plan);

/* No change of the command line is replaced by an axis. */
int plan_check_changes(const struct plan *plan, const struct plan_changes *changes);

/* Figures and claims name measures that runs with these tags can have. */
int plan_check_measures(const struct plan *plan, const struct flow_tags *tags);

/* Prints them to standard error, a line each, or that there is none to standard output. An exit code. */
int plan_print_mistakes(const char *file);

#endif
