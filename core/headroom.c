/*
 * headroom.c - the terms of a headroom, in bytes. See headroom.h for where they come from.
 *
 * Each term is rounded up on its own, so that the sum is never below what the link can still deliver.
 */
#include "weir/headroom.h"

#include <assert.h>

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
    assert(link->rate_bps > 0 && link->delay_ps >= 0);
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

/*
 * The most cells per 2^20 bytes of the wire, rounded up. Of all packets of so many cells the smallest has most per
 * byte, and over these sizes, one byte more than whole cells, the ratio only falls or only rises: the ends are enough.
 */
static int64_t headroom_cells_per_mib(const struct weir_uplink *uplink, uint32_t cell_bytes)
{
    int64_t least = uplink->least_bytes > 0 ? uplink->least_bytes : 1, mtu = uplink->mtu_bytes, most = 0;
    const int64_t sizes[] = {least, weir_cells_for_bytes(least, cell_bytes) * cell_bytes + 1,
                             (mtu - 1) / cell_bytes * cell_bytes + 1};
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] < least || sizes[i] > mtu)
            continue;
        int64_t cells = weir_cells_for_bytes(sizes[i], cell_bytes), wire_bytes = sizes[i] + uplink->gap_bytes;
        int64_t ratio = ((cells << 20) + wire_bytes - 1) / wire_bytes;
        most = ratio > most ? ratio : most;
    }
    return most;
}

weir_cells weir_headroom_safe_cells(const struct weir_uplink *uplink, weir_bps rate_bps, uint32_t cell_bytes)
{
    struct weir_headroom_link link = {rate_bps, uplink->delay_ps, uplink->mtu_bytes};
    assert(cell_bytes > 0);
    int64_t bytes = weir_headroom_safe(&link);
    if (uplink->processing_bytes > WEIR_PFC_PROCESSING_BYTES)
        bytes += uplink->processing_bytes - WEIR_PFC_PROCESSING_BYTES;
    if (cell_bytes == 1)
        return bytes;
    return (weir_cells)(((weir_wide)bytes * (uint64_t)headroom_cells_per_mib(uplink, cell_bytes) >> 20) + 1);
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
