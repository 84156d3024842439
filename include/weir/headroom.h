/*
 * headroom.h - how much may still arrive after a pause was decided, term by term.
 *
 * Source: Shan et al., "Efficient Headroom Allocation With Two-Level Flow Control for Lossless Datacenter Networks",
 * IEEE ToN 2025, equation 1: 2 (C * D + MTU) + 3840 B. The time runs from the decision to the arrival of the last
 * packet: the PAUSE waits for a packet that its port has just begun, crosses the link, is processed (3840 B), finds the
 * peer in the middle of a packet, and what was on the link arrives.
 *
 * Equation 1 is no bound. Four terms are not in it: the PAUSE frame itself, the packet that triggers it when the shared
 * pool has no room for it, a peer that takes longer than 3840 B, and the time that this switch itself takes. 3840 B are
 * 60 quanta, what IEEE 802.3-2008 allowed from 10 Gb/s on; 802.3ba and later allow more, by speed (weir_pfc_response).
 * And packets that fill their last cell in part take more of the buffer than of the wire (weir_headroom_safe_cells).
 */
#ifndef WEIR_HEADROOM_H
#define WEIR_HEADROOM_H

#include "weir/view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weir_headroom_term {
    WEIR_HEADROOM_WAITING,                        /* a packet of one MTU goes out before the PAUSE */
    WEIR_HEADROOM_PAUSE,                          /* propagation of the PAUSE */
    WEIR_HEADROOM_PROCESSING,                     /* until the peer acts on it, as the paper has it: 3840 B */
    WEIR_HEADROOM_RESPONSE,                       /* the packet of one MTU that the peer has just begun */
    WEIR_HEADROOM_DATA,                           /* propagation of the last packet */
    WEIR_HEADROOM_EQUATION,                       /* so many terms are in equation 1 */
    WEIR_HEADROOM_FRAME = WEIR_HEADROOM_EQUATION, /* serialisation of the PAUSE frame */
    WEIR_HEADROOM_TRIGGER,                        /* the packet that triggers it */
    WEIR_HEADROOM_SLOWER,                         /* what the peer may take beyond the 3840 B */
    WEIR_HEADROOM_OWN,                            /* what this switch takes, before the PAUSE and after the wire */
    WEIR_HEADROOM_COUNT
};

#define WEIR_PFC_FRAME_BYTES 64u
#define WEIR_PFC_PROCESSING_BYTES 3840u
#define WEIR_HEADROOM_GAPS 4       /* of packets whose bytes are terms: see weir_headroom_safe_cells */
#define WEIR_PFC_QUANTUM_BYTES 64u /* 512 bit times */

struct weir_headroom_link {
    weir_bps rate_bps;
    weir_ps delay_ps; /* one way */
    uint32_t mtu_bytes;
    uint32_t processing_bytes; /* from a PAUSE to its effect at the peer, at this rate; less than 3840 as that */
    uint32_t own_bytes;        /* from the decision to the PAUSE at the port, and from the wire to the MMU */
};

/* How long a station of some speed may take to obey a PAUSE: a row of the table of IEEE 802.3, 31B.3.7. */
struct weir_pfc_response {
    weir_bps rate_bps;
    uint32_t quanta;    /* of 512 bit times, for the slowest PHY of this speed */
    const char *source; /* where the number is from */
};

/* By speed, ending with a rate of 0. */
extern const struct weir_pfc_response weir_pfc_responses[];

/*
 * The row for a rate. Between two speeds that of the faster one holds, which allows more bytes; beyond the fastest one
 * the time of that one, so more quanta. `source` is that of the row.
 */
struct weir_pfc_response weir_pfc_response(weir_bps rate_bps);

/* The same in bytes at that rate. */
uint32_t weir_pfc_response_bytes(weir_bps rate_bps);

/* Bytes of each term, rounded up. */
void weir_headroom_terms(const struct weir_headroom_link *link, int64_t bytes[WEIR_HEADROOM_COUNT]);

/* Equation 1, and the sum of all terms, which no arrangement of packets exceeds where the buffer counts bytes. */
int64_t weir_headroom_equation(const struct weir_headroom_link *link);
int64_t weir_headroom_safe(const struct weir_headroom_link *link);

/*
 * The sum of all terms in cells, for packets as this uplink has them and its bound on the processing: no arrangement of
 * packets exceeds it. A packet fills its last cell in part only, so the bytes of the wire, with the gaps of four
 * packets (the one that the PAUSE waits for, the PAUSE, the last one and the one that triggers it), grow by what the
 * worst size of packet wastes.
 */
weir_cells weir_headroom_safe_cells(const struct weir_uplink *uplink, weir_bps rate_bps, uint32_t cell_bytes);

/* The size of packet that takes most cells for its time on the wire. */
uint32_t weir_headroom_worst_packet(const struct weir_uplink *uplink, uint32_t cell_bytes);

const char *weir_headroom_term_name(enum weir_headroom_term term); /* "waiting", "propagation of the PAUSE", ... */

#ifdef __cplusplus
}
#endif

#endif
