/*
 * link.h - one direction of a link. A link only delays: its sender decides when to send, its packets wait on a list
 * until they reach the far end, and only the first of them is known to the event engine.
 */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include "sim/packet.h"

struct link {
    _Alignas(64) weir_ps free_ps; /* the sender may start the next packet */
    weir_ps delay_ps;
    uint64_t ps_per_byte;      /* of serialisation, with 20 fractional bits */
    struct packet_list flying; /* sent and not yet there */
    uint64_t packets, bytes;   /* sent so far; bytes without gaps */
    uint32_t gap_bytes;        /* wire bytes between packets */
    bool up;

    /* Second cache line: needed when the link was empty. */
    weir_ps *arrives;    /* at the far end: when the first packet arrives, WEIR_NEVER when there is none */
    weir_ps *wake;       /* next event of node `to` */
    weir_ps *group_wake; /* and of its group, see engine.h */
    uint64_t lost;       /* packets lost when it failed */
    weir_bps rate_bps;
    uint32_t to; /* node */
};

#define LINK_FRACTION_BITS 20u

/* Serialisation of one byte at a rate of at least WEIR_RATE_BPS_MIN, to the nearest; exact when the rate divides
 * 8e12 << 20. */
uint64_t link_ps_per_byte(weir_bps rate);

/* Time to put `bytes` and the gap on the wire. */
static inline weir_ps link_time(const struct link *link, uint32_t bytes)
{
    return (weir_ps)(((bytes + link->gap_bytes) * link->ps_per_byte) >> LINK_FRACTION_BITS);
}

/* Starts to send at `now`, when the link is free. */
static inline void link_send(struct link *link, struct packet *packet, weir_ps now)
{
    weir_ps arrival = now + link_time(link, packet->bytes);
    link->free_ps = arrival;
    link->packets++;
    link->bytes += packet->bytes;
    arrival += link->delay_ps;
    packet->when = arrival;
    if (!link->flying.head) {
        *link->arrives = arrival;
        if (arrival < *link->wake)
            *link->wake = arrival;
        if (arrival < *link->group_wake)
            *link->group_wake = arrival;
    }
    packet_list_append(&link->flying, packet);
}

/* Takes the packet that arrives now; *next is when the following one does. Fetches ahead what that will touch. */
static inline struct packet *link_take(struct link *link, weir_ps *next)
{
    struct packet *packet = packet_list_take(&link->flying);
    const struct packet *following = packet->next;
    *next = WEIR_NEVER;
    if (following) {
        *next = following->when;
        __builtin_prefetch(following->next);
    }
    return packet;
}

#endif
