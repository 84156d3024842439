/*
 * arbiter.h - who may read the packet memory: transmission always, expulsion only with what is left.
 *
 * A token bucket of memory cells, filled at the memory's read bandwidth (Occamy, section 5.3). It is kept as one
 * moment instead of a count: zero_at, when the bucket holds (or held) exactly nothing. Tokens are the time since
 * then, at most the depth; a transmission may push zero_at into the future, which is a negative count. So there is
 * no refill to run, no rounding to accumulate, and no call that could come too late.
 */
#ifndef WEIR_ARBITER_H
#define WEIR_ARBITER_H

#include <assert.h>

#include "weir/fixed.h"
#include "weir/types.h"

struct weir_arbiter {
    weir_ps zero_at;       /* moment of an empty bucket; in the future while in debt */
    weir_ps depth_ps;      /* time to fill the bucket; 0: expulsion is off */
    weir_ps cell_ps;       /* time to read one memory cell, rounded up */
    int64_t cell_ps_q16;   /* time to read one memory cell, Q16 */
    uint32_t cell_bytes;   /* bytes of a memory cell */
    uint64_t cell_inverse; /* weir_unit_inverse of it */
};

/* Time to read a packet. */
static inline weir_ps weir_arbiter_cost_ps(const struct weir_arbiter *a, uint32_t bytes)
{
    int64_t cells = weir_units_for_bytes(bytes, a->cell_bytes, a->cell_inverse);
    return (cells * a->cell_ps_q16 + 65535) >> 16;
}

static inline weir_ps weir_arbiter_zero(const struct weir_arbiter *a, weir_ps now)
{
    return a->zero_at > now - a->depth_ps ? a->zero_at : now - a->depth_ps;
}

/* A host may send faster than the memory reads; its debt stops growing at 13 days. */
static inline void weir_arbiter_consume(struct weir_arbiter *a, weir_ps cost_ps, weir_ps now)
{
    assert(cost_ps >= 0);
    weir_ps zero_at = weir_arbiter_zero(a, now) + cost_ps, latest = now + ((weir_ps)1 << 60);
    a->zero_at = zero_at < latest ? zero_at : latest;
}

/* When an expulsion of this cost may happen, given that nothing else reads until then; not before now. A packet
 * larger than the bucket waits for a full bucket and leaves it in debt. */
static inline weir_ps weir_arbiter_ready_ps(const struct weir_arbiter *a, weir_ps cost_ps, weir_ps now)
{
    if (a->depth_ps == 0)
        return WEIR_NEVER;
    weir_ps wait = cost_ps < a->depth_ps ? cost_ps : a->depth_ps;
    weir_ps ready = weir_arbiter_zero(a, now) + wait;
    return ready > now ? ready : now;
}

#endif
