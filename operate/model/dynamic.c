/*
 * dynamic.c - what the dynamic buffer model computes at run time for pools that the configuration leaves open: the
 * shared headroom pool of an over-subscription ratio, and the sizes of pools. As sonic-swss does it for Spectrum
 * (cfgmgr/buffer_pool_mellanox.lua).
 */
#include "operate/model/model.h"

#define KIB 1024
#define OWN_HEADROOM (10 * KIB)     /* of a lossless port, beside the shared headroom pool */
#define MIRROR_HEADROOM (10 * KIB)  /* of a port, unless the platform says otherwise */
#define MANAGEMENT_POOL (256 * KIB) /* of the switch */
#define HEADROOM_POOL_LEAST 655360  /* where the sum leaves nothing */
#define BYTES_MAX (INT64_C(1) << 40)
#define TIMES_MAX (INT64_C(1) << 16)

static int64_t value_or_0(int64_t value)
{
    return value == SONIC_ABSENT || value < 0 ? 0 : value < BYTES_MAX ? value : BYTES_MAX;
}

/* What a port keeps for each of its lossy groups, and for management. */
static int64_t lossy_bytes(const struct sonic_model *model, const struct sonic_port *port)
{
    int64_t latency = (int64_t)platform_kib_bytes(model->platform.pipeline_latency);
    return port->lanes == 8 ? 2 * latency - KIB : latency;
}

static bool is_of_side(const struct sonic_model *model, const struct sonic_profile *profile, enum sonic_side side)
{
    const struct sonic_pool *pool = profile != NULL ? sonic_find_pool(model->config, profile->pool.name) : NULL;
    return pool != NULL && pool->side == (uint32_t)side;
}

/* Sizes that ports which are up have of the profiles of a table; its lossy groups keep more. */
static int64_t sizes_of(const struct sonic_model *model, enum sonic_table_id table)
{
    int64_t sum = 0;
    uint32_t seen[SONIC_PORTS_MAX] = {0}; /* a key may name a port twice */
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, table); i++) {
        const struct sonic_use *use = SONIC_AT(model->config, sonic_use, table, i);
        const struct sonic_profile *profile = sonic_find_profile(model->config, use->profile.name);
        int64_t times = (int64_t)use->of.last - use->of.first + 1;
        for (uint32_t p = 0; profile != NULL && !use->of.is_remote && p < use->of.count; p++) {
            const struct sonic_port *port = sonic_find_port(model->config, use->of.ports[p]);
            uint32_t *last = port != NULL ? &seen[port - SONIC_AT(model->config, sonic_port, SONIC_PORT, 0)] : NULL;
            if (port == NULL || port->status == SONIC_DOWN || *last == i + 1)
                continue;
            *last = i + 1;
            bool is_lossy = is_of_side(model, profile, SONIC_INGRESS) && profile->xoff == SONIC_ABSENT;
            sum += (value_or_0(profile->size) + (is_lossy ? lossy_bytes(model, port) : 0)) *
                   (times < TIMES_MAX ? times : TIMES_MAX);
            sum = sum < BYTES_MAX ? sum : BYTES_MAX;
        }
    }
    return sum;
}

/* Of the profiles of whole ports only those of the egress side keep their size. */
static int64_t list_sizes(const struct sonic_model *model)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_PORT_EGRESS_LIST); i++) {
        const struct sonic_use *use = SONIC_AT(model->config, sonic_use, SONIC_PORT_EGRESS_LIST, i);
        for (uint32_t k = 0; k < use->profile_count; k++) {
            const struct sonic_profile *profile = sonic_find_profile(model->config, use->profiles[k].name);
            sum += profile != NULL ? value_or_0(profile->size) * use->of.count : 0;
            sum = sum < BYTES_MAX ? sum : BYTES_MAX;
        }
    }
    return sum;
}

/* Over lossless groups: what they keep where no profile says it, and headroom beyond what they keep. */
struct groups_sum {
    int64_t computed, xoff, ports;
};

static struct groups_sum sum_groups(const struct sonic_model *model)
{
    const struct sonic_group *groups = MODEL_GROUPS(model);
    const struct sonic_port *before = NULL;
    struct groups_sum sum = {.xoff = 0};
    for (uint32_t i = 0; i < model->groups.count; i++) {
        const struct sonic_group *group = &groups[i];
        int64_t size = value_or_0(group->size), needs = value_or_0(group->xon) + value_or_0(group->xoff);
        if (group->port->status == SONIC_DOWN || value_or_0(group->xoff) == 0)
            continue;
        sum.computed += group->profile == NULL ? size : 0;
        sum.xoff += needs > size ? needs - size : 0;
        sum.ports += group->port != before;
        before = group->port;
    }
    return sum;
}

int64_t model_headroom_pool(const struct sonic_model *model, const struct sonic_pool *pool)
{
    int64_t ratio = 0;
    if (pool != NULL && value_or_0(pool->xoff) > 0)
        return value_or_0(pool->xoff);
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_LOSSLESS_PARAMETER); i++)
        ratio = SONIC_AT(model->config, sonic_parameter, SONIC_LOSSLESS_PARAMETER, i)->over_subscribe;
    if (pool == NULL || ratio == SONIC_ABSENT || ratio <= 0)
        return 0;
    struct groups_sum sum = sum_groups(model);
    int64_t beyond = sum.xoff - sum.ports * OWN_HEADROOM;
    return beyond > 0 ? beyond / ratio + (beyond % ratio > 0) : HEADROOM_POOL_LEAST;
}

int64_t model_pool_size(const struct sonic_model *model, const struct sonic_pool *pool)
{
    const struct platform *platform = &model->platform;
    const struct sonic_pool *lossless = model_lossless_pool(model, SONIC_INGRESS);
    int64_t shared = model_headroom_pool(model, lossless), open = 0;
    if (!model->is_dynamic || platform->mmu == SONIC_ABSENT || platform->pipeline_latency == SONIC_ABSENT)
        return SONIC_ABSENT;
    struct groups_sum sum = sum_groups(model);
    int64_t mirror = platform->mirror_headroom != SONIC_ABSENT ? platform->mirror_headroom : MIRROR_HEADROOM;
    int64_t taken = sizes_of(model, SONIC_BUFFER_PG) + sizes_of(model, SONIC_BUFFER_QUEUE) + list_sizes(model) +
                    sum.computed + (shared > 0 ? shared + sum.ports * OWN_HEADROOM : 0) + MANAGEMENT_POOL +
                    value_or_0(platform->descriptor_pool);
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_PORT); i++) {
        const struct sonic_port *port = SONIC_AT(model->config, sonic_port, SONIC_PORT, i);
        taken += port->status != SONIC_DOWN ? lossy_bytes(model, port) + mirror : 0;
    }
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_BUFFER_POOL); i++) {
        const struct sonic_pool *other = SONIC_AT(model->config, sonic_pool, SONIC_BUFFER_POOL, i);
        open += other->side == SONIC_INGRESS && other->size == SONIC_ABSENT;
    }
    int64_t left = platform->mmu - taken;
    if (left <= 0)
        return 0;
    if (pool->percentage != SONIC_ABSENT && pool->percentage >= 0 && pool->percentage <= 100)
        return (int64_t)((double)left * (double)pool->percentage / 100);
    return open == 1 ? left : (left + 1) / 2;
}
