/*
 * routes.h - shortest paths with equal-cost multipath, which pins narrow down. Hosts hang on one switch each, so a
 * switch needs one entry per destination switch, not per host; and switches that send alike share a row of entries.
 * Where the topology has structure, rows are computed by its arithmetic (struct topology_ways), and failed links and
 * pins take switches out of their row: 4 million hosts take 70 MB. Among equal-cost ports
 * (lowest number first) a flow always takes the same one, by a hash of the switch's salt, the flow and the direction.
 * Salts are drawn from a seed: another one spreads the same flows over other paths. Where all switches share one salt,
 * as many real ones do, a switch meets only flows whose hashes chose it, and chooses among fewer ports: polarisation.
 */
#ifndef TOPOLOGY_ROUTES_H
#define TOPOLOGY_ROUTES_H

#include "sim/topology/topology.h"
#include "weir/random.h"

/* How the hash chooses. */
struct routes_hash {
    uint64_t seed;
    bool unsalted; /* one salt for all switches */
    bool modulo;   /* port hash mod count, else floor(hash * count): both take a part of the flows each, but others */
};

struct routes_group {
    uint32_t first, count; /* into routes.ports; count 0: unreachable */
};

/* What was last split off a row, for destination `to`; ROUTES_NO_ROW: nothing. */
struct routes_split {
    uint32_t to, row;
};

/* Of the shortest ways from a switch to the hosts of another, the one by this neighbour; without effect while that is
 * none of them. So pinned routes are as short as others, and have no loops. */
struct routes_pin {
    uint32_t at, to, via; /* switches, 0 .. */
};

struct routes {
    uint32_t hosts, switches;
    const struct routes_pin *pins; /* [pin_count]; the caller's, who sets them before routes_compute */
    uint32_t pin_count;
    uint32_t columns;      /* switches below this number may have hosts, and only hosts are destinations */
    uint32_t *host_switch; /* [hosts]: the switch (0 ..) of a host */
    uint32_t *host_port;   /* [hosts]: its port there */
    uint32_t *port_first;  /* [switches + 1]: where the ports of a switch begin in port_link */
    uint32_t *port_link;   /* by switch and port: index into topology.links */
    uint64_t *salt;        /* [switches]: of the hash */
    bool modulo;
    uint32_t *row; /* [switches]: its row of groups */
    uint32_t rows, row_room;
    struct routes_group *group; /* [row_room * columns]: of a row, to a switch; what it says to a switch of its own
                                 * is not asked */
    uint32_t *members;          /* [row_room]: switches of a row */
    struct routes_split *split; /* [row_room] */
    uint32_t *ports;            /* groups share ports that are alike, if they are easy to find */
    uint32_t port_count, port_room;
};

/* Allocates and computes for a topology that was checked. False: out of memory, and nothing is held. */
bool routes_init(struct routes *r, const struct topology *t, struct routes_hash hash);

/* Anew, over the links that are up: `link_up` [link_count] or null: all. False: out of memory; routes are not valid. */
bool routes_compute(struct routes *r, const struct topology *t, const bool *link_up);
void routes_free(struct routes *r);

#define ROUTES_NO_PORT UINT32_MAX
#define ROUTES_NO_ROW UINT32_MAX

/* Equal-cost ports of switch `at` (0 ..) towards a switch `to` other than itself that has hosts. */
static inline struct routes_group routes_group(const struct routes *r, uint32_t at, uint32_t to)
{
    return r->group[(size_t)r->row[at] * r->columns + to];
}

/* The salt of a node (numbered over hosts and switches). */
static inline uint64_t routes_salt(uint64_t seed, uint32_t node)
{
    return weir_hash(weir_hash(seed, UINT64_C(0x65636d70)), node); /* "ecmp": a stream of its own */
}

/* The choice of a flow among `count` ports at a node with this salt. */
static inline uint32_t routes_choose(uint64_t salt, uint32_t flow_id, bool reverse, uint32_t count)
{
    uint64_t hash = weir_hash(salt, (uint64_t)flow_id * 2 + reverse);
    return (uint32_t)(((hash >> 32) * count) >> 32);
}

/* The same by remainder; 0 ports: 0. */
static inline uint32_t routes_choose_modulo(uint64_t salt, uint32_t flow_id, bool reverse, uint32_t count)
{
    return count == 0 ? 0 : (uint32_t)(weir_hash(salt, (uint64_t)flow_id * 2 + reverse) % count);
}

/* What the routes of one switch need, for a loop over packets. */
struct routes_from {
    const uint32_t *host_switch, *host_port, *ports; /* of struct routes */
    const struct routes_group *group;                /* [columns] */
    uint64_t salt;
    uint32_t at;
    bool modulo;
};

static inline struct routes_from routes_from(const struct routes *r, uint32_t at)
{
    return (struct routes_from){r->host_switch, r->host_port, r->ports, &r->group[(size_t)r->row[at] * r->columns],
                                r->salt[at],    at,           r->modulo};
}

/* The port to a host; ROUTES_NO_PORT when there is none. Inlined wherever packets go, and without a branch: whether the
 * host is attached to this switch is hard to predict. `modulo` is from->modulo, or false where the caller knows. */
static inline __attribute__((always_inline)) uint32_t routes_from_port(const struct routes_from *from, uint32_t host,
                                                                       uint32_t flow_id, bool reverse, bool modulo)
{
    uint32_t to = from->host_switch[host], local = from->host_port[host];
    struct routes_group group = from->group[to];
    uint32_t chosen = modulo ? routes_choose_modulo(from->salt, flow_id, reverse, group.count)
                             : routes_choose(from->salt, flow_id, reverse, group.count);
    uint32_t port = from->ports[group.first + chosen];
    uint32_t here = -(uint32_t)(to == from->at);
    return port ^ ((port ^ local) & here);
}

/* The port by which switch `at` sends to a host; likewise. */
static inline uint32_t routes_port(const struct routes *r, uint32_t at, uint32_t host, uint32_t flow_id, bool reverse)
{
    struct routes_from from = routes_from(r, at);
    return routes_from_port(&from, host, flow_id, reverse, from.modulo);
}

#endif
