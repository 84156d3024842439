/*
 * ideal.c - see ideal.h.
 *
 * Segment i can start on hop h when it has arrived there and segment i - 1 has left, so the last one arrives at the end
 * of the longest chain of transmissions that wait for each other: chains step from a segment to the next one on the
 * same hop, or from a hop to the next one of the same segment. With f_h and l_h the times of a full and of the last
 * segment on hop h, and n segments, a chain that reaches the last segment on hop j is at most
 *
 *   sum of f_1 .. f_j  +  (n - 2) max of f_1 .. f_j  +  sum of l_j .. l_H
 *
 * long, and the largest over j is the answer (propagation, the same for all, comes on top). One pass over the hops
 * finds it, whatever the number of segments.
 *
 * Of the hosts on one switch only the one with the slowest link can be at an end of the longest round trip, so that
 * ways are followed per pair of switches and not per pair of hosts. Equal-cost ways are taken to be equally long, and
 * ways to be as long there as back.
 */
#include "sim/net/ideal.h"

#include <stdlib.h>

#include "sim/engine/link.h"
#include "weir/fixed.h"

static struct ideal_hop ideal_hop(const struct topology_link *link)
{
    return (struct ideal_hop){link->rate_bps, link->delay_ps};
}

/* The link behind a port of a switch. */
static const struct topology_link *ideal_link(const struct topology *t, const struct routes *r, uint32_t sw,
                                              uint32_t port)
{
    return &t->links[r->port_link[r->port_first[sw] + port]];
}

/* Equal-cost links as one: nothing that is spread over them is faster. */
static struct ideal_hop ideal_group(const struct topology *t, const struct routes *r, uint32_t at,
                                    struct routes_group group)
{
    struct ideal_hop all = {0, WEIR_TIME_MAX};
    for (uint32_t i = 0; i < group.count; i++) {
        const struct topology_link *link = ideal_link(t, r, at, r->ports[group.first + i]);
        all.rate_bps += link->rate_bps;
        all.delay_ps = link->delay_ps < all.delay_ps ? link->delay_ps : all.delay_ps;
    }
    all.rate_bps = all.rate_bps < WEIR_RATE_BPS_MAX ? all.rate_bps : WEIR_RATE_BPS_MAX;
    return all;
}

uint32_t ideal_path(const struct topology *t, const struct routes *r, const struct ideal_way *way,
                    struct ideal_hop hops[IDEAL_HOPS_MAX])
{
    uint32_t at = r->host_switch[way->source], to = r->host_switch[way->destination], count = 0;
    hops[count++] = ideal_hop(ideal_link(t, r, at, r->host_port[way->source]));
    while (at != to) {
        uint32_t port = routes_port(r, at, way->destination, way->flow_id, false);
        if (port == ROUTES_NO_PORT || count == IDEAL_HOPS_MAX - 1)
            return 0;
        const struct topology_link *link = ideal_link(t, r, at, port);
        hops[count++] = way->spray ? ideal_group(t, r, at, routes_group(r, at, to)) : ideal_hop(link);
        at = topology_far_end(link, t->hosts + at) - t->hosts;
    }
    hops[count++] = ideal_hop(ideal_link(t, r, to, r->host_port[way->destination]));
    return count;
}

/* Times of the two kinds of segment on one hop. */
struct ideal_times {
    weir_ps full, last;
};

static struct ideal_times ideal_times(const struct ideal_hop *hop, const struct sim_wire *wire, uint32_t last_bytes)
{
    struct link link = {.ps_per_byte = link_ps_per_byte(hop->rate_bps), .gap_bytes = wire->gap_bytes};
    return (struct ideal_times){link_time(&link, wire->mss_bytes + wire->header_bytes),
                                link_time(&link, last_bytes + wire->header_bytes)};
}

weir_ps ideal_time(const struct ideal_hop *hops, uint32_t count, const struct sim_wire *wire, int64_t bytes)
{
    assert(bytes > 0);
    uint64_t full_segments = (uint64_t)(bytes - 1) / wire->mss_bytes; /* all but the last one */
    uint32_t last_bytes = (uint32_t)((uint64_t)bytes - full_segments * wire->mss_bytes);
    weir_ps delay = 0, full_sum = 0, full_max = 0, last_sum = 0;
    for (uint32_t h = 0; h < count; h++) {
        delay += hops[h].delay_ps;
        last_sum += ideal_times(&hops[h], wire, last_bytes).last;
    }
    weir_wide longest = (weir_wide)last_sum;
    for (uint32_t h = 0; h < count && full_segments > 0; h++) {
        struct ideal_times times = ideal_times(&hops[h], wire, last_bytes);
        full_sum += times.full;
        full_max = times.full > full_max ? times.full : full_max;
        weir_wide chain = (weir_wide)full_max * (full_segments - 1) + (weir_wide)(full_sum + last_sum);
        longest = chain > longest ? chain : longest;
        last_sum -= times.last;
    }
    weir_wide total = longest + (weir_wide)delay;
    return total > WEIR_TIME_MAX ? WEIR_NEVER : (weir_ps)total;
}

/* Sizes by which a segment of one byte is an ACK. */
static struct sim_wire ideal_ack_wire(const struct sim_wire *wire)
{
    struct sim_wire ack = *wire;
    ack.header_bytes = ack.ack_bytes - 1;
    return ack;
}

weir_ps ideal_path_rtt(const struct ideal_hop *hops, uint32_t count, const struct sim_wire *wire)
{
    struct sim_wire ack = ideal_ack_wire(wire);
    return ideal_time(hops, count, wire, wire->mss_bytes) + ideal_time(hops, count, &ack, 1);
}

/* The network whose longest round trip is looked for. */
struct ideal_network {
    const struct topology *topology;
    const struct routes *routes;
    const struct sim_wire *wire;
};

/* The hosts of a switch. */
struct ideal_switch {
    uint32_t hosts;
    uint32_t slowest; /* the one whose link takes longest */
};

static weir_ps ideal_host_time(const struct ideal_network *n, uint32_t host)
{
    const struct routes *r = n->routes;
    struct ideal_hop hop = ideal_hop(ideal_link(n->topology, r, r->host_switch[host], r->host_port[host]));
    return 2 * hop.delay_ps + ideal_times(&hop, n->wire, 1).full;
}

static weir_ps ideal_one_way(const struct ideal_network *n, uint32_t source, uint32_t destination, int64_t bytes)
{
    struct ideal_hop hops[IDEAL_HOPS_MAX];
    struct ideal_way way = {.source = source, .destination = destination};
    uint32_t count = ideal_path(n->topology, n->routes, &way, hops);
    return count ? ideal_time(hops, count, n->wire, bytes) : 0;
}

static weir_ps ideal_round_trip(const struct ideal_network *n, uint32_t a, uint32_t b)
{
    struct sim_wire ack = ideal_ack_wire(n->wire);
    const struct ideal_network back = {n->topology, n->routes, &ack};
    return ideal_one_way(n, a, b, n->wire->mss_bytes) + ideal_one_way(&back, b, a, 1);
}

/* Switches with hosts are all alike, and so are the links of a tier: what one of them is from others says it of all. */
static bool ideal_alike(const struct topology *t, const struct routes *r)
{
    const struct topology_link *first[TOPOLOGY_TIERS_MAX + 1] = {NULL};
    for (uint32_t sw = 0; t->ways && sw < r->columns; sw++)
        if (t->ways->row(t, sw) != t->ways->row(t, 0))
            return false;
    for (uint32_t i = 0; t->ways && i < t->link_count; i++) {
        const struct topology_link *link = &t->links[i];
        uint32_t tier = link->a < t->hosts || link->b < t->hosts ? 0 : t->tier[link->a - t->hosts] + 1u;
        if (tier > 0 && t->tier[link->b - t->hosts] >= tier)
            tier = t->tier[link->b - t->hosts] + 1u;
        first[tier] = first[tier] ? first[tier] : link;
        if (link->rate_bps != first[tier]->rate_bps || link->delay_ps != first[tier]->delay_ps)
            return false;
    }
    return t->ways;
}

bool ideal_base_rtt(const struct topology *t, const struct routes *r, const struct sim_wire *wire, weir_ps *rtt_ps)
{
    const struct ideal_network network = {t, r, wire};
    struct ideal_switch *at = calloc(r->columns, sizeof(*at));
    if (!at)
        return false;
    for (uint32_t h = 0; h < t->hosts; h++) {
        struct ideal_switch *sw = &at[r->host_switch[h]];
        if (!sw->hosts++ || ideal_host_time(&network, h) > ideal_host_time(&network, sw->slowest))
            sw->slowest = h;
    }
    *rtt_ps = 1; /* something to divide by if no way is short enough to be followed */
    const uint32_t from = ideal_alike(t, r) ? 1 : r->columns;
    for (uint32_t a = 0; a < from; a++) {
        for (uint32_t b = a; b < r->columns; b++) {
            if (!at[a].hosts || !at[b].hosts || (a == b && at[a].hosts < 2))
                continue;
            weir_ps rtt = ideal_round_trip(&network, at[a].slowest, at[b].slowest);
            *rtt_ps = rtt > *rtt_ps ? rtt : *rtt_ps;
        }
    }
    free(at);
    return true;
}
