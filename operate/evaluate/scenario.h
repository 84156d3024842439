/*
 * scenario.h - a configuration as a scenario that `weir run` accepts: the switch as it is set, a host at each port, and
 * traffic to begin with. What a scenario cannot say is written above it as a comment.
 */
#ifndef OPERATE_EVALUATE_SCENARIO_H
#define OPERATE_EVALUATE_SCENARIO_H

#include <stdio.h>

#include "operate/model/model.h"

enum sonic_traffic_kind {
    SONIC_TRAFFIC_MIX,        /* a burst of all ports to one in lossless classes, web search beside it */
    SONIC_TRAFFIC_INCAST,     /* the burst alone */
    SONIC_TRAFFIC_WEBSEARCH,  /* TCP flows at a load */
    SONIC_TRAFFIC_RDMA,       /* the same in lossless classes, and the burst */
    SONIC_TRAFFIC_ALL_REDUCE, /* a collective of all ports in lossless classes, one after the other */
    SONIC_TRAFFIC_ALL_TO_ALL, /* likewise */
    SONIC_TRAFFIC_FLOWS,      /* a list of flows in a file */
    SONIC_TRAFFIC_PCAP,       /* a capture */
    SONIC_TRAFFIC_NONE,
};

struct sonic_traffic {
    int64_t until_us, incast_bytes;
    uint32_t ports; /* the first so many that are up; 0: all */
    bool is_wanted; /* as the user said */
    enum sonic_traffic_kind kind;
    const char *file; /* of the last two */
    double load;      /* of web search and RDMA; 0: 0.2 */
};

/* False with an error: a value that is needed is not known. Nothing has been written then. */
bool sonic_write_scenario(const struct sonic_model *model, const struct sonic_traffic *traffic, FILE *out,
                          struct weir_error *error);

#endif
