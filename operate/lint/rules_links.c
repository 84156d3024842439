/*
 * rules_links.c - rules about what newer tables add: marks apart from drops, trimming, asymmetric PFC, link-layer
 * retry, the watchdog's history.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/lint/rules.h"

#define DSCPS 64
#define TRIM_LEAST 64           /* bytes: headers of an Ethernet, IP and UDP packet with RDMA's */
#define TRIM_MOST 9216          /* the longest packet */
#define METRES_PER_SECOND 198e6 /* in a cable, as SONiC's formula has it */
#define CONTROL_MOST 16384      /* bytes between acknowledgements, ctlos_spacing_bytes */

/* Makes the finding before less than its rule says. */
static void lessen(struct lint *lint, enum lint_severity severity)
{
    if (lint->findings.count > 0 && !lint->is_short)
        LINT_FINDINGS(lint)[lint->findings.count - 1].severity = severity;
}

/* A field of marks, by the name that the profile has it under. */
static const char *mark_field(char text[64], const struct sonic_wred *wred, enum sonic_colour colour, const char *what)
{
    snprintf(text, 64, "ecn_%s_%s", sonic_colours[colour], what);
    if (json_object_get(wred->entry.fields, text) == NULL)
        snprintf(text, 64, "%s_ect_%s", sonic_colours[colour], what);
    return text;
}

static void check_marks(struct lint *lint, const struct sonic_wred *wred, enum sonic_colour colour)
{
    char low[64], high[64], chance[64];
    int64_t least = wred->mark_least[colour], most = wred->mark_most[colour], percent = wred->mark_percent[colour];
    mark_field(low, wred, colour, "min_threshold");
    mark_field(high, wred, colour, "max_threshold");
    if (least == SONIC_ABSENT && most == SONIC_ABSENT)
        return;
    if (least == SONIC_ABSENT || most == SONIC_ABSENT) {
        lint_report(lint, &wred->entry, least != SONIC_ABSENT ? low : high, "there is no %s beside it",
                    least != SONIC_ABSENT ? high : low);
        lint_advise(lint, "give both or neither");
    } else if (least > most) {
        lint_report(lint, &wred->entry, low, "marks begin at %" PRId64 " B and end at %" PRId64 " B", least, most);
        lint_mend_number(lint, &wred->entry, low, most);
        lint_mend_number(lint, &wred->entry, high, least);
    } else if (sonic_wred_drops(wred, colour) && wred->most[colour] != SONIC_ABSENT && most > wred->most[colour]) {
        lint_report(lint, &wred->entry, high,
                    "all packets are marked from %" PRId64 " B on, and those without ECN dropped from %" PRId64
                    " B on: marks come after drops",
                    most, wred->most[colour]);
        lessen(lint, LINT_WARNING);
        lint_mend_number(lint, &wred->entry, high, wred->most[colour] > least ? wred->most[colour] : least);
    }
    if (!sonic_wred_marks(wred, colour)) {
        lint_report(lint, &wred->entry, least != SONIC_ABSENT ? low : high,
                    "ecn does not mark %s packets: this threshold never acts", sonic_colours[colour]);
        lint_mend_text(lint, &wred->entry, "ecn", "ecn_all");
    }
    if (percent != SONIC_ABSENT && percent > 100) {
        lint_report(lint, &wred->entry, mark_field(chance, wred, colour, "mark_probability"),
                    "%" PRId64 " is no percentage", percent);
        lint_mend_number(lint, &wred->entry, chance, 100);
    }
}

void rule_marks(struct lint *lint)
{
    for (uint32_t i = 0; i < SONIC_COUNT(lint->model->config, SONIC_WRED_PROFILE); i++)
        for (uint32_t c = 0; c < SONIC_COLOURS; c++)
            check_marks(lint, SONIC_AT(lint->model->config, sonic_wred, SONIC_WRED_PROFILE, i), (enum sonic_colour)c);
}

/* A number below `end`, or SONIC_ABSENT. */
static int64_t small_number(const char *text, int64_t end)
{
    char *stop;
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return SONIC_ABSENT;
    int64_t number = strtoll(text, &stop, 10);
    return *stop == '\0' && number < end ? number : SONIC_ABSENT;
}

static bool is_word(const char *text, const char *word)
{
    return text != NULL && strcmp(text, word) == 0;
}

static bool any_queue_trims(const struct sonic_config *config)
{
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_QUEUE); i++) {
        const struct sonic_profile *profile =
            sonic_find_profile(config, SONIC_AT(config, sonic_use, SONIC_BUFFER_QUEUE, i)->profile.name);
        if (profile != NULL && profile->discard == SONIC_TRIMMED)
            return true;
    }
    return false;
}

/* from-tc: the class of a trimmed packet gets its DSCP by TC_TO_DSCP_MAP of its port. */
static void check_class_dscp(struct lint *lint, const struct sonic_trimming *trimming)
{
    const struct sonic_config *config = lint->model->config;
    if (trimming->tc == SONIC_ABSENT || trimming->tc >= SONIC_GROUPS) {
        lint_report(lint, &trimming->entry, "dscp_value", "from-tc takes the DSCP of a class, and tc_value names none");
        lint_advise(lint, "set tc_value to a class of TC_TO_DSCP_MAP");
        return;
    }
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PORT_QOS_MAP); i++) {
        const struct sonic_qos *qos = SONIC_AT(config, sonic_qos, SONIC_PORT_QOS_MAP, i);
        const struct sonic_map *map = sonic_find(config, SONIC_TC_TO_DSCP_MAP, qos->tc_dscp_map.name);
        if (map != NULL && map->to[trimming->tc] >= 0)
            continue;
        lint_report(lint, &qos->entry, map == NULL ? NULL : "tc_to_dscp_map",
                    "trimmed packets get the DSCP of class %" PRId64 ", and these ports have no %s for it",
                    trimming->tc, map == NULL ? "tc_to_dscp_map" : "entry of TC_TO_DSCP_MAP");
        lint_advise(lint, "map class %" PRId64 " to a DSCP at the ports that packets leave by", trimming->tc);
    }
}

static void check_trimming(struct lint *lint, const struct sonic_trimming *trimming)
{
    const struct sonic_entry *entry = &trimming->entry;
    if (strcmp(entry->key, "GLOBAL") != 0) {
        lint_report(lint, entry, NULL, "the table has one entry, GLOBAL: orchagent takes no other");
        lint_advise(lint, "name it GLOBAL");
        return;
    }
    if (trimming->size != SONIC_ABSENT && (trimming->size < TRIM_LEAST || trimming->size > TRIM_MOST)) {
        lint_report(lint, entry, "size", "%" PRId64 " B %s", trimming->size,
                    trimming->size < TRIM_LEAST ? "do not hold the headers of a packet"
                                                : "are more than any packet has: nothing is trimmed");
        lint_mend_number(lint, entry, "size", 128);
    }
    if (trimming->dscp != NULL && !is_word(trimming->dscp, "from-tc") &&
        small_number(trimming->dscp, DSCPS) == SONIC_ABSENT) {
        lint_report(lint, entry, "dscp_value", "'%.40s' is no DSCP (expected 0 to 63, or from-tc)", trimming->dscp);
        lint_advise(lint, "give a DSCP that no other packet has, so that receivers know trimmed ones");
    } else if (trimming->dscp == NULL) {
        lint_report(lint, entry, NULL, "there is no dscp_value: receivers cannot tell trimmed packets from others");
        lessen(lint, LINT_WARNING);
        lint_advise(lint, "give a DSCP that no other packet has");
    }
    if (trimming->queue != NULL && !is_word(trimming->queue, "dynamic") &&
        small_number(trimming->queue, SONIC_GROUPS) == SONIC_ABSENT) {
        lint_report(lint, entry, "queue_index", "'%.40s' is no queue (expected 0 to 15, or dynamic)", trimming->queue);
        lint_advise(lint, "name a queue of high priority");
    }
    if (is_word(trimming->dscp, "from-tc"))
        check_class_dscp(lint, trimming);
    else if (trimming->tc != SONIC_ABSENT) {
        lint_report(lint, entry, "tc_value", "class %" PRId64 " counts with a dscp_value of from-tc only",
                    trimming->tc);
        lessen(lint, LINT_NOTE);
        lint_mend_text(lint, entry, "tc_value", NULL);
    }
    if (SONIC_COUNT(lint->model->config, SONIC_BUFFER_QUEUE) > 0 && !any_queue_trims(lint->model->config)) {
        lint_report(lint, entry, NULL, "no queue has a profile with packet_discard_action trim: nothing is trimmed");
        lessen(lint, LINT_WARNING);
        lint_advise(lint, "set it in the profile of lossy queues");
    }
}

void rule_trimming(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_SWITCH_TRIMMING); i++)
        check_trimming(lint, SONIC_AT(config, sonic_trimming, SONIC_SWITCH_TRIMMING, i));
    for (uint32_t i = 0;
         i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE) && SONIC_COUNT(config, SONIC_DEVICE_METADATA) > 0; i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        if (profile->discard != SONIC_TRIMMED || SONIC_COUNT(config, SONIC_SWITCH_TRIMMING) > 0)
            continue;
        lint_report(lint, &profile->entry, "packet_discard_action",
                    "the profile trims, and SWITCH_TRIMMING says neither to what size nor into which queue");
        lessen(lint, LINT_WARNING);
        lint_advise(lint, "add SWITCH_TRIMMING|GLOBAL with size, dscp_value and queue_index");
    }
}

/* Queues of a port that trimmed packets may travel in, as bits. */
static uint32_t trimmed_queues(const struct lint *lint, const struct sonic_trimming *trimming,
                               const struct sonic_qos *qos)
{
    const struct sonic_config *config = lint->model->config;
    const struct sonic_map *queues = sonic_find(config, SONIC_TC_TO_QUEUE_MAP, qos->queue_map.name);
    const struct sonic_map *classes = sonic_find(config, SONIC_DSCP_TO_TC_MAP, qos->dscp_map.name);
    int64_t queue = small_number(trimming->queue, SONIC_GROUPS), dscp = small_number(trimming->dscp, DSCPS), tc;
    if (queue != SONIC_ABSENT)
        return 1u << queue;
    if (is_word(trimming->dscp, "from-tc"))
        tc = trimming->tc;
    else
        tc = dscp != SONIC_ABSENT && classes != NULL ? classes->to[dscp] : SONIC_ABSENT;
    if (tc < 0 || tc >= SONIC_GROUPS || queues == NULL || queues->to[tc] < 0)
        return 0;
    return 1u << queues->to[tc];
}

static void check_trimmed_port(struct lint *lint, const struct sonic_trimming *trimming, const struct sonic_qos *qos,
                               const struct sonic_port *port)
{
    const struct sonic_config *config = lint->model->config;
    uint32_t into = trimming != NULL ? trimmed_queues(lint, trimming, qos) : 0, paused = rules_paused_queues(lint, qos);
    for (uint32_t queue = 0; queue < SONIC_GROUPS; queue++) {
        const struct sonic_use *use = sonic_find_use(config, SONIC_BUFFER_QUEUE, port->name, queue);
        const struct sonic_profile *profile = use != NULL ? sonic_find_profile(config, use->profile.name) : NULL;
        bool trims = profile != NULL && profile->discard == SONIC_TRIMMED;
        if (trims && paused >> queue & 1) {
            lint_report(lint, &use->entry, "profile",
                        "PFC pauses queue %u, and %.80s trims: a packet of a lossless class that finds no room is cut "
                        "instead of being a loss that PFC was to prevent",
                        queue, profile->entry.key);
            lint_advise(lint, "give queue %u a profile that drops", queue);
        } else if (trims && into >> queue & 1) {
            lint_report(lint, &use->entry, "profile",
                        "trimmed packets travel in queue %u, which trims itself: when it is full they wait behind the "
                        "packets that filled it, and are lost",
                        queue);
            lint_advise(lint, "send trimmed packets by a queue of higher priority with a profile that drops");
        }
    }
    if ((into & paused) != 0) {
        lint_report(lint, &trimming->entry, trimming->queue != NULL ? "queue_index" : "dscp_value",
                    "trimmed packets travel in queue %d of %.80s, which PFC pauses: they wait for what they report",
                    __builtin_ctz(into & paused), port->name);
        lint_advise(lint, "name a queue that PFC does not pause");
    }
}

void rule_trimmed_queue(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    const struct sonic_trimming *trimming = sonic_find(config, SONIC_SWITCH_TRIMMING, "GLOBAL");
    bool any = trimming != NULL;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        const struct sonic_pool *pool = sonic_find_pool(config, profile->pool.name);
        any |= profile->discard == SONIC_TRIMMED;
        if (profile->discard != SONIC_TRIMMED || pool == NULL || pool->side != SONIC_INGRESS)
            continue;
        lint_report(lint, &profile->entry, "packet_discard_action",
                    "%.80s is an ingress pool, and queues trim: the field has no effect here", pool->entry.key);
        lint_mend_text(lint, &profile->entry, "packet_discard_action", NULL);
    }
    for (uint32_t i = 0; any && i < SONIC_COUNT(config, SONIC_PORT); i++) {
        const struct sonic_port *port = SONIC_AT(config, sonic_port, SONIC_PORT, i);
        const struct sonic_qos *qos = port->status != SONIC_DOWN ? model_qos(lint->model, port->name) : NULL;
        if (qos != NULL)
            check_trimmed_port(lint, trimming, qos, port);
    }
}

void rule_asymmetric(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PORT); i++) {
        const struct sonic_port *port = SONIC_AT(config, sonic_port, SONIC_PORT, i);
        if (port->pfc_asym != SONIC_ASYMMETRIC || port->status == SONIC_DOWN || port->entry.fields == NULL)
            continue;
        const struct sonic_qos *qos = model_qos(lint->model, port->name);
        uint32_t watched = qos != NULL ? qos->watched_mask : 0, all = (1u << SONIC_PRIORITIES) - 1;
        if (qos == NULL || qos->pfc_mask == 0) {
            lint_report(lint, &port->entry, "pfc_asym",
                        "the peer may pause all priorities of %.80s, which itself pauses none: pfc_enable is empty",
                        port->name);
            lint_advise(lint, "give the port pfc_enable, or turn pfc_asym off");
        } else if (watched != all) {
            lint_report(lint, &port->entry, "pfc_asym",
                        "the peer may pause all priorities of %.80s, and no watchdog watches priority %d: a storm "
                        "there stops a lossy queue for good",
                        port->name, __builtin_ctz(all & ~watched));
            lint_advise(lint,
                        "watch all queues of %.80s, or turn pfc_asym off where the peer pauses lossless "
                        "priorities only",
                        port->name);
        }
    }
}

struct retry_range {
    const char *field;
    size_t offset;
    int64_t least, most;
};

static void check_retry_profile(struct lint *lint, const struct sonic_llr_profile *profile)
{
    static const struct retry_range ranges[] = {
        {"max_outstanding_frames", offsetof(struct sonic_llr_profile, frames), 0, 524288},
        {"max_outstanding_bytes", offsetof(struct sonic_llr_profile, bytes), 0, UINT32_MAX},
        {"max_replay_count", offsetof(struct sonic_llr_profile, replays), 1, 255},
        {"max_replay_timer", offsetof(struct sonic_llr_profile, replay_ns), 0, 65535},
        {"pcs_lost_timeout", offsetof(struct sonic_llr_profile, lost_ns), 0, 4290000000},
        {"data_age_timeout", offsetof(struct sonic_llr_profile, age_ns), 0, 4290000000},
        {"ctlos_spacing_bytes", offsetof(struct sonic_llr_profile, spacing), 400, 16384},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        int64_t value = *(const int64_t *)(const void *)((const char *)profile + ranges[i].offset);
        if (value == SONIC_ABSENT || (value >= ranges[i].least && value <= ranges[i].most))
            continue;
        lint_report(lint, &profile->entry, ranges[i].field, "%" PRId64 " is not within %" PRId64 " and %" PRId64, value,
                    ranges[i].least, ranges[i].most);
        lint_mend_number(lint, &profile->entry, ranges[i].field,
                         value < ranges[i].least ? ranges[i].least : ranges[i].most);
    }
}

/* What a link holds until a frame sent is acknowledged: the cable twice, a frame at each end, and what passes until the
 * next acknowledgement. */
static int64_t round_trip_bytes(const struct lint *lint, const struct sonic_port *port,
                                const struct sonic_llr_profile *profile)
{
    int64_t speed = model_speed(lint->model, port);
    double cable = model_cable(lint->model, port);
    if (speed == SONIC_ABSENT || cable < 0)
        return SONIC_ABSENT;
    int64_t spacing = profile->spacing >= 0 && profile->spacing <= CONTROL_MOST ? profile->spacing : 2048;
    return llround(2 * cable / METRES_PER_SECOND * (double)speed * 1e6 / 8) + 2 * model_mtu(port) + spacing;
}

void rule_retry(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_LLR_PROFILE); i++)
        check_retry_profile(lint, SONIC_AT(config, sonic_llr_profile, SONIC_LLR_PROFILE, i));
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_LLR_PORT); i++) {
        const struct sonic_llr_port *retry = SONIC_AT(config, sonic_llr_port, SONIC_LLR_PORT, i);
        const struct sonic_llr_profile *profile = sonic_find(config, SONIC_LLR_PROFILE, retry->profile.name);
        const struct sonic_port *port = sonic_find_port(config, retry->of.ports[0]);
        bool is_static = retry->mode <= 1, local = retry->local == 1, remote = retry->remote == 1;
        if (is_static && local != remote) {
            lint_report(lint, &retry->entry, local ? "llr_remote" : "llr_local", "%.80s %s", retry->entry.key,
                        local ? "receives with LLR, and sends without it" : "sends with LLR, and receives without it");
            lessen(lint, LINT_WARNING);
            lint_mend_text(lint, &retry->entry, local ? "llr_remote" : "llr_local", "enabled");
        }
        if (profile == NULL || port == NULL || profile->bytes == SONIC_ABSENT)
            continue;
        int64_t holds = round_trip_bytes(lint, port, profile);
        if (holds == SONIC_ABSENT || profile->bytes >= holds)
            continue;
        lint_report(lint, &profile->entry, "max_outstanding_bytes",
                    "%.80s has up to %" PRId64 " B on its way before an acknowledgement is back (2 x %.3g m at %" PRId64
                    " Mb/s, two frames, their spacing); %" PRId64 " B stop it between acknowledgements",
                    port->name, holds, model_cable(lint->model, port), model_speed(lint->model, port), profile->bytes);
        lessen(lint, LINT_WARNING);
        lint_mend_number(lint, &profile->entry, "max_outstanding_bytes", holds);
    }
}

void rule_history(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PFC_WD); i++) {
        const struct sonic_watchdog *watchdog = SONIC_AT(config, sonic_watchdog, SONIC_PFC_WD, i);
        if (watchdog->history == 0)
            continue;
        if (strcmp(watchdog->entry.key, "GLOBAL") == 0) {
            lint_report(lint, &watchdog->entry, "pfc_stat_history", "the history is kept by port: GLOBAL has none");
            lint_mend_text(lint, &watchdog->entry, "pfc_stat_history", NULL);
            continue;
        }
        const struct sonic_qos *qos = model_qos(lint->model, watchdog->of.ports[0]);
        if (watchdog->history != 1 || !lint->model->has_qos || (qos != NULL && qos->pfc_mask != 0))
            continue;
        lint_report(lint, &watchdog->entry, "pfc_stat_history", "PFC pauses no priority of %.80s: its history is empty",
                    watchdog->entry.key);
        lessen(lint, LINT_NOTE);
        lint_mend_text(lint, &watchdog->entry, "pfc_stat_history", "disable");
    }
}
