/*
 * rules_qos.c - rules about classes: maps, schedulers, ECN, egress queues of lossless classes, the PFC watchdog.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "operate/lint/rules.h"

#define ALPHA_UNLIMITED 3 /* dynamic_th of 3 lets one queue have 8/9 of the pool */

static const struct sonic_group *find_group(const struct lint *lint, const char *port, uint32_t number)
{
    const struct sonic_port *of = sonic_find_port(lint->model->config, port);
    return of != NULL ? model_group(lint->model, of, number) : NULL;
}

/* What a map has for a number; without a map, the number itself. */
static uint32_t map_to(const struct sonic_map *map, uint32_t from)
{
    return map != NULL && map->to[from] >= 0 ? (uint32_t)map->to[from] : from;
}

uint32_t rules_paused_queues(const struct lint *lint, const struct sonic_qos *qos)
{
    const struct sonic_map *map = sonic_find(lint->model->config, SONIC_PFC_TO_QUEUE_MAP, qos->pfc_queue_map.name);
    uint32_t queues = 0;
    for (uint32_t p = 0; p < SONIC_PRIORITIES; p++)
        if (qos->pfc_mask >> p & 1)
            queues |= 1u << map_to(map, p);
    return queues;
}

/* What the lossless pool lets in, by the smaller reading of xoff. */
static int64_t find_let_in(const struct lint *lint)
{
    const struct sonic_pool *in = model_lossless_pool(lint->model, SONIC_INGRESS);
    if (in == NULL || in->size == SONIC_ABSENT || in->size > INT64_MAX / 4)
        return 0;
    bool is_outside = lint->model->platform.xoff == PLATFORM_XOFF_OUTSIDE && in->xoff != SONIC_ABSENT;
    return in->size + (is_outside && in->xoff < INT64_MAX / 4 ? in->xoff : 0);
}

/* Whether a pool, not that of lossless queues, has less than comes in. */
static bool is_lossy_pool(const struct lint *lint, const struct sonic_pool *pool)
{
    const struct sonic_pool *own = model_lossless_pool(lint->model, SONIC_EGRESS);
    return pool != NULL && own != NULL && pool != own && pool->side == SONIC_EGRESS && pool->size != SONIC_ABSENT &&
           pool->size < find_let_in(lint);
}

/* Whether a pool is not that of lossless queues, which some queue that PFC pauses has. */
static bool is_odd_pool(const struct lint *lint, const struct sonic_pool *pool)
{
    const struct sonic_config *config = lint->model->config;
    const struct sonic_pool *own = model_lossless_pool(lint->model, SONIC_EGRESS);
    if (pool == NULL || own == NULL || pool == own || pool->side != SONIC_EGRESS)
        return false;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_QUEUE); i++) {
        const struct sonic_use *use = SONIC_AT(config, sonic_use, SONIC_BUFFER_QUEUE, i);
        const struct sonic_profile *profile = sonic_find_profile(config, use->profile.name);
        const struct sonic_qos *qos = use->of.is_remote ? NULL : model_qos(lint->model, use->of.ports[0]);
        uint32_t paused = qos != NULL ? rules_paused_queues(lint, qos) : 0;
        if (profile != NULL && sonic_find_pool(config, profile->pool.name) == own && (paused >> use->of.first & 1) != 0)
            return true;
    }
    return false;
}

/* A profile that does not limit lossless queues; null: none. */
static const char *unlimited_profile(const struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    const struct sonic_pool *own = model_lossless_pool(lint->model, SONIC_EGRESS);
    for (uint32_t i = 0; own != NULL && i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        if (sonic_find_pool(config, profile->pool.name) == own &&
            (profile->static_th == own->size || profile->static_th == 0 || profile->dynamic_th >= ALPHA_UNLIMITED))
            return profile->entry.key;
    }
    return NULL;
}

/* Paused queues of a port that have no entry, or one of a lossy pool. */
static void check_queues(struct lint *lint, const struct sonic_qos *qos, const char *port)
{
    const struct sonic_config *config = lint->model->config;
    const struct sonic_use *before = NULL;
    for (uint32_t left = rules_paused_queues(lint, qos); left != 0; left &= left - 1) {
        uint32_t queue = (uint32_t)__builtin_ctz(left);
        const struct sonic_use *use = sonic_find_use(lint->model->config, SONIC_BUFFER_QUEUE, port, queue);
        const char *other = unlimited_profile(lint);
        char key[160];
        snprintf(key, sizeof key, "%.120s|%u", port, queue);
        if (use == NULL) {
            lint_report(lint, &qos->entry, "pfc_enable",
                        "PFC pauses queue %u, but BUFFER_QUEUE has no such queue of %.80s", queue, port);
            if (other != NULL)
                lint_mend_entry(lint, SONIC_BUFFER_QUEUE, key, "profile", other);
            else
                lint_advise(lint, "give it a profile of the egress lossless pool");
            continue;
        }
        const struct sonic_profile *profile = sonic_find_profile(config, use->profile.name);
        const struct sonic_pool *pool = profile != NULL ? sonic_find_pool(config, profile->pool.name) : NULL;
        if (use != before && !is_lossy_pool(lint, pool) && is_odd_pool(lint, pool)) {
            lint_report(lint, &use->entry, "profile",
                        "PFC pauses queue %u, but %.80s is of %.80s, and not of %.80s as others that it pauses", queue,
                        profile->entry.key, pool->entry.key, model_lossless_pool(lint->model, SONIC_EGRESS)->entry.key);
            lint_advise(lint, "give queue %u the profile of the others", queue);
            before = use;
        }
        if (use == before || !is_lossy_pool(lint, pool))
            continue;
        before = use;
        lint_report(lint, &use->entry, "profile",
                    "PFC pauses queue %u, but %.80s is of %.80s, whose %" PRId64 " B are less than the %" PRId64
                    " B that lossless groups let in",
                    queue, profile->entry.key, pool->entry.key, pool->size, find_let_in(lint));
        bool is_all = true;
        for (uint32_t q = use->of.first; q <= use->of.last; q++)
            is_all &= rules_paused_queues(lint, qos) >> q & 1;
        if (is_all && use->of.count == 1 && other != NULL)
            lint_mend_text(lint, &use->entry, "profile", other);
        else
            lint_advise(lint, "give queue %u an entry of its own, with a profile of the egress lossless pool", queue);
    }
}

/* Profiles of paused queues that limit them. */
static void check_limit(struct lint *lint, const struct sonic_profile *profile)
{
    const struct sonic_config *config = lint->model->config;
    int64_t pipes = lint->model->platform.pipes != SONIC_ABSENT ? lint->model->platform.pipes : 1;
    const struct sonic_pool *pool = sonic_find_pool(config, profile->pool.name);
    const struct sonic_use *of = NULL;
    for (uint32_t u = 0; pool != NULL && u < SONIC_COUNT(config, SONIC_BUFFER_QUEUE) && of == NULL; u++) {
        const struct sonic_use *use = SONIC_AT(config, sonic_use, SONIC_BUFFER_QUEUE, u);
        if (use->profile.name == NULL || use->of.is_remote || strcmp(use->profile.name, profile->entry.key) != 0)
            continue;
        const struct sonic_qos *qos = model_qos(lint->model, use->of.ports[0]);
        uint32_t queues = qos != NULL ? rules_paused_queues(lint, qos) : 0;
        for (uint32_t q = use->of.first; q <= use->of.last; q++)
            of = queues >> q & 1 ? use : of;
    }
    if (of == NULL || is_lossy_pool(lint, pool))
        return;
    bool is_static = profile->static_th != SONIC_ABSENT && profile->static_th > 0 && pool->size != SONIC_ABSENT &&
                     profile->static_th < pool->size / pipes;
    bool is_dynamic = profile->dynamic_th != SONIC_ABSENT && profile->dynamic_th < ALPHA_UNLIMITED;
    if (is_static) {
        lint_report(lint, &profile->entry, "static_th",
                    "%" PRId64 " B limit queues of lossless priorities (%.80s); a pipe of %.80s has %" PRId64 " B",
                    profile->static_th, of->entry.key, pool->entry.key, pool->size / pipes);
        lint_mend_number(lint, &profile->entry, "static_th", pool->size);
    } else if (is_dynamic) {
        lint_report(lint, &profile->entry, "dynamic_th",
                    "alpha of 2^%" PRId64 " limits queues of lossless priorities (%.80s) to %.3g of the free pool",
                    profile->dynamic_th, of->entry.key,
                    profile->dynamic_th >= 0
                        ? (double)(1 << profile->dynamic_th)
                        : 1.0 / (double)(1 << (profile->dynamic_th > -9 ? -profile->dynamic_th : 9)));
        lint_mend_number(lint, &profile->entry, "dynamic_th", 7);
    }
}

void rule_lossless_queue(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    bool is_remote = false;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++)
        check_limit(lint, SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i));
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_QUEUE); i++)
        is_remote |= SONIC_AT(config, sonic_use, SONIC_BUFFER_QUEUE, i)->of.is_remote;
    if (SONIC_COUNT(config, SONIC_BUFFER_QUEUE) == 0 && lint->model->groups.count > 0)
        lint_skip(lint, "BUFFER_QUEUE: profiles of queues");
    if (SONIC_COUNT(config, SONIC_BUFFER_QUEUE) == 0 || is_remote)
        return; /* a chassis has its queues at other keys */
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PORT_QOS_MAP); i++) {
        const struct sonic_qos *qos = SONIC_AT(config, sonic_qos, SONIC_PORT_QOS_MAP, i);
        for (uint32_t p = 0; p < qos->of.count && qos->pfc_mask != 0 && !qos->of.is_remote; p++) {
            const struct sonic_port *port = sonic_find_port(config, qos->of.ports[p]);
            if (port != NULL && port->status != SONIC_DOWN)
                check_queues(lint, qos, port->name);
        }
    }
}

/* The maps of ports, from class to group and queue and from priority to both. */
struct maps {
    const struct sonic_qos *qos;
    const struct sonic_map *groups, *queues;  /* of classes */
    const struct sonic_map *guarded, *paused; /* of priorities; null: each its own number */
};

static struct maps maps_of(const struct lint *lint, const struct sonic_qos *qos)
{
    const struct sonic_config *config = lint->model->config;
    return (struct maps){.qos = qos,
                         .groups = sonic_find(config, SONIC_TC_TO_PG_MAP, qos->pg_map.name),
                         .queues = sonic_find(config, SONIC_TC_TO_QUEUE_MAP, qos->queue_map.name),
                         .guarded = sonic_find(config, SONIC_PFC_TO_PG_MAP, qos->pfc_pg_map.name),
                         .paused = sonic_find(config, SONIC_PFC_TO_QUEUE_MAP, qos->pfc_queue_map.name)};
}

/* Whether an entry before this one has the same maps and priorities: then it was judged with them. */
static bool has_been(const struct lint *lint, uint32_t which)
{
    const struct maps own = maps_of(lint, SONIC_AT(lint->model->config, sonic_qos, SONIC_PORT_QOS_MAP, which));
    for (uint32_t i = 0; i < which; i++) {
        const struct maps other = maps_of(lint, SONIC_AT(lint->model->config, sonic_qos, SONIC_PORT_QOS_MAP, i));
        if (own.groups == other.groups && own.queues == other.queues && own.guarded == other.guarded &&
            own.paused == other.paused && own.qos->pfc_mask == other.qos->pfc_mask &&
            (own.qos->dscp_map.name == NULL) == (other.qos->dscp_map.name == NULL) &&
            (own.qos->dscp_map.name == NULL || strcmp(own.qos->dscp_map.name, other.qos->dscp_map.name) == 0))
            return true;
    }
    return false;
}

/* The priority of pfc_enable that a map sends to a group or queue; -1: none. */
static int priority_of(const struct maps *maps, const struct sonic_map *map, int to)
{
    for (uint32_t p = 0; p < SONIC_PRIORITIES; p++)
        if ((maps->qos->pfc_mask >> p & 1) && (int)map_to(map, p) == to)
            return (int)p;
    return -1;
}

static void mend_map(struct lint *lint, const struct sonic_map *map, uint32_t from, uint32_t to)
{
    char number[16];
    snprintf(number, sizeof number, "%u", from);
    lint_mend_number(lint, &map->entry, number, to);
}

/* The map that is to blame. A class whose number is a priority of pfc_enable is that priority's, by SONiC's habit. */
static void mend_class(struct lint *lint, const struct maps *maps, uint32_t tc)
{
    uint32_t group = (uint32_t)maps->groups->to[tc], queue = (uint32_t)maps->queues->to[tc];
    int paused = priority_of(maps, maps->paused, (int)queue);
    for (uint32_t p = 0; p < SONIC_PRIORITIES; p++) { /* a priority that is mapped away from its own class */
        bool is_lost =
            (maps->qos->pfc_mask >> p & 1) && map_to(maps->paused, p) != p && maps->queues->to[p] == (int8_t)p;
        if (is_lost && (p == tc || (int)p == paused)) {
            mend_map(lint, maps->paused, p, p);
            return;
        }
    }
    if (tc < SONIC_PRIORITIES && (maps->qos->pfc_mask >> tc & 1)) {
        if (group != map_to(maps->guarded, tc) && maps->guarded == NULL)
            mend_map(lint, maps->groups, tc, tc);
        else if (group == map_to(maps->guarded, tc) && queue != map_to(maps->paused, tc))
            mend_map(lint, maps->queues, tc, map_to(maps->paused, tc));
        else
            lint_advise(lint, "map class %u to group %u in TC_TO_PRIORITY_GROUP_MAP|%.80s", tc,
                        map_to(maps->guarded, tc), maps->groups->entry.key);
        return;
    }
    for (uint32_t other = 0; other < SONIC_PRIORITIES && paused < 0; other++) /* a lossy class: where others are */
        if (maps->groups->to[other] >= 0 && maps->queues->to[other] >= 0 &&
            priority_of(maps, maps->guarded, maps->groups->to[other]) < 0 &&
            priority_of(maps, maps->paused, maps->queues->to[other]) < 0) {
            mend_map(lint, maps->groups, tc, (uint32_t)maps->groups->to[other]);
            return;
        }
    if (paused >= 0 && tc != queue && priority_of(maps, maps->guarded, (int)group) < 0 &&
        priority_of(maps, maps->paused, (int)tc) < 0)
        mend_map(lint, maps->queues, tc, tc);
    else
        lint_advise(lint, "let class %u have a group and a queue of one priority of PFC, or of none", tc);
}

/* Whether one priority of pfc_enable has both this group and this queue. */
static bool is_of_one(const struct maps *maps, int group, int queue)
{
    for (uint32_t p = 0; p < SONIC_PRIORITIES; p++)
        if ((maps->qos->pfc_mask >> p & 1) && (int)map_to(maps->guarded, p) == group &&
            (int)map_to(maps->paused, p) == queue)
            return true;
    return false;
}

static void check_class(struct lint *lint, const struct maps *maps, uint32_t tc)
{
    int group = maps->groups->to[tc], queue = maps->queues->to[tc];
    if (group < 0 || queue < 0)
        return;
    int guarded = priority_of(maps, maps->guarded, group), paused = priority_of(maps, maps->paused, queue);
    if ((guarded < 0 && paused < 0) || is_of_one(maps, group, queue))
        return;
    bool is_lossless = tc < SONIC_PRIORITIES && (maps->qos->pfc_mask >> tc & 1);
    if (guarded < 0)
        lint_report(
            lint, &maps->qos->entry, "tc_to_pg_map",
            "class %u leaves by queue %d, which PFC priority %d pauses, but comes in by group %d, which PFC does "
            "not protect: while the queue is held its packets are dropped",
            tc, queue, paused, group);
    else if (paused < 0)
        lint_report(
            lint, &maps->qos->entry, "tc_to_queue_map",
            "class %u comes in by group %d, which pauses priority %d of the peer, but leaves by queue %d, which no "
            "priority of PFC pauses: %s",
            tc, group, guarded, queue,
            is_lossless ? "a lossy queue, which drops its packets"
                        : "a lossy class fills the group, and its packets do not stop");
    else
        lint_report(
            lint, &maps->qos->entry, "tc_to_pg_map",
            "class %u comes in by group %d, which pauses priority %d of the peer, but leaves by queue %d, which "
            "priority %d pauses: priority %d is never paused for it, and its packets are dropped",
            tc, group, guarded, queue, paused, paused);
    mend_class(lint, maps, tc);
}

void rule_maps(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PORT_QOS_MAP); i++) {
        struct maps maps = maps_of(lint, SONIC_AT(config, sonic_qos, SONIC_PORT_QOS_MAP, i));
        for (uint32_t tc = 0; maps.groups != NULL && maps.queues != NULL && tc < SONIC_GROUPS && !has_been(lint, i);
             tc++)
            check_class(lint, &maps, tc);
    }
}

void rule_unmapped(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PORT_QOS_MAP); i++) {
        struct maps maps = maps_of(lint, SONIC_AT(config, sonic_qos, SONIC_PORT_QOS_MAP, i));
        const struct sonic_map *dscp = sonic_find(config, SONIC_DSCP_TO_TC_MAP, maps.qos->dscp_map.name);
        uint32_t seen = 0;
        for (uint32_t code = 0; dscp != NULL && code < SONIC_MAP_MAX && !has_been(lint, i); code++) {
            int tc = dscp->to[code];
            char number[16];
            if (tc < 0 || seen >> tc & 1)
                continue;
            seen |= 1u << tc;
            const struct sonic_map *without = maps.groups != NULL && maps.groups->to[tc] < 0   ? maps.groups
                                              : maps.queues != NULL && maps.queues->to[tc] < 0 ? maps.queues
                                                                                               : NULL;
            if (without == NULL)
                continue;
            snprintf(number, sizeof number, "%u", code);
            lint_report(lint, &dscp->entry, NULL, "DSCP %s is class %d, which %s|%.80s does not have", number, tc,
                        sonic_table_name(without->entry.table), without->entry.key);
            lint_advise(lint, "map DSCP %s to a class of that map, or add the class to it", number);
        }
    }
}

static const char *field_name(char text[64], enum sonic_colour colour, const char *what)
{
    snprintf(text, 64, "%s_%s", sonic_colours[colour], what);
    return text;
}

void rule_ecn_order(struct lint *lint)
{
    static const char *const least[] = {"green_min_threshold", "yellow_min_threshold", "red_min_threshold"};
    static const char *const most[] = {"green_max_threshold", "yellow_max_threshold", "red_max_threshold"};
    static const char *const percent[] = {"green_drop_probability", "yellow_drop_probability", "red_drop_probability"};
    for (uint32_t i = 0; i < SONIC_COUNT(lint->model->config, SONIC_WRED_PROFILE); i++) {
        const struct sonic_wred *wred = SONIC_AT(lint->model->config, sonic_wred, SONIC_WRED_PROFILE, i);
        for (uint32_t c = 0; c < SONIC_COLOURS; c++) {
            if ((json_object_get(wred->entry.fields, least[c]) == NULL) !=
                (json_object_get(wred->entry.fields, most[c]) == NULL)) {
                bool has_least = json_object_get(wred->entry.fields, least[c]) != NULL;
                lint_report(lint, &wred->entry, has_least ? least[c] : most[c], "there is a %s, and no %s",
                            has_least ? "Kmin" : "Kmax", has_least ? most[c] : least[c]);
                lint_advise(lint, "give both");
            }
            if (wred->least[c] != SONIC_ABSENT && wred->most[c] != SONIC_ABSENT && wred->least[c] > wred->most[c]) {
                lint_report(lint, &wred->entry, least[c], "Kmin of %" PRId64 " B is more than Kmax of %" PRId64 " B",
                            wred->least[c], wred->most[c]);
                lint_mend_number(lint, &wred->entry, least[c], wred->most[c]);
                lint_mend_number(lint, &wred->entry, most[c], wred->least[c]);
            }
            if (wred->percent[c] != SONIC_ABSENT && (wred->percent[c] < 0 || wred->percent[c] > 100)) {
                lint_report(lint, &wred->entry, percent[c], "%" PRId64 " is no percentage", wred->percent[c]);
                lint_mend_number(lint, &wred->entry, percent[c], wred->percent[c] < 0 ? 0 : 100);
            }
        }
    }
}

/* The lowest XOFF point of lossless groups whose queues have this WRED profile; SONIC_ABSENT: none is known. */
static int64_t find_xoff_point(struct lint *lint, const struct sonic_wred *wred, const struct sonic_group **which)
{
    const struct sonic_config *config = lint->model->config;
    int64_t lowest = SONIC_ABSENT;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_QUEUE); i++) {
        const struct sonic_use *use = SONIC_AT(config, sonic_use, SONIC_QUEUE, i);
        if (use->profile.name == NULL || use->of.is_remote || strcmp(use->profile.name, wred->entry.key) != 0)
            continue;
        for (uint32_t q = use->of.first; q <= use->of.last && q < SONIC_PRIORITIES; q++) {
            const struct sonic_group *group = find_group(lint, use->of.ports[0], q);
            if (group != NULL && group->source == SONIC_FROM_UNKNOWN)
                lint_skip(lint, model_missing(lint->model, group));
            if (group == NULL || group->source > SONIC_FROM_FORMULA)
                continue;
            int64_t point = model_pause_point(lint->model, group);
            if (point != SONIC_ABSENT && (lowest == SONIC_ABSENT || point < lowest)) {
                lowest = point;
                *which = group;
            }
        }
    }
    return lowest;
}

void rule_ecn_pfc(struct lint *lint)
{
    char name[64], other[64];
    for (uint32_t i = 0; i < SONIC_COUNT(lint->model->config, SONIC_WRED_PROFILE); i++) {
        const struct sonic_wred *wred = SONIC_AT(lint->model->config, sonic_wred, SONIC_WRED_PROFILE, i);
        const struct sonic_group *group = NULL;
        int64_t point = find_xoff_point(lint, wred, &group);
        if (point == SONIC_ABSENT || wred->most[SONIC_GREEN] == SONIC_ABSENT)
            continue;
        if (wred->most[SONIC_GREEN] < point)
            continue;
        int64_t least = wred->least[SONIC_GREEN] != SONIC_ABSENT ? wred->least[SONIC_GREEN] : 0;
        struct lint_finding *finding = lint_report(
            lint, &wred->entry, "green_max_threshold",
            "Kmax of %" PRId64 " B is not below %" PRId64 " B, where group %u of %.80s pauses even alone%s%s",
            wred->most[SONIC_GREEN], point, group->number, group->port->name,
            lint->model->platform.pipes > 1 ? " in its pipe" : "",
            least >= point ? "; Kmin is not either, so nothing is marked before" : "");
        if (finding != NULL && least < point)
            finding->severity = LINT_NOTE; /* senders are marked, if less often than meant */
        int64_t wanted = lint_round_down(lint, point - 1);
        if (rules_is_unused(lint)) {
            lint_advise(lint, "see buffer-unused: with the pool mended the group pauses later");
            continue;
        }
        for (uint32_t c = 0; c < SONIC_COLOURS; c++) {
            if (wred->most[c] == SONIC_ABSENT || wred->most[c] < point)
                continue;
            lint_mend_number(lint, &wred->entry, field_name(name, (enum sonic_colour)c, "max_threshold"), wanted);
            if (wred->least[c] != SONIC_ABSENT && wred->least[c] >= wanted)
                lint_mend_number(lint, &wred->entry, field_name(other, (enum sonic_colour)c, "min_threshold"),
                                 lint_round_down(lint, wanted / 2));
        }
    }
}

/* The first paused queue that has this WRED profile; null: none. */
static const struct sonic_use *find_paused(const struct lint *lint, const struct sonic_wred *wred)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_QUEUE); i++) {
        const struct sonic_use *use = SONIC_AT(config, sonic_use, SONIC_QUEUE, i);
        if (use->profile.name == NULL || use->of.is_remote || strcmp(use->profile.name, wred->entry.key) != 0)
            continue;
        const struct sonic_qos *qos = model_qos(lint->model, use->of.ports[0]);
        uint32_t queues = qos != NULL ? rules_paused_queues(lint, qos) : 0;
        for (uint32_t q = use->of.first; q <= use->of.last; q++)
            if (queues >> q & 1)
                return use;
    }
    return NULL;
}

void rule_wred_drops(struct lint *lint)
{
    for (uint32_t i = 0; i < SONIC_COUNT(lint->model->config, SONIC_WRED_PROFILE); i++) {
        const struct sonic_wred *wred = SONIC_AT(lint->model->config, sonic_wred, SONIC_WRED_PROFILE, i);
        const struct sonic_use *use = NULL;
        uint32_t colour = 0;
        while (colour < SONIC_COLOURS && (!sonic_wred_drops(wred, (enum sonic_colour)colour) ||
                                          sonic_wred_marks(wred, (enum sonic_colour)colour)))
            colour++;
        bool is_known = wred->ecn != SONIC_ECN_ABSENT || json_object_get(wred->entry.fields, "ecn") == NULL;
        if (colour < SONIC_COLOURS && is_known)
            use = find_paused(lint, wred);
        if (use == NULL)
            continue;
        lint_report(lint, &wred->entry, wred->ecn != SONIC_ECN_ABSENT ? "ecn" : NULL,
                    "WRED drops %s packets of %.80s, which PFC pauses, and marks none of them", sonic_colours[colour],
                    use->entry.key);
        lint_mend_text(lint, &wred->entry, "ecn", "ecn_all");
    }
}

void rule_watched(struct lint *lint)
{
    for (uint32_t i = 0; i < SONIC_COUNT(lint->model->config, SONIC_PORT_QOS_MAP); i++) {
        const struct sonic_qos *qos = SONIC_AT(lint->model->config, sonic_qos, SONIC_PORT_QOS_MAP, i);
        uint32_t wanted = qos->watched_mask & qos->pfc_mask, kept = wanted;
        char text[2 * SONIC_PRIORITIES + 1] = "";
        for (uint32_t p = 0; p < SONIC_PRIORITIES; p++) /* headroom-without-pfc: pfc_enable is what lacks it */
            kept |= find_group(lint, qos->of.ports[0], p) != NULL ? 1u << p : 0;
        const struct sonic_port *port = sonic_find_port(lint->model->config, qos->of.ports[0]);
        if ((qos->watched_mask & ~kept) == 0 || (port != NULL && port->pfc_asym == SONIC_ASYMMETRIC))
            continue;
        wanted = qos->pfc_mask; /* none of them goes unwatched */
        for (uint32_t p = 0; p < SONIC_PRIORITIES; p++)
            if (wanted >> p & 1)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", text[0] != '\0' ? "," : "", p);
        lint_report(lint, &qos->entry, "pfcwd_sw_enable", "priority %d is watched, but pfc_enable does not have it",
                    __builtin_ctz(qos->watched_mask & ~kept));
        lint_mend_text(lint, &qos->entry, "pfcwd_sw_enable", wanted != 0 ? text : NULL);
    }
}

void rule_scheduler(struct lint *lint)
{
    for (uint32_t i = 0; i < SONIC_COUNT(lint->model->config, SONIC_SCHEDULER); i++) {
        const struct sonic_scheduler *scheduler = SONIC_AT(lint->model->config, sonic_scheduler, SONIC_SCHEDULER, i);
        bool is_strict = scheduler->type != NULL && strcmp(scheduler->type, "STRICT") == 0;
        if (scheduler->type != NULL && !is_strict && strcmp(scheduler->type, "DWRR") != 0 &&
            strcmp(scheduler->type, "WRR") != 0) {
            lint_report(lint, &scheduler->entry, "type", "'%.40s' is no type", scheduler->type);
            lint_advise(lint, "expected DWRR, WRR or STRICT");
        }
        if (!is_strict && scheduler->weight != SONIC_ABSENT && (scheduler->weight < 1 || scheduler->weight > 100)) {
            lint_report(lint, &scheduler->entry, "weight", "%" PRId64 " is not within 1 and 100", scheduler->weight);
            lint_mend_number(lint, &scheduler->entry, "weight", scheduler->weight < 1 ? 1 : 100);
        }
    }
}

/* A time of this range, else the nearer end of another. */
static void check_time(struct lint *lint, const struct sonic_entry *entry, const char *field, int64_t value,
                       const int64_t range[2], const int64_t mended[2])
{
    if (value == SONIC_ABSENT || (value >= range[0] && value <= range[1]))
        return;
    lint_report(lint, entry, field, "%" PRId64 " ms is not within %" PRId64 " and %" PRId64 " ms", value, range[0],
                range[1]);
    lint_mend_number(lint, entry, field, value < range[0] ? mended[0] : mended[1]);
}

void rule_watchdog(struct lint *lint)
{
    static const int64_t detection[] = {100, 5000}, restoration[] = {100, 60000}, poll[] = {100, 1000};
    static const char *const actions[] = {"drop", "forward", "alert"};
    const struct sonic_config *config = lint->model->config;
    int64_t interval = SONIC_POLL_DEFAULT, shortest = poll[1];
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PFC_WD); i++) {
        int64_t time = SONIC_AT(config, sonic_watchdog, SONIC_PFC_WD, i)->detection_ms;
        shortest = time >= detection[0] && time < shortest ? time : shortest;
    }
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PFC_WD); i++) {
        const struct sonic_watchdog *watchdog = SONIC_AT(config, sonic_watchdog, SONIC_PFC_WD, i);
        const int64_t wanted[] = {poll[0], shortest}; /* so that no port needs another detection_time */
        check_time(lint, &watchdog->entry, "POLL_INTERVAL", watchdog->poll_ms, poll, wanted);
        if (watchdog->poll_ms >= poll[0] && watchdog->poll_ms <= poll[1])
            interval = watchdog->poll_ms;
        else if (watchdog->poll_ms != SONIC_ABSENT)
            interval = poll[0]; /* as it will be, or less */
    }
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PFC_WD); i++) {
        const struct sonic_watchdog *watchdog = SONIC_AT(config, sonic_watchdog, SONIC_PFC_WD, i);
        check_time(lint, &watchdog->entry, "detection_time", watchdog->detection_ms, detection, detection);
        check_time(lint, &watchdog->entry, "restoration_time", watchdog->restoration_ms, restoration, restoration);
        if (watchdog->detection_ms != SONIC_ABSENT && watchdog->detection_ms >= detection[0] &&
            watchdog->detection_ms < interval) {
            lint_report(lint, &watchdog->entry, "detection_time",
                        "%" PRId64 " ms is less than POLL_INTERVAL, %" PRId64 " ms", watchdog->detection_ms, interval);
            lint_mend_number(lint, &watchdog->entry, "detection_time", interval);
        }
        bool known = watchdog->action == NULL;
        for (uint32_t a = 0; a < 3 && !known; a++)
            known = strcmp(watchdog->action, actions[a]) == 0;
        if (!known) {
            lint_report(lint, &watchdog->entry, "action", "'%.40s' is no action", watchdog->action);
            lint_advise(lint, "expected drop, forward or alert");
        }
    }
}

void rule_pattern(struct lint *lint)
{
    for (uint32_t i = 0; i < SONIC_COUNT(lint->model->config, SONIC_LOSSLESS_TRAFFIC_PATTERN); i++) {
        const struct sonic_pattern *pattern =
            SONIC_AT(lint->model->config, sonic_pattern, SONIC_LOSSLESS_TRAFFIC_PATTERN, i);
        if (pattern->mtu != SONIC_ABSENT && (pattern->mtu < 64 || pattern->mtu > UINT16_MAX)) {
            lint_report(lint, &pattern->entry, "mtu", "%" PRId64 " is no MTU", pattern->mtu);
            lint_mend_number(lint, &pattern->entry, "mtu", 1024);
        }
        if (pattern->small_percent != SONIC_ABSENT && (pattern->small_percent < 0 || pattern->small_percent > 100)) {
            lint_report(lint, &pattern->entry, "small_packet_percentage", "%" PRId64 " is no percentage",
                        pattern->small_percent);
            lint_mend_number(lint, &pattern->entry, "small_packet_percentage", pattern->small_percent < 0 ? 0 : 100);
        }
    }
}

/* A class of this priority that some DSCP leads to. */
static bool is_reached(const struct maps *maps, const struct sonic_map *dscp, uint32_t priority)
{
    for (uint32_t code = 0; code < SONIC_MAP_MAX; code++) {
        int tc = dscp->to[code];
        if (tc >= 0 && (maps->groups != NULL ? maps->groups->to[tc] : tc) == (int)map_to(maps->guarded, priority))
            return true;
    }
    return false;
}

void rule_unreached(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PORT_QOS_MAP); i++) {
        struct maps maps = maps_of(lint, SONIC_AT(config, sonic_qos, SONIC_PORT_QOS_MAP, i));
        const struct sonic_map *dscp = sonic_find(config, SONIC_DSCP_TO_TC_MAP, maps.qos->dscp_map.name);
        if (dscp == NULL || maps.qos->pfc_mask == 0 || has_been(lint, i))
            continue;
        for (uint32_t p = 0; p < SONIC_PRIORITIES; p++) {
            if (!(maps.qos->pfc_mask >> p & 1) || is_reached(&maps, dscp, p))
                continue;
            lint_report(lint, &dscp->entry, NULL,
                        "no DSCP leads to the group of priority %u, which PFC pauses: its traffic travels in another "
                        "class, and is lost there",
                        p);
            lint_advise(lint, "map the DSCP of lossless traffic to a class of priority %u", p);
        }
    }
}

/* Ports that are up and have an entry of PORT_QOS_MAP, one after the other; null: no more. */
static const struct sonic_qos *next_port(const struct lint *lint, uint32_t *i, const struct sonic_port **port)
{
    const struct sonic_config *config = lint->model->config;
    while (*i < SONIC_COUNT(config, SONIC_PORT)) {
        *port = SONIC_AT(config, sonic_port, SONIC_PORT, (*i)++);
        const struct sonic_qos *qos = (*port)->status != SONIC_DOWN ? model_qos(lint->model, (*port)->name) : NULL;
        if (qos != NULL)
            return qos;
    }
    return NULL;
}

void rule_unmarked(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    const struct sonic_qos *qos;
    const struct sonic_port *port;
    bool any = false;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; (pass == 0 || any) && (qos = next_port(lint, &i, &port)) != NULL;)
            for (uint32_t left = rules_paused_queues(lint, qos); left != 0; left &= left - 1) {
                uint32_t queue = (uint32_t)__builtin_ctz(left);
                const struct sonic_use *use = sonic_find_use(config, SONIC_QUEUE, port->name, queue);
                bool has = use != NULL && use->profile.name != NULL;
                any |= has;
                if (pass == 0 || has)
                    continue;
                lint_report(
                    lint, use != NULL ? &use->entry : &qos->entry, NULL,
                    "PFC pauses queue %u, and it has no WRED profile, as others have: senders are paused before "
                    "they are marked",
                    queue);
                lint_advise(lint, "give queue %u of %.80s in QUEUE the wred_profile of the others", queue, port->name);
            }
}

void rule_unwatched(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    const struct sonic_qos *qos;
    const struct sonic_port *port;
    bool any_mask = false, any_port = false;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; (qos = next_port(lint, &i, &port)) != NULL;) {
            bool has = sonic_find_use(config, SONIC_PFC_WD, port->name, 0) != NULL;
            any_mask |= qos->watched_mask != 0;
            any_port |= has;
            uint32_t left = any_mask ? qos->pfc_mask & ~qos->watched_mask : 0;
            if (pass == 0 || qos->pfc_mask == 0 || (left == 0 && (has || !any_port)))
                continue;
            if (left != 0)
                lint_report(lint, &qos->entry, "pfcwd_sw_enable",
                            "PFC pauses priority %d, and no watchdog watches it: a storm stops the port for good",
                            __builtin_ctz(left));
            else
                lint_report(lint, &qos->entry, "pfc_enable",
                            "PFC_WD has other ports, and not this one: a storm stops it for good");
            lint_advise(lint, "watch %.80s as the others are", port->name);
        }
}

void rule_unmapped_port(struct lint *lint)
{
    static const char *const fields[] = {"dscp_to_tc_map", "tc_to_pg_map", "tc_to_queue_map"};
    const struct sonic_config *config = lint->model->config;
    const struct sonic_qos *qos;
    const struct sonic_port *port;
    uint32_t having[3] = {0}, ports = 0;
    for (uint32_t i = 0; (qos = next_port(lint, &i, &port)) != NULL; ports++) {
        having[0] += qos->dscp_map.name != NULL || qos->dot1p_map.name != NULL;
        having[1] += qos->pg_map.name != NULL;
        having[2] += qos->queue_map.name != NULL;
    }
    for (uint32_t i = 0; (qos = next_port(lint, &i, &port)) != NULL;) {
        const bool has[3] = {qos->dscp_map.name != NULL || qos->dot1p_map.name != NULL, qos->pg_map.name != NULL,
                             qos->queue_map.name != NULL};
        for (uint32_t f = 0; f < 3; f++) {
            if (has[f] || 2 * having[f] <= ports)
                continue;
            lint_report(lint, &qos->entry, NULL, "%.80s has no %s, which %u ports have: its packets are of class 0",
                        port->name, fields[f], having[f]);
            lint_advise(lint, "give it the map of the others");
        }
    }
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PORT); i++) {
        port = SONIC_AT(config, sonic_port, SONIC_PORT, i);
        if (port->status == SONIC_DOWN || port->entry.fields == NULL || model_qos(lint->model, port->name) != NULL ||
            4 * ports <= 3 * SONIC_COUNT(config, SONIC_PORT))
            continue;
        lint_report(lint, &port->entry, NULL, "PORT_QOS_MAP has %u ports, and not this one: nothing of it is lossless",
                    ports);
        lint_advise(lint, "give it an entry like the others");
    }
}

#define REPORTED_MAX 16u

void rule_lossy_profile(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    const struct sonic_qos *qos;
    const struct sonic_port *port;
    const struct sonic_profile *reported[REPORTED_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; (qos = next_port(lint, &i, &port)) != NULL;) {
        uint32_t paused = rules_paused_queues(lint, qos);
        for (uint32_t left = paused; left != 0; left &= left - 1) {
            uint32_t queue = (uint32_t)__builtin_ctz(left), same = SONIC_GROUPS, r = 0;
            const struct sonic_use *use = sonic_find_use(config, SONIC_BUFFER_QUEUE, port->name, queue);
            const struct sonic_profile *profile = use != NULL ? sonic_find_profile(config, use->profile.name) : NULL;
            for (uint32_t other = 0; profile != NULL && other < SONIC_PRIORITIES; other++) {
                const struct sonic_use *lossy =
                    paused >> other & 1 ? NULL : sonic_find_use(config, SONIC_BUFFER_QUEUE, port->name, other);
                if (lossy != NULL && sonic_find_profile(config, lossy->profile.name) == profile)
                    same = other;
            }
            while (r < count && reported[r] != profile)
                r++;
            if (same == SONIC_GROUPS || r < count || count == REPORTED_MAX)
                continue;
            reported[count++] = profile;
            lint_report(lint, &use->entry, "profile",
                        "PFC pauses queue %u, and it has the profile of queue %u, which it does not: %.80s drops at "
                        "the egress what the ingress has kept",
                        queue, same, profile->entry.key);
            lint_advise(lint, "give queue %u a profile of its own that is not limited", queue);
        }
    }
}
