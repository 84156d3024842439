/*
 * tcp_ring.h - a set of segments as a ring of bits: which ones arrived out of order. Both ends of a TCP flow have one,
 * made when the first such segment appears, so that a flow without loss never pays for it. A ring covers the segments
 * from the word of its base (the first segment that still matters) up to its capacity, and doubles when one lies
 * beyond. What is below the base must be cleared before the base moves.
 */
#ifndef SIM_TRANSPORT_TCP_RING_H
#define SIM_TRANSPORT_TCP_RING_H

#include "weir/types.h"

struct host;

#define TCP_RING_RECENT 4u /* one more than an ACK reports, for the newest */

struct tcp_ring {
    uint32_t mask;                    /* words less one; a power of two less one */
    uint32_t end;                     /* every segment of the set is below it */
    uint32_t recent[TCP_RING_RECENT]; /* receiver: a segment of each block that changed last, newest first */
    uint64_t words[];
};

/* Makes room for `segment`, which is not below the base; makes the ring if there is none. False: out of memory. */
bool tcp_ring_reserve(struct host *host, struct tcp_ring **ring, uint32_t base, uint32_t segment);
void tcp_ring_free(struct host *host, struct tcp_ring *ring);

/* In all of these: segments of [from, until). Rings may be null, which is the empty set, except in tcp_ring_add. */
uint32_t tcp_ring_count(const struct tcp_ring *ring, uint32_t from, uint32_t until);
uint32_t tcp_ring_add(struct tcp_ring *ring, uint32_t from, uint32_t until);    /* how many are new */
uint32_t tcp_ring_remove(struct tcp_ring *ring, uint32_t from, uint32_t until); /* how many there were */

/* The first segment from `from` on that is not in the set. */
uint32_t tcp_ring_gap(const struct tcp_ring *ring, uint32_t from);

/* The first segment from `from` on that is in the set; UINT32_MAX: none. */
uint32_t tcp_ring_first(const struct tcp_ring *ring, uint32_t from);

/* The start of the run of segments that ends with `last`, which is in the set; at least `floor`. */
uint32_t tcp_ring_run(const struct tcp_ring *ring, uint32_t last, uint32_t floor);

/* The nth highest segment (1: the highest) if it is above `floor`, else `floor`. */
uint32_t tcp_ring_nth_highest(const struct tcp_ring *ring, uint32_t n, uint32_t floor);

static inline bool tcp_ring_has(const struct tcp_ring *ring, uint32_t segment)
{
    return ring && segment < ring->end && ring->words[(segment >> 6) & ring->mask] >> (segment & 63) & 1;
}

#endif
