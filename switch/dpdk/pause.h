/*
 * pause.h - priority flow control of one port: the state machine of weir/pfc_peer.h between the MMU's edges and real
 * frames. All times are of the emulated switch, and the pause time of a frame is counted in bit times of the port's
 * emulated rate, so both ends of a link must be emulated alike; a real peer counts in bit times of the real link, which
 * is the same at scale 1 and the rate of the device.
 *
 * A frame takes effect when it is forwarded: the time that takes is real. Pauses end inside the MMU, which knows their
 * times.
 *
 * Edges of the MMU and frames to send meet here, so the MMU lock guards a port's state; only due_ps
 * may be looked at without it, to know whether taking the lock is worth it.
 */
#ifndef DPDK_PAUSE_H
#define DPDK_PAUSE_H

#include "switch/dpdk/frame.h"
#include "weir/pfc_peer.h"

#define PAUSE_FRAME_BYTES (WEIR_PFC_FRAME_BYTES - WEIR_PFC_FCS_BYTES)
#define PAUSE_DAMAGED (-1)

struct pause_port {
    struct weir_pfc_peer peer;
    uint8_t source[6]; /* address of the port */
    weir_ps due_ps;    /* weir_pfc_peer_due, for those without the lock */
};

void pause_init(struct pause_port *port, const struct weir_pfc_settings *settings, const uint8_t source[6]);

/* An edge of weir_switch_edges for this port. */
void pause_edge(struct pause_port *port, const struct weir_pause_edge *edge);

/* Whether a frame is to be sent, which then goes before all data of the port. */
static inline bool pause_due(const struct pause_port *port, weir_ps now)
{
    return port->due_ps <= now;
}

/* The frame that is sent now, without check sequence. One that the device does not take must be offered again. */
void pause_tell(struct pause_port *port, uint8_t bytes[PAUSE_FRAME_BYTES], weir_ps now);

/* A frame of the kind FRAME_CONTROL came from the peer: as weir_pfc_peer_hear, or PAUSE_DAMAGED when it is not a whole
 * PFC frame. */
int32_t pause_hear(struct pause_port *port, const struct frame *frame, weir_ps now,
                   struct weir_pfc_order orders[WEIR_PFC_CLASSES]);

/* The link went down: as weir_pfc_peer_forget. */
uint32_t pause_forget(struct pause_port *port, weir_ps now);

#endif
