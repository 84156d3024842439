/*
 * link.c - the part of link.h that is not on the packet path.
 */
#include <stdlib.h>

#include "sim/engine/link.h"

#define LINK_PLACES 8u /* of a new link; a power of two */

uint64_t link_ps_per_byte(weir_bps rate)
{
    assert(rate >= WEIR_RATE_BPS_MIN && rate <= WEIR_RATE_BPS_MAX);
    uint64_t at_one_bps = (uint64_t)(8 * WEIR_PS_PER_S) << LINK_FRACTION_BITS; /* 8.4e18: below 2^63 */
    return (at_one_bps + (uint64_t)rate / 2) / (uint64_t)rate;
}

bool link_grow(struct link *link)
{
    if (!link->flying && !link->wake && link->maker && !link->maker->make(link->maker, link))
        return false;
    link->arrived = link->flying ? link->arrived : link->packets;
    uint32_t places = link->flying ? 2 * (link->mask + 1) : LINK_PLACES;
    bool cut = link->far != link; /* its parts are written by two threads */
    struct link_packet *flying = cut ? lines_take(places * sizeof(*flying)) : malloc(places * sizeof(*flying));
    if (!flying)
        return false;
    for (uint64_t i = link->arrived; i != link->packets; i++)
        flying[i & (places - 1)] = *link_place(link, i);
    free(link->flying);
    link->flying = flying;
    link->mask = places - 1;
    return true;
}
