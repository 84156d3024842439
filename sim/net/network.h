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
#include "sim/net/deadlock.h"
#include "sim/net/host.h"
#include "sim/net/measure.h"
#include "sim/net/pools.h"
#include "sim/net/ranks.h"
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
    struct ranks *ranks; /* null: this process has all nodes */
    uint16_t *rank_of;   /* [nodes]; null: likewise */
    uint32_t own;        /* rank of this process */
    bool failed;         /* it cannot go on: out of memory */
    bool cut;            /* nor after it was stopped within a launch */
    uint32_t *slot;      /* [nodes]: where a node stands: those of a worker together, in the order of their numbers */
    uint32_t *node_at;   /* [groups * ENGINE_GROUP]: the node there; of those without one `wake` is WEIR_NEVER */
    weir_ps *wake;       /* [groups * ENGINE_GROUP]: next event of the node there, no later than it really is */
    weir_ps *group_wake; /* [groups]: the earliest of each group */
    struct host *hosts;
    struct switch_node *switches;
    struct link *links;         /* [2 * link_count]: a to b, then b to a */
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
    enum sim_status status;
    struct weir_error error; /* of SIM_UNEVEN */
    uint64_t run_ns;         /* so far, by config.clock_ns */
    uint64_t windows_ns;     /* of these, while nodes ran */
};

/* Bytes of the smallest packet that any part of the config can make. */
uint32_t sim_smallest_packet(const struct sim_config *config);

/* The host at which a flow starts. */
uint32_t sim_flow_host(const struct sim *sim, const struct flow_request *request);

/* A flow begins (flows.c). The context is the worker of that host: this is a sink of traffic. */
bool sim_flow_start(void *context, uint32_t id, const struct flow_request *request);

/* Part of that: the flow, not yet on the list of its host and without its ideal times. Null: out of memory, and the
 * worker knows. */
struct flow *sim_flow_make(struct sim_worker *worker, uint32_t id, const struct flow_request *request);

/* One end of the flow is done: closed traffic goes on from there. */
void sim_flow_ended(struct sim_worker *worker, const struct flow *flow, bool receiver, weir_ps now);

/* Both ends are done, or the run is over: the flow will become a record. */
void sim_flow_close(struct sim_worker *worker, struct flow *flow, weir_ps now);

/* The same where another rank has found it out. */
void sim_flow_close_here(struct sim_worker *worker, struct flow *flow, weir_ps now);

/* A packet of the flow is lost, somewhere. */
void sim_flow_lost(struct sim_worker *worker, struct flow *flow, weir_ps now);

/* A packet is lost and goes back to the pool; of a listed packet it is the end of its flow. */
void sim_packet_lost(struct sim_worker *worker, struct packet *packet, weir_ps now);

/* Makes records of flows that closed long enough before the window, or of all of them, and gives back their memory. */
void sim_flows_release(struct sim_worker *worker, bool all);

/* Link changes and reroutes due at sim->now (sim/failures.c); when the next is due. */
bool sim_failures_apply(struct sim *sim);
weir_ps sim_failures_next(const struct sim *sim);

/* Checks that every packet made is accounted for (sim/balance.c); false: see sim->error. */
bool sim_balance_check(struct sim *sim);

/* The same with other ranks: packets on links, in NICs and in switches of each, and the sum of these and of
 * sim_packets_alive where the results of all are. */
uint64_t sim_packets_inside(const struct sim *sim);
bool sim_balance_compare(struct sim *sim, uint64_t inside, uint64_t alive);

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

/* The workers (sim/workers.c). Divides the nodes among them, before they are wired; false: out of memory. */
bool workers_init(struct sim *sim);
void workers_free(struct sim *sim);

/* Their threads, for the time of a run; a worker whose thread the system refuses is run by the caller's. */
struct crew;
struct crew *workers_begin(struct sim *sim); /* null: out of memory */

/* Runs the window from sim->now to `end`, and others after it as long as something happens, up to `until`; sim->now is
 * where the last one began. Returns where it ended. */
weir_ps workers_run(struct crew *crew, weir_ps end, weir_ps until);

/* True when workers can run several windows without a stop: then `until` may be later than `end`. */
bool workers_stretch(const struct crew *crew);
void workers_end(struct crew *crew);

/* After each stretch: does what waited for its end. False: a worker is out of memory. */
bool workers_join(struct sim *sim);

/* Part of that: hands on training rows, in the order of a run by one worker. */
void workers_hand_on(struct sim *sim);

/* After a run, or a part of it: what workers counted and recorded is the simulation's. False: out of memory. */
bool workers_gather(struct sim *sim);

/* The worker of a node. */
struct sim_worker *sim_worker_of(const struct sim *sim, uint32_t node);

#endif
