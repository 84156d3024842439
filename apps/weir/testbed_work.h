/*
 * testbed_work.h - one run on real packets as a piece of work for the pool: the child makes a testbed, sends the
 * traffic of the scenario through it, and sends its configuration and measures like a child that simulates
 * (run_work.h).
 */
#ifndef WEIR_TESTBED_WORK_H
#define WEIR_TESTBED_WORK_H

#include "cmd_run.h"

struct testbed_work {
    const struct run_plan *plan;
    const struct run_testbed *testbed;
};

/* A pool_work; `work` is a const struct testbed_work. Status CLI_OK: a result was sent; else one line, what went wrong.
 */
int testbed_work(void *work, uint32_t run, int fd);

/* Waits until the testbed of a run that was stopped is gone. */
void testbed_work_settle(const struct testbed_work *work);

/* How long runs take at most, in seconds of this machine: a run ends earlier when all its flows are done. */
struct testbed_work_time {
    double all;   /* one after the other */
    double limit; /* of one: whatever takes longer hangs */
};
struct testbed_work_time testbed_work_time(const struct testbed_work *work, const uint32_t *runs, uint32_t count);

#endif
