/*
 * link.h - one direction of a link. A link only delays: its sender decides when to send, its packets wait in a ring
 * until they reach the far end, and only the first of them is known to the event engine. The ring has the times and
 * addresses side by side, so sending and waiting touch no packet.
 */
#ifndef SIM_ENGINE_LINK_H
#define SIM_ENGINE_LINK_H

#include "sim/engine/lines.h"
#include "sim/engine/packet.h"
#include "weir/random.h"

/* A packet on its way. */
struct link_packet {
    weir_ps when; /* reaches the far end */
    struct packet *packet;
};

struct link;

/* Who makes the far end of a link when the first packet is sent there. */
struct link_maker {
    bool (*make)(struct link_maker *maker, struct link *link); /* false: out of memory */
};

struct link {
    _Alignas(LINES_APART) weir_ps free_ps; /* the sender may start the next packet */
    weir_ps delay_ps;
    uint64_t ps_per_byte;       /* of serialisation, with 20 fractional bits */
    struct link_packet *flying; /* ring of mask + 1 places */
    uint64_t packets;           /* sent so far */
    uint64_t arrived;           /* of these, delivered or lost; packet n of the rest is at n & mask. One more than were
                                 * sent: the link has no ring yet, and what is sent first makes it */
    uint64_t bytes;             /* sent so far, without gaps */
    uint32_t mask;
    uint16_t gap_bytes; /* wire bytes between packets */
    bool up;

    /* Second cache line: for senders. */
    union {
        weir_ps *arrives;         /* at the far end: when the first packet arrives, WEIR_NEVER when there is none */
        struct link_maker *maker; /* of that end, while `wake` is null; null: nobody has to */
    };
    weir_ps *wake;       /* next event of node `to` */
    weir_ps *group_wake; /* and of its group, see sim/net/network.h */
    uint64_t lost;       /* packets lost when it failed, or by chance */
    weir_bps rate_bps;
    struct link *far; /* where its packets arrive: itself, or the part of another worker (sim/net/worker.h) */
    uint32_t to;      /* node */
    uint32_t loss;    /* chance that it loses a packet, in 2^-32 */
};

#define LINK_FRACTION_BITS 20u
_Static_assert(sizeof(struct link) % LINES_APART == 0, "links in an array share no pair of lines");

/* Serialisation of one byte at a rate of at least WEIR_RATE_BPS_MIN, to the nearest; exact when the rate divides
 * 8e12 << 20. */
uint64_t link_ps_per_byte(weir_bps rate);

/* Whether the link loses a packet, by what it alone has: its number on the link, or when it arrives. A draw of its own,
 * so that nothing else of a run depends on who else is drawn for. */
static inline bool link_loses(const struct link *link, uint64_t key, uint64_t packet)
{
    return (uint32_t)(weir_hash(key, packet) >> 32) < link->loss;
}

/* Time to put `bytes` and the gap on the wire. */
static inline weir_ps link_time(const struct link *link, uint32_t bytes)
{
    return (weir_ps)(((bytes + link->gap_bytes) * link->ps_per_byte) >> LINK_FRACTION_BITS);
}

static inline bool link_is_empty(const struct link *link)
{
    return link->arrived >= link->packets;
}

static inline struct link_packet *link_place(const struct link *link, uint64_t number)
{
    return &link->flying[number & link->mask];
}

/* Room for more packets on their way; false: out of memory. */
bool link_grow(struct link *link);

static inline void link_wake(weir_ps *earliest, weir_ps when)
{
    weir_ps before = *earliest;
    *earliest = when < before ? when : before;
}

/* Tells the far end of a packet that is behind all others on the link: news if there are none. Whether there are is
 * hard to predict: without a branch. */
PACKET_PATH void link_announce(const struct link *link, weir_ps arrival)
{
    link_wake(link->arrives, arrival);
    link_wake(link->wake, arrival);
    link_wake(link->group_wake, arrival);
}

/* Starts to send at `now`, when the link is free, a packet of `bytes`. False: out of memory. */
PACKET_PATH bool link_send(struct link *link, struct packet *packet, uint32_t bytes, weir_ps now)
{
    if (link->packets - link->arrived > link->mask && !link_grow(link))
        return false;
    weir_ps arrival = now + link_time(link, bytes);
    link->free_ps = arrival;
    link->bytes += bytes;
    arrival += link->delay_ps;
    link_announce(link, arrival);
    *link_place(link, link->packets++) = (struct link_packet){arrival, packet};
    return true;
}

/* Takes over a packet on its way from the near part of the link. False: out of memory. */
static inline bool link_take_over(struct link *link, const struct link_packet *packet)
{
    if (link->packets - link->arrived > link->mask && !link_grow(link))
        return false;
    link_announce(link, packet->when);
    *link_place(link, link->packets++) = *packet;
    return true;
}

/* Asks for the packet that arrives next on a link that is not empty. Each load waits for the one before, so it pays to
 * begin with those of many links before the first packet is needed. */
static inline void link_prefetch(const struct link *link)
{
    __builtin_prefetch(link_place(link, link->arrived)->packet);
}

/* Takes the packet that arrives now; *next is when the following one does. Whether there is one is hard to predict:
 * without a branch, its place is read in any case. */
PACKET_PATH struct packet *link_take(struct link *link, weir_ps *next)
{
    struct packet *packet = link_place(link, link->arrived++)->packet;
    weir_ps when = link_place(link, link->arrived)->when;
    uint64_t none = -(uint64_t)link_is_empty(link);
    *next = (weir_ps)(((uint64_t)when | none) & (uint64_t)WEIR_NEVER);
    return packet;
}

#endif
