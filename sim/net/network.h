/*
 * network.h - the inside of a simulation, shared by the files that make it up and by nobody else.
 *
 * Time advances in windows no longer than the shortest time in which one node can affect another (serialisation of the
 * smallest packet plus propagation). Within a window every node runs alone, in its own total order of events, and its
 * state stays in the cache; what it sends arrives in a later window. The order in which nodes run, and where windows
 * begin, has no effect on results. So workers (worker.h) may run them side by side.
 *
 * What nodes share is touched by nobody while they run (config, routes, link states, traffic but for the hosts' own
 * parts), belongs to a worker, or is a field of a flow (sim/transport/flow.h).
 */
#ifndef SIM_NET_NETWORK_H
#define SIM_NET_NETWORK_H

#include "sim/net/config.h"
#include "sim/net/connections.h"
#include "sim/net/host.h"
#include "sim/net/measure.h"
#include "sim/net/pools.h"
#include "sim/net/records.h"
#include "sim/net/switch_node.h"
#include "sim/net/worker.h"
#include "sim/topology/routes.h"
#include "sim/transport/transport.h"
#include "sim/workload/traffic.h"

#define ENGINE_GROUP 64u /* nodes whose earliest event is kept together */

struct sim {
    struct sim_config config;
    struct routes routes;
    uint32_t nodes, groups;
    struct ranks *ranks;  /* null: this process has all nodes */
    uint16_t *rank_of;    /* [nodes]; null: likewise */
    struct flow *unknown; /* [ranks + 1]: what packets have in place of a flow that began at a rank, or is gone */
    uint32_t own;         /* rank of this process */
    bool failed;          /* it cannot go on: out of memory */
    bool cut;             /* nor after it was stopped within a launch */
    uint32_t *slot;       /* [nodes]: where a node stands: those of a worker together, sorted by number */
    uint32_t *node_at;    /* [groups * ENGINE_GROUP]: the node there; of those without one `wake` is WEIR_NEVER */
    weir_ps *wake;        /* [groups * ENGINE_GROUP]: next event of the node there, no later than it really is */
    weir_ps *group_wake;  /* [groups]: the earliest of each group */
    struct host *hosts;
    struct switch_node *switches;
    struct link *links;         /* [2 * link_count]: a to b, then b to a */
    bool late;                  /* nodes are made when something first comes to them: nodes.h */
    struct link_maker maker;    /* of them */
    uint64_t link_salt;         /* by which links lose packets by chance; 0: none does */
    void *links_memory;         /* of these */
    struct link *far_links;     /* [cut_links]: the far parts of those between workers */
    uint32_t cut_links;         /* directions of links between workers */
    bool *link_up;              /* [link_count], as routing knows it */
    struct sim_worker **worker; /* [workers] */
    struct parcels *boxes;      /* [2 * workers * workers]: sim_box */
    uint32_t workers;
    struct telemetry_table telemetry;
    struct traffic *traffic;
    struct records records; /* of all workers, after the run */
    struct measure measure;
    struct deadlock *deadlock; /* null: nobody looks for one */
    weir_ps settled_ps;        /* so long after a frame of flow control was due, it has been obeyed */
    weir_ps base_rtt_ps;       /* the largest of the network without queues: ideal.h */
    weir_ps now;               /* start of the window; after the run, its end */
    weir_ps window_ps;         /* its greatest length */
    uint64_t window;           /* how many have been run */
    uint64_t stretches;        /* of these without a stop between them */
    uint64_t shared_window;    /* of these, when workers shared their spares */
    uint32_t next_change;      /* link changes made so far */
    uint32_t next_reroute;     /* of these, known to routing */
    weir_ps linger_ps;         /* how long memory of flows that closed is kept: the greatest window */
    uint64_t frames_lost;      /* of flow control, on links that failed */
    bool lossless;             /* some class of some switch is */
    bool stops_at_ends;        /* of messages: sim_stop_at_ends */
    enum sim_status status;
    struct weir_error error; /* of SIM_UNEVEN */
    uint64_t run_ns;         /* so far, by config.clock_ns */
    uint64_t windows_ns;     /* of these, while nodes ran */
};

/* The salt by which a node orders what happens to it at the same moment. */
static inline uint64_t sim_tie_salt(const struct sim *sim, uint32_t node)
{
    return weir_hash(weir_hash(sim->config.seed, UINT64_C(0x74696573)), node); /* "ties": a stream of its own */
}

/* True when this process has the node. */
static inline bool sim_has(const struct sim *sim, uint32_t node)
{
    return !sim->rank_of || sim->rank_of[node] == sim->own;
}

static inline bool sim_has_switch(const struct sim *sim, uint32_t sw)
{
    return sim_has(sim, sim->config.topology->hosts + sw);
}

/* True when this process has the node from which the link, one direction of one of the topology's, comes; goes. */
static inline bool sim_has_start(const struct sim *sim, uint32_t link)
{
    const struct topology_link *ends = &sim->config.topology->links[link / 2];
    return sim_has(sim, link % 2 ? ends->b : ends->a);
}

static inline bool sim_has_end(const struct sim *sim, uint32_t link)
{
    return sim_has_start(sim, link ^ 1);
}

static inline void sim_wake(struct sim *sim, uint32_t node, weir_ps when)
{
    uint32_t slot = sim->slot[node];
    if (when < sim->wake[slot])
        sim->wake[slot] = when;
    if (when < sim->group_wake[slot / ENGINE_GROUP])
        sim->group_wake[slot / ENGINE_GROUP] = when;
}

/* What one worker sends to another in odd, and in even windows. */
static inline struct parcels *sim_box(const struct sim *sim, uint64_t window, uint32_t from, uint32_t to)
{
    return &sim->boxes[((uint32_t)(window % 2) * sim->workers + from) * sim->workers + to];
}

/* Packets in the network, over all workers. */
static inline uint64_t sim_packets_alive(const struct sim *sim)
{
    int64_t alive = 0;
    for (uint32_t i = 0; i < sim->workers; i++)
        alive += sim->worker[i]->packets.live;
    return (uint64_t)alive;
}

/* The worker of a node of this process. */
static inline struct sim_worker *sim_worker_of(const struct sim *sim, uint32_t node)
{
    uint32_t group = sim->slot[node] / ENGINE_GROUP, i = 0;
    while (group >= sim->worker[i]->after_group)
        i++;
    return sim->worker[i];
}

/* The end of a flow that is here: of both, the source. */
static inline uint32_t sim_flow_node(const struct sim *sim, const struct flow *flow)
{
    return sim_has(sim, flow->source) ? flow->source : flow->destination;
}

#endif
