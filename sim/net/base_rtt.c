/*
 * base_rtt.c - see base_rtt.h. Of the hosts on one switch only the one with the slowest link can be at an end of the
 * longest way, so that ways are followed per pair of switches and not per pair of hosts. Equal-cost ways are taken to
 * be equally long, and ways to be as long there as back.
 */
#include "sim/net/base_rtt.h"

#include <stdlib.h>

#include "sim/net/ideal.h"
#include "sim/net/network.h"

/* The hosts of a switch. */
struct base_switch {
    uint32_t hosts;
    uint32_t slowest; /* the one whose link takes longest */
};

static weir_ps base_host_time(const struct sim *sim, uint32_t host)
{
    const struct link *out = sim->hosts[host].out;
    return 2 * out->delay_ps + link_time(out, sim->config.wire.mss_bytes + sim->config.wire.header_bytes);
}

static weir_ps base_way(const struct sim *sim, uint32_t source, uint32_t destination, const struct sim_wire *wire,
                        uint32_t bytes)
{
    struct ideal_hop hops[IDEAL_HOPS_MAX];
    struct ideal_way way = {.source = source, .destination = destination};
    uint32_t count = ideal_path(sim->config.topology, &sim->routes, &way, hops);
    return count ? ideal_time(hops, count, wire, bytes) : 0;
}

static weir_ps base_pair(const struct sim *sim, uint32_t a, uint32_t b)
{
    struct sim_wire ack = sim->config.wire;
    ack.header_bytes = ack.ack_bytes - 1; /* a segment of one byte is then an ACK */
    return base_way(sim, a, b, &sim->config.wire, sim->config.wire.mss_bytes) + base_way(sim, b, a, &ack, 1);
}

bool sim_base_rtt(struct sim *sim)
{
    uint32_t switches = sim->routes.columns;
    struct base_switch *at = calloc(switches, sizeof(*at));
    if (!at)
        return false;
    for (uint32_t h = 0; h < sim->config.topology->hosts; h++) {
        struct base_switch *sw = &at[sim->routes.host_switch[h]];
        if (!sw->hosts++ || base_host_time(sim, h) > base_host_time(sim, sw->slowest))
            sw->slowest = h;
    }
    sim->base_rtt_ps = 1; /* something to divide by if no way is short enough to be followed */
    for (uint32_t a = 0; a < switches; a++) {
        for (uint32_t b = a; b < switches; b++) {
            if (!at[a].hosts || !at[b].hosts || (a == b && at[a].hosts < 2))
                continue;
            weir_ps rtt = base_pair(sim, at[a].slowest, at[b].slowest);
            sim->base_rtt_ps = rtt > sim->base_rtt_ps ? rtt : sim->base_rtt_ps;
        }
    }
    free(at);
    return true;
}
