/*
 * traffic_item.h - what an item of `traffic` says, before it becomes a struct traffic_settings. The table of its keys
 * is in traffic_keys.c, reading in traffic.c.
 */
#ifndef SCENARIO_READ_TRAFFIC_ITEM_H
#define SCENARIO_READ_TRAFFIC_ITEM_H

#include "scenario/read/read.h"
#include "sim/jobs/collective.h"

struct traffic_item {
    struct traffic_settings traffic;
    const char *transport; /* by name */
    const char *tag;
    const char *long_transport, *long_tag; /* of on-off */
    const char *file;
    const char *placement_file; /* of job */
    const char *tuning;         /* of job and collective; null: none */
    struct traffic_job_settings job;
    struct collective collective;
    uint32_t collective_ranks; /* 0: as many as there is room for */
    uint32_t format;           /* of the file: index into pcap, trace */
    weir_ps until_ps;          /* as written; TRAFFIC_TO_THE_END */
};

#define TRAFFIC_TO_THE_END WEIR_NEVER

#endif
