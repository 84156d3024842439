/*
 * shaper.h - the wire of an emulated port: when it is free again after a frame. Callers may be late, since
 * modules are polled: the next frame then counts from when it could have been sent, so that a port that always has
 * frames sends at its rate exactly, whatever the times of the polls. Fractions of a picosecond are carried over.
 */
#ifndef DPDK_SHAPER_H
#define DPDK_SHAPER_H

#include "weir/fixed.h"

#define SHAPER_FRACTION_BITS 32

struct shaper {
    weir_ps free_ps;      /* the last frame has passed */
    uint32_t fraction;    /* of a picosecond, that much later */
    uint32_t gap_bytes;   /* that every frame takes beyond its own */
    uint64_t ps_per_byte; /* with SHAPER_FRACTION_BITS, rounded to nearest */
};

static inline void shaper_init(struct shaper *shaper, weir_bps rate_bps, uint32_t gap_bytes)
{
    weir_wide byte = (weir_wide)(8 * WEIR_PS_PER_S) << SHAPER_FRACTION_BITS;
    uint64_t rate = (uint64_t)rate_bps;
    *shaper = (struct shaper){.gap_bytes = gap_bytes, .ps_per_byte = (uint64_t)((byte + rate / 2) / rate)};
}

/* When a frame that waits since `ready_ps` can begin. */
static inline weir_ps shaper_begins(const struct shaper *shaper, weir_ps ready_ps)
{
    return shaper->free_ps > ready_ps ? shaper->free_ps : ready_ps;
}

/* A frame passes that waited since `ready_ps`; returns when it has passed. */
static inline weir_ps shaper_pass(struct shaper *shaper, uint32_t bytes, weir_ps ready_ps)
{
    weir_wide taken = (weir_wide)(bytes + shaper->gap_bytes) * shaper->ps_per_byte;
    weir_ps begins = shaper->free_ps;
    if (begins >= ready_ps)
        taken += shaper->fraction;
    else
        begins = ready_ps;
    shaper->free_ps = begins + (weir_ps)(taken >> SHAPER_FRACTION_BITS);
    shaper->fraction = (uint32_t)taken;
    return shaper->free_ps;
}

#endif
