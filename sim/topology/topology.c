/*
 * topology.c - the table of kinds, whether a network can be simulated, and its end. All builders end with this check,
 * so that a topology from a file and one from a formula obey the same rules.
 *
 * Connected means every node, not only the hosts: a switch that no packet can reach is a mistake in a list of links.
 */
#include <stdlib.h>

#include "sim/topology/topology.h"

#define LINKS_MAX (1u << 25)
#define DELAY_PS_MAX (100 * WEIR_PS_PER_S) /* sums over a path and a run stay far from the end of 64 bits */

const struct topology_kind *const topology_kinds[] = {
#define TOPOLOGY(name) &topology_kind_##name,
#include "sim/topology/registry.def"
#undef TOPOLOGY
    NULL,
};

/* Nodes that have links to each other share a root. */
struct joined {
    uint32_t *degree; /* [nodes]: links of a node */
    uint32_t *parent; /* [nodes]: nearer to the root, which is its own parent; null: joined as their builder says */
};

static uint32_t joined_root(struct joined *joined, uint32_t node)
{
    while (joined->parent[node] != node) {
        joined->parent[node] = joined->parent[joined->parent[node]];
        node = joined->parent[node];
    }
    return node;
}

static bool topology_check_link(const struct topology *t, uint32_t i, struct weir_error *error)
{
    const struct topology_link *link = &t->links[i];
    uint32_t nodes = t->hosts + t->switches;
    const char *wrong = NULL;
    if (link->a >= nodes || link->b >= nodes)
        wrong = "joins a node that does not exist";
    else if (link->a == link->b)
        wrong = "joins a node to itself";
    else if (link->a < t->hosts && link->b < t->hosts)
        wrong = "joins two hosts; one end must be a switch";
    else if (link->rate_bps < WEIR_RATE_BPS_MIN || link->rate_bps > WEIR_RATE_BPS_MAX)
        wrong = "has a rate outside of 1 Mb/s to 100 Tb/s";
    else if (link->delay_ps < 0 || link->delay_ps > DELAY_PS_MAX)
        wrong = "has a delay outside of 0 to 100 s";
    if (wrong)
        weir_fail(error, WEIR_ERROR_INPUT, "topology: link %u (%u to %u) %s", i, link->a, link->b, wrong);
    return !wrong;
}

static bool topology_check_node(const struct topology *t, struct joined *joined, uint32_t node,
                                struct weir_error *error)
{
    bool is_host = node < t->hosts;
    const char *kind = is_host ? "host" : "switch";
    uint32_t number = is_host ? node : node - t->hosts, links = joined->degree[node];
    uint32_t most = is_host ? 1 : WEIR_PORTS_MAX;
    if (links < 1 || links > most)
        weir_fail(error, WEIR_ERROR_INPUT, "topology: %s %u has %u links; 1 to %u are possible", kind, number, links,
                  most);
    else if (joined->parent && joined_root(joined, node) != joined_root(joined, 0))
        weir_fail(error, WEIR_ERROR_INPUT, "topology: no path joins %s %u to host 0", kind, number);
    else
        return true;
    return false;
}

static bool topology_check_graph(const struct topology *t, struct joined *joined, struct weir_error *error)
{
    uint32_t nodes = t->hosts + t->switches;
    for (uint32_t node = 0; joined->parent && node < nodes; node++)
        joined->parent[node] = node;
    for (uint32_t i = 0; i < t->link_count; i++) {
        const struct topology_link *link = &t->links[i];
        if (!topology_check_link(t, i, error))
            return false;
        joined->degree[link->a]++;
        joined->degree[link->b]++;
        if (joined->parent)
            joined->parent[joined_root(joined, link->a)] = joined_root(joined, link->b);
    }
    for (uint32_t node = 0; node < nodes; node++)
        if (!topology_check_node(t, joined, node, error))
            return false;
    return true;
}

bool topology_check(const struct topology *t, struct weir_error *error)
{
    if (t->hosts < 2 || t->switches < 1 || (uint64_t)t->hosts + t->switches > TOPOLOGY_NODES_MAX) {
        weir_fail(error, WEIR_ERROR_INPUT,
                  "topology: %u hosts and %u switches; at least 2 and 1, together at most %u are possible", t->hosts,
                  t->switches, TOPOLOGY_NODES_MAX);
        return false;
    }
    if (t->link_count < 1 || t->link_count > LINKS_MAX || !t->links || !t->tier) {
        weir_fail(error, WEIR_ERROR_INPUT, "topology: %u links; 1 to %u are possible, and every switch has a tier",
                  t->link_count, LINKS_MAX);
        return false;
    }
    if (topology_has_servers(t) && t->server.delay_ps < 1)
        return weir_fail(error, WEIR_ERROR_INPUT, "topology: a delay of 0 within servers (expected at least 1 ps)");
    size_t nodes = t->hosts + t->switches;
    struct joined joined = {calloc(nodes, sizeof *joined.degree),
                            t->ways ? NULL : malloc(nodes * sizeof *joined.parent)};
    bool good = joined.degree && (joined.parent || t->ways);
    if (good)
        good = topology_check_graph(t, &joined, error);
    else
        weir_fail_memory(error);
    free(joined.degree);
    free(joined.parent);
    return good;
}

void topology_free(struct topology *t)
{
    free(t->links);
    free(t->tier);
    *t = (struct topology){0};
}
