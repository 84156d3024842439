/*
 * wall.h - the clock of the machine, which every host of a testbed on it shares.
 */
#ifndef TRAFFIC_WALL_H
#define TRAFFIC_WALL_H

#include <stdint.h>

#define WALL_MS INT64_C(1000000)
#define WALL_S INT64_C(1000000000)

/* Nanoseconds of CLOCK_MONOTONIC. */
int64_t wall_ns(void);

#endif
