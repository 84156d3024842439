/*
 * switch_observe.h - what a switch notes down for measurement: losses with the state of their memory, marks, and the
 * series of followed queues.
 */
#ifndef SIM_NET_SWITCH_OBSERVE_H
#define SIM_NET_SWITCH_OBSERVE_H

#include "sim/net/measure.h"
#include "sim/net/switch_node.h"

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
