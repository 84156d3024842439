/*
 * model.c - see model.h.
 */
#include "operate/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MTU_LOSSLESS 1024 /* where no LOSSLESS_TRAFFIC_PATTERN is: what SONiC ships */
#define SMALL_PERCENT 50
#define CABLE_SAME_M 0.001
#define BYTES_MAX (INT64_C(1) << 40)

void sonic_given_init(struct sonic_given *given)
{
    *given = (struct sonic_given){.cell = SONIC_ABSENT,
                                  .mmu = SONIC_ABSENT,
                                  .pipes = SONIC_ABSENT,
                                  .xoff = SONIC_ABSENT,
                                  .speed_mbps = SONIC_ABSENT,
                                  .cable_m = -1,
                                  .lossless_mtu = SONIC_ABSENT,
                                  .small_percent = SONIC_ABSENT,
                                  .formula = FORMULA_2026};
}

const struct sonic_qos *model_qos(const struct sonic_model *model, const char *port)
{
    return sonic_find_use(model->config, SONIC_PORT_QOS_MAP, port, 0);
}

const struct sonic_group *model_group(const struct sonic_model *model, const struct sonic_port *port, uint32_t number)
{
    const struct sonic_group *groups = MODEL_GROUPS(model);
    uint32_t low = 0, high = model->groups.count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (groups[mid].port < port || (groups[mid].port == port && groups[mid].number < number))
            low = mid + 1;
        else
            high = mid;
    }
    bool is_there = low < model->groups.count && groups[low].port == port && groups[low].number == number;
    return is_there ? &groups[low] : NULL;
}

uint32_t model_pfc_mask(const struct sonic_model *model, const char *port)
{
    const struct sonic_qos *qos = model_qos(model, port);
    return qos != NULL ? qos->pfc_mask : 0;
}

int64_t model_speed(const struct sonic_model *model, const struct sonic_port *port)
{
    int64_t speed = port->speed_mbps != SONIC_ABSENT ? port->speed_mbps : model->given.speed_mbps;
    return speed > 0 && speed <= SONIC_SPEED_MAX ? speed : SONIC_ABSENT;
}

double model_cable(const struct sonic_model *model, const struct sonic_port *port)
{
    return port->cable_m >= 0 ? port->cable_m : model->given.cable_m;
}

int64_t model_mtu(const struct sonic_port *port)
{
    return port->mtu != SONIC_ABSENT && port->mtu > 0 && port->mtu <= UINT16_MAX ? port->mtu : SONIC_MTU_DEFAULT;
}

bool model_is_lossless(const struct sonic_profile *profile)
{
    return profile->xoff != SONIC_ABSENT || profile->headroom == SONIC_HEADROOM_COMPUTED ||
           strncmp(profile->entry.key, "pg_lossless_", 12) == 0;
}

const struct sonic_pool *model_lossless_pool(const struct sonic_model *model, enum sonic_side side)
{
    const struct sonic_config *config = model->config;
    const struct sonic_pool *named = NULL;
    for (uint32_t i = 0; side == SONIC_INGRESS && i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        const struct sonic_pool *pool = sonic_find_pool(config, profile->pool.name);
        if (model_is_lossless(profile) && pool != NULL && pool->side != SONIC_EGRESS)
            return pool;
    }
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_POOL); i++) {
        const struct sonic_pool *pool = SONIC_AT(config, sonic_pool, SONIC_BUFFER_POOL, i);
        if (pool->side != (uint32_t)side && pool->side != SONIC_BOTH)
            continue;
        if (pool->xoff != SONIC_ABSENT)
            return pool;
        if (named == NULL && strstr(pool->entry.key, "lossless") != NULL)
            named = pool;
    }
    return named;
}

bool model_is_shared(const struct sonic_model *model, const struct sonic_pool *pool)
{
    if (pool != NULL && pool->xoff != SONIC_ABSENT && pool->xoff > 0)
        return true;
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_LOSSLESS_PARAMETER); i++)
        if (SONIC_AT(model->config, sonic_parameter, SONIC_LOSSLESS_PARAMETER, i)->over_subscribe > 0)
            return true;
    return false;
}

bool model_link(const struct sonic_model *model, const struct sonic_port *port, struct formula_link *link)
{
    *link = (struct formula_link){.speed_mbps = model_speed(model, port),
                                  .cable_m = model_cable(model, port),
                                  .port_mtu = model_mtu(port),
                                  .lossless_mtu = model->lossless_mtu,
                                  .small_percent = model->small_percent,
                                  .lanes = port->lanes,
                                  .is_shared = model_is_shared(model, model_lossless_pool(model, SONIC_INGRESS))};
    return link->speed_mbps != SONIC_ABSENT && link->cable_m >= 0 && model->platform.cell != SONIC_ABSENT;
}

const struct sonic_row *model_row(const struct sonic_model *model, int64_t speed_mbps, double cable_m)
{
    const struct sonic_row *rows = model->config->rows.at;
    for (uint32_t i = model->config->rows.count; i > 0; i--)
        if (rows[i - 1].speed_mbps == speed_mbps && fabs(rows[i - 1].cable_m - cable_m) < CABLE_SAME_M)
            return &rows[i - 1];
    return NULL;
}

int64_t model_alone(const struct sonic_model *model, const struct sonic_pool *pool, int64_t dynamic_th,
                    int64_t static_th)
{
    if (pool == NULL || pool->size == SONIC_ABSENT || pool->size <= 0)
        return SONIC_ABSENT;
    int64_t pipes = model->platform.pipes != SONIC_ABSENT ? model->platform.pipes : 1;
    double shared = ((double)pool->size - (double)model_kept(model, pool)) / (double)pipes;
    if (dynamic_th != SONIC_ABSENT && dynamic_th >= -8 && dynamic_th <= 7) {
        double alpha = ldexp(1, (int)dynamic_th);
        return (int64_t)(shared * alpha / (1 + alpha));
    }
    if (static_th == SONIC_ABSENT)
        return SONIC_ABSENT;
    return static_th == 0 || (double)static_th > shared ? (int64_t)shared : static_th;
}

bool model_read_profile_name(const char *name, int64_t *speed_mbps, double *cable_m)
{
    static const char start[] = "pg_lossless_";
    char *end;
    if (strncmp(name, start, sizeof start - 1) != 0)
        return false;
    *speed_mbps = strtoll(name + sizeof start - 1, &end, 10);
    if (*end != '_' || *speed_mbps <= 0)
        return false;
    *cable_m = strtod(end + 1, &end);
    return *end == 'm' && (end[1] == '_' || end[1] == '\0');
}

bool model_is_of_other_link(const struct sonic_model *model, const struct sonic_group *group)
{
    int64_t speed, wanted = model_speed(model, group->port);
    double cable, wanted_m = model_cable(model, group->port);
    return group->profile != NULL && model_read_profile_name(group->profile->entry.key, &speed, &cable) &&
           ((wanted != SONIC_ABSENT && speed < wanted) || (wanted_m >= 0 && cable + CABLE_SAME_M < wanted_m));
}

int64_t model_needed_xoff(const struct sonic_model *model, const struct sonic_port *port)
{
    struct formula_link link;
    if (!model_link(model, port, &link))
        return SONIC_ABSENT;
    return formula_headroom(&model->platform, &link, (enum sonic_formula)model->given.formula).xoff;
}

bool model_is_guarded(const struct sonic_model *model, const struct sonic_group *group)
{
    return (group->is_paused || !model->has_qos) && group->port->status != SONIC_DOWN &&
           (group->profile != NULL || model_cable(model, group->port) != 0);
}

int64_t model_pause_point(const struct sonic_model *model, const struct sonic_group *group)
{
    int64_t cell = model->platform.cell != SONIC_ABSENT ? model->platform.cell : 1;
    int64_t alone = model_alone(model, group->pool, group->dynamic_th,
                                group->profile != NULL ? group->profile->static_th : SONIC_ABSENT);
    int64_t minimum = model_minimum(model, group);
    if (alone == SONIC_ABSENT || minimum > INT64_MAX / 4)
        return SONIC_ABSENT;
    return (alone / cell + (alone % cell != 0) + minimum / cell + (minimum % cell != 0)) * cell;
}

const char *model_missing(const struct sonic_model *model, const struct sonic_group *group)
{
    if (!model->is_dynamic && !model->config->has_lookup)
        return "pg_profile_lookup.ini, which makes lossless profiles in the traditional model (--lookup)";
    if (model_speed(model, group->port) == SONIC_ABSENT)
        return "speeds of ports (PORT, or --rate)";
    if (model_cable(model, group->port) < 0)
        return "lengths of cables (CABLE_LENGTH, or --cable)";
    return "the cell of the chip (--platform or --cell)";
}

static int64_t minimums_of(const struct sonic_model *model, enum sonic_table_id table, enum sonic_side side)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, table); i++) {
        const struct sonic_use *use = SONIC_AT(model->config, sonic_use, table, i);
        const struct sonic_profile *profile = sonic_find_profile(model->config, use->profile.name);
        const struct sonic_pool *pool = profile != NULL ? sonic_find_pool(model->config, profile->pool.name) : NULL;
        int64_t product;
        if (pool == NULL || use->of.is_remote || profile->size == SONIC_ABSENT || profile->size <= 0 ||
            (pool->side != (uint32_t)side && pool->side != SONIC_BOTH))
            continue;
        if (__builtin_mul_overflow(profile->size, (int64_t)use->of.count * (use->of.last - use->of.first + 1),
                                   &product) ||
            __builtin_add_overflow(sum, product, &sum))
            return INT64_MAX / 4;
    }
    return sum;
}

int64_t model_minimums(const struct sonic_model *model, enum sonic_side side)
{
    int64_t sum = minimums_of(model, side == SONIC_INGRESS ? SONIC_BUFFER_PG : SONIC_BUFFER_QUEUE, side);
    const struct sonic_group *groups = MODEL_GROUPS(model);
    for (uint32_t i = 0; side == SONIC_INGRESS && i < model->groups.count; i++)
        if (groups[i].profile == NULL && groups[i].size != SONIC_ABSENT && groups[i].size > 0 &&
            __builtin_add_overflow(sum, groups[i].size, &sum))
            return INT64_MAX / 4;
    return sum;
}

static void take_formula(struct sonic_group *group, const struct sonic_model *model)
{
    struct formula_link link;
    group->source = SONIC_FROM_UNKNOWN;
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_LOSSLESS_PARAMETER); i++)
        group->dynamic_th = SONIC_AT(model->config, sonic_parameter, SONIC_LOSSLESS_PARAMETER, i)->dynamic_th;
    if (!model_link(model, group->port, &link))
        return;
    struct formula_result result = formula_headroom(&model->platform, &link, (enum sonic_formula)model->given.formula);
    group->size = result.size;
    group->xon = result.xon;
    group->xoff = result.xoff;
    group->source = SONIC_FROM_FORMULA;
}

/* Priority groups that PFC pauses at a port: those of the priorities of pfc_enable. */
static uint32_t paused_groups(const struct sonic_model *model, const char *port)
{
    const struct sonic_qos *qos = model_qos(model, port);
    const struct sonic_map *map =
        qos != NULL ? sonic_find(model->config, SONIC_PFC_TO_PG_MAP, qos->pfc_pg_map.name) : NULL;
    uint32_t mask = 0;
    for (uint32_t p = 0; qos != NULL && p < SONIC_PRIORITIES; p++)
        if (qos->pfc_mask >> p & 1)
            mask |= 1u << (map != NULL && map->to[p] >= 0 ? (uint32_t)map->to[p] : p);
    return mask;
}

/* Where the headroom of a group comes from that should be lossless or that has a lossless profile. */
static void fill_group(struct sonic_group *group, const struct sonic_model *model)
{
    double cable = model_cable(model, group->port);
    group->pool = model_lossless_pool(model, SONIC_INGRESS);
    group->size = group->xon = group->xoff = group->dynamic_th = SONIC_ABSENT;
    group->source = SONIC_FROM_NOWHERE;
    if (group->profile != NULL) {
        if (model_is_lossless(group->profile)) {
            const struct sonic_profile *profile = group->profile;
            group->size = profile->size;
            group->xon = profile->xon;
            group->xoff = profile->xoff;
            group->dynamic_th = profile->dynamic_th;
            group->pool = sonic_find_pool(model->config, profile->pool.name);
            group->source = profile->xoff != SONIC_ABSENT ? SONIC_FROM_PROFILE : SONIC_FROM_NOWHERE;
        }
        if (group->source == SONIC_FROM_NOWHERE && group->profile->headroom == SONIC_HEADROOM_COMPUTED) {
            take_formula(group, model);
            group->dynamic_th = group->profile->dynamic_th;
        }
        return;
    }
    if (group->use != NULL && !sonic_is_null(&group->use->profile))
        return; /* a profile that nothing has */
    if (cable == 0 || group->port->status == SONIC_DOWN)
        return;
    if (model->is_dynamic) {
        if (group->use != NULL)
            take_formula(group, model);
        return;
    }
    const struct sonic_row *row = model_row(model, model_speed(model, group->port), cable);
    if (row != NULL) {
        group->row = row;
        group->size = row->size;
        group->xon = row->xon;
        group->xoff = row->xoff;
        group->dynamic_th = row->dynamic_th;
        group->source = SONIC_FROM_LOOKUP;
    } else if (!model->config->has_lookup || model_speed(model, group->port) == SONIC_ABSENT || cable < 0)
        group->source = SONIC_FROM_UNKNOWN;
}

bool model_is_paused(const struct sonic_model *model, const struct sonic_group *group)
{
    return (group->is_paused || !model->has_qos) && group->source != SONIC_FROM_NOWHERE;
}

static int64_t clip(int64_t value)
{
    return value == SONIC_ABSENT || value < 0 ? 0 : value < BYTES_MAX ? value : BYTES_MAX;
}

int64_t model_minimum(const struct sonic_model *model, const struct sonic_group *group)
{
    int64_t size = clip(group->size), xoff = clip(group->xoff);
    return model_is_shared(model, group->pool) ? size : size > xoff ? size - xoff : 0;
}

int64_t model_kept(const struct sonic_model *model, const struct sonic_pool *pool)
{
    return model->kept[pool - SONIC_AT(model->config, sonic_pool, SONIC_BUFFER_POOL, 0)];
}

static void keep(struct sonic_model *model, const struct sonic_pool *pool, int64_t bytes)
{
    if (pool == NULL)
        return;
    int64_t *kept = &model->kept[pool - SONIC_AT(model->config, sonic_pool, SONIC_BUFFER_POOL, 0)];
    *kept = clip(*kept + bytes);
}

static int64_t whole_cells(const struct sonic_model *model, int64_t bytes)
{
    int64_t cell = model->platform.cell != SONIC_ABSENT ? model->platform.cell : 1;
    return (bytes + cell - 1) / cell * cell;
}

/* Minimums of a table's uses at ports that are up: each of a group or queue. `lossy`: without lossless groups. */
static void keep_minimums(struct sonic_model *model, enum sonic_table_id table)
{
    const struct platform *platform = &model->platform;
    const struct sonic_pool *lossless = model_lossless_pool(model, SONIC_INGRESS);
    int64_t pipes = platform->pipes != SONIC_ABSENT ? platform->pipes : 1;
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, table); i++) {
        const struct sonic_use *use = SONIC_AT(model->config, sonic_use, table, i);
        const struct sonic_profile *profile = sonic_find_profile(model->config, use->profile.name);
        int64_t size = profile != NULL ? whole_cells(model, clip(profile->size)) : 0;
        if (size == 0 || use->of.is_remote || (table == SONIC_BUFFER_PG && model_is_lossless(profile)))
            continue;
        int64_t ports = 0;
        for (uint32_t p = 0; p < use->of.count; p++) {
            const struct sonic_port *port = sonic_find_port(model->config, use->of.ports[p]);
            ports += port != NULL && port->status != SONIC_DOWN;
        }
        int64_t bytes = clip(size * ports * ((int64_t)use->of.last - use->of.first + 1));
        if (table == SONIC_BUFFER_PG) {
            model->group_minimums = clip(model->group_minimums + bytes);
            continue;
        }
        if (platform->queue_minimums == PLATFORM_XOFF_INSIDE)
            keep(model, lossless, clip(bytes * pipes));
        if (platform->egress_minimums == PLATFORM_XOFF_INSIDE)
            keep(model, sonic_find_pool(model->config, profile->pool.name), clip(bytes * pipes));
    }
}

/* Headroom and minimums: each port has its own, whatever others have. */
static bool find_kept(struct sonic_model *model)
{
    const struct platform *platform = &model->platform;
    model->kept = calloc(SONIC_COUNT(model->config, SONIC_BUFFER_POOL) + 1, sizeof *model->kept);
    if (model->kept == NULL)
        return false;
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_BUFFER_POOL); i++) {
        const struct sonic_pool *pool = SONIC_AT(model->config, sonic_pool, SONIC_BUFFER_POOL, i);
        if (platform->xoff == PLATFORM_XOFF_INSIDE)
            keep(model, pool, clip(pool->xoff));
    }
    for (uint32_t i = 0; i < model->groups.count; i++) {
        const struct sonic_group *group = &MODEL_GROUPS(model)[i];
        if (group->port->status == SONIC_DOWN || !model_is_paused(model, group))
            continue;
        int64_t minimum = whole_cells(model, model_minimum(model, group)), xoff = whole_cells(model, clip(group->xoff));
        bool is_own = !model_is_shared(model, group->pool);
        model->group_minimums = clip(model->group_minimums + minimum);
        model->own_headroom = clip(model->own_headroom + (is_own ? xoff : 0));
        if (platform->group_minimums == PLATFORM_XOFF_INSIDE)
            keep(model, group->pool, minimum);
        if (platform->headroom == PLATFORM_XOFF_INSIDE && is_own)
            keep(model, group->pool, xoff);
    }
    keep_minimums(model, SONIC_BUFFER_PG);
    keep_minimums(model, SONIC_BUFFER_QUEUE);
    return true;
}

static void take_given(struct sonic_model *model)
{
    struct platform *platform = &model->platform;
    const struct sonic_given *given = &model->given;
    platform->cell = given->cell != SONIC_ABSENT ? given->cell : platform->cell;
    platform->mmu = given->mmu != SONIC_ABSENT ? given->mmu : platform->mmu;
    platform->pipes = given->pipes != SONIC_ABSENT ? given->pipes : platform->pipes;
    platform->xoff = given->xoff != SONIC_ABSENT ? given->xoff : platform->xoff;
    model->lossless_mtu = MTU_LOSSLESS;
    model->small_percent = SMALL_PERCENT;
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_LOSSLESS_TRAFFIC_PATTERN); i++) {
        const struct sonic_pattern *pattern = SONIC_AT(model->config, sonic_pattern, SONIC_LOSSLESS_TRAFFIC_PATTERN, i);
        if (pattern->mtu >= 64 && pattern->mtu <= UINT16_MAX)
            model->lossless_mtu = pattern->mtu;
        if (pattern->small_percent >= 0 && pattern->small_percent <= 100)
            model->small_percent = pattern->small_percent;
    }
    if (given->lossless_mtu != SONIC_ABSENT)
        model->lossless_mtu = given->lossless_mtu;
    if (given->small_percent != SONIC_ABSENT)
        model->small_percent = given->small_percent;
}

bool sonic_model_make(struct sonic_model *model, struct sonic_config *config, const struct sonic_given *given,
                      struct weir_error *error)
{
    *model = (struct sonic_model){.config = config, .given = *given, .is_dynamic = sonic_is_dynamic(config)};
    if (given->as != NULL)
        model->platform = *given->as;
    else if (!platform_find(&model->platform, config, given->platform, error))
        return false;
    take_given(model);
    model->has_qos = SONIC_COUNT(config, SONIC_PORT_QOS_MAP) > 0;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PORT); i++) {
        const struct sonic_port *port = SONIC_AT(config, sonic_port, SONIC_PORT, i);
        /* Groups of a port: those that PFC pauses, and those with a lossless profile or a computed one. */
        uint32_t mask = paused_groups(model, port->name);
        for (uint32_t number = 0; number < SONIC_PRIORITIES; number++) {
            const struct sonic_use *use = sonic_find_use(config, SONIC_BUFFER_PG, port->name, number);
            const struct sonic_profile *profile =
                use != NULL ? sonic_find_profile(model->config, use->profile.name) : NULL;
            bool is_lossless =
                (profile != NULL && model_is_lossless(profile)) || (use != NULL && sonic_is_null(&use->profile));
            if (!(mask >> number & 1) && !is_lossless)
                continue;
            struct sonic_group *group = sonic_list_add(&model->groups, sizeof *group);
            if (group == NULL)
                return weir_fail_memory(error);
            *group = (struct sonic_group){
                .port = port, .number = number, .use = use, .profile = profile, .is_paused = mask >> number & 1};
            fill_group(group, model);
        }
    }
    return find_kept(model) || weir_fail_memory(error);
}

void sonic_model_free(struct sonic_model *model)
{
    free(model->groups.at);
    free(model->kept);
    model->kept = NULL;
    model->groups = (struct sonic_list){.at = NULL};
}
