/*
 * plan.c - see plan.h.
 */
#include "operate/model/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/fixed.h"

#define PROFILES_MAX 16u /* of a list of a port */
#define BYTES_MAX (INT64_C(1) << 40)
#define LANES_WIDE 8u
#define TH_MOST 7
#define ALPHA_WHOLE 4096.0     /* as good as all that a port has left */
#define ALPHA_NESTED_MOST 64.0 /* what 2^7 is where thresholds nest: sonic-mgmt, tests/qos/qos_sai_base.py */

static void note(struct sonic_plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct sonic_plan *plan, const char *format, ...)
{
    va_list arguments;
    if (plan->note_count == PLAN_NOTES)
        return;
    char *text = plan->notes[plan->note_count];
    va_start(arguments, format);
    vsnprintf(text, sizeof plan->notes[0], format, arguments);
    va_end(arguments);
    for (char *at = text; *at != '\0'; at++) /* names are in it, and it becomes a comment of one line */
        if (*at < ' ' || *at > '~')
            *at = '?';
    for (uint32_t i = 0; i < plan->note_count; i++)
        if (strcmp(plan->notes[i], text) == 0) /* of another class */
            return;
    plan->note_count++;
}

/* A field that the switch would follow, and this does not. `off`: the value that asks for nothing; null: none does. */
static void note_unlike(struct sonic_plan *plan, const struct sonic_entry *entry, const char *field, const char *off,
                        const char *what)
{
    const char *value = json_string_value(json_object_get(entry->fields, field));
    if (value == NULL || (off != NULL && strcmp(value, off) == 0))
        return;
    note(plan, "%s of %s|%.60s is not modelled: %s", field, sonic_table_name(entry->table), entry->key, what);
}

static bool find_ports(struct sonic_plan *plan, uint32_t most, struct weir_error *error)
{
    const struct sonic_model *model = plan->model;
    plan->ports = calloc(SONIC_COUNT(model->config, SONIC_PORT) + 1, sizeof *plan->ports);
    if (plan->ports == NULL)
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_PORT); i++) {
        const struct sonic_port *port = SONIC_AT(model->config, sonic_port, SONIC_PORT, i);
        if (port->status != SONIC_DOWN)
            plan->ports[plan->count++] = port;
    }
    uint32_t of_pipe = (plan->count + (uint32_t)plan->pipes - 1) / (uint32_t)plan->pipes; /* few of them are in one */
    plan->count = most > 0 && most < plan->count ? most : plan->count;
    if (plan->count < 2)
        return weir_fail(error, WEIR_ERROR_INPUT, "the configuration has %u ports that are up (expected two or more)",
                         plan->count);
    plan->per_pipe = of_pipe < plan->count ? of_pipe : plan->count;
    return true;
}

static bool is_paused_group(const struct sonic_plan *plan, const struct sonic_group *group)
{
    return group != NULL && model_is_paused(plan->model, group);
}

static const struct sonic_port *first_lossless(const struct sonic_plan *plan)
{
    for (uint32_t i = 0; i < plan->count; i++)
        for (uint32_t c = 0; c < PLAN_CLASSES; c++)
            if (is_paused_group(plan, model_group(plan->model, plan->ports[i], c)))
                return plan->ports[i];
    return plan->ports[0];
}

/* A pool of a side by its number in the plan, which it gets here. */
static uint32_t number_pool(struct sonic_plan *plan, enum plan_side side, const struct sonic_pool *of)
{
    for (uint32_t i = 0; i < plan->pools[side]; i++)
        if (plan->pool[side][i].of == of)
            return i;
    if (plan->pools[side] == PLAN_POOLS) {
        note(plan, "more than %u pools of a side: the profiles of others count in the last one", PLAN_POOLS);
        return PLAN_POOLS - 1;
    }
    plan->pool[side][plan->pools[side]] =
        (struct plan_pool){.of = of, .size = SONIC_ABSENT, .port_th = SONIC_ABSENT, .port_limit = SONIC_ABSENT};
    return plan->pools[side]++;
}

/* A size; what no chip has is cut, so that sums of sizes are numbers. */
static int64_t positive(int64_t value)
{
    return value == SONIC_ABSENT || value < 0 ? 0 : value < BYTES_MAX ? value : BYTES_MAX;
}

/* dynamic_th or static_th; a static one of 0 is none. */
static void take_threshold(int64_t dynamic_th, int64_t static_th, int64_t *th, int64_t *limit)
{
    *th = dynamic_th != SONIC_ABSENT && dynamic_th >= -8 && dynamic_th <= 7 ? dynamic_th : SONIC_ABSENT;
    *limit = *th == SONIC_ABSENT && positive(static_th) > 0 ? positive(static_th) : SONIC_ABSENT;
}

/* A profile without a threshold would be one without a limit. */
static bool check_threshold(const char *name, int64_t dynamic_th, int64_t static_th, struct weir_error *error)
{
    if (dynamic_th != SONIC_ABSENT ? dynamic_th >= -8 && dynamic_th <= 7 : static_th != SONIC_ABSENT)
        return true;
    if (dynamic_th == SONIC_ABSENT)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "profile %.60s has no threshold that can be read (expected dynamic_th or static_th)", name);
    return weir_fail(error, WEIR_ERROR_RANGE, "dynamic_th of profile %.60s is %" PRId64 " (expected -8 to 7)", name,
                     dynamic_th);
}

static bool take_profile(struct sonic_plan *plan, enum plan_side side, uint32_t tc, const struct sonic_profile *profile,
                         struct weir_error *error)
{
    struct plan_profile *into = &plan->profile[side][tc];
    const struct sonic_pool *pool = profile != NULL ? sonic_find_pool(plan->model->config, profile->pool.name) : NULL;
    into->dynamic_th = into->limit = SONIC_ABSENT;
    into->pool = number_pool(plan, side, pool);
    if (profile == NULL)
        return true;
    note_unlike(plan, &profile->entry, "packet_discard_action", "drop", "packets are dropped, not trimmed");
    into->name = profile->entry.key;
    into->minimum = positive(profile->size);
    take_threshold(profile->dynamic_th, profile->static_th, &into->dynamic_th, &into->limit);
    return check_threshold(into->name, profile->dynamic_th, profile->static_th, error);
}

static bool take_group(struct sonic_plan *plan, uint32_t tc, const struct sonic_group *group, struct weir_error *error)
{
    struct plan_profile *into = &plan->profile[PLAN_INGRESS][tc];
    if (group->source == SONIC_FROM_UNKNOWN || group->xoff == SONIC_ABSENT || group->xoff < 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "the headroom of group %u of %.60s is not known, without %s",
                         group->number, group->port->name,
                         group->source == SONIC_FROM_UNKNOWN ? model_missing(plan->model, group)
                                                             : "xoff in its profile");
    int64_t shared = model_headroom_pool(plan->model, group->pool);
    const struct platform *platform = &plan->model->platform;
    int64_t offset = SONIC_ABSENT;
    if (group->profile != NULL)
        offset = group->profile->xon_offset;
    else if (group->row != NULL)
        offset = group->row->xon_offset;
    into->name = group->profile != NULL               ? group->profile->entry.key
                 : group->source == SONIC_FROM_LOOKUP ? "(lookup)"
                                                      : "(computed)";
    take_threshold(group->dynamic_th, group->profile != NULL ? group->profile->static_th : SONIC_ABSENT,
                   &into->dynamic_th, &into->limit);
    into->pool = number_pool(plan, PLAN_INGRESS, group->pool);
    into->xoff = positive(group->xoff);
    into->xon = positive(group->xon);
    into->delta = positive(offset);
    if (platform->resume == PLATFORM_RESUME_XON && offset == SONIC_ABSENT)
        into->delta = BYTES_MAX; /* xon alone */
    else if (platform->resume == PLATFORM_RESUME_DRAINED && into->dynamic_th != SONIC_ABSENT)
        into->delta = (int64_t)((double)into->delta * (1 + ldexp(1, (int)into->dynamic_th))); /* it rises meanwhile */
    into->minimum = model_minimum(plan->model, group);
    int64_t overhead = group->port->lanes == LANES_WIDE && platform->headroom_overhead_wide != SONIC_ABSENT
                           ? platform->headroom_overhead_wide
                           : platform->headroom_overhead;
    if (shared <= 0 && overhead != SONIC_ABSENT)
        into->xoff = positive(into->xoff - overhead * plan->cell);
    into->cap = into->xoff;
    for (uint32_t other = 0; other < PLAN_CLASSES; other++) {
        const struct sonic_group *beside = model_group(plan->model, group->port, other);
        if (shared > 0 && platform->headroom_cap == PLATFORM_CAP_PORT && other != group->number &&
            is_paused_group(plan, beside))
            into->cap += positive(beside->xoff);
    }
    if ((group->profile != NULL || group->row != NULL) &&
        !check_threshold(into->name, group->dynamic_th,
                         group->profile != NULL ? group->profile->static_th : SONIC_ABSENT, error))
        return false;
    if (shared > 0)
        plan->headroom_pool = shared;
    if (shared > 0 && positive(group->pool->xoff) == 0 && plan->lossless == 0)
        note(plan, "pool %.60s has no xoff: over_subscribe_ratio makes it %" PRId64 " B", group->pool->entry.key,
             shared);
    plan->lossless |= 1u << tc;
    return true;
}

static void note_shaping(struct sonic_plan *plan, const struct sonic_scheduler *scheduler)
{
    static const char *const rates[] = {"cir", "pir"};
    for (size_t i = 0; scheduler != NULL && i < sizeof rates / sizeof rates[0]; i++)
        note_unlike(plan, &scheduler->entry, rates[i], "0", "queues send as fast as the port does");
}

static bool same_watchdog(const struct sonic_watchdog *a, const struct sonic_watchdog *b)
{
    const char *usual = "drop";
    return a->detection_ms == b->detection_ms && a->restoration_ms == b->restoration_ms &&
           strcmp(a->action != NULL ? a->action : usual, b->action != NULL ? b->action : usual) == 0;
}

/* Maps of the port from classes to groups and queues. Without one, a lossless class has a group of its number and the
 * others share group 0. */
static bool find_classes(struct sonic_plan *plan, struct weir_error *error)
{
    const struct sonic_config *config = plan->model->config;
    const struct sonic_qos *qos = model_qos(plan->model, plan->as->name);
    const struct sonic_map *groups = qos != NULL ? sonic_find(config, SONIC_TC_TO_PG_MAP, qos->pg_map.name) : NULL;
    const struct sonic_map *queues =
        qos != NULL ? sonic_find(config, SONIC_TC_TO_QUEUE_MAP, qos->queue_map.name) : NULL;
    plan->dscp = qos != NULL ? sonic_find(config, SONIC_DSCP_TO_TC_MAP, qos->dscp_map.name) : NULL;
    if (qos != NULL)
        note_shaping(plan, sonic_find(config, SONIC_SCHEDULER, qos->scheduler.name));
    note_unlike(plan, &plan->as->entry, "pfc_asym", "off", "pauses go both ways");
    plan->dot1p = qos != NULL ? sonic_find(config, SONIC_DOT1P_TO_TC_MAP, qos->dot1p_map.name) : NULL;
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
        const struct sonic_group *own = model_group(plan->model, plan->as, tc);
        uint32_t group = is_paused_group(plan, own) ? tc : 0, queue = tc;
        if (groups != NULL && groups->to[tc] >= 0)
            group = (uint32_t)groups->to[tc];
        if (queues != NULL && queues->to[tc] >= 0)
            queue = (uint32_t)queues->to[tc];
        const struct sonic_group *lossless = model_group(plan->model, plan->as, group);
        const struct sonic_use *use = sonic_find_use(plan->model->config, SONIC_BUFFER_PG, plan->as->name, group);
        const struct sonic_profile *profile = use != NULL ? sonic_find_profile(config, use->profile.name) : NULL;
        if (is_paused_group(plan, lossless) ? !take_group(plan, tc, lossless, error)
                                            : !take_profile(plan, PLAN_INGRESS, tc, profile, error))
            return false;
        use = sonic_find_use(plan->model->config, SONIC_BUFFER_QUEUE, plan->as->name, queue);
        profile = use != NULL ? sonic_find_profile(config, use->profile.name) : NULL;
        if (!take_profile(plan, PLAN_EGRESS, tc, profile, error))
            return false;
        plan->profile[PLAN_INGRESS][tc].number = group;
        plan->profile[PLAN_EGRESS][tc].number = queue;
        use = sonic_find_use(plan->model->config, SONIC_QUEUE, plan->as->name, queue);
        plan->wred[tc] = use != NULL ? sonic_find(config, SONIC_WRED_PROFILE, use->profile.name) : NULL;
        plan->scheduler[tc] = use != NULL ? sonic_find(config, SONIC_SCHEDULER, use->scheduler.name) : NULL;
        /* What is set for a queue and not tried: rates, and thresholds of packets of other colours. */
        const struct sonic_wred *wred = plan->wred[tc];
        uint32_t taken = plan->model->given.colour;
        note_shaping(plan, plan->scheduler[tc]);
        for (uint32_t c = 0; wred != NULL && c < SONIC_COLOURS; c++)
            if (wred->least[c] != SONIC_ABSENT &&
                (wred->least[c] != wred->least[taken] || wred->most[c] != wred->most[taken] ||
                 wred->percent[c] != wred->percent[taken] || wred->drops[c] != wred->drops[taken] ||
                 sonic_wred_marks(wred, c) != sonic_wred_marks(wred, taken)))
                note(plan, "%s packets of WRED_PROFILE|%.60s are not tried: all are taken for %s (--colour)",
                     sonic_colours[c], wred->entry.key, sonic_colours[taken]);
    }
    return true;
}

static double alpha_of(const struct sonic_plan *plan, int64_t dynamic_th)
{
    bool is_most = dynamic_th == TH_MOST && plan->model->platform.port_alpha == PLATFORM_PORT_NESTED;
    return is_most ? ALPHA_NESTED_MOST : ldexp(1, (int)dynamic_th);
}

double plan_alpha(const struct sonic_plan *plan, enum plan_side side, uint32_t tc)
{
    const struct plan_profile *profile = &plan->profile[side][tc];
    int64_t port_th = plan->pool[side][profile->pool].port_th;
    if (profile->dynamic_th == TH_MOST && port_th != SONIC_ABSENT && port_th != TH_MOST &&
        plan->model->platform.port_alpha == PLATFORM_PORT_NESTED)
        return ALPHA_WHOLE;
    return alpha_of(plan, profile->dynamic_th);
}

double plan_alone(const struct sonic_plan *plan, enum plan_side side, uint32_t tc)
{
    const struct plan_profile *profile = &plan->profile[side][tc];
    const struct plan_pool *of = &plan->pool[side][profile->pool];
    double pool = (double)plan_pool_cells(plan, side, profile->pool), least = pool, port = pool, alpha = 0;
    if (of->port_th != SONIC_ABSENT)
        port = pool * alpha_of(plan, of->port_th) / (1 + alpha_of(plan, of->port_th));
    else if (of->port_limit != SONIC_ABSENT)
        port = fmin(pool, (double)plan_cells_down(plan, of->port_limit));
    if (profile->dynamic_th != SONIC_ABSENT)
        alpha = plan_alpha(plan, side, tc);
    if (alpha > 0 && of->port_th != SONIC_ABSENT && plan->model->platform.port_alpha == PLATFORM_PORT_NESTED)
        least = pool * alpha / (alpha + (1 + alpha) / alpha_of(plan, of->port_th));
    else if (alpha > 0)
        least = pool * alpha / (1 + alpha);
    else if (profile->limit != SONIC_ABSENT)
        least = fmin(least, (double)plan_cells_down(plan, profile->limit));
    return fmin(least, port) + (double)plan_cells_up(plan, profile->minimum);
}

/* Thresholds of all of a port in a pool. */
static bool find_port_profiles(struct sonic_plan *plan, enum plan_side side, struct weir_error *error)
{
    enum sonic_table_id table = side == PLAN_INGRESS ? SONIC_PORT_INGRESS_LIST : SONIC_PORT_EGRESS_LIST;
    const struct sonic_use *use = sonic_find_use(plan->model->config, table, plan->as->name, 0);
    if (plan->model->platform.port_alpha == PLATFORM_PORT_NONE)
        return true;
    for (uint32_t i = 0; use != NULL && i < use->profile_count && i < PROFILES_MAX; i++) {
        const struct sonic_profile *profile = sonic_find_profile(plan->model->config, use->profiles[i].name);
        const struct sonic_pool *pool =
            profile != NULL ? sonic_find_pool(plan->model->config, profile->pool.name) : NULL;
        if (profile != NULL && !check_threshold(profile->entry.key, profile->dynamic_th, profile->static_th, error))
            return false;
        for (uint32_t p = 0; pool != NULL && p < plan->pools[side]; p++)
            if (plan->pool[side][p].of == pool)
                take_threshold(profile->dynamic_th, profile->static_th, &plan->pool[side][p].port_th,
                               &plan->pool[side][p].port_limit);
    }
    return true;
}

static int64_t headroom_bytes(const struct sonic_plan *plan)
{
    return plan->headroom_pool != SONIC_ABSENT ? plan->headroom_pool : plan->model->own_headroom;
}

static bool size_pools(struct sonic_plan *plan, enum plan_side side, struct weir_error *error)
{
    const struct platform *platform = &plan->model->platform;
    int64_t left = platform->mmu, shared = 0;
    for (uint32_t i = 0; side == PLAN_EGRESS && i < plan->pools[PLAN_INGRESS]; i++)
        shared += positive(plan->pool[PLAN_INGRESS][i].size);
    if (left != SONIC_ABSENT && side == PLAN_INGRESS)
        left -= headroom_bytes(plan) + plan->model->group_minimums;
    for (uint32_t i = 0; i < plan->pools[side]; i++) {
        struct plan_pool *pool = &plan->pool[side][i];
        int64_t xoff = pool->of != NULL ? positive(pool->of->xoff) : 0;
        if (pool->of != NULL && pool->of->size != SONIC_ABSENT) { /* of 0: an empty pool, such as Spectrum's */
            pool->size = positive(pool->of->size - model_kept(plan->model, pool->of));
            if (side == PLAN_EGRESS && platform->egress_shared == PLATFORM_EGRESS_INGRESS && shared < pool->size)
                pool->size = shared;
            if (xoff > 0 && platform->xoff == PLATFORM_XOFF_UNKNOWN)
                note(plan, "xoff is taken to be outside of size, which nobody knows of this chip (--xoff)");
            continue;
        }
        if (pool->of == NULL)
            continue;
        pool->size = model_pool_size(plan->model, pool->of);
        if (pool->size != SONIC_ABSENT) {
            note(plan, "pool %.60s has no size: by SONiC's script for Spectrum it is %" PRId64 " B",
                 pool->of->entry.key, pool->size);
            continue;
        }
        if (left == SONIC_ABSENT)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "the size of pool %.60s is not known (expected it in BUFFER_POOL, or --mmu)",
                             pool->of->entry.key);
        pool->size = left;
        note(plan, "pool %.60s has no size: it is what headroom and minimums leave of the chip's %" PRId64 " B",
             pool->of->entry.key, platform->mmu);
    }
    return true;
}

/* Why no cell is left to share: empty pools, or minimums and headroom that are as large as the chip. */
static bool fail_empty(const struct sonic_plan *plan, struct weir_error *error)
{
    const struct plan_profile *largest = NULL;
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
        const struct plan_profile *profile = &plan->profile[PLAN_INGRESS][tc];
        largest = largest == NULL || profile->minimum > largest->minimum ? profile : largest;
    }
    for (uint32_t i = 0; plan->memory == 0 && i < plan->pools[PLAN_INGRESS]; i++)
        if (plan->pool[PLAN_INGRESS][i].of != NULL)
            return weir_fail(error, WEIR_ERROR_INPUT, "no buffer is left to share: BUFFER_POOL|%.60s is empty",
                             plan->pool[PLAN_INGRESS][i].of->entry.key);
    return weir_fail(error, WEIR_ERROR_INPUT,
                     "no buffer is left to share: headroom takes %" PRId64 " B and minimums %" PRId64
                     " B of the chip; the largest minimum is that of BUFFER_PROFILE|%.60s, %" PRId64 " B",
                     headroom_bytes(plan), plan->model->group_minimums,
                     largest->name != NULL ? largest->name : "(none)", largest->minimum);
}

/* Pools of classes without a profile are as large as the memory. */
static bool size_memory(struct sonic_plan *plan, struct weir_error *error)
{
    int64_t most = 0;
    for (uint32_t side = 0; side < PLAN_SIDES; side++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < plan->pools[side]; i++)
            sum += positive(plan->pool[side][i].size);
        most = most > 0 && side == PLAN_EGRESS ? most : sum;
    }
    for (uint32_t i = 0; most == 0 && i < SONIC_COUNT(plan->model->config, SONIC_BUFFER_POOL); i++)
        most = positive(SONIC_AT(plan->model->config, sonic_pool, SONIC_BUFFER_POOL, i)->size);
    int64_t mmu = plan->model->platform.mmu;
    if (SONIC_COUNT(plan->model->config, SONIC_BUFFER_POOL) == 0) {
        if (mmu == SONIC_ABSENT)
            return weir_fail(error, WEIR_ERROR_INPUT, "there is no BUFFER_POOL (expected one, or --mmu)");
        most = positive(mmu - headroom_bytes(plan) - plan->model->group_minimums);
        note(plan,
             "there is no BUFFER_POOL: one pool has what headroom and minimums leave of the chip's %" PRId64
             " B, %" PRId64 " B",
             mmu, most);
    }
    if (most == 0) /* of a port without any profile, and no pool has a size */
        most = positive(mmu);
    for (uint32_t side = 0; side < PLAN_SIDES; side++)
        for (uint32_t i = 0; i < plan->pools[side]; i++)
            if (plan->pool[side][i].of == NULL) /* headroom leaves by the egress too */
                plan->pool[side][i].size =
                    most + (side == PLAN_EGRESS ? headroom_bytes(plan) + plan->model->group_minimums : 0);
    plan->memory = most;
    return (plan->pools[PLAN_INGRESS] > 0 && most / plan->pipes >= plan->cell) || fail_empty(plan, error);
}

bool sonic_plan_make(struct sonic_plan *plan, const struct sonic_model *model, const struct sonic_port *as,
                     uint32_t most, struct weir_error *error)
{
    *plan = (struct sonic_plan){.model = model, .headroom_pool = SONIC_ABSENT};
    plan->cell = model->platform.cell;
    plan->pipes = model->platform.pipes != SONIC_ABSENT ? model->platform.pipes : 1;
    const char *unjudged = platform_unjudged(&model->platform);
    if (unjudged != NULL)
        return weir_fail(error, WEIR_ERROR_INPUT, "%s is not judged: %s", model->platform.name, unjudged);
    if (plan->cell == SONIC_ABSENT)
        return weir_fail(error, WEIR_ERROR_INPUT, "the cell of the chip is not known (expected --platform or --cell)");
    if (!find_ports(plan, most, error))
        return false;
    plan->as = as != NULL ? as : first_lossless(plan);
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++)
        plan->having[tc] = plan->count;
    if (!find_classes(plan, error))
        return false;
    /* How schedulers and watchdogs differ from what they are taken for. */
    const struct sonic_config *config = plan->model->config;
    const struct sonic_watchdog *first = NULL;
    bool strict = true; /* all classes above are */
    /* Classes of several groups in one queue of the chip are queues of their own here. */
    uint32_t noted = 0;
    for (uint32_t tc = 1; tc < PLAN_CLASSES; tc++) {
        uint32_t queue = plan->profile[PLAN_EGRESS][tc].number;
        for (uint32_t other = 0; other < tc && !(noted >> queue & 1); other++) {
            if (plan->profile[PLAN_EGRESS][other].number != queue ||
                plan->profile[PLAN_INGRESS][other].number == plan->profile[PLAN_INGRESS][tc].number)
                continue;
            note(plan, "queue %u has classes of several groups, as %u and %u: each has its limit by itself", queue,
                 other, tc);
            noted |= 1u << queue;
        }
    }
    for (uint32_t tc = PLAN_CLASSES; tc-- > 0;) {
        const struct sonic_scheduler *scheduler = plan->scheduler[tc];
        const char *type = scheduler != NULL && scheduler->type != NULL ? scheduler->type : "";
        if (strcmp(type, "STRICT") == 0 && !strict)
            note(plan, "SCHEDULER|%.60s is STRICT below queues that are not: it is taken for DWRR",
                 scheduler->entry.key);
        if (strcmp(type, "WRR") == 0)
            note(plan, "SCHEDULER|%.60s counts packets: it is taken for DWRR, which counts bytes",
                 scheduler->entry.key);
        strict &= strcmp(type, "STRICT") == 0;
    }
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PFC_WD); i++) {
        const struct sonic_watchdog *watchdog = SONIC_AT(config, sonic_watchdog, SONIC_PFC_WD, i);
        if (watchdog->detection_ms == SONIC_ABSENT)
            continue;
        if (first != NULL && !same_watchdog(first, watchdog))
            note(plan, "PFC_WD differs between ports: all have that of PFC_WD|%.60s", first->entry.key);
        first = first != NULL ? first : watchdog;
    }
    if (!find_port_profiles(plan, PLAN_INGRESS, error) || !find_port_profiles(plan, PLAN_EGRESS, error))
        return false;
    if (!size_pools(plan, PLAN_INGRESS, error) || !size_pools(plan, PLAN_EGRESS, error) || !size_memory(plan, error))
        return false;
    return plan_shared_cells(plan) > 0 || fail_empty(plan, error);
}

void sonic_plan_free(struct sonic_plan *plan)
{
    free(plan->ports);
    plan->ports = NULL;
}

uint32_t plan_sharing(const struct sonic_plan *plan, uint32_t tc)
{
    uint32_t sharing = 0;
    for (uint32_t other = 0; other < PLAN_CLASSES; other++)
        if (plan->profile[PLAN_INGRESS][other].number == plan->profile[PLAN_INGRESS][tc].number &&
            !((plan->lossless >> other ^ plan->lossless >> tc) & 1))
            sharing |= 1u << other;
    return sharing;
}

uint32_t plan_first(const struct sonic_plan *plan, uint32_t tc)
{
    return (uint32_t)__builtin_ctz(plan_sharing(plan, tc));
}

uint32_t plan_class_of_dscp(const struct sonic_plan *plan, uint32_t dscp)
{
    uint32_t tc = 0, first = 0;
    if (plan->dscp != NULL && plan->dscp->to[dscp] >= 0 && plan->dscp->to[dscp] < (int)PLAN_CLASSES)
        tc = (uint32_t)plan->dscp->to[dscp];
    while (first < tc && !(plan_sharing(plan, tc) >> first & 1 &&
                           plan->profile[PLAN_EGRESS][first].number == plan->profile[PLAN_EGRESS][tc].number))
        first++;
    return first;
}

uint32_t plan_groups(const struct sonic_plan *plan)
{
    uint32_t groups = 0;
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++)
        groups |= plan->lossless >> tc & 1 ? 1u << plan_first(plan, tc) : 0;
    return groups;
}

int64_t plan_cells_up(const struct sonic_plan *plan, int64_t bytes)
{
    return bytes / plan->cell + (bytes % plan->cell > 0);
}

int64_t plan_cells_down(const struct sonic_plan *plan, int64_t bytes)
{
    return bytes > 0 ? bytes / plan->cell : 0;
}

int64_t plan_pool_cells(const struct sonic_plan *plan, enum plan_side side, uint32_t pool)
{
    return plan_cells_down(plan, plan->pool[side][pool].size / plan->pipes);
}

int64_t plan_headroom_cells(const struct sonic_plan *plan)
{
    int64_t sum = 0;
    if (plan->headroom_pool != SONIC_ABSENT)
        return plan->lossless != 0 ? plan_cells_down(plan, plan->headroom_pool / plan->pipes) : 0;
    for (uint32_t left = plan_groups(plan); left != 0; left &= left - 1)
        sum += plan->per_pipe * plan_cells_up(plan, plan->profile[PLAN_INGRESS][__builtin_ctz(left)].xoff);
    return sum;
}

int64_t plan_private(const struct sonic_plan *plan, uint32_t tc)
{
    enum plan_side side = plan->lossless >> tc & 1 ? PLAN_INGRESS : PLAN_EGRESS;
    if (side == PLAN_INGRESS && plan_first(plan, tc) != tc)
        return 0;
    return plan_cells_up(plan, plan->profile[side][tc].minimum);
}

int64_t plan_private_cells(const struct sonic_plan *plan)
{
    int64_t sum = 0;
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++)
        sum += plan->per_pipe * plan_private(plan, tc);
    return sum;
}

/* What the pools of the ingress side are together, unless the chip has less: then they end where its cells do. */
int64_t plan_shared_cells(const struct sonic_plan *plan)
{
    int64_t sum = 0, mmu = plan->model->platform.mmu;
    for (uint32_t i = 0; i < plan->pools[PLAN_INGRESS]; i++)
        if (plan->pool[PLAN_INGRESS][i].of != NULL || plan->pools[PLAN_INGRESS] == 1)
            sum += plan_pool_cells(plan, PLAN_INGRESS, i);
    if (sum == 0) /* its pools are empty, others are not */
        sum = plan_cells_down(plan, plan->memory / plan->pipes);
    if (mmu == SONIC_ABSENT)
        return sum;
    int64_t left = plan_cells_down(plan, (mmu - headroom_bytes(plan) - plan->model->group_minimums) / plan->pipes);
    return left < sum ? left : sum;
}

static void put(struct weir_values *values, const struct weir_policy *policy, const char *name, uint32_t i,
                int64_t value)
{
    values->of[weir_param_find(policy, name)][i] = value;
}

struct plan_wred plan_wred_of(const struct sonic_plan *plan, uint32_t tc)
{
    const struct sonic_wred *wred = plan->wred[tc];
    enum sonic_colour colour = (enum sonic_colour)plan->model->given.colour;
    if (wred == NULL)
        return (struct plan_wred){.is_set = false};
    int64_t percent = wred->percent[colour], least = wred->least[colour], most = wred->most[colour];
    if (sonic_wred_marks(wred, colour) && wred->mark_least[colour] >= 0 && wred->mark_most[colour] >= 0) {
        least = wred->mark_least[colour]; /* what can be marked is, by thresholds of its own */
        most = wred->mark_most[colour];
        percent = wred->mark_percent[colour];
    }
    if (least < 0 || most <= least)
        return (struct plan_wred){.is_set = false};
    return (struct plan_wred){.is_set = true,
                              .marks = sonic_wred_marks(wred, colour),
                              .drops = sonic_wred_drops(wred, colour),
                              .low = positive(least),
                              .high = positive(most),
                              .percent = percent >= 0 && percent <= 100 ? percent : 100};
}

void plan_values(const struct sonic_plan *plan, enum plan_side side, struct weir_values *values)
{
    const struct weir_policy *policy = weir_policy_find(side == PLAN_INGRESS ? "sai-groups" : "sai-queues");
    int64_t all = (int64_t)WEIR_BUFFER_CELLS_MAX * plan->cell;
    weir_values_init(values, policy);
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
        const struct plan_profile *profile = &plan->profile[side][tc];
        bool governed = (plan->lossless >> tc & 1) == (side == PLAN_INGRESS);
        if (profile->dynamic_th != SONIC_ABSENT)
            put(values, policy, "alpha", tc, (int64_t)(plan_alpha(plan, side, tc) * WEIR_Q16_ONE));
        else
            put(values, policy, "limit", tc,
                profile->limit != SONIC_ABSENT ? profile->limit
                : all < BYTES_MAX              ? all
                                               : BYTES_MAX);
        put(values, policy, "minimum", tc, governed ? 0 : plan_cells_up(plan, profile->minimum) * plan->cell);
        put(values, policy, "pool", tc, profile->pool);
        if (side == PLAN_INGRESS && (!governed || plan_sharing(plan, tc) != 1u << tc))
            put(values, policy, "group", tc, profile->number);
        if (side == PLAN_INGRESS && plan->lossless >> tc & 1) {
            put(values, policy, "xon", tc, plan_cells_up(plan, profile->xon) * plan->cell);
            put(values, policy, "delta", tc, plan_cells_up(plan, profile->delta) * plan->cell);
            put(values, policy, "headroom", tc, plan_cells_up(plan, profile->cap) * plan->cell);
        }
    }
    for (uint32_t i = 0; i < plan->pools[side]; i++) {
        const struct plan_pool *pool = &plan->pool[side][i];
        put(values, policy, "size", i, plan_pool_cells(plan, side, i) * plan->cell);
        if (pool->port_th != SONIC_ABSENT)
            put(values, policy, "port_alpha", i, (int64_t)(alpha_of(plan, pool->port_th) * WEIR_Q16_ONE));
        if (pool->port_limit != SONIC_ABSENT)
            put(values, policy, "port_limit", i, pool->port_limit);
    }
    put(values, policy, "nested", 0, plan->model->platform.port_alpha == PLATFORM_PORT_NESTED);
    if (side == PLAN_EGRESS) {
        /* What WRED loses: packets that it cannot mark, or all where it marks none. */
        for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
            struct plan_wred wred = plan_wred_of(plan, tc);
            if (!wred.is_set || !wred.drops)
                continue;
            put(values, policy, "wred_low", tc, wred.low);
            put(values, policy, "wred_high", tc, wred.high);
            put(values, policy, "wred_chance", tc, wred.percent * WEIR_Q16_ONE / 100);
            put(values, policy, "wred_all", tc, !wred.marks);
        }
    }
    if (side == PLAN_INGRESS && plan->headroom_pool != SONIC_ABSENT)
        put(values, policy, "headroom_pool", 0, plan_headroom_cells(plan) * plan->cell);
}

static bool is_same_name(const struct sonic_name *a, const struct sonic_name *b)
{
    return a->name == b->name || (a->name != NULL && b->name != NULL && strcmp(a->name, b->name) == 0);
}

static bool is_same_use(const struct sonic_use *a, const struct sonic_use *b)
{
    if (a == b)
        return true;
    if (a == NULL || b == NULL || !is_same_name(&a->profile, &b->profile) ||
        !is_same_name(&a->scheduler, &b->scheduler) || a->profile_count != b->profile_count)
        return false;
    for (uint32_t i = 0; i < a->profile_count; i++)
        if (!is_same_name(&a->profiles[i], &b->profiles[i]))
            return false;
    return true;
}

/* Headroom that is computed or looked up depends on the link. */
static bool is_same_group(const struct sonic_group *a, const struct sonic_group *b)
{
    return a == b ||
           (a != NULL && b != NULL && a->source == b->source && a->is_paused == b->is_paused && a->size == b->size &&
            a->xon == b->xon && a->xoff == b->xoff && a->dynamic_th == b->dynamic_th && a->pool == b->pool);
}

static bool is_same_qos(const struct sonic_qos *a, const struct sonic_qos *b)
{
    return a == b || (a != NULL && b != NULL && a->pfc_mask == b->pfc_mask && is_same_name(&a->pg_map, &b->pg_map) &&
                      is_same_name(&a->queue_map, &b->queue_map) && is_same_name(&a->dscp_map, &b->dscp_map));
}

/* Whether two ports are of a kind, as far as tables say. */
static bool is_alike(const struct sonic_model *model, const struct sonic_port *a, const struct sonic_port *b)
{
    static const struct {
        enum sonic_table_id table;
        uint32_t numbers;
    } tables[] = {{SONIC_BUFFER_PG, PLAN_CLASSES},
                  {SONIC_BUFFER_QUEUE, PLAN_CLASSES},
                  {SONIC_QUEUE, PLAN_CLASSES},
                  {SONIC_PORT_INGRESS_LIST, 1},
                  {SONIC_PORT_EGRESS_LIST, 1}};
    if (!is_same_qos(model_qos(model, a->name), model_qos(model, b->name)))
        return false;
    for (uint32_t n = 0; n < PLAN_CLASSES; n++)
        if (!is_same_group(model_group(model, a, n), model_group(model, b, n)))
            return false;
    for (uint32_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (uint32_t n = 0; n < tables[t].numbers; n++)
            if (!is_same_use(sonic_find_use(model->config, tables[t].table, a->name, n),
                             sonic_find_use(model->config, tables[t].table, b->name, n)))
                return false;
    return true;
}

uint32_t plan_kind_of(const struct sonic_model *model, const struct sonic_port *port,
                      const struct sonic_port *const *first, uint32_t kinds)
{
    uint32_t kind = 0;
    while (kind < kinds && !is_alike(model, first[kind], port))
        kind++;
    return kind;
}

uint32_t plan_kinds(const struct sonic_model *model, const struct sonic_port **first, uint32_t *ports, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_PORT); i++) {
        const struct sonic_port *port = SONIC_AT(model->config, sonic_port, SONIC_PORT, i);
        if (port->status == SONIC_DOWN)
            continue;
        uint32_t kind = plan_kind_of(model, port, first, count);
        if (kind == count) {
            if (count == most)
                continue;
            first[count] = port;
            ports[count++] = 0;
        }
        ports[kind]++;
    }
    return count;
}

static bool is_same_profile(const struct sonic_plan *a, uint32_t i, const struct sonic_plan *b, uint32_t j)
{
    for (uint32_t side = 0; side < PLAN_SIDES; side++) {
        const struct plan_profile *one = &a->profile[side][i], *two = &b->profile[side][j];
        if (one->dynamic_th != two->dynamic_th || one->limit != two->limit || one->minimum != two->minimum ||
            one->xoff != two->xoff || one->xon != two->xon || one->delta != two->delta ||
            a->pool[side][one->pool].of != b->pool[side][two->pool].of)
            return false;
    }
    return true;
}

/* A class of the mix with this profile that the kind has not taken; else the next. PLAN_CLASSES: there is none. */
static uint32_t mix_class(struct sonic_plan *mix, const struct sonic_plan *plan, uint32_t tc, uint32_t taken)
{
    uint32_t next = (uint32_t)__builtin_popcount(mix->lossless);
    for (uint32_t i = 0; i < next; i++)
        if (!(taken >> i & 1) && is_same_profile(mix, i, plan, tc))
            return i;
    if (next == PLAN_CLASSES)
        return PLAN_CLASSES;
    for (uint32_t side = 0; side < PLAN_SIDES; side++) {
        const struct plan_pool *pool = &plan->pool[side][plan->profile[side][tc].pool];
        uint32_t number = number_pool(mix, side, pool->of);
        mix->pool[side][number] = *pool;
        mix->profile[side][next] = plan->profile[side][tc];
        mix->profile[side][next].pool = number;
        mix->profile[side][next].number = next;
    }
    mix->lossless |= 1u << next;
    return next;
}

uint32_t plan_mix(struct sonic_plan *mix, const struct sonic_plan *const *plans, const uint32_t *ports, uint32_t kinds,
                  uint32_t (*of)[PLAN_CLASSES])
{
    *mix = *plans[0];
    mix->lossless = 0;
    mix->pools[PLAN_INGRESS] = mix->pools[PLAN_EGRESS] = 0;
    memset(mix->profile, 0, sizeof mix->profile);
    memset(mix->having, 0, sizeof mix->having);
    for (uint32_t kind = 0; kind < kinds; kind++) {
        const struct sonic_plan before = *mix;
        uint32_t taken = 0;
        for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
            of[kind][tc] = PLAN_CLASSES;
            if (!(plans[kind]->lossless >> tc & 1))
                continue;
            if (plan_first(plans[kind], tc) != tc) {
                of[kind][tc] = of[kind][plan_first(plans[kind], tc)];
                continue;
            }
            of[kind][tc] = mix_class(mix, plans[kind], tc, taken);
            if (of[kind][tc] == PLAN_CLASSES) {
                *mix = before;
                return kind;
            }
            taken |= 1u << of[kind][tc];
            mix->having[of[kind][tc]] += ports[kind];
        }
    }
    return kinds;
}
