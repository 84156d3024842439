/*
 * dumbbell.c - left and right hosts, two switches, one bottleneck link. Left hosts come first, on switch 0; right hosts
 * on switch 1. Links: left hosts, right hosts, the middle, which is the last port of both switches.
 */
#include "sim/topology/build.h"

static const struct setting dumbbell_settings[] = {
    BUILD_COUNT("left", struct topology_dumbbell, left, "Hosts of the first switch."),
    BUILD_COUNT("right", struct topology_dumbbell, right, "Hosts of the second switch."),
    BUILD_HOST_LINKS(struct topology_dumbbell),
    BUILD_RATE("middle_rate", struct topology_dumbbell, middle_rate_bps, "Rate of the link between the switches."),
    BUILD_DELAY("middle_delay", struct topology_dumbbell, middle_delay_ps,
                "Delay of the link between the switches, one way."),
};

/* shape: hosts of each switch, which is the number of its port to the other one. */
static uint32_t dumbbell_row(const struct topology *t, uint32_t sw)
{
    (void)t;
    return sw;
}

static struct topology_ports dumbbell_towards(const struct topology *t, uint32_t sw, uint32_t to)
{
    (void)to;
    return (struct topology_ports){t->shape[sw], 1};
}

static const struct topology_ways dumbbell_ways = {dumbbell_row, dumbbell_towards};

bool topology_dumbbell(struct topology *t, const struct topology_dumbbell *shape, struct weir_error *error)
{
    const struct build_wire host_wire = {shape->host_rate_bps, shape->host_delay_ps};
    const struct build_wire middle_wire = {shape->middle_rate_bps, shape->middle_delay_ps};
    uint64_t hosts = (uint64_t)shape->left + shape->right;
    if (!build_check_counts(t, &topology_kind_dumbbell.settings, shape, error) ||
        !build_start(t, &(struct build_size){hosts, 2, hosts + 1}, error))
        return false;
    for (uint32_t host = 0; host < t->hosts; host++)
        build_join(t, host, t->hosts + (host >= shape->left), &host_wire);
    build_join(t, t->hosts, t->hosts + 1, &middle_wire);
    t->ways = &dumbbell_ways;
    t->shape[0] = shape->left;
    t->shape[1] = shape->right;
    return build_finish(t, error);
}

static bool build(struct topology *t, const void *shape, struct weir_error *error)
{
    return topology_dumbbell(t, shape, error);
}

TOPOLOGY_FITS(struct topology_dumbbell);

const struct topology_kind topology_kind_dumbbell = {
    .name = "dumbbell",
    .settings = SETTING_TABLE(dumbbell_settings, struct topology_dumbbell),
    .build = build,
};
