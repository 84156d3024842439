/*
 * build.c - the usual shapes, and explicit lists. A builder fixes the order of links and with it the number of
 * every port, which scenarios and probes rely on:
 *
 *   single      host 0, host 1 ...; the switch's port is the host's number
 *   dumbbell    left hosts, right hosts, the middle link; left hosts come first, on switch 0, whose last port is the
 *               middle; right hosts on switch 1, likewise
 *   leaf-spine  hosts leaf by leaf, then for each leaf, for each spine, its parallel links: a leaf's ports are its
 *               hosts, then spine 0's links, spine 1's ...; a spine's ports leaf 0's links, leaf 1's ...
 *   fat-tree    switches: edges pod by pod, aggregations pod by pod, cores. Hosts edge by edge, then for each edge the
 *               aggregations of its pod, then for each aggregation its cores: the j-th of a pod has cores
 *               j k/2 ... (j + 1) k/2 - 1. Lower ports point down, a core's port is the pod's number
 *
 * Switches next to hosts get the lowest numbers: routes.h keeps its tables small by that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/topology.h"

#define FAT_TREE_K_MAX 158u /* a larger one has more than TOPOLOGY_NODES_MAX nodes */

/* How many of each; wide, so that products of 32-bit settings can be refused instead of wrapping. */
struct build_size {
    uint64_t hosts, switches, links;
};

/* A link's rate and delay. */
struct build_wire {
    weir_bps rate_bps;
    weir_ps delay_ps;
};

static bool build_start(struct topology *t, const struct build_size *size, struct weir_error *error)
{
    *t = (struct topology){0};
    if (size->hosts + size->switches > TOPOLOGY_NODES_MAX || size->links > 16 * (uint64_t)TOPOLOGY_NODES_MAX) {
        weir_fail(error, WEIR_ERROR_INPUT, "topology: too large; %u nodes and %u links are possible",
                  TOPOLOGY_NODES_MAX, 16 * TOPOLOGY_NODES_MAX);
        return false;
    }
    t->hosts = (uint32_t)size->hosts;
    t->switches = (uint32_t)size->switches;
    t->links = calloc(size->links + 1, sizeof *t->links);
    t->tier = calloc(size->switches + 1, sizeof *t->tier);
    if (t->links && t->tier)
        return true;
    weir_fail_memory(error);
    topology_free(t);
    return false;
}

static bool build_finish(struct topology *t, struct weir_error *error)
{
    bool good = topology_check(t, error);
    if (!good)
        topology_free(t);
    return good;
}

static void build_join(struct topology *t, uint32_t a, uint32_t b, const struct build_wire *wire)
{
    t->links[t->link_count++] = (struct topology_link){a, b, wire->rate_bps, wire->delay_ps};
}

/* Refuses settings that are 0 or could not be part of any network. */
static bool build_check_range(const char *name, uint32_t value, struct weir_error *error)
{
    if (value >= 1 && value <= TOPOLOGY_NODES_MAX)
        return true;
    weir_fail(error, WEIR_ERROR_INPUT, "topology: %s is %u; 1 to %u are possible", name, value, TOPOLOGY_NODES_MAX);
    return false;
}

bool topology_single(struct topology *t, const struct topology_single *shape, struct weir_error *error)
{
    *t = (struct topology){0};
    if (!build_check_range("hosts", shape->hosts, error) ||
        !build_start(t, &(struct build_size){shape->hosts, 1, shape->hosts}, error))
        return false;
    for (uint32_t host = 0; host < t->hosts; host++) {
        struct build_wire wire = {shape->rates_bps ? shape->rates_bps[host] : shape->rate_bps, shape->delay_ps};
        build_join(t, host, t->hosts, &wire);
    }
    return build_finish(t, error);
}

bool topology_dumbbell(struct topology *t, const struct topology_dumbbell *shape, struct weir_error *error)
{
    const struct build_wire host_wire = {shape->host_rate_bps, shape->host_delay_ps};
    const struct build_wire middle_wire = {shape->middle_rate_bps, shape->middle_delay_ps};
    uint64_t hosts = (uint64_t)shape->left + shape->right;
    *t = (struct topology){0};
    if (!build_check_range("left hosts", shape->left, error) ||
        !build_check_range("right hosts", shape->right, error) ||
        !build_start(t, &(struct build_size){hosts, 2, hosts + 1}, error))
        return false;
    for (uint32_t host = 0; host < t->hosts; host++)
        build_join(t, host, t->hosts + (host >= shape->left), &host_wire);
    build_join(t, t->hosts, t->hosts + 1, &middle_wire);
    return build_finish(t, error);
}

static void build_leaf_spine(struct topology *t, const struct topology_leaf_spine *shape)
{
    const struct build_wire host_wire = {shape->host_rate_bps, shape->host_delay_ps};
    const struct build_wire spine_wire = {shape->spine_rate_bps, shape->spine_delay_ps};
    uint32_t first_leaf = t->hosts, first_spine = t->hosts + shape->leaves;
    for (uint32_t host = 0; host < t->hosts; host++)
        build_join(t, host, first_leaf + host / shape->hosts_per_leaf, &host_wire);
    for (uint32_t pair = 0; pair < shape->leaves * shape->spines; pair++)
        for (uint32_t i = 0; i < shape->parallel; i++)
            build_join(t, first_leaf + pair / shape->spines, first_spine + pair % shape->spines, &spine_wire);
    memset(t->tier + shape->leaves, 1, shape->spines);
}

bool topology_leaf_spine(struct topology *t, const struct topology_leaf_spine *shape, struct weir_error *error)
{
    *t = (struct topology){0};
    if (!build_check_range("leaves", shape->leaves, error) || !build_check_range("spines", shape->spines, error) ||
        !build_check_range("hosts per leaf", shape->hosts_per_leaf, error) ||
        !build_check_range("parallel links", shape->parallel, error))
        return false;
    uint64_t hosts = (uint64_t)shape->leaves * shape->hosts_per_leaf;
    uint64_t links = hosts + (uint64_t)shape->leaves * shape->spines * shape->parallel;
    if (!build_start(t, &(struct build_size){hosts, (uint64_t)shape->leaves + shape->spines, links}, error))
        return false;
    build_leaf_spine(t, shape);
    return build_finish(t, error);
}

static void build_fat_tree(struct topology *t, const struct topology_fat_tree *shape)
{
    const struct build_wire wire = {shape->rate_bps, shape->delay_ps};
    uint32_t half = shape->k / 2, edges = shape->k * half;
    uint32_t first_edge = t->hosts, first_aggregation = first_edge + edges, first_core = first_aggregation + edges;
    for (uint32_t host = 0; host < t->hosts; host++)
        build_join(t, host, first_edge + host / half, &wire);
    for (uint32_t edge = 0; edge < edges; edge++)
        for (uint32_t i = 0; i < half; i++)
            build_join(t, first_edge + edge, first_aggregation + edge / half * half + i, &wire);
    for (uint32_t aggregation = 0; aggregation < edges; aggregation++)
        for (uint32_t i = 0; i < half; i++)
            build_join(t, first_aggregation + aggregation, first_core + aggregation % half * half + i, &wire);
    memset(t->tier + edges, 1, edges);
    memset(t->tier + 2 * edges, 2, half * half);
}

bool topology_fat_tree(struct topology *t, const struct topology_fat_tree *shape, struct weir_error *error)
{
    uint64_t half = shape->k / 2, k = shape->k;
    *t = (struct topology){0};
    if (k < 2 || k % 2 || k > FAT_TREE_K_MAX) {
        weir_fail(error, WEIR_ERROR_INPUT, "topology: k is %u; an even number from 2 to %u is needed", shape->k,
                  FAT_TREE_K_MAX);
        return false;
    }
    if (!build_start(t, &(struct build_size){k * half * half, 2 * k * half + half * half, 3 * k * half * half}, error))
        return false;
    build_fat_tree(t, shape);
    return build_finish(t, error);
}

/* One step of growth from the hosts upward; true when it changed something. Beyond 254 all count as 255. */
static bool build_raise_tiers(struct topology *t)
{
    bool changed = false;
    for (uint32_t i = 0; i < t->link_count; i++) {
        const struct topology_link *link = &t->links[i];
        if (link->a < t->hosts || link->b < t->hosts)
            continue;
        uint8_t *a = &t->tier[link->a - t->hosts], *b = &t->tier[link->b - t->hosts];
        uint8_t *high = *a > *b ? a : b, *low = *a > *b ? b : a;
        if (*high > *low + 1) {
            *high = *low + 1;
            changed = true;
        }
    }
    return changed;
}

static void build_tiers(struct topology *t)
{
    memset(t->tier, UINT8_MAX, t->switches);
    for (uint32_t i = 0; i < t->link_count; i++) {
        const struct topology_link *link = &t->links[i];
        if ((link->a < t->hosts) != (link->b < t->hosts))
            t->tier[(link->a < t->hosts ? link->b : link->a) - t->hosts] = 0;
    }
    while (build_raise_tiers(t))
        continue;
}

bool topology_explicit(struct topology *t, const struct topology_explicit *shape, struct weir_error *error)
{
    const struct build_size size = {shape->hosts, shape->switches, shape->link_count};
    if (!build_start(t, &size, error))
        return false;
    if (shape->link_count)
        memcpy(t->links, shape->links, shape->link_count * sizeof *shape->links);
    t->link_count = shape->link_count;
    if (!build_finish(t, error))
        return false;
    build_tiers(t);
    return true;
}
