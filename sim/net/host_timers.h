/*
 * host_timers.h - the timers of a host: a binary heap by (time, flow, end of the flow). A flow's due time is moved
 * later without touching the heap: the host looks at the flow at the old time, finds it not yet due and looks again
 * later. So a retransmission timer costs the heap once per timeout period, not once per ACK.
 */
#ifndef SIM_NET_HOST_TIMERS_H
#define SIM_NET_HOST_TIMERS_H

#include "sim/net/host.h"

static inline weir_ps host_timers_next(const struct host *host)
{
    return host->timer_count ? host->timers[0].when : WEIR_NEVER;
}

/* Takes the first timer and acts on it. */
void host_timers_act(struct host *host, weir_ps now);

#endif
