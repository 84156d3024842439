/*
 * worker.h - a worker runs some of the nodes: all of them, or those of one thread (sim/parallel/workers.c).
 * Whatever nodes share while they run, a worker has to itself: events, memory of packets and flows, counters, records.
 * Within a window of time no node affects another (network.h), so that workers need nothing of each other until the
 * window is over.
 *
 * It runs its switches first, then its hosts. Packets cross between switches, and flows are the hosts': so a worker
 * that has what the switches of others sent may go on with its own, while hosts of others still run the window before.
 *
 * What goes from one worker to another waits in boxes until the next window: packets that cross to a node of another
 * worker, and flows that start. What has to be done in the order of a run by one worker waits until the window is over:
 * training rows, and ends of flows on which flows at other hosts depend.
 */
#ifndef SIM_NET_WORKER_H
#define SIM_NET_WORKER_H

#include <stddef.h>

#include "sim/engine/arrivals.h"
#include "sim/engine/beacon.h"
#include "sim/engine/lines.h"
#include "sim/engine/wheel.h"
#include "sim/net/connections.h"
#include "sim/net/follow.h"
#include "sim/net/host.h"
#include "sim/net/measure.h"
#include "sim/net/pools.h"
#include "sim/net/post.h"
#include "sim/net/records.h"
#include "weir/training.h"

/* What one worker sends to another in a window: for each link a place that says how many packets follow, and those
 * packets, as they were on its near part. Their memory goes with them. Where more came than went, spares go back. */
union parcel {
    struct {
        struct link *link; /* its far part; null: what follows is memory without a packet */
        uint64_t count;
    };
    struct link_packet packet;
};

/* Filled by one worker in one window, emptied by another in the next: it is for the first to say that it is empty. */
struct parcels {
    _Alignas(LINES_APART) union parcel *at;
    uint32_t count, room;
};

/* The near part of a link that leads to a node of another worker. */
struct crossing {
    struct link *link, *far;
    uint32_t to; /* worker, or their number and a rank */
};

/* Flows that start here. */
struct flow_starts {
    struct flow_start {
        uint32_t id;
        struct flow_request request;
    } * at;
    uint32_t count, room;
};

/* Ends of flows, for traffic_ended. */
struct flow_ends {
    struct flow_end {
        struct flow_ended flow;
        weir_ps when;
        bool receiver;
    } * at;
    uint32_t count, room;
};

struct training_rows {
    struct row {
        uint32_t sw, memory;
        struct weir_training_row row;
    } * at;
    uint32_t count, room;
};

/* What happened to packets that are followed. */
struct packet_events {
    struct sim_packet_event *at;
    uint32_t count, room;
};

/* Packets that switches lost: their flows are looked at when hosts run. */
struct losses {
    struct loss {
        struct flow *flow;
        uint32_t flow_id;
        weir_ps when;
    } * at;
    uint32_t count, room;
};

/* What others have to know of a window when it is over. */
struct worker_report {
    weir_ps next_ps;    /* of its nodes and of what it sent to others; no later than it really is */
    uint64_t window_ns; /* it ran nodes, by config.clock_ns */
    bool stop;          /* it cannot go on */
};

struct sim_worker {
    struct sim *sim;
    uint32_t number;
    uint32_t first_group, after_group; /* of nodes: struct sim */
    uint32_t switch_group;             /* the first with switches; those before have hosts */
    uint32_t after_host, after_slot;   /* one past its last host, its last node */
    weir_ps now_ps;                    /* start of the window that it runs */
    uint64_t window;                   /* how many it has run */
    struct measure *measure;           /* what its nodes count: the simulation's, or a part that is added to it */
    weir_ps last_ps;                   /* the latest delivery or loss so far */
    weir_ps event_ps;                  /* the moment at which closed traffic starts a flow; else start of the window */
    bool at_host;                      /* closed traffic starts flows */
    uint64_t flows_started, flows_ended;
    uint64_t wakes; /* calls of traffic_woken that are to come */
    bool out_of_memory;
    struct weir_error error; /* the first of its nodes' */
    uint32_t error_node;
    uint64_t error_window;
    struct node_list {
        uint32_t *at;
        uint32_t count, room;
    } made;             /* its nodes, if they are made late */
    struct wheel wheel; /* events of the switch that runs, but for arrivals */
    struct arrivals arrivals;
    struct packet_pool packets;
    struct flow_pool flows;
    struct connections connections;
    struct flow_list closed;  /* flows that will be records, and whose memory is kept for a while: flows.c */
    struct flow_list resting; /* records already, whose memory may be used again in the next window */
    struct records records;
    struct packet_events followed;

    /* Of several workers. */
    weir_ps next_ps;           /* see struct worker_report */
    struct crossing *crossing; /* [crossings] */
    weir_ps *sent;             /* [crossings]: first arrival of what was sent in this window; WEIR_NEVER: nothing */
    uint32_t *used;            /* [crossings]: of these, those with anything */
    uint32_t crossings;
    int64_t *owes;    /* [workers]: packets that came from each, less those that went there, with their memory */
    uint64_t taken;   /* what came in the window before this one has been taken */
    bool hosts_cross; /* some of them begin at a host */
    weir_ps sent_ps;  /* the earliest of these */
    bool defers;      /* losses wait until hosts run */
    struct losses losses;
    struct flow_starts starts;
    struct flow_ends ends;
    struct training_rows rows;
    struct post post;     /* with other ranks */
    uint64_t crossed;     /* packets so far, to nodes of others */
    uint64_t busy_ns;     /* it ran nodes, by config.clock_ns */
    uint64_t switches_ns; /* of these, switches, with what crosses */
    uint64_t longest_ns;  /* the worker that took longest, in each window: the first worker's is right */

    /* What others look at, on lines of their own. */
    _Alignas(LINES_APART) struct beacon switched; /* windows whose boxes it has filled */
    _Alignas(LINES_APART) struct beacon done;     /* windows that it has run */
    struct worker_report report[2];               /* of odd and even windows */
};
_Static_assert(offsetof(struct sim_worker, report[2]) - offsetof(struct sim_worker, done) <= 64, "one cache line");

struct sim_worker *worker_new(struct sim *sim, uint32_t number); /* null: out of memory */
void worker_free(struct sim_worker *worker);

/* Runs its switches from now_ps up to `end`: takes what came from other workers, and puts what goes to them into boxes.
 */
void worker_run_switches(struct sim_worker *worker, weir_ps end);

/* Runs its hosts likewise, and knows what is next. All hosts have run the window before. */
void worker_run_hosts(struct sim_worker *worker, weir_ps end);

/* Of a list that grows: room for one more, null: out of memory. */
void *worker_room(void *at, uint32_t count, uint32_t *room, size_t size);

/* When anything happens next at its nodes, or because of them. */
weir_ps worker_next(const struct sim_worker *worker);

/* Takes the packets that other workers sent to its nodes. */
void worker_take(struct sim_worker *worker);

/* A flow is to start at a host of the worker, in the stretch that comes. False: out of memory. */
bool worker_start(struct sim_worker *worker, uint32_t id, const struct flow_request *request);

/* traffic_woken is to be called for a host of the worker, in the stretch that comes. */
void worker_wake(struct sim_worker *worker, uint32_t host, uint32_t traffic, weir_ps when);

/* A switch lost a packet of the flow, if that is still the one of this number. */
void worker_note_loss(struct sim_worker *worker, struct flow *flow, uint32_t flow_id, weir_ps when);

/* What waits until the window is over. False: out of memory. */
bool worker_note_end(struct sim_worker *worker, const struct flow_end *end);
bool worker_note_row(struct sim_worker *worker, uint32_t sw, uint32_t memory, const struct weir_training_row *row);

/* A packet was delivered or lost. */
static inline void worker_happened(struct sim_worker *worker, weir_ps when)
{
    if (when > worker->last_ps)
        worker->last_ps = when;
}

#endif
