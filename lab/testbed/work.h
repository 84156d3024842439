/*
 * work.h - one run on real packets as a piece of work for the pool: the child makes a testbed, sends the traffic of the
 * scenario through it, and sends its configuration and measures like a child that simulates (lab/spread/work.h).
 */
#ifndef TESTBED_WORK_H
#define TESTBED_WORK_H

#include "lab/spread/spread.h"

/* `network` null: the usual one. */
struct spread_testbed testbed_runs(const char *name, const char *network);

#endif
