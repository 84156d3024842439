/*
 * switch_node.h - a switch in the network: links in, a weir_switch that decides, links out. It holds no counter of the
 * buffer: what is queued is known to its MMUs alone.
 */
#ifndef SIM_SWITCH_NODE_H
#define SIM_SWITCH_NODE_H

#include "sim/link.h"
#include "sim/wheel.h"
#include "weir/switch.h"

struct sim;
struct measure_switch;

/* One port, both directions. */
struct switch_port {
    struct link *in, *out;
    struct weir_mmu *mmu;                /* the memory its queues are in */
    const struct weir_port_state *state; /* the MMU's view of the output port */
    uint32_t local;                      /* its number within that MMU */
    uint32_t memory;                     /* that MMU's number */
};

struct switch_node {
    struct sim *sim;
    uint32_t node;  /* number among all nodes */
    uint32_t index; /* number among switches */
    uint32_t ports, memories;
    struct switch_port *port; /* [ports] */
    /* Events, in the order of their precedence at one moment: [p] output port p may send its next packet, [ports + p]
     * a packet arrives at port p. WEIR_NEVER: none. */
    weir_ps *times;
    weir_ps *expel_ps; /* [memories]: spare bandwidth for an expulsion; null when no policy expels */
    weir_ps next_expel_ps, next_probe_ps;
    struct wheel *wheel;  /* of the simulation; in use while this node runs */
    uint32_t *wheel_next; /* [2 * ports]: its lists */
    uint32_t *due;        /* [2 * ports]: entries of this window */
    struct weir_switch *sw;
    void *memory; /* of sw */
    struct measure_switch *measure;
    uint64_t sprayed; /* packets sent to a random equal-cost port */
    bool probed;      /* some queue here is followed at every change */
    bool tells_idle;  /* its policy wants to know that a port found nothing to send */
};

/* Memory of the node's ports; its number `index` among switches. False: out of memory. */
bool switch_node_init(struct switch_node *node, struct sim *sim, uint32_t index, uint32_t ports);
void switch_node_free(struct switch_node *node);

/* Makes the MMUs, when every port has its link. False and one line in `message` when the tier's settings do not fit, or
 * memory is short. */
bool switch_node_build(struct switch_node *node, char message[WEIR_MESSAGE_MAX]);

/* The config of one of its memories; `rates` [ports] is filled in and must outlive it. */
struct weir_mmu_config switch_node_memory_config(const struct switch_node *node, uint32_t memory, weir_bps *rates);

/* Handles every event before `end`; returns the time of the next one. */
weir_ps switch_node_run(struct switch_node *node, weir_ps end);

/* The link of a port failed: what waits for it is lost. */
void switch_node_flush(struct switch_node *node, uint32_t port, weir_ps now);

/* Packets in its memories. */
uint64_t switch_node_packets(const struct switch_node *node);

#endif
