/*
 * switch_pfc.h - flow control of a switch: sends frames for the pause edges of its MMUs, and tells its MMUs what the
 * frames of its peers pause. The rules are in weir/pfc_peer.h; here is when frames leave and take effect.
 */
#ifndef SIM_NET_SWITCH_PFC_H
#define SIM_NET_SWITCH_PFC_H

#include "sim/net/pfc.h"
#include "sim/net/switch_node.h"

/* The watchdog of one output queue: see switch_pfc_watchdog.c. */
struct switch_watch {
    weir_ps look_ps;   /* when it looks next; WEIR_NEVER: it does not */
    weir_ps paused_ps; /* it was last seen to be paused */
    bool waiting;      /* packets were waiting when it last looked */
    bool storm;        /* it acts */
};

struct switch_pfc_port {
    struct pfc_end end;   /* tells about the input port, and obeys for the output port */
    uint64_t port_pauses; /* decisions to pause the whole port */
    struct switch_watch watch[PFC_CLASSES];
    weir_ps watch_ps; /* the earliest look of its watchdogs, or before it */
};

struct switch_pfc {
    struct switch_pfc_port *port; /* [ports] */
    struct weir_pause_edge *edges;
    uint32_t lossless_mask; /* of this switch */
    bool watched;           /* there is a watchdog */
    uint64_t storms;        /* that the watchdogs have seen */
};

/* Ports have their links. False: out of memory. */
bool switch_pfc_init(struct switch_node *node, uint32_t lossless_mask);
void switch_pfc_free(struct switch_node *node);

/* Follows effects->edges of an MMU call: frames may become due. */
void switch_pfc_edges(struct switch_node *node, const struct weir_effects *effects, weir_ps now);

/* Sends the frame that is due; the output link is free. */
bool switch_pfc_send(struct switch_node *node, uint32_t output, weir_ps now); /* false: out of memory */

/* A frame arrives at a port. */
void switch_pfc_receive(struct switch_node *node, uint32_t input, struct packet *frame, weir_ps now);

/* Handles the flow-control event of a port: frames take effect, pauses end, a refresh is due, the watchdog looks. */
void switch_pfc_act(struct switch_node *node, uint32_t port, weir_ps now);

/* The link of a port goes down, after its queues were emptied: forgets the pauses of both sides. It comes up: tells
 * what is wanted. Call it between windows. */
void switch_pfc_link_changes(struct switch_node *node, uint32_t port, bool up, weir_ps now);

/* Schedules an output port that now has something to send, for when its link is free. */
void switch_pfc_wake(struct switch_node *node, uint32_t output, weir_ps now);

/* The watchdog, in switch_pfc_watchdog.c: classes of an output port are held, or no longer (until_ps is now); its
 * time has come. */
void switch_watchdog_holds(struct switch_node *node, uint32_t output, const struct weir_pfc_order *order, weir_ps now);
void switch_watchdog_act(struct switch_node *node, uint32_t output, weir_ps now);
void switch_watchdog_forget(struct switch_node *node, uint32_t output);

/* Classes of the output port whose pauses the watchdog ignores. */
uint32_t switch_watchdog_ignored(const struct switch_node *node, uint32_t output);

#endif
