/*
 * headroom.h - how much may still arrive after a pause was decided, term by term.
 *
 * Source: Shan et al., "Efficient Headroom Allocation With Two-Level Flow Control for Lossless Datacenter Networks",
 * IEEE ToN 2025, equation 1: 2 (C * D + MTU) + 3840 B. The time runs from the decision to the arrival of the last
 * packet: the PAUSE waits for a packet that its port has just begun, crosses the link, is processed (3840 B at most, by
 * IEEE 802.1Qbb), finds the sender in the middle of a packet, and what was on the link arrives. Two terms are not in
 * the equation: the PAUSE frame itself, and the packet that triggers it when the shared pool has no room for it.
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
    WEIR_HEADROOM_PROCESSING,                     /* until the sender acts on it */
    WEIR_HEADROOM_RESPONSE,                       /* the packet of one MTU that the sender has just begun */
    WEIR_HEADROOM_DATA,                           /* propagation of the last packet */
    WEIR_HEADROOM_EQUATION,                       /* so many terms are in equation 1 */
    WEIR_HEADROOM_FRAME = WEIR_HEADROOM_EQUATION, /* serialisation of the PAUSE frame */
    WEIR_HEADROOM_TRIGGER,                        /* the packet that triggers it */
    WEIR_HEADROOM_COUNT
};

#define WEIR_PFC_FRAME_BYTES 64u
#define WEIR_PFC_PROCESSING_BYTES 3840u
#define WEIR_PFC_QUANTUM_BYTES 64u /* 512 bit times */

struct weir_headroom_link {
    weir_bps rate_bps;
    weir_ps delay_ps; /* one way */
    uint32_t mtu_bytes;
};

/* Bytes of each term, rounded up. */
void weir_headroom_terms(const struct weir_headroom_link *link, int64_t bytes[WEIR_HEADROOM_COUNT]);

/* Equation 1, and the sum of all terms, which no arrangement of packets exceeds. */
int64_t weir_headroom_equation(const struct weir_headroom_link *link);
int64_t weir_headroom_safe(const struct weir_headroom_link *link);

/*
 * The sum of all terms in cells, for packets as this uplink has them and its bound on the processing. A packet fills
 * its last cell in part only, so the bytes of the wire grow by what the worst size of packet wastes.
 */
weir_cells weir_headroom_safe_cells(const struct weir_uplink *uplink, weir_bps rate_bps, uint32_t cell_bytes);

const char *weir_headroom_term_name(enum weir_headroom_term term); /* "waiting", "propagation of the PAUSE", ... */

#ifdef __cplusplus
}
#endif

#endif
