/*
 * network.h - the inside of a simulation, shared by the files that make it up and by nobody else.
 *
 * Time advances in windows no longer than the shortest time in which one node can affect another (serialisation of the
 * smallest packet plus propagation). Within a window every node runs alone, in its own total order of events, and its
 * state stays in the cache; what it sends arrives in a later window. The order in which nodes run, and where windows
 * begin, has no effect on results.
 */
#ifndef SIM_NET_NETWORK_H
#define SIM_NET_NETWORK_H

#include "sim/net/config.h"
#include "sim/net/connections.h"
#include "sim/net/deadlock.h"
#include "sim/net/host.h"
#include "sim/net/measure.h"
#include "sim/net/pools.h"
#include "sim/net/records.h"
#include "sim/net/switch_node.h"
#include "sim/transport/transport.h"
#include "topology/routes.h"
#include "workload/traffic.h"

#define ENGINE_GROUP 64u /* nodes whose earliest event is kept together */

struct sim {
    struct sim_config config;
    struct routes routes;
    uint32_t nodes, groups;
    weir_ps *wake;       /* [nodes]: next event of each node, no later than it really is */
    weir_ps *group_wake; /* [groups]: the earliest of each group */
    struct host *hosts;
    struct switch_node *switches;
    struct link *links; /* [2 * link_count]: a to b, then b to a */
    bool *link_up;      /* [link_count], as routing knows it */
    struct packet_pool packets;
    struct flow_pool flows;
    struct connections connections;
    struct traffic *traffic;
    struct records records;
    struct measure measure;
    struct deadlock *deadlock; /* null: nobody looks for one */
    weir_ps base_rtt_ps;       /* the largest of the network without queues: ideal.h */
    weir_ps now;               /* start of the window; after the run, its end */
    weir_ps last_ps;           /* the latest delivery or loss so far */
    weir_ps event_ps;          /* the moment at which closed traffic starts a flow; else start of the window */
    weir_ps window_ps;         /* its greatest length */
    struct wheel wheel;        /* events of the switch that runs */
    uint32_t next_change;      /* link changes made so far */
    uint32_t next_reroute;     /* of these, known to routing */
    struct flow_list closed;   /* flows that are records already and whose memory is kept for a while: flows.c */
    weir_ps linger_ps;         /* how long: the greatest window */
    uint64_t flows_started, flows_ended;
    uint64_t frames_lost; /* of flow control, on links that failed */
    bool lossless;        /* some class of some switch is */
    bool out_of_memory;
    enum sim_status status;
    struct weir_error error; /* of SIM_UNEVEN */
};

/* Bytes of the smallest packet that any part of the config can make. */
uint32_t sim_smallest_packet(const struct sim_config *config);

/* A flow begins at its source (flows.c). The context is the simulation: this is the sink of traffic. */
bool sim_flow_start(void *context, uint32_t id, const struct flow_request *request);

/* One end of the flow is done: closed traffic goes on from there. */
void sim_flow_ended(struct sim *sim, const struct flow *flow, bool receiver, weir_ps now);

/* Both ends are done, or the run is over: the flow becomes a record. */
void sim_flow_close(struct sim *sim, struct flow *flow, weir_ps now);

/* A packet is lost and goes back to the pool; of a listed packet it is the end of its flow. */
void sim_packet_lost(struct sim *sim, struct packet *packet, weir_ps now);

/* Gives back the memory of flows that closed long enough before the window. */
void sim_flows_release(struct sim *sim);

/* Link changes and reroutes due at sim->now (sim/failures.c); when the next is due. */
bool sim_failures_apply(struct sim *sim);
weir_ps sim_failures_next(const struct sim *sim);

/* Checks that every packet made is accounted for (sim/balance.c); false: see sim->error. */
bool sim_balance_check(struct sim *sim);

/* The salt by which a node orders what happens to it at the same moment. */
static inline uint64_t sim_tie_salt(const struct sim *sim, uint32_t node)
{
    return weir_hash(weir_hash(sim->config.seed, UINT64_C(0x74696573)), node); /* "ties": a stream of its own */
}

/* A packet was delivered or lost. */
static inline void sim_happened(struct sim *sim, weir_ps when)
{
    if (when > sim->last_ps)
        sim->last_ps = when;
}

static inline void sim_wake(struct sim *sim, uint32_t node, weir_ps when)
{
    if (when < sim->wake[node])
        sim->wake[node] = when;
    if (when < sim->group_wake[node / ENGINE_GROUP])
        sim->group_wake[node / ENGINE_GROUP] = when;
}

#endif
