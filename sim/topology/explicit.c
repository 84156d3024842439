/*
 * explicit.c - a list of links, which is copied. The ports of a node are numbered as its links are listed; tiers are
 * hop distances to the nearest host, less one.
 */
#include <string.h>

#include "sim/topology/build.h"

static const struct setting explicit_settings[] = {
    BUILD_HOSTS(struct topology_explicit),
    BUILD_COUNT("switches", struct topology_explicit, switches, "Number of switches."),
    {.name = "links",
     .unit = SETTING_LINKS,
     .required = true,
     SETTING_FIELD(struct topology_explicit, links),
     .help = "Every link. The ports of a node are numbered as its links are listed."},
};

/* One step of growth from the hosts upward; true when it changed something. Beyond 254 all count as 255. */
static bool raise_tiers(struct topology *t)
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
    memset(t->tier, UINT8_MAX, t->switches);
    for (uint32_t i = 0; i < t->link_count; i++) {
        const struct topology_link *link = &t->links[i];
        if ((link->a < t->hosts) != (link->b < t->hosts))
            t->tier[(link->a < t->hosts ? link->b : link->a) - t->hosts] = 0;
    }
    while (raise_tiers(t))
        continue;
    return true;
}

static bool build(struct topology *t, const void *shape, struct weir_error *error)
{
    return topology_explicit(t, shape, error);
}

TOPOLOGY_FITS(struct topology_explicit);

const struct topology_kind topology_kind_explicit = {
    .name = "explicit",
    .tiers = {"tier0", "tier1", "tier2", "tier3"},
    .settings = SETTING_TABLE(explicit_settings, struct topology_explicit),
    .build = build,
};
