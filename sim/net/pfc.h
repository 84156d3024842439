/*
 * pfc.h - priority flow control (IEEE 802.1Qbb) between the two ends of a link.
 *
 * The end that receives data tells: a switch whose ingress policy wants classes of an input port paused sends a frame
 * on the reverse direction, as soon as that is free and before any data. A frame says only what is new, so that pauses
 * and resumes of a class alternate; a pause that lasts is said again when half of its time is over. The end that sends
 * data holds: a frame takes effect when it has been processed, and a pause that is not said again ends by itself. A
 * packet that has begun is finished.
 *
 * This file knows masks and times only. What is done with them is in switch_pfc.c for a switch and in host_pfc.c for a
 * host, which holds but never tells.
 */
#ifndef SIM_NET_PFC_H
#define SIM_NET_PFC_H

#include "sim/engine/link.h"

#define PFC_CLASSES 8u
#define PFC_CLASS_MASK 0xffu

/* Of one class at one port. */
struct pfc_counters {
    uint64_t pauses, resumes, refreshes;        /* told to the peer; a refresh is no pause */
    uint64_t pauses_received, resumes_received; /* that took effect here; pauses with their refreshes */
    uint64_t expired;                           /* pauses that ended by themselves */
    weir_ps held_ps;                            /* all pauses of this end that are over: see pfc_held_ps */
};

/* The end that is told. */
struct pfc_holder {
    struct packet_list frames; /* in processing, first come first; sent_ps of each: when it takes effect */
    weir_ps processing_ps;
    uint64_t ps_per_byte;          /* of its link, with 20 fractional bits */
    uint32_t held;                 /* classes that are paused */
    weir_ps until_ps[PFC_CLASSES]; /* of these: when the pause ends by itself */
    weir_ps since_ps[PFC_CLASSES];
};

/* The end that tells. */
struct pfc_teller {
    uint32_t queue_mask; /* classes that the switch wants paused */
    bool port_level;     /* it wants all lossless ones paused */
    bool refreshing;     /* half of the time is over */
    uint32_t told;       /* classes of which the last frame said that they are paused */
    weir_ps refresh_ps;  /* when what is told is to be said again; WEIR_NEVER: nothing is */
    weir_ps interval_ps; /* between refreshes */
};

/* What became of the held classes. */
struct pfc_change {
    uint32_t paused; /* classes that are paused until `until_ps`, perhaps again */
    uint32_t resumed;
    weir_ps until_ps;
};

/* What a frame of so many quanta means on a link. */
weir_ps pfc_pause_ps(const struct link *link, uint32_t quanta);

void pfc_holder_init(struct pfc_holder *holder, const struct link *link, uint32_t processing_bytes);

/* A frame has arrived; it stays the holder's until it takes effect. */
void pfc_holder_receive(struct pfc_holder *holder, struct packet *frame, weir_ps now);

/* When a frame takes effect or a pause ends; WEIR_NEVER: nothing is to come. */
weir_ps pfc_holder_next(const struct pfc_holder *holder);

/* A frame that takes effect now and is no longer the holder's, or null. */
struct packet *pfc_holder_take(struct pfc_holder *holder, weir_ps now);
struct pfc_change pfc_holder_apply(struct pfc_holder *holder, const struct packet *frame,
                                   struct pfc_counters counters[PFC_CLASSES], weir_ps now);

/* Pauses whose time is over; call after the frames of this moment. */
uint32_t pfc_holder_expire(struct pfc_holder *holder, struct pfc_counters counters[PFC_CLASSES], weir_ps now);

/* The link is down: nothing is held any more. Returns what was. */
uint32_t pfc_holder_forget(struct pfc_holder *holder, struct pfc_counters counters[PFC_CLASSES], weir_ps now);

/* How long a class was held until now, the pause that lasts with it. */
weir_ps pfc_held_ps(const struct pfc_holder *holder, const struct pfc_counters *counters, uint32_t tc, weir_ps now);

static inline uint32_t pfc_wanted(const struct pfc_teller *teller, uint32_t lossless_mask)
{
    return teller->queue_mask | (teller->port_level ? lossless_mask : 0);
}

/* Whether there is anything to say. */
static inline bool pfc_teller_due(const struct pfc_teller *teller, uint32_t wanted)
{
    return wanted != teller->told || (teller->refreshing && teller->told);
}

void pfc_teller_init(struct pfc_teller *teller, const struct link *out, uint32_t quanta);

/* Fills the frame that leaves now. Something is due. */
void pfc_teller_tell(struct pfc_teller *teller, struct packet *frame, uint32_t wanted,
                     struct pfc_counters counters[PFC_CLASSES], weir_ps now);

#endif
