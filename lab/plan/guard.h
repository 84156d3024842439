/*
 * guard.h - a thread that watches what this process takes while it builds and makes a run: resident memory, and the
 * time by the wall clock.
 *
 * Memory: when more than the limit is resident, RLIMIT_DATA is set below what the process has, so that its next
 * allocation fails and it ends like any that runs out of memory, with its files cleaned up; cli_error_memory then names
 * the limit. Memory that was taken before and is touched only now cannot be refused: a quarter beyond the limit (64 MB
 * at least) the process ends at once. Time: a run asks by itself; one that does not, because it is still being built,
 * ends at once a second after its limit.
 *
 * A forked child has no guard until it starts its own.
 */
#ifndef LAB_PLAN_GUARD_H
#define LAB_PLAN_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "scenario/experiment/experiment.h"

#define GUARD_STDERR (-1)

/* `jobs` runs share the machine. `fd`: where the last words of a child go (spread_work_fail), or GUARD_STDERR. A second
 * start only sets other limits. Without a thread, for want of memory, there is no guard. */
void guard_start(const struct run_limits *limits, uint32_t jobs, int fd);

/* Lifts the limits again. */
void guard_stop(void);

/* True when memory was refused because of the limit, which the note names. */
bool guard_refused(void);
const char *guard_note(void);

#endif
