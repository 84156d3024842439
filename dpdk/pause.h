/*
 * pause.h - priority flow control of one port: what its peer has been told, and what its peer says. All times are of
 * the emulated switch, and the pause time of a frame is counted in bit times of the port's emulated rate, so both ends
 * of a link must be emulated alike; a real peer counts in bit times of the real link, which is the same at scale 1 and
 * the rate of the device.
 *
 * A frame says the whole truth: which classes are paused now (for the full time) and which were and no longer are (with
 * time 0). So a frame that is lost is made good by the next one, at the latest when half of the pause time is over.
 *
 * Edges of the MMU and frames to send meet here, so a port's state belongs to whoever holds the MMU's lock; only due_ps
 * may be looked at without it, to know whether taking the lock is worth it.
 */
#ifndef DPDK_PAUSE_H
#define DPDK_PAUSE_H

#include "dpdk/frame.h"
#include "weir/mmu.h"
#include "weir/pfc.h"

#define PAUSE_FRAME_BYTES (WEIR_PFC_FRAME_BYTES - WEIR_PFC_FCS_BYTES)
#define PAUSE_DAMAGED (-1)

struct pause_settings {
    uint8_t source[6]; /* address of the port */
    uint32_t quanta;   /* 1 to 65535 */
    weir_bps rate_bps;
    uint32_t lossless_mask; /* classes that are paused by port-level edges, and that obey the peer */
};

struct pause_port {
    struct pause_settings settings;
    weir_ps due_ps;      /* from when on a frame is to be sent: 0 at once, WEIR_NEVER there is nothing to say */
    weir_ps refresh_ps;  /* when what was told has to be told again; WEIR_NEVER: nothing is paused */
    weir_ps interval_ps; /* half of the pause time */
    uint32_t queue_mask; /* classes that the MMU wants paused */
    bool port_level;     /* it wants all lossless ones paused */
    uint32_t told;       /* classes of which the last frame said that they are paused */
};

void pause_init(struct pause_port *port, const struct pause_settings *settings);

/* An edge of weir_switch_edges for this port. */
void pause_edge(struct pause_port *port, const struct weir_pause_edge *edge);

/* Whether a frame is to be sent, which then goes before all data of the port. */
static inline bool pause_due(const struct pause_port *port, weir_ps now)
{
    return port->due_ps <= now;
}

/* The frame that is sent now, without check sequence. One that the device does not take must be offered again. */
void pause_tell(struct pause_port *port, uint8_t bytes[PAUSE_FRAME_BYTES], weir_ps now);

/* The link went down: the peer knows nothing any more. What is to be paused is due when the link is up again. */
void pause_forget(struct pause_port *port);

/* One call of weir_mmu_pause_received. */
struct pause_order {
    uint32_t class_mask;
    weir_ps until_ps; /* not after now: resume */
};

/* What a frame of the kind FRAME_CONTROL from the peer asks for: how many orders, in no order among themselves, or
 * PAUSE_DAMAGED when it is no whole PFC frame. */
int32_t pause_hear(const struct pause_port *port, const struct frame *frame, weir_ps now,
                   struct pause_order orders[WEIR_PFC_CLASSES]);

/* How long so many quanta last, rounded up. */
weir_ps pause_time(uint32_t quanta, weir_bps rate_bps);

#endif
