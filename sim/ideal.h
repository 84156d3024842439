/*
 * ideal.h - how long a flow takes alone in the network with an unlimited window: store-and-forward over its shortest
 * path, in closed form.
 */
#ifndef SIM_IDEAL_H
#define SIM_IDEAL_H

#include "sim/config.h"
#include "sim/routes.h"

#define IDEAL_HOPS_MAX 64u

struct ideal_hop {
    weir_bps rate_bps;
    weir_ps delay_ps;
};

/* The links from one host to another by the lowest-numbered shortest path; how many, 0 when there is no path. */
uint32_t ideal_path(const struct topology *t, const struct routes *r, uint32_t source, uint32_t destination,
                    struct ideal_hop hops[IDEAL_HOPS_MAX]);

/* From the start of the first segment's transmission until the last segment has arrived, for payload `bytes` > 0.
 * Serialisation times are those of link.h (fixed point, rounded down), so that a lone flow matches to the picosecond.
 */
weir_ps ideal_time(const struct ideal_hop *hops, uint32_t count, const struct sim_wire *wire, int64_t bytes);

#endif
