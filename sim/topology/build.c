/*
 * build.c - see build.h.
 */
#include "sim/topology/build.h"

#include <inttypes.h>
#include <stdlib.h>

bool build_check_counts(struct topology *t, const struct setting_table *settings, const void *shape,
                        struct weir_error *error)
{
    *t = (struct topology){0};
    for (uint32_t i = 0; i < settings->count; i++) {
        const struct setting *setting = &settings->at[i];
        if (setting->unit != SETTING_COUNT)
            continue;
        int64_t value = setting_load(setting, shape);
        if (value >= setting->min && value <= setting->max)
            continue;
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "topology: %s is %" PRId64 "; %" PRId64 " to %" PRId64 " are possible", setting->name, value,
                         setting->min, setting->max);
    }
    return true;
}

bool build_start(struct topology *t, const struct build_size *size, struct weir_error *error)
{
    *t = (struct topology){0};
    if (size->hosts + size->switches > TOPOLOGY_NODES_MAX || size->links > 16 * (uint64_t)TOPOLOGY_NODES_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "topology: too large; %u nodes and %u links are possible",
                         TOPOLOGY_NODES_MAX, 16 * TOPOLOGY_NODES_MAX);
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

bool build_finish(struct topology *t, struct weir_error *error)
{
    bool good = topology_check(t, error);
    if (!good)
        topology_free(t);
    return good;
}

void build_join(struct topology *t, uint32_t a, uint32_t b, const struct build_wire *wire)
{
    t->links[t->link_count++] = (struct topology_link){a, b, wire->rate_bps, wire->delay_ps};
}
