/*
 * pfc_peer.h - one end of a link with priority-based flow control (IEEE 802.1Qbb, see pfc.h): what it tells the other
 * end and how it obeys it. Hosts and switches of the simulator and the software switch all run this state machine; they
 * differ in when a frame can leave and when a received one takes effect, and decide that themselves.
 *
 * Telling. The MMU wants classes of an input port paused: single ones (queue level), or all lossless ones (port level).
 *   - A frame is due as soon as what is wanted differs from what was told last. It leaves before any data.
 *   - A frame states everything: each class that is wanted paused, with the full time, and each class that was paused
 *     and is to go on, with time 0. Any later frame thus makes good for one that was lost.
 *   - While a class is paused, a frame is due every half of the pause time, counted from the first pause. A frame with
 *     news does not put that off: if it is lost, the refresh still comes in time.
 *
 * Obeying. A frame sets the timer of each class it addresses, to a longer or a shorter time; time 0 resumes. A pause
 * whose timer runs out is over. At one moment frames come before timers. A packet that has begun to leave is finished.
 *
 * Why these rules: docs/decisions/0027-one-pfc-state-machine.md. No call blocks, allocates or reads a clock: `now`
 * never goes back, nor beyond WEIR_TIME_MAX. One thread at a time.
 */
#ifndef WEIR_PFC_PEER_H
#define WEIR_PFC_PEER_H

#include "weir/mmu.h"
#include "weir/pfc.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_pfc_settings {
    weir_bps rate_bps;      /* of the link: a quantum is 512 of its bit times, at both ends */
    uint32_t quanta;        /* of the pauses that this end tells, 1 to 65535 */
    uint32_t lossless_mask; /* classes that a port-level pause pauses */
    uint32_t obeyed_mask;   /* classes that the other end may pause; the rest of its frames is ignored */
};

/* Of one class. */
struct weir_pfc_counters {
    uint64_t pauses, resumes;                   /* told */
    uint64_t refreshes;                         /* pauses told again because half of their time was over */
    uint64_t pauses_received, resumes_received; /* that took effect here; what makes a pause longer is none */
    uint64_t expired;                           /* pauses that ended by themselves */
    weir_ps held_ps;                            /* all pauses of this end that are over: see weir_pfc_peer_held_ps */
};

/* The fields are for reading; only the functions below write them. */
struct weir_pfc_peer {
    struct weir_pfc_settings settings;
    weir_ps interval_ps; /* between refreshes: half of the pause time */

    uint32_t queue_mask; /* classes that the MMU wants paused */
    bool port_level;     /* it wants all lossless ones paused */
    uint32_t told;       /* classes that the last frame paused */
    weir_ps refresh_ps;  /* when these have to be told again; WEIR_NEVER: none are */

    uint32_t held;                      /* classes that the other end has paused */
    weir_ps until_ps[WEIR_PFC_CLASSES]; /* of these: when the pause ends by itself */
    weir_ps since_ps[WEIR_PFC_CLASSES]; /* of these: when it began */

    struct weir_pfc_counters counters[WEIR_PFC_CLASSES];
};

/* Arguments of one call of weir_mmu_pause_received. */
struct weir_pfc_order {
    uint32_t class_mask;
    weir_ps until_ps; /* now: resume */
};

/* How long so many quanta last on a link, rounded up. */
weir_ps weir_pfc_time(uint32_t quanta, weir_bps rate_bps);

/* Nothing is wanted, told or held. Asserts that settings are in range. */
void weir_pfc_peer_init(struct weir_pfc_peer *peer, const struct weir_pfc_settings *settings);

/* An edge of weir_switch_edges for this port: what is wanted changes, and with it weir_pfc_peer_due. */
void weir_pfc_peer_want(struct weir_pfc_peer *peer, const struct weir_pause_edge *edge);

/* Classes that are wanted paused, at either level. */
static inline uint32_t weir_pfc_peer_wanted(const struct weir_pfc_peer *peer)
{
    return peer->queue_mask | (peer->port_level ? peer->settings.lossless_mask : 0);
}

/* From when on a frame has to be sent: 0 at once, WEIR_NEVER there is nothing to say. */
static inline weir_ps weir_pfc_peer_due(const struct weir_pfc_peer *peer)
{
    return weir_pfc_peer_wanted(peer) != peer->told ? 0 : peer->refresh_ps;
}

/*
 * Fills in the frame that leaves now, but for its source. The caller sends it, or tells again: the peer believes that
 * it was sent. Call it when one is due; at another time it repeats what was told.
 */
void weir_pfc_peer_tell(struct weir_pfc_peer *peer, weir_ps now, struct weir_pfc_frame *frame);

/*
 * A frame from the other end takes effect now. A host that models the time to process a frame holds it back for so long
 * and keeps frames in their order. Returns how many orders it gives to the MMU: each class that is addressed and obeyed
 * is in one of them, classes with the same time are in the same. 0: the frame is not for us.
 */
uint32_t weir_pfc_peer_hear(struct weir_pfc_peer *peer, const struct weir_pfc_frame *frame, weir_ps now,
                            struct weir_pfc_order orders[WEIR_PFC_CLASSES]);

/*
 * Ends pauses whose time is over and returns their classes. Call it after the frames of this moment. The MMU ends them
 * by itself, so a host may call it late or never; then only `held` and the counters lag, until a frame or
 * weir_pfc_peer_forget comes.
 */
uint32_t weir_pfc_peer_expire(struct weir_pfc_peer *peer, weir_ps now);

/*
 * When something next happens by itself: a pause ends, or what was told is due again, which is left out while a frame
 * waits for the link (`waits`). WEIR_NEVER: nothing will.
 */
weir_ps weir_pfc_peer_next(const struct weir_pfc_peer *peer, bool waits);

/* The link is down: neither end remembers a pause. Returns the classes that were held, for the MMU to resume. What is
 * wanted is due at once, and leaves when the link is up again. */
uint32_t weir_pfc_peer_forget(struct weir_pfc_peer *peer, weir_ps now);

/* How long a class was held until now, the pause that lasts with it; 0 for a class that PFC does not have. */
weir_ps weir_pfc_peer_held_ps(const struct weir_pfc_peer *peer, uint32_t tc, weir_ps now);

#ifdef __cplusplus
}
#endif

#endif
