/*
 * clock.h - time of the emulated switch from the processor's time stamp counter: the one place that knows how much
 * slower the switch's clock runs than the machine's. A read is one instruction and one wide multiplication; rates are
 * kept with 40 fractional bits, so that a day is wrong by less than a microsecond beyond what the counter is.
 */
#ifndef DPDK_CLOCK_H
#define DPDK_CLOCK_H

#include <rte_cycles.h>

#include "weir/fixed.h"

#define CLOCK_FRACTION_BITS 40

struct dataplane_clock {
    uint64_t start_ticks;
    uint64_t emulated_per_tick; /* ps, with CLOCK_FRACTION_BITS */
    uint64_t machine_per_tick;  /* the same of the machine's time */
    uint32_t time_scale;
};

static inline void clock_start(struct dataplane_clock *clock, uint32_t time_scale)
{
    weir_wide second = (weir_wide)WEIR_PS_PER_S << CLOCK_FRACTION_BITS;
    clock->machine_per_tick = (uint64_t)(second / rte_get_tsc_hz());
    clock->emulated_per_tick = (uint64_t)(second / ((weir_wide)rte_get_tsc_hz() * time_scale));
    clock->time_scale = time_scale;
    clock->start_ticks = rte_rdtsc();
}

static inline weir_ps clock_scale(uint64_t ticks, uint64_t per_tick)
{
    return (weir_ps)((weir_wide)ticks * per_tick >> CLOCK_FRACTION_BITS);
}

/* Since the start; 0 on a processor whose counter is behind. */
static inline uint64_t clock_ticks(const struct dataplane_clock *clock)
{
    uint64_t ticks = rte_rdtsc();
    return ticks > clock->start_ticks ? ticks - clock->start_ticks : 0;
}

/* Of the emulated switch. */
static inline weir_ps clock_now(const struct dataplane_clock *clock)
{
    return clock_scale(clock_ticks(clock), clock->emulated_per_tick);
}

static inline weir_ps clock_machine(const struct dataplane_clock *clock)
{
    return clock_scale(clock_ticks(clock), clock->machine_per_tick);
}

#endif
