/*
 * rules_qos.c - rules about classes: maps, schedulers, ECN, egress queues of lossless classes, the PFC watchdog.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sonic/rules.h"

#define ALPHA_UNLIMITED 3 /* dynamic_th of 3 lets one queue have 8/9 of the pool */

static const struct sonic_group *find_group(const struct lint *lint, const char *port, uint32_t number)
{
    const struct sonic_group *groups = MODEL_GROUPS(lint->model);
    for (uint32_t i = 0; i < lint->model->groups.count; i++)
        if (groups[i].number == number && strcmp(groups[i].port->name, port) == 0)
            return &groups[i];
    return NULL;
}

/* What a map has for a number; without a map, the number itself. */
static uint32_t map_to(const struct sonic_map *map, uint32_t from)
{
    return map != NULL && map->to[from] >= 0 ? (uint32_t)map->to[from] : from;
}

void rule_lossless_queue(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    int64_t pipes = lint->model->platform.pipes != SONIC_ABSENT ? lint->model->platform.pipes : 1;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        const struct sonic_pool *pool = sonic_find_pool(config, profile->pool.name);
        const struct sonic_use *of = NULL;
        for (uint32_t u = 0; pool != NULL && u < SONIC_COUNT(config, SONIC_BUFFER_QUEUE) && of == NULL; u++) {
            const struct sonic_use *use = SONIC_AT(config, sonic_use, SONIC_BUFFER_QUEUE, u);
            if (use->profile.name == NULL || use->of.is_remote || strcmp(use->profile.name, profile->entry.key) != 0)
                continue;
            const struct sonic_qos *qos = model_qos(lint->model, use->of.ports[0]);
            const struct sonic_map *map =
                qos != NULL ? sonic_find(config, SONIC_PFC_TO_QUEUE_MAP, qos->pfc_queue_map.name) : NULL;
            for (uint32_t p = 0; qos != NULL && p < SONIC_PRIORITIES; p++)
                if ((qos->pfc_mask >> p & 1) && sonic_key_has(&use->of, use->of.ports[0], map_to(map, p)))
                    of = use;
        }
        if (of == NULL)
            continue;
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
}

void rule_maps(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PORT_QOS_MAP); i++) {
        const struct sonic_qos *qos = SONIC_AT(config, sonic_qos, SONIC_PORT_QOS_MAP, i);
        const struct sonic_map *groups = sonic_find(config, SONIC_TC_TO_PG_MAP, qos->pg_map.name);
        const struct sonic_map *queues = sonic_find(config, SONIC_TC_TO_QUEUE_MAP, qos->queue_map.name);
        const struct sonic_map *paused = sonic_find(config, SONIC_PFC_TO_QUEUE_MAP, qos->pfc_queue_map.name);
        const struct sonic_map *guarded = sonic_find(config, SONIC_PFC_TO_PG_MAP, qos->pfc_pg_map.name);
        for (uint32_t p = 0; p < SONIC_PRIORITIES; p++) {
            if (!(qos->pfc_mask >> p & 1) || queues == NULL || groups == NULL)
                continue;
            for (uint32_t tc = 0; tc < SONIC_GROUPS; tc++) {
                if (queues->to[tc] != (int8_t)map_to(paused, p) || groups->to[tc] < 0 ||
                    (uint32_t)groups->to[tc] == map_to(guarded, p))
                    continue;
                lint_report(
                    lint, &qos->entry, "tc_to_pg_map",
                    "traffic class %u leaves by queue %d, which PFC priority %u pauses, but comes in by group %d, "
                    "not %u",
                    tc, queues->to[tc], p, groups->to[tc], map_to(guarded, p));
                lint_advise(lint, "map class %u to group %u in TC_TO_PRIORITY_GROUP_MAP|%.80s", tc, map_to(guarded, p),
                            groups->entry.key);
            }
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
static int64_t find_xoff_point(const struct lint *lint, const struct sonic_wred *wred, const struct sonic_group **which)
{
    const struct sonic_config *config = lint->model->config;
    int64_t lowest = SONIC_ABSENT;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_QUEUE); i++) {
        const struct sonic_use *use = SONIC_AT(config, sonic_use, SONIC_QUEUE, i);
        if (use->profile.name == NULL || use->of.is_remote || strcmp(use->profile.name, wred->entry.key) != 0)
            continue;
        for (uint32_t q = use->of.first; q <= use->of.last && q < SONIC_PRIORITIES; q++) {
            const struct sonic_group *group = find_group(lint, use->of.ports[0], q);
            if (group == NULL || group->source > SONIC_FROM_FORMULA)
                continue;
            int64_t point = model_alone(lint->model, group->pool, group->dynamic_th,
                                        group->profile != NULL ? group->profile->static_th : SONIC_ABSENT);
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
        lint_report(lint, &wred->entry, "green_max_threshold",
                    "Kmax of %" PRId64 " B is not below %" PRId64 " B, where group %u of %.80s pauses even alone%s%s",
                    wred->most[SONIC_GREEN], point, group->number, group->port->name,
                    lint->model->platform.pipes > 1 ? " in its pipe" : "",
                    least >= point ? "; Kmin is not either, so nothing is marked before" : "");
        int64_t wanted = lint_round_down(lint, point - 1);
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

static void check_time(struct lint *lint, const struct sonic_entry *entry, const char *field, int64_t value,
                       const int64_t range[2])
{
    if (value == SONIC_ABSENT || (value >= range[0] && value <= range[1]))
        return;
    lint_report(lint, entry, field, "%" PRId64 " ms is not within %" PRId64 " and %" PRId64 " ms", value, range[0],
                range[1]);
    lint_mend_number(lint, entry, field, value < range[0] ? range[0] : range[1]);
}

void rule_watchdog(struct lint *lint)
{
    static const int64_t detection[] = {100, 5000}, restoration[] = {100, 60000}, poll[] = {100, 1000};
    static const char *const actions[] = {"drop", "forward", "alert"};
    const struct sonic_config *config = lint->model->config;
    int64_t interval = SONIC_POLL_DEFAULT;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PFC_WD); i++) {
        const struct sonic_watchdog *watchdog = SONIC_AT(config, sonic_watchdog, SONIC_PFC_WD, i);
        check_time(lint, &watchdog->entry, "POLL_INTERVAL", watchdog->poll_ms, poll);
        if (watchdog->poll_ms != SONIC_ABSENT)
            interval = watchdog->poll_ms;
    }
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PFC_WD); i++) {
        const struct sonic_watchdog *watchdog = SONIC_AT(config, sonic_watchdog, SONIC_PFC_WD, i);
        check_time(lint, &watchdog->entry, "detection_time", watchdog->detection_ms, detection);
        check_time(lint, &watchdog->entry, "restoration_time", watchdog->restoration_ms, restoration);
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
