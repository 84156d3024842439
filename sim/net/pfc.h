/*
 * pfc.h - priority flow control at one end of a simulated link: the state machine of weir/pfc_peer.h, and what a
 * simulation adds to it. Frames are packets, and one that has arrived takes effect when it has been processed. What a
 * switch does with it is in switch_pfc.c; a host, in host_pfc.c, obeys but never tells.
 */
#ifndef SIM_NET_PFC_H
#define SIM_NET_PFC_H

#include "sim/engine/link.h"
#include "sim/net/config.h"
#include "weir/pfc_peer.h"

#define PFC_CLASSES WEIR_PFC_CLASSES

struct pfc_end {
    struct weir_pfc_peer peer;
    struct packet_list frames; /* in processing, first come first; sent_ps of each: when it takes effect */
    weir_ps processing_ps;
    uint64_t frames_sent, frames_received; /* the latter when they have taken effect */
};

/* The end that sends on a link. `lossless_mask`: classes that a port-level pause pauses. */
void pfc_end_init(struct pfc_end *end, const struct sim_pfc *settings, const struct link *out, uint32_t lossless_mask);

/* Fills in the packet of the frame that leaves now. */
void pfc_end_tell(struct pfc_end *end, struct packet *frame, weir_ps now);

/* A frame has arrived; it is the end's until it takes effect. */
void pfc_end_receive(struct pfc_end *end, struct packet *frame, weir_ps now);

/* The first frame in processing if it takes effect by now, else null. The caller owns it again. */
struct packet *pfc_end_take(struct pfc_end *end, weir_ps now);

/* A frame takes effect: see weir_pfc_peer_hear. */
uint32_t pfc_end_hear(struct pfc_end *end, const struct packet *frame, weir_ps now,
                      struct weir_pfc_order orders[PFC_CLASSES]);

/* When a frame takes effect or weir_pfc_peer_next comes; WEIR_NEVER: nothing will happen by itself. */
weir_ps pfc_end_next(const struct pfc_end *end, bool waits);

#endif
