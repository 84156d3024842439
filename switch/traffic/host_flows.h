/*
 * host_flows.h - what one host of a scenario has to do: the flows that it asks for (it is their destination) and those
 * that it sends when asked (it is their source). They are enumerated by the simulator's own code, so that the same seed
 * gives the same flows, with the same ids, at the same times, in simulation and testbed.
 */
#ifndef TRAFFIC_HOST_FLOWS_H
#define TRAFFIC_HOST_FLOWS_H

#include "scenario/read/scenario.h"

struct host_flow {
    uint32_t id, source, destination;
    uint32_t traffic, tag, group; /* group: FLOW_NO_GROUP */
    uint32_t transport;           /* index into sim_config.transports */
    uint8_t tc;                   /* class of its data */
    int64_t bytes;                /* FLOW_ENDLESS */
    int64_t start_ns;             /* of this machine, from the start of the run */
};

struct host_flow_list {
    struct host_flow *at;
    uint32_t count, room;
};

struct host_flows {
    struct host_flow_list asked;    /* by start, then by id */
    struct host_flow_list answered; /* by id */
    int64_t end_ns;                 /* of the run */
};

/* `scale`: nanoseconds of this machine per nanosecond of the scenario. False after an error, which names the place in
 * the file; release with host_flows_free either way. */
bool host_flows_make(struct host_flows *plan, const struct scenario *scenario, uint32_t host, uint32_t scale,
                     struct weir_error *error);
void host_flows_free(struct host_flows *plan);

/* The flow with this id, of flows by id; null: there is none. */
const struct host_flow *host_flow_find(const struct host_flow_list *flows, uint32_t id);

#endif
