/*
 * headroom.c - the terms of a headroom, in bytes. See headroom.h for where they come from.
 *
 * Each term is rounded up on its own, so that the sum is never below what the link can still deliver.
 */
#include "weir/headroom.h"
#include "weir/fixed.h"

#define BIT_PS_PER_BYTE ((weir_wide)8 * WEIR_PS_PER_S)

static int64_t headroom_sum(const struct weir_headroom_link *link, uint32_t terms)
{
    int64_t bytes[WEIR_HEADROOM_COUNT], sum = 0;
    weir_headroom_terms(link, bytes);
    for (uint32_t term = 0; term < terms; term++)
        sum += bytes[term];
    return sum;
}

void weir_headroom_terms(const struct weir_headroom_link *link, int64_t bytes[WEIR_HEADROOM_COUNT])
{
    weir_wide bit_ps = (weir_wide)link->rate_bps * (weir_wide)link->delay_ps;
    int64_t on_link = (int64_t)((bit_ps + BIT_PS_PER_BYTE - 1) / BIT_PS_PER_BYTE);
    bytes[WEIR_HEADROOM_WAITING] = link->mtu_bytes;
    bytes[WEIR_HEADROOM_PAUSE] = on_link;
    bytes[WEIR_HEADROOM_PROCESSING] = WEIR_PFC_PROCESSING_BYTES;
    bytes[WEIR_HEADROOM_RESPONSE] = link->mtu_bytes;
    bytes[WEIR_HEADROOM_DATA] = on_link;
    bytes[WEIR_HEADROOM_FRAME] = WEIR_PFC_FRAME_BYTES;
    bytes[WEIR_HEADROOM_TRIGGER] = link->mtu_bytes;
}

int64_t weir_headroom_equation(const struct weir_headroom_link *link)
{
    return headroom_sum(link, WEIR_HEADROOM_EQUATION);
}

int64_t weir_headroom_safe(const struct weir_headroom_link *link)
{
    return headroom_sum(link, WEIR_HEADROOM_COUNT);
}

const char *weir_headroom_term_name(enum weir_headroom_term term)
{
    static const char *const names[WEIR_HEADROOM_COUNT] = {
        [WEIR_HEADROOM_WAITING] = "waiting",
        [WEIR_HEADROOM_PAUSE] = "propagation of the PAUSE",
        [WEIR_HEADROOM_PROCESSING] = "processing",
        [WEIR_HEADROOM_RESPONSE] = "response",
        [WEIR_HEADROOM_DATA] = "propagation of the last packet",
        [WEIR_HEADROOM_FRAME] = "the PAUSE frame",
        [WEIR_HEADROOM_TRIGGER] = "the packet that triggers it",
    };
    return (unsigned)term < WEIR_HEADROOM_COUNT ? names[term] : "unknown";
}
