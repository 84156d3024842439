/*
 * expel.c - the expulsion module: offers the memory bandwidth that departures leave to the policy, and calls the MMUs
 * whose policies wait for a time. Each round computes the next wake-up; a change of an MMU wakes it earlier.
 */
#include "switch/dpdk/dataplane_internal.h"

static weir_ps expel_memory(struct dataplane *dp, uint32_t memory, struct losses *losses)
{
    struct weir_mmu *mmu = weir_switch_mmu(dp->sw, memory);
    weir_ps next = weir_mmu_has_events(mmu) ? weir_mmu_next_event(mmu) : WEIR_NEVER;
    if (next > dp->now)
        return next;
    effects_follow(dp, memory, weir_mmu_offer_expel(mmu, dp->now), losses);
    if (dp->copy_count > 0)
        trim_offer(dp, dp->now, losses);
    return weir_mmu_next_event(mmu);
}

weir_ps expel_poll(struct dataplane *dp)
{
    struct losses losses;
    weir_ps next = __atomic_load_n(&dp->expel_ps, __ATOMIC_RELAXED);
    if (!dp->has_events || next > clock_now(&dp->clock))
        return next;
    losses.count = 0;
    next = WEIR_NEVER;
    mmu_enter(dp);
    for (uint32_t m = 0; m < dp->memories; m++) {
        weir_ps due = expel_memory(dp, m, &losses);
        next = due < next ? due : next;
    }
    __atomic_store_n(&dp->expel_ps, next, __ATOMIC_RELAXED);
    mmu_leave(dp);
    if (losses.count > 0)
        losses_free(&losses);
    return next;
}
