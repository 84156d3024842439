/*
 * marking.c - whether a packet that enters is marked, from the length q of its account including itself.
 *
 *   STEP  mark  if  q >= low
 *   RED   never below low, always above high, and between them with probability chance * (q - low) / (high - low)
 *
 * RED looks at the length of the moment and not at an average, as DCQCN sets it up, and its draw is a hash of (seed,
 * arrival index): marking keeps no state, and one arrival can be decided again by itself.
 *
 * Papers: M. Alizadeh et al., "Data center TCP (DCTCP)", SIGCOMM 2010; Y. Zhu et al., "Congestion control for
 * large-scale RDMA deployments", SIGCOMM 2015; S. Floyd, V. Jacobson, "Random early detection gateways for congestion
 * avoidance", ToN 1993.
 */
#include "weir/marking.h"

#include <assert.h>

#include "weir/random.h"

static bool red_decide(const struct weir_marking *marking, weir_cells queue_cells, uint64_t draw)
{
    weir_cells span = marking->high_cells - marking->low_cells;
    if (queue_cells < marking->low_cells)
        return false;
    if (queue_cells > marking->high_cells)
        return true;
    weir_q16 chance =
        span > 0 ? marking->high_chance * (queue_cells - marking->low_cells) / span : marking->high_chance;
    return (weir_q16)draw < chance;
}

bool weir_marking_decide(const struct weir_marking *marking, weir_cells queue_cells, uint64_t seed, uint64_t index)
{
    assert(queue_cells >= 0);
    if (marking->kind == WEIR_MARK_NONE)
        return false;
    if (marking->kind == WEIR_MARK_STEP)
        return queue_cells >= marking->low_cells;
    return red_decide(marking, queue_cells, weir_hash(seed, index) >> 48);
}
