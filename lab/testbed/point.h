/*
 * point.h - one run in a testbed that is up: traffic from every host at once, until all have ended, and what
 * hosts and switch counted.
 */
#ifndef TESTBED_POINT_H
#define TESTBED_POINT_H

#include "lab/testbed/testbed.h"
#include "run/measures/run_result.h"
#include "sim/net/records.h"

/* What the switch counted. */
struct testbed_counters {
    struct summary_losses losses;
    uint64_t peak_bytes, buffer_bytes; /* of the memory of which the largest part was in use */
    uint64_t hops;                     /* frames that came in and that left */
    uint64_t taken;                    /* frames that came in */
    uint64_t unroutable;               /* frames with an unknown destination, or a port that was down */
    struct run_emulation emulation;
};

struct testbed_point {
    struct records records;
    struct testbed_counters counters;
};

/* Seconds of this machine that the traffic of a scenario takes at most, without what is before and after. */
double testbed_point_seconds(const struct scenario *scenario);

/* False and one line in `error`; release with testbed_point_free either way. */
bool testbed_point_run(struct testbed_point *point, const struct testbed *bed, const struct scenario *scenario,
                       struct weir_error *error);
void testbed_point_free(struct testbed_point *point);

/* Frames that reached the interfaces of the switch, by the list of interfaces in `path` (/proc/PID/net/dev). False: it
 * cannot be read. Those that the switch has not taken by some time later were lost between: its devices do not tell. */
bool testbed_frames_arrived(const char *path, uint64_t *frames);

/* Asks the switch at its control socket. */
bool testbed_counters_ask(struct testbed_counters *counters, const char *control, struct weir_error *error);

/* What it all comes to, as of a simulation. False: out of memory. Release with run_result_free either way. */
bool testbed_result_make(struct run_result *result, const struct scenario *scenario, const struct testbed_point *point);

#endif
