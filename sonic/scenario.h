/*
 * scenario.h - a configuration as a scenario that `weir run` accepts: the switch as it is set, a host at each port, and
 * traffic to begin with. What a scenario cannot say is written above it as a comment.
 */
#ifndef SONIC_SCENARIO_H
#define SONIC_SCENARIO_H

#include <stdio.h>

#include "sonic/model.h"

struct sonic_traffic {
    int64_t until_us, incast_bytes;
    uint32_t ports; /* the first so many that are up; 0: all */
};

/* False with an error: a value that is needed is not known. Nothing has been written then. */
bool sonic_write_scenario(const struct sonic_model *model, const struct sonic_traffic *traffic, FILE *out,
                          struct weir_error *error);

#endif
