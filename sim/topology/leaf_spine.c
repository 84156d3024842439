/*
 * leaf_spine.c - every leaf joined to every spine by `parallel` links. Leaves come before spines; hosts are numbered
 * leaf by leaf. Links: hosts, then for each leaf, for each spine, its parallel links. So a leaf's ports are its hosts,
 * then spine 0's links, spine 1's ...; a spine's ports are leaf 0's links, leaf 1's ...
 */
#include <string.h>

#include "sim/topology/build.h"

static const struct setting leaf_spine_settings[] = {
    BUILD_COUNT("leaves", struct topology_leaf_spine, leaves, "Number of leaf switches."),
    BUILD_COUNT("spines", struct topology_leaf_spine, spines, "Number of spine switches."),
    BUILD_COUNT("hosts_per_leaf", struct topology_leaf_spine, hosts_per_leaf, "Hosts of each leaf."),
    {.name = "parallel",
     .unit = SETTING_COUNT,
     SETTING_FIELD(struct topology_leaf_spine, parallel),
     .initial = 1,
     .min = 1,
     .max = 1024,
     .help = "Links between each leaf and each spine."},
    BUILD_HOST_LINKS(struct topology_leaf_spine),
    BUILD_RATE("spine_rate", struct topology_leaf_spine, spine_rate_bps,
               "Rate of the links between leaves and spines."),
    BUILD_DELAY("spine_delay", struct topology_leaf_spine, spine_delay_ps,
                "Delay of the links between leaves and spines, one way."),
};

/* shape: leaves, hosts of each, links between each and each spine. */
static uint32_t leaf_spine_row(const struct topology *t, uint32_t sw)
{
    return sw >= t->shape[0];
}

/* Up by any port, down by those to the leaf. */
static struct topology_ports leaf_spine_towards(const struct topology *t, uint32_t sw, uint32_t to)
{
    const uint32_t leaves = t->shape[0], hosts = t->shape[1], parallel = t->shape[2];
    if (sw >= leaves)
        return (struct topology_ports){to * parallel, parallel};
    return (struct topology_ports){hosts, (t->switches - leaves) * parallel};
}

static const struct topology_ways leaf_spine_ways = {leaf_spine_row, leaf_spine_towards};

bool topology_leaf_spine(struct topology *t, const struct topology_leaf_spine *shape, struct weir_error *error)
{
    if (!build_check_counts(t, &topology_kind_leaf_spine.settings, shape, error))
        return false;
    uint64_t hosts = (uint64_t)shape->leaves * shape->hosts_per_leaf;
    uint64_t links = hosts + (uint64_t)shape->leaves * shape->spines * shape->parallel;
    if (!build_start(t, &(struct build_size){hosts, (uint64_t)shape->leaves + shape->spines, links}, error))
        return false;
    const struct build_wire host_wire = {shape->host_rate_bps, shape->host_delay_ps};
    const struct build_wire spine_wire = {shape->spine_rate_bps, shape->spine_delay_ps};
    uint32_t first_leaf = t->hosts, first_spine = t->hosts + shape->leaves;
    for (uint32_t host = 0; host < t->hosts; host++)
        build_join(t, host, first_leaf + host / shape->hosts_per_leaf, &host_wire);
    for (uint32_t pair = 0; pair < shape->leaves * shape->spines; pair++)
        for (uint32_t i = 0; i < shape->parallel; i++)
            build_join(t, first_leaf + pair / shape->spines, first_spine + pair % shape->spines, &spine_wire);
    memset(t->tier + shape->leaves, 1, shape->spines);
    t->ways = &leaf_spine_ways;
    t->shape[0] = shape->leaves;
    t->shape[1] = shape->hosts_per_leaf;
    t->shape[2] = shape->parallel;
    return build_finish(t, error);
}

static bool build(struct topology *t, const void *shape, struct weir_error *error)
{
    return topology_leaf_spine(t, shape, error);
}

TOPOLOGY_FITS(struct topology_leaf_spine);

const struct topology_kind topology_kind_leaf_spine = {
    .name = "leaf-spine",
    .tiers = {"leaf", "spine"},
    .settings = SETTING_TABLE(leaf_spine_settings, struct topology_leaf_spine),
    .build = build,
};
