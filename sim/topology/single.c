/*
 * single.c - all hosts on one switch. Links are ordered by host: the switch's port is the host's number.
 */
#include "sim/topology/build.h"

static const struct setting single_settings[] = {
    BUILD_HOSTS(struct topology_single),
    BUILD_ALL_LINKS(struct topology_single),
    {.name = "rates",
     .unit = SETTING_RATES,
     SETTING_FIELD(struct topology_single, rates_bps),
     .help = "Rate of each host's link, one per host, instead of `rate`."},
};

bool topology_single(struct topology *t, const struct topology_single *shape, struct weir_error *error)
{
    if (!build_check_counts(t, &topology_kind_single.settings, shape, error) ||
        !build_start(t, &(struct build_size){shape->hosts, 1, shape->hosts}, error))
        return false;
    for (uint32_t host = 0; host < t->hosts; host++) {
        struct build_wire wire = {shape->rates_bps ? shape->rates_bps[host] : shape->rate_bps, shape->delay_ps};
        build_join(t, host, t->hosts, &wire);
    }
    return build_finish(t, error);
}

static bool build(struct topology *t, const void *shape, struct weir_error *error)
{
    return topology_single(t, shape, error);
}

TOPOLOGY_FITS(struct topology_single);

const struct topology_kind topology_kind_single = {
    .name = "single",
    .settings = SETTING_TABLE(single_settings, struct topology_single),
    .build = build,
};
