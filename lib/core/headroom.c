/*
 * headroom.c - the terms of a headroom, in bytes. See headroom.h for where they come from.
 *
 * Each term is rounded up on its own, so that the sum is never below what the link can still deliver.
 */
#include "weir/headroom.h"

#include <assert.h>

#include "weir/fixed.h"

#define BIT_PS_PER_BYTE ((weir_wide)8 * WEIR_PS_PER_S)

#define GBPS INT64_C(1000000000)

/*
 * IEEE 802.3-2008 had 60 quanta for 10 Gb/s and more; 802.3ba-2010 has the rows of 10 (60 with PHYs other than
 * 10GBASE-T), 40 and 100 Gb/s. Later amendments are cited as the headroom scripts of SONiC (sonic-swss, cfgmgr) have
 * them; for 800 Gb/s these take the row of 400.
 */
const struct weir_pfc_response weir_pfc_responses[] = {
    {GBPS / 10, 1, "IEEE 802.3, 31B.3.7"},
    {GBPS, 2, "IEEE 802.3, 31B.3.7"},
    {10 * GBPS, 74, "IEEE 802.3ba, 31B.3.7, 10GBASE-T"},
    {25 * GBPS, 80, "IEEE 802.3, 31B.3.7, after SONiC"},
    {40 * GBPS, 118, "IEEE 802.3ba, 31B.3.7"},
    {50 * GBPS, 147, "IEEE 802.3, 31B.3.7, after SONiC"},
    {100 * GBPS, 394, "IEEE 802.3ba, 31B.3.7"},
    {200 * GBPS, 453, "IEEE 802.3, 31B.3.7, after SONiC"},
    {400 * GBPS, 905, "IEEE 802.3, 31B.3.7, after SONiC"},
    {800 * GBPS, 905, "SONiC: the row of 400Gbps"},
    {0, 0, NULL},
};

struct weir_pfc_response weir_pfc_response(weir_bps rate_bps)
{
    const struct weir_pfc_response *row = weir_pfc_responses;
    assert(rate_bps > 0);
    while (row[1].rate_bps > 0 && row->rate_bps < rate_bps)
        row++;
    struct weir_pfc_response found = *row;
    if (found.rate_bps < rate_bps)
        found.quanta = (uint32_t)(((weir_wide)row->quanta * (weir_wide)rate_bps + (weir_wide)row->rate_bps - 1) /
                                  (weir_wide)row->rate_bps);
    found.rate_bps = rate_bps;
    return found;
}

uint32_t weir_pfc_response_bytes(weir_bps rate_bps)
{
    return weir_pfc_response(rate_bps).quanta * WEIR_PFC_QUANTUM_BYTES;
}

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
    bytes[WEIR_HEADROOM_SLOWER] = link->processing_bytes > WEIR_PFC_PROCESSING_BYTES
                                      ? (int64_t)link->processing_bytes - WEIR_PFC_PROCESSING_BYTES
                                      : 0;
    bytes[WEIR_HEADROOM_OWN] = link->own_bytes;
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
 * Of all packets of so many cells the smallest has most per byte, and over these sizes, one byte more than whole cells,
 * the ratio only falls or only rises: the ends are enough.
 */
uint32_t weir_headroom_worst_packet(const struct weir_uplink *uplink, uint32_t cell_bytes)
{
    int64_t least = uplink->least_bytes > 0 ? uplink->least_bytes : 1, mtu = uplink->mtu_bytes;
    const int64_t sizes[] = {weir_cells_for_bytes(least, cell_bytes) * cell_bytes + 1,
                             (mtu - 1) / cell_bytes * cell_bytes + 1};
    int64_t worst = least;
    assert(cell_bytes > 0);
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] < least || sizes[i] > mtu)
            continue;
        int64_t cells = weir_cells_for_bytes(sizes[i], cell_bytes), most = weir_cells_for_bytes(worst, cell_bytes);
        if (cells * (worst + uplink->gap_bytes) > most * (sizes[i] + uplink->gap_bytes))
            worst = sizes[i];
    }
    return (uint32_t)worst;
}

weir_cells weir_headroom_safe_cells(const struct weir_uplink *uplink, weir_bps rate_bps, uint32_t cell_bytes)
{
    struct weir_headroom_link link = {rate_bps, uplink->delay_ps, uplink->mtu_bytes, uplink->processing_bytes, 0};
    int64_t bytes = weir_headroom_safe(&link);
    assert(cell_bytes > 0);
    if (cell_bytes == 1)
        return bytes;
    bytes += WEIR_HEADROOM_GAPS * (int64_t)uplink->gap_bytes;
    int64_t worst = weir_headroom_worst_packet(uplink, cell_bytes);
    int64_t cells = weir_cells_for_bytes(worst, cell_bytes), wire_bytes = worst + uplink->gap_bytes;
    int64_t per_mib = ((cells << 20) + wire_bytes - 1) / wire_bytes; /* of 2^20 bytes of the wire, rounded up */
    return (weir_cells)(((weir_wide)bytes * (uint64_t)per_mib >> 20) + 1);
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
        [WEIR_HEADROOM_SLOWER] = "slower processing",
        [WEIR_HEADROOM_OWN] = "own processing",
    };
    return (unsigned)term < WEIR_HEADROOM_COUNT ? names[term] : "unknown";
}
