/*
 * switch_node.h - a switch in the network: links in, a weir_switch that decides, links out. It holds no counter of the
 * buffer: what is queued is known to its MMUs alone.
 */
#ifndef SIM_NET_SWITCH_NODE_H
#define SIM_NET_SWITCH_NODE_H

#include "sim/engine/arrivals.h"
#include "sim/engine/wheel.h"
#include "sim/net/measure.h"
#include "weir/switch.h"

struct sim;
struct sim_worker;
struct measure_switch;
struct pfc_measure;
struct switch_pfc;
struct switch_learn;

/*
 * A queue between the buffer and the link of a port, as network devices have. It is first in, first out and never
 * stops, so the moment at which a packet begins to leave is known when it enters: it goes onto the link at once, to
 * begin then. What is kept is when the last ones began or begin: the queue has room when the one that is `packets`
 * places ahead has begun.
 */
struct switch_device {
    uint64_t taken;   /* packets so far */
    uint32_t packets; /* places */
    weir_ps begin[];  /* [packets]: of packet n at n % packets */
};

/* One port, both directions: a cache line. */
struct switch_port {
    _Alignas(64) struct link *in;
    struct link *out;
    struct weir_mmu *mmu;                /* the memory its queues are in */
    const struct weir_port_state *state; /* the MMU's view of the output port */
    struct switch_device *device;        /* null: packets leave the buffer as they begin to leave the port */
    uint32_t local;                      /* its number within that MMU */
    uint32_t memory;                     /* that MMU's number */
    bool frame_due;                      /* flow control: a frame goes out before any data */
    uint8_t dropping_mask;               /* classes whose packets the watchdog loses */
};

/* The copy of a trimmed packet that has not been offered yet: the packet itself. */
struct switch_copy {
    uint32_t output;
    struct weir_packet packet;
};

/* The last packet of a flow, or of several that share the place. */
struct switch_flowlet {
    weir_ps last_ps;
    uint32_t draw; /* number of its port's draw; 0: there was none */
};

#define SWITCH_FLOWLETS 4096u

struct switch_node {
    _Alignas(LINES_APART) struct sim *sim;
    uint32_t node;  /* number among all nodes */
    uint32_t index; /* number among switches */
    uint32_t ports, memories;
    struct switch_port *port; /* [ports] */
    /* Events, ordered by precedence at one moment: [p] output port p may send its next packet, [ports + p]
     * a packet arrives at port p, [2 * ports + p] flow control acts at port p. WEIR_NEVER: none. While the node runs,
     * what arrives in the window has been taken off the links. */
    weir_ps *times;
    uint32_t entries;  /* of these, in use: without lossless classes nothing is in the third part */
    weir_ps flow_ps;   /* the earliest of the third part, or before it */
    weir_ps *expel_ps; /* [memories]: spare bandwidth for an expulsion; null when no policy expels */
    weir_ps next_expel_ps, next_probe_ps;
    struct wheel *wheel; /* of its worker; in use while this node runs */
    weir_ps end_ps;      /* of the window that it runs or has run */
    uint32_t *due;       /* [ports]: scratch of those that have something in this window */
    uint64_t tie_salt;   /* of the order of simultaneous arrivals */
    struct weir_switch *sw;
    void *memory;                /* of sw */
    struct weir_uplink *uplinks; /* [ports] */
    struct measure_switch *measure;
    struct switch_pfc *pfc;          /* null: no class of the network is lossless */
    struct pfc_measure *pfc_measure; /* null: no class here is lossless */
    uint64_t sprayed;                /* packets sent to a random equal-cost port */
    struct switch_flowlet *flowlets; /* [SWITCH_FLOWLETS]; null: SIM_ECMP_FLOWLET is not in use */
    struct switch_learn *learn;      /* null: nobody asks what becomes of its packets */
    bool probed;                     /* some queue here is followed at every change */
    bool follows;                    /* packets are followed: follow.h */
    bool tells_idle;                 /* its policy wants to know that a port found nothing to send */
    struct switch_copy *copies;      /* [copy_room]: of this event's losses, in order */
    uint32_t copy_count, copy_room;
    bool trims;                                    /* some class of its MMUs is trimmed */
    bool sees_flows;                               /* its policy looks at flows */
    uint64_t flow_salt;                            /* of their hashes */
    struct weir_flow flow;                         /* of the packet that is offered */
    uint32_t trim_marks;                           /* of these, bit c: copies of class c are marked */
    struct weir_marking leaving[WEIR_CLASSES_MAX]; /* marks on departure */
    bool marks_leaving, hosts_unmarked;
    bool sprays;               /* some transport gives its packets entropy values */
    bool stamps;               /* some packet may carry telemetry */
    struct sim_worker *worker; /* that runs it */
};

/* Memory of the node's ports; its number `index` among switches. False: out of memory. */
bool switch_node_init(struct switch_node *node, struct sim *sim, uint32_t index, uint32_t ports);
void switch_node_free(struct switch_node *node);

/* Makes the MMUs, when every port has its link. False and one line in `error` when the tier's settings do not fit, or
 * memory is short. */
bool switch_node_build(struct switch_node *node, struct weir_error *error);

/* The config of one of its memories; `rates` [ports] is filled in and must outlive it, as must the node. */
struct weir_mmu_config switch_node_memory_config(const struct switch_node *node, uint32_t memory, weir_bps *rates);

/* When the port can take its next packet. */
static inline weir_ps switch_port_room(const struct switch_port *port)
{
    const struct switch_device *device = port->device;
    return __builtin_expect(device != NULL, 0) ? device->begin[device->taken % device->packets] : port->out->free_ps;
}

/* Place of flow control in the wheel, after those of output ports. */
static inline uint32_t switch_flow_place(const struct switch_node *node, uint32_t port)
{
    return node->ports + port;
}

/* When an output port may send; the wheel holds only what is due in this window. The port is not in it. */
PACKET_PATH void switch_node_due(struct switch_node *node, uint32_t output, weir_ps when, weir_ps end)
{
    node->times[output] = when;
    if (when < end)
        wheel_insert(node->wheel, output, when);
}

/* After any call of an MMU that can expel: when it next wants to. */
static inline void switch_node_expel_time(struct switch_node *node, const struct switch_port *port)
{
    if (!node->expel_ps)
        return;
    weir_ps next = weir_mmu_next_event(port->mmu);
    if (next == node->expel_ps[port->memory])
        return;
    node->expel_ps[port->memory] = next;
    for (uint32_t m = 0; m < node->memories; m++)
        next = node->expel_ps[m] < next ? node->expel_ps[m] : next;
    node->next_expel_ps = next;
}

/* Handles every event before `end`; returns the time of the next one. */
weir_ps switch_node_run(struct switch_node *node, weir_ps end);

/* The link of a port failed: what waits for it is lost. */
void switch_node_flush(struct switch_node *node, uint32_t port, weir_ps now);

/* The most that was in use in one of its memories. */
uint64_t switch_node_peak_bytes(const struct switch_node *node, uint32_t memory);

/* Packets in its memories. */
uint64_t switch_node_packets(const struct switch_node *node);

/* What a switch notes down for measurement (switch_observe.c): losses with the state of their memory, marks, and the
 * series of followed queues. */

/* The queue of an account of `port`'s memory. */
struct measure_losses *switch_observe_queue(const struct switch_node *node, const struct switch_port *port,
                                            weir_account account);

/* A packet of an account of `port`'s memory is lost. */
void switch_observe_lost(struct switch_node *node, const struct switch_port *port, const struct weir_lost *lost,
                         weir_ps now);
void switch_observe_refused(struct switch_node *node, const struct switch_port *port, uint32_t tc,
                            enum weir_reason reason, weir_ps now);

static inline void switch_observe_marked(struct switch_node *node, uint32_t output, uint32_t tc)
{
    node->measure->marked[tc * node->ports + output]++;
}

/* Probes that are due now take a point; sets next_probe_ps. */
void switch_observe_interval(struct switch_node *node, weir_ps now);

/* Something may have changed: probes that follow every change take a point if it did. */
void switch_observe_change(struct switch_node *node, weir_ps now);

/* Sets `probed` and the first next_probe_ps. */
void switch_observe_init(struct switch_node *node);

#endif
