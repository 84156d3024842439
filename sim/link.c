/*
 * link.c - the part of link.h that is not on the packet path.
 */
#include "sim/link.h"

uint64_t link_ps_per_byte(weir_bps rate)
{
    assert(rate >= WEIR_RATE_BPS_MIN && rate <= WEIR_RATE_BPS_MAX);
    uint64_t at_one_bps = (uint64_t)(8 * WEIR_PS_PER_S) << LINK_FRACTION_BITS; /* 8.4e18: below 2^63 */
    return (at_one_bps + (uint64_t)rate / 2) / (uint64_t)rate;
}
