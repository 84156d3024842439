/*
 * failures.h - links that fail and are repaired, as the config says.
 */
#ifndef SIM_FAILURES_H
#define SIM_FAILURES_H

#include "weir/types.h"

struct sim;

/* Link changes and reroutes due at sim->now; when the next is due. */
bool failures_apply(struct sim *sim);
weir_ps failures_next(const struct sim *sim);

#endif
