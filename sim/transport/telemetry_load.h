/*
 * telemetry_load.h - the most loaded link of a way, from the stamps of two packets that took it. What a load is, each
 * congestion control says for itself.
 */
#ifndef SIM_TRANSPORT_TELEMETRY_LOAD_H
#define SIM_TRANSPORT_TELEMETRY_LOAD_H

#include "sim/engine/telemetry.h"

/* How loaded a link was between two stamps of it, in the terms of a control. */
typedef double telemetry_load(const struct telemetry_hop *hop, const struct telemetry_hop *last, weir_ps base_rtt_ps,
                              double bytes_per_ps);

/* The largest load of the links on the way, and over which time it was taken; false: nothing to compare. Stamps of
 * another port than before say nothing. */
static inline bool telemetry_largest_load(const struct telemetry *stamps, const struct telemetry *last,
                                          weir_ps base_rtt_ps, telemetry_load *load, double *largest, weir_ps *over_ps)
{
    bool found = false;
    for (uint32_t i = 0; i < stamps->hops && i < last->hops; i++) {
        const struct telemetry_hop *hop = &stamps->hop[i], *before = &last->hop[i];
        if (hop->port != before->port || hop->when <= before->when)
            continue;
        double here = load(hop, before, base_rtt_ps, (double)hop->rate_bps / (8.0 * (double)WEIR_PS_PER_S));
        if (!found || here > *largest) {
            *largest = here;
            *over_ps = hop->when - before->when;
        }
        found = true;
    }
    return found;
}

#endif
