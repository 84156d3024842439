/*
 * decide.h - which runs a sweep until decided (`seeds: until decided, at most N`) makes next.
 *
 * Every point first gets the least number of seeds. Then each claim that is undecided wants one seed more at the points
 * where it hangs, for all runs that its expression needs there. Claims take turns by time: who has had least of the
 * processors so far comes first, so that one dear claim does not starve the others. What is wanted follows from the
 * database alone: whoever goes on with it, after a stop, on ranks or in parts, goes on where it was. Intervals stay
 * valid however often they are looked at (the anytime interval of lab/store/spread.h).
 */
#ifndef LAB_SPREAD_DECIDE_H
#define LAB_SPREAD_DECIDE_H

#include "lab/plan/plan.h"

/* True for the runs that every point gets. */
bool decide_is_first(const struct plan *plan, uint32_t run);

/* Marks the next runs, `batch` or a few more, in `wanted` [runs], of which those that failed are not made again; false
 * in all: every claim is decided or has all its seeds. An exit code. */
int decide_next(const struct plan *plan, uint32_t batch, bool *wanted);

/* Says on stderr which claims are still open, and what deciding them costs if their means stay. An exit code. */
int decide_report(const struct plan *plan);

/* Reads --decide BUDGET for the option table; the target is a struct spread_choice. */
struct cli_option;
int decide_read_budget(void *target, const struct cli_option *option, const char *text);

#endif
