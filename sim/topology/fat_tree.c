/*
 * fat_tree.c - the three-tier Clos of k-port switches (Al-Fares et al., SIGCOMM 2008): k^3/4 hosts; k even. Switches:
 * edges pod by pod, aggregations pod by pod, cores. Links: hosts edge by edge, then for each edge the aggregations of
 * its pod, then for each aggregation its cores: the j-th of a pod has cores j k/2 ... (j + 1) k/2 - 1. Lower ports
 * point down; a core's port is the pod's number.
 */
#include <string.h>

#include "sim/topology/build.h"

#define K_MAX 320u /* a larger one has more than TOPOLOGY_NODES_MAX nodes */

static const struct setting fat_tree_settings[] = {
    BUILD_COUNT("k", struct topology_fat_tree, k, "Ports of a switch, an even number; there are k^3/4 hosts."),
    BUILD_ALL_LINKS(struct topology_fat_tree),
};

static void join_all(struct topology *t, const struct topology_fat_tree *shape)
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

/* shape: k / 2, edges. */
static uint32_t fat_tree_row(const struct topology *t, uint32_t sw)
{
    const uint32_t half = t->shape[0], edges = t->shape[1];
    return sw < edges ? 0 : sw < 2 * edges ? 1 + (sw - edges) / half : 1 + 2 * half; /* edges, pods, cores */
}

/* Up by any port; down by the one to the pod, or to the edge. */
static struct topology_ports fat_tree_towards(const struct topology *t, uint32_t sw, uint32_t to)
{
    const uint32_t half = t->shape[0], edges = t->shape[1], pod = to / half;
    if (sw >= 2 * edges)
        return (struct topology_ports){pod, 1};
    if (sw >= edges && (sw - edges) / half == pod)
        return (struct topology_ports){to % half, 1};
    return (struct topology_ports){half, half};
}

static const struct topology_ways fat_tree_ways = {fat_tree_row, fat_tree_towards};

bool topology_fat_tree(struct topology *t, const struct topology_fat_tree *shape, struct weir_error *error)
{
    uint64_t half = shape->k / 2, k = shape->k;
    *t = (struct topology){0};
    if (k < 2 || k % 2 || k > K_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "topology: k is %u; an even number from 2 to %u is needed", shape->k,
                         K_MAX);
    if (!build_start(t, &(struct build_size){k * half * half, 2 * k * half + half * half, 3 * k * half * half}, error))
        return false;
    join_all(t, shape);
    t->ways = &fat_tree_ways;
    t->shape[0] = (uint32_t)half;
    t->shape[1] = (uint32_t)(k * half);
    return build_finish(t, error);
}

static bool build(struct topology *t, const void *shape, struct weir_error *error)
{
    return topology_fat_tree(t, shape, error);
}

TOPOLOGY_FITS(struct topology_fat_tree);

const struct topology_kind topology_kind_fat_tree = {
    .name = "fat-tree",
    .tiers = {"edge", "aggregation", "core"},
    .settings = SETTING_TABLE(fat_tree_settings, struct topology_fat_tree),
    .build = build,
};
