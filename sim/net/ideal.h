/*
 * ideal.h - times of the empty network: how long a flow takes alone with an unlimited window, store-and-forward over
 * its shortest path, in closed form; and the longest round trip.
 */
#ifndef SIM_NET_IDEAL_H
#define SIM_NET_IDEAL_H

#include "sim/net/config.h"
#include "sim/topology/routes.h"

#define IDEAL_HOPS_MAX 64u

struct ideal_hop {
    weir_bps rate_bps;
    weir_ps delay_ps;
};

/* Which way is asked for. */
struct ideal_way {
    uint32_t source, destination; /* hosts */
    uint32_t flow_id;             /* whose equal-cost choices are followed */
    bool spray; /* each packet goes its own way: equal-cost links count as one that is as fast as all together */
};

/* The links of a shortest path from one host to another; how many, 0 when there is none of at most 64. */
uint32_t ideal_path(const struct topology *t, const struct routes *r, const struct ideal_way *way,
                    struct ideal_hop hops[IDEAL_HOPS_MAX]);

/* From the start of the first segment's transmission until the last segment has arrived, for payload `bytes` > 0.
 * Serialisation times are those of link.h (fixed point, rounded down), so that a lone flow matches to the picosecond.
 */
weir_ps ideal_time(const struct ideal_hop *hops, uint32_t count, const struct sim_wire *wire, int64_t bytes);

/* A full packet over these links and its ACK back, which is as long a way. */
weir_ps ideal_path_rtt(const struct ideal_hop *hops, uint32_t count, const struct sim_wire *wire);

/* The largest round trip between any two hosts, of a full packet there and its ACK back: what RoCE transports take for
 * that of the empty network. False: out of memory. */
bool ideal_base_rtt(const struct topology *t, const struct routes *r, const struct sim_wire *wire, weir_ps *rtt_ps);

#endif
