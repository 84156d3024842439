/*
 * partition.c - see partition.h. The load of a node is taken to be the rate of its links, since nothing else is known
 * before there is traffic.
 *
 *   switches next to hosts   stay ordered by number, which builders give pod by pod; each weighs as much as
 *                            it does with its hosts, and goes to where the middle of its weight falls
 *   tiers above              those first that are tied most to one part, each to the part that it has most links to and
 *                            that has room left: so the upper switches of a pod follow it, and those that all pods
 *                            share are spread
 *   hosts                    with their switch, unless that part is too heavy; then to the lightest one. Those of a
 *                            server stay together, where the switch of the first of them is
 *
 * So a single switch may have its hosts elsewhere. Links that are cut cost little compared with an idle thread.
 *
 * With many parts a switch of an upper tier may be as heavy as a part should be, and would come on top of a rack. Then
 * tiers are placed from the top, each switch where there is room, and the racks around them.
 *
 * The nodes of a rank are divided among its threads in the same way, as if the others were not there.
 */
#include "sim/topology/partition.h"

#include <stdlib.h>
#include <string.h>

#define HOST_WEIGHT 0.5 /* of a host, to that of a switch with one link of the same rate: measured with DCTCP */
#define SLACK 1.03      /* a part may be so much heavier than the mean */
#define UNEVEN 1.05     /* and a division by so much, before the other one is tried */
#define NO_PART UINT32_MAX

struct partition {
    const struct topology *t;
    const uint32_t *rank_of; /* [nodes]; null: all are of one rank */
    uint32_t rank;           /* whose nodes are divided; others have no part, and no weight */
    uint32_t parts;
    uint32_t *part;  /* [nodes] */
    double *weight;  /* [nodes], of a switch without its hosts */
    double *hosts;   /* [switches]: weight of its hosts */
    uint32_t *owner; /* [hosts]: the node of its switch */
    double *load;    /* [parts] */
    double *ties;    /* [switches * parts]: rates of links to nodes of a part */
    double mean;     /* of a part */
};

static uint32_t nodes_of(const struct topology *t)
{
    return t->hosts + t->switches;
}

static bool is_in(const struct partition *p, uint32_t node)
{
    return p->rank_of == NULL || p->rank_of[node] == p->rank;
}

static void put(struct partition *p, uint32_t node, uint32_t part)
{
    p->part[node] = part;
    p->load[part] += p->weight[node];
}

static void put_racks(struct partition *p)
{
    const struct topology *t = p->t;
    double all = 0, before = 0;
    for (uint32_t s = 0; s < t->switches; s++)
        all += t->tier[s] == 0 && is_in(p, t->hosts + s) ? p->weight[t->hosts + s] + p->hosts[s] : 0;
    for (uint32_t s = 0; s < t->switches; s++) {
        if (t->tier[s] != 0 || !is_in(p, t->hosts + s))
            continue;
        double own = p->weight[t->hosts + s] + p->hosts[s];
        uint32_t part = (uint32_t)((before + own / 2) / all * p->parts);
        put(p, t->hosts + s, part < p->parts ? part : p->parts - 1);
        p->load[p->part[t->hosts + s]] += p->hosts[s]; /* they are expected there */
        before += own;
    }
}

/* Rates of links from the switches of a tier to nodes that have a part. */
static void tie(struct partition *p, uint32_t tier)
{
    const struct topology *t = p->t;
    for (uint32_t i = 0; i < t->link_count; i++) {
        const uint32_t ends[] = {t->links[i].a, t->links[i].b};
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t here = ends[k], there = ends[1 - k];
            if (here >= t->hosts && there >= t->hosts && t->tier[here - t->hosts] == tier && p->part[here] == NO_PART &&
                p->part[there] != NO_PART)
                p->ties[(size_t)(here - t->hosts) * p->parts + p->part[there]] += (double)t->links[i].rate_bps;
        }
    }
}

/* The part that a switch has most links to, of those with room, else the lightest; by how much it prefers it. */
static uint32_t choose(const struct partition *p, uint32_t s, double *preference)
{
    const double *ties = &p->ties[(size_t)s * p->parts];
    double weight = p->weight[p->t->hosts + s];
    uint32_t best = NO_PART, lightest = 0;
    for (uint32_t i = 0; i < p->parts; i++) {
        lightest = p->load[i] < p->load[lightest] ? i : lightest;
        if (p->load[i] + weight > SLACK * p->mean)
            continue;
        if (best == NO_PART || ties[i] > ties[best] || (ties[i] >= ties[best] && p->load[i] < p->load[best]))
            best = i;
    }
    best = best == NO_PART ? lightest : best;
    double second = 0;
    for (uint32_t i = 0; i < p->parts; i++)
        second = i != best && ties[i] > second ? ties[i] : second;
    *preference = ties[best] - second;
    return best;
}

/* Two passes: those that prefer a part, then the others. */
static void put_tier(struct partition *p, uint32_t tier)
{
    const struct topology *t = p->t;
    tie(p, tier);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t s = 0; s < t->switches; s++) {
            double preference;
            if (t->tier[s] != tier || p->part[t->hosts + s] != NO_PART || !is_in(p, t->hosts + s))
                continue;
            uint32_t part = choose(p, s, &preference);
            if (pass == 1 || preference > 0)
                put(p, t->hosts + s, part);
        }
}

static void put_hosts(struct partition *p)
{
    const struct topology *t = p->t;
    for (uint32_t i = 0; i < p->parts; i++)
        p->load[i] = 0;
    for (uint32_t s = 0; s < t->switches; s++)
        if (is_in(p, t->hosts + s))
            p->load[p->part[t->hosts + s]] += p->weight[t->hosts + s];
    const uint32_t server = topology_has_servers(t) ? t->server.hosts : 1;
    for (uint32_t h = 0; h < t->hosts; h += server) {
        const uint32_t after = t->hosts - h < server ? t->hosts : h + server;
        uint32_t home = p->owner[h] >= t->hosts ? p->part[p->owner[h]] : 0, lightest = 0;
        double weight = 0;
        if (!is_in(p, h))
            continue;
        for (uint32_t i = 1; i < p->parts; i++)
            lightest = p->load[i] < p->load[lightest] ? i : lightest;
        for (uint32_t i = h; i < after; i++)
            weight += p->weight[i];
        bool fits = home != NO_PART && p->load[home] + weight <= SLACK * p->mean;
        for (uint32_t i = h; i < after; i++)
            put(p, i, fits ? home : lightest);
    }
}

/* Returns the heaviest load. */
static double divide(struct partition *p, uint32_t *part, bool from_top)
{
    const struct topology *t = p->t;
    uint32_t tiers = 0;
    p->part = part;
    for (uint32_t i = 0; i < nodes_of(t); i++)
        part[i] = NO_PART;
    for (uint32_t i = 0; i < p->parts; i++)
        p->load[i] = 0;
    for (size_t i = 0; i < (size_t)t->switches * p->parts; i++)
        p->ties[i] = 0;
    for (uint32_t s = 0; s < t->switches; s++)
        tiers = t->tier[s] > tiers ? t->tier[s] : tiers;
    if (!from_top)
        put_racks(p);
    for (uint32_t i = from_top ? 0 : 1; i <= tiers; i++)
        put_tier(p, from_top ? tiers - i : i);
    put_hosts(p);
    double most = 0;
    for (uint32_t i = 0; i < p->parts; i++)
        most = p->load[i] > most ? p->load[i] : most;
    return most;
}

/* Of one rank, into p->parts; `other` has room for another division. */
static void divide_best(struct partition *p, uint32_t *part, uint32_t *other)
{
    const struct topology *t = p->t;
    memset(p->weight, 0, nodes_of(t) * sizeof *p->weight);
    memset(p->hosts, 0, t->switches * sizeof *p->hosts);
    p->mean = 0;
    for (uint32_t i = 0; i < t->link_count; i++) {
        const uint32_t ends[] = {t->links[i].a, t->links[i].b};
        for (uint32_t k = 0; k < 2; k++) {
            double rate = (double)t->links[i].rate_bps;
            bool host = ends[k] < t->hosts;
            if (!is_in(p, ends[k]))
                continue;
            p->weight[ends[k]] += host ? HOST_WEIGHT * rate : rate;
            p->mean += (host ? HOST_WEIGHT * rate : rate) / p->parts;
            if (!host)
                continue;
            p->owner[ends[k]] = ends[1 - k];
            if (ends[1 - k] >= t->hosts)
                p->hosts[ends[1 - k] - t->hosts] += HOST_WEIGHT * rate;
        }
    }
    double most = divide(p, part, false);
    if (most > UNEVEN * p->mean && divide(p, other, true) * UNEVEN < most)
        memcpy(part, other, nodes_of(p->t) * sizeof *part);
}

/* The nodes of each rank among its threads: `part` has ranks, and gets parts. */
static void divide_ranks(struct partition *p, uint32_t ranks, uint32_t *part, uint32_t *rank_of, uint32_t *room)
{
    uint32_t nodes = nodes_of(p->t), *thread = room, *other = room + nodes;
    memcpy(rank_of, part, nodes * sizeof *part);
    p->rank_of = rank_of;
    for (p->rank = 0; p->rank < ranks; p->rank++) {
        divide_best(p, thread, other);
        for (uint32_t node = 0; node < nodes; node++)
            part[node] = is_in(p, node) ? p->rank * p->parts + thread[node] : part[node];
    }
}

bool partition_ranks(const struct topology *t, uint32_t ranks, uint32_t threads, uint32_t *part)
{
    uint32_t most = ranks > threads ? ranks : threads;
    struct partition p = {.t = t,
                          .parts = ranks,
                          .weight = calloc(nodes_of(t), sizeof(double)),
                          .hosts = calloc(t->switches, sizeof(double)),
                          .owner = calloc(t->hosts, sizeof(uint32_t)),
                          .load = calloc(most, sizeof(double)),
                          .ties = calloc((size_t)t->switches * most, sizeof(double))};
    uint32_t *room = calloc(3 * (size_t)nodes_of(t), sizeof *room);
    bool good = p.weight && p.hosts && p.owner && p.load && p.ties && room;
    if (good)
        divide_best(&p, part, room);
    p.parts = threads;
    if (good && threads > 1)
        divide_ranks(&p, ranks, part, room, room + nodes_of(t));
    free(p.weight);
    free(p.hosts);
    free(p.owner);
    free(p.load);
    free(p.ties);
    free(room);
    return good;
}

bool partition_nodes(const struct topology *t, uint32_t parts, uint32_t *part)
{
    return partition_ranks(t, parts, 1, part);
}
