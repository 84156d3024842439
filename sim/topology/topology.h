/*
 * topology.h - which nodes there are and how they are wired: plain data, made by a builder or from a file. A kind of
 * topology is one file: its settings, its builder, and a line in registry.def.
 *
 * Nodes are numbered hosts first (0 .. hosts-1), then switches. A link joins two nodes in both directions with one rate
 * and delay. The ports of a node are numbered in the order in which its links are listed. A host has exactly one link.
 */
#ifndef TOPOLOGY_TOPOLOGY_H
#define TOPOLOGY_TOPOLOGY_H

#include "lib/settings/setting.h"
#include "weir/types.h"

struct topology_link {
    uint32_t a, b; /* nodes */
    weir_bps rate_bps;
    weir_ps delay_ps; /* propagation, one way */
};

struct topology;

/* Ports of a switch that follow each other. */
struct topology_ports {
    uint32_t first, count;
};

/* How a network with structure routes: what a search would find while all links are up, by arithmetic on numbers. */
struct topology_ways {
    /* Switches of one number, from 0, send alike; those with hosts also have as many of them, as far from others. */
    uint32_t (*row)(const struct topology *t, uint32_t sw);

    /* The equal-cost ports of a switch towards another one with hosts. What it says of the switch itself is not asked.
     */
    struct topology_ports (*towards)(const struct topology *t, uint32_t sw, uint32_t to);
};

/* Hosts that follow each other are a server, within which messages of jobs take a way of their own, apart from links.
 */
struct topology_server {
    uint32_t hosts;    /* 0 or 1: there are no servers */
    weir_bps rate_bps; /* of each host, to others of its server */
    weir_ps delay_ps;  /* at least 1 */
};

struct topology {
    uint32_t hosts, switches;
    uint32_t link_count;
    struct topology_link *links;
    uint8_t *tier; /* [switches]: 0 next to hosts, 1 above ...; scenarios configure switches by tier */
    const struct topology_ways *ways; /* null: routes have to be searched. Who joins other nodes sets it to null */
    uint32_t shape[3];                /* what `ways` go by, as the builder left it */
    struct topology_server server;
};

static inline bool topology_has_servers(const struct topology *t)
{
    return t->server.hosts > 1;
}

#define TOPOLOGY_NODES_MAX (1u << 23)

static inline uint32_t topology_far_end(const struct topology_link *link, uint32_t node)
{
    return link->a == node ? link->b : link->a;
}

#define TOPOLOGY_TIERS_MAX 4u
#define TOPOLOGY_SHAPE_BYTES 96u /* room for the struct that any builder takes */

struct topology_kind {
    const char *name;                          /* as scenario files write it */
    const char *tiers[TOPOLOGY_TIERS_MAX + 1]; /* names by which scenarios set up a tier apart; null after the last */
    struct setting_table settings;             /* of the struct that `build` takes */

    /* Makes the network; false: out of memory or out of range. Release with topology_free. */
    bool (*build)(struct topology *t, const void *shape, struct weir_error *error);
};

#define TOPOLOGY(name) extern const struct topology_kind topology_kind_##name;
#include "sim/topology/registry.def"
#undef TOPOLOGY

/* All of them, null-terminated. */
extern const struct topology_kind *const topology_kinds[];

/* Shapes for C callers; each file says how nodes and ports are numbered. */

/* All hosts on one switch. */
struct topology_single {
    uint32_t hosts;
    const weir_bps *rates_bps; /* [hosts], or null: all at rate_bps */
    weir_bps rate_bps;
    weir_ps delay_ps;
};

/* Left and right hosts, two switches, one bottleneck link. */
struct topology_dumbbell {
    uint32_t left, right; /* hosts on each side */
    weir_bps host_rate_bps, middle_rate_bps;
    weir_ps host_delay_ps, middle_delay_ps;
};

/* Every leaf joined to every spine by `parallel` links. Leaves come before spines; hosts are numbered leaf by leaf. */
struct topology_leaf_spine {
    uint32_t leaves, spines, hosts_per_leaf, parallel;
    weir_bps host_rate_bps, spine_rate_bps;
    weir_ps host_delay_ps, spine_delay_ps;
};

/* The three-tier Clos of k-port switches (Al-Fares et al., SIGCOMM 2008): k^3/4 hosts; k even. */
struct topology_fat_tree {
    uint32_t k;
    weir_bps rate_bps;
    weir_ps delay_ps;
};

/* A list, which is copied; tiers are hop distances to the nearest host, less one. */
struct topology_explicit {
    uint32_t hosts, switches;
    const struct topology_link *links;
    uint32_t link_count;
};

/* Builders allocate; false: out of memory or out of range, one line in `error`. Release with topology_free. */
bool topology_single(struct topology *t, const struct topology_single *shape, struct weir_error *error);
bool topology_dumbbell(struct topology *t, const struct topology_dumbbell *shape, struct weir_error *error);
bool topology_leaf_spine(struct topology *t, const struct topology_leaf_spine *shape, struct weir_error *error);
bool topology_fat_tree(struct topology *t, const struct topology_fat_tree *shape, struct weir_error *error);

bool topology_explicit(struct topology *t, const struct topology_explicit *shape, struct weir_error *error);

/* True when it can be simulated: numbers in range, each host on one link, every host reaches every other. */
bool topology_check(const struct topology *t, struct weir_error *error);

void topology_free(struct topology *t);

#endif
