/*
 * judge.c - what a switch counted beside what it is set to.
 *
 * A group pauses when its part of the shared pool reaches its threshold: alone at alpha B / (1 + alpha) of the pool B
 * of its pipe, beside others that hold H at alpha (B - H) / (1 + alpha). Watermarks need not be of one moment, so that
 * the second is the least that it may be; between both the counters do not tell.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/counters/counters.h"

#define NEAR 0.9         /* of a limit: a warning */
#define PACKET_MOST 9216 /* bytes: what a group takes in the moment in which it pauses */
#define TEXT_MAX 320u
#define WHERE_MAX 160u

struct judging {
    struct counters_judgement *judgement;
    const struct counters *counters;
    const struct sonic_model *model;
    int64_t *held; /* of each pool, bytes: all watermarks of its groups */
    bool is_short;
};

static int64_t most_of(const struct judging *judging, enum counters_kind kind, const char *object, uint32_t index)
{
    const struct counters_series *series = counters_find(judging->counters, kind, object, index);
    return series != NULL ? series->most : SONIC_ABSENT;
}

/* A count as it grew: since the first look, or, of one look, all of it. */
static int64_t growth_of(const struct judging *judging, enum counters_kind kind, const char *object, uint32_t index)
{
    const struct counters_series *series = counters_find(judging->counters, kind, object, index);
    if (series == NULL)
        return SONIC_ABSENT;
    return series->samples > 1 && series->last >= series->first ? series->last - series->first : series->last;
}

__attribute__((format(printf, 5, 6))) static void add_alarm(struct judging *judging, enum alarm_level level,
                                                            const char *where, const char *mend, const char *format,
                                                            ...)
{
    char text[TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct arena *arena = &judging->judgement->arena;
    struct counters_alarm *alarm = sonic_list_add(&judging->judgement->alarms, sizeof *alarm);
    if (alarm != NULL)
        *alarm = (struct counters_alarm){.level = level,
                                         .where = arena_text(arena, where, strlen(where)),
                                         .text = arena_text(arena, text, strlen(text)),
                                         .mend = mend};
    judging->is_short |= alarm == NULL || alarm->where == NULL || alarm->text == NULL;
}

static const struct sonic_pool *pool_of(const struct judging *judging, const char *port, uint32_t group)
{
    const struct sonic_model *model = judging->model;
    const struct sonic_port *of = sonic_find_port(model->config, port);
    const struct sonic_group *lossless = of != NULL ? model_group(model, of, group) : NULL;
    if (lossless != NULL)
        return lossless->pool;
    const struct sonic_use *use = sonic_find_use(model->config, SONIC_BUFFER_PG, port, group);
    const struct sonic_profile *profile = use != NULL ? sonic_find_profile(model->config, use->profile.name) : NULL;
    return profile != NULL ? sonic_find_pool(model->config, profile->pool.name) : NULL;
}

static uint32_t number_of(const struct judging *judging, const struct sonic_pool *pool)
{
    return (uint32_t)(pool - SONIC_AT(judging->model->config, sonic_pool, SONIC_BUFFER_POOL, 0));
}

static void sum_held(struct judging *judging)
{
    for (uint32_t i = 0; i < judging->counters->series.count; i++) {
        const struct counters_series *series = &COUNTERS_SERIES(judging->counters)[i];
        const struct sonic_pool *pool =
            series->kind == COUNTERS_SHARED ? pool_of(judging, series->object, series->index) : NULL;
        if (pool != NULL && judging->held[number_of(judging, pool)] < INT64_MAX / 2)
            judging->held[number_of(judging, pool)] += series->most < INT64_MAX / 4 ? series->most : INT64_MAX / 4;
    }
}

/* What a group holds when it pauses while the others hold all that they ever held. */
static int64_t pauses_together(const struct judging *judging, const struct counters_group *own)
{
    const struct sonic_group *group = own->group;
    int64_t pipes = judging->model->platform.pipes > 0 ? judging->model->platform.pipes : 1;
    if (group->dynamic_th == SONIC_ABSENT || group->dynamic_th < -8 || group->dynamic_th > 7 || own->alone <= 0)
        return own->alone; /* a threshold that does not fall */
    double alpha = ldexp(1, (int)group->dynamic_th), pool = (double)own->alone * (1 + alpha) / alpha;
    double others = (double)(judging->held[number_of(judging, group->pool)] - own->shared) / (double)pipes;
    return (int64_t)fmax(0, (double)own->alone * (1 - others / pool));
}

static enum counters_verdict verdict_of(const struct judging *judging, const struct counters_group *group)
{
    int64_t cell = judging->model->platform.cell > 0 ? judging->model->platform.cell : 1;
    if (group->shared == SONIC_ABSENT || group->alone == SONIC_ABSENT)
        return COUNTERS_UNKNOWN;
    return group->shared > group->alone + PACKET_MOST + 2 * cell ? COUNTERS_BEYOND
           : group->shared >= group->alone - cell                ? COUNTERS_PAUSE
           : group->shared >= group->together                    ? COUNTERS_PERHAPS
                                                                 : COUNTERS_NO_PAUSE;
}

static double share_of(int64_t held, int64_t limit)
{
    return held == SONIC_ABSENT || limit == SONIC_ABSENT || limit <= 0 ? 0 : (double)held / (double)limit;
}

static void alarm_group(struct judging *judging, const struct counters_group *group)
{
    char where[WHERE_MAX];
    const struct sonic_group *of = group->group;
    snprintf(where, sizeof where, "%.100s PG %u", of->port->name, of->number);
    if (group->dropped > 0)
        add_alarm(judging, ALARM_ERROR, where, "raise xoff: weir headroom says what the link needs",
                  "%" PRId64 " packets of a lossless group were dropped at the ingress", group->dropped);
    if (share_of(group->headroom, group->xoff) >= 1)
        add_alarm(judging, ALARM_ERROR, where, "raise xoff, or find why the peer stops late (cable, MTU, firmware)",
                  "headroom was full: %" PRId64 " of %" PRId64 " B", group->headroom, group->xoff);
    else if (share_of(group->headroom, group->xoff) >= NEAR)
        add_alarm(judging, ALARM_WARNING, where, "raise xoff before it is full: weir headroom says what the link needs",
                  "headroom was %.0f %% full: %" PRId64 " of %" PRId64 " B",
                  100 * share_of(group->headroom, group->xoff), group->headroom, group->xoff);
    if (group->verdict == COUNTERS_BEYOND)
        add_alarm(judging, ALARM_WARNING, where,
                  "compare this file with the running configuration, and counts with --compare (weir evaluate)",
                  "it held %" PRId64 " B of the shared pool, %" PRId64 " B more than this configuration lets it: the "
                  "switch runs another one, or the chip is not as the platform says",
                  group->shared, group->shared - group->alone);
    if ((group->sent > 0 || group->headroom > 0) && group->verdict == COUNTERS_NO_PAUSE)
        add_alarm(judging, share_of(group->shared, group->together) < 0.5 ? ALARM_WARNING : ALARM_NOTE, where,
                  "look whether watermarks were cleared since; else compare with the running configuration",
                  "it paused, and held %" PRId64 " B at most: this configuration pauses at %" PRId64 " B beside all "
                  "other watermarks",
                  group->shared, group->together);
    if (group->sent == 0 && group->verdict == COUNTERS_PAUSE)
        add_alarm(judging, ALARM_WARNING, where, "look whether pfc_enable is in force: show pfc priority",
                  "it held %" PRId64 " B, at which this configuration pauses, and sent no pause", group->shared);
}

static void judge_groups(struct judging *judging)
{
    const struct sonic_model *model = judging->model;
    for (uint32_t i = 0; i < model->groups.count; i++) {
        const struct sonic_group *of = &MODEL_GROUPS(model)[i];
        const char *port = of->port->name;
        struct counters_group group = {.group = of,
                                       .shared = most_of(judging, COUNTERS_SHARED, port, of->number),
                                       .headroom = most_of(judging, COUNTERS_HEADROOM, port, of->number),
                                       .dropped = growth_of(judging, COUNTERS_DROPPED, port, of->number),
                                       .sent = growth_of(judging, COUNTERS_PFC_SENT, port, of->number),
                                       .xoff = of->xoff,
                                       .together = SONIC_ABSENT};
        if (group.shared == SONIC_ABSENT && group.headroom == SONIC_ABSENT && group.dropped == SONIC_ABSENT &&
            group.sent == SONIC_ABSENT)
            continue;
        group.alone =
            model_alone(model, of->pool, of->dynamic_th, of->profile != NULL ? of->profile->static_th : SONIC_ABSENT);
        if (group.alone != SONIC_ABSENT && group.shared != SONIC_ABSENT)
            group.together = pauses_together(judging, &group);
        group.verdict = verdict_of(judging, &group);
        group.part = fmax(share_of(group.shared, group.alone), share_of(group.headroom, group.xoff));
        alarm_group(judging, &group);
        struct counters_group *added = sonic_list_add(&judging->judgement->groups, sizeof *added);
        judging->is_short |= added == NULL;
        if (added != NULL)
            *added = group;
    }
}

static void judge_queue(struct judging *judging, const struct sonic_use *use, const char *port, uint32_t number)
{
    const struct sonic_model *model = judging->model;
    const struct sonic_profile *profile = sonic_find_profile(model->config, use->profile.name);
    const struct sonic_pool *pool = profile != NULL ? sonic_find_pool(model->config, profile->pool.name) : NULL;
    struct counters_queue queue = {.port = port,
                                   .queue = number,
                                   .held = most_of(judging, COUNTERS_QUEUE, port, number),
                                   .dropped = growth_of(judging, COUNTERS_QUEUE_DROPPED, port, number),
                                   .sent = growth_of(judging, COUNTERS_QUEUE_SENT, port, number),
                                   .marked = growth_of(judging, COUNTERS_MARKED, port, number),
                                   .limit = SONIC_ABSENT};
    char where[WHERE_MAX];
    if (queue.held == SONIC_ABSENT && queue.dropped == SONIC_ABSENT && queue.sent == SONIC_ABSENT &&
        queue.marked == SONIC_ABSENT)
        return;
    if (profile != NULL)
        queue.limit = model_alone(model, pool, profile->dynamic_th, profile->static_th);
    queue.part = share_of(queue.held, queue.limit);
    bool is_lossless = model_pfc_mask(model, port) >> number & 1;
    snprintf(where, sizeof where, "%.100s queue %u", port, number);
    if (is_lossless && queue.dropped > 0)
        add_alarm(judging, ALARM_ERROR, where,
                  "weir lint names queues that limit lossless classes, and WRED that drops",
                  "%" PRId64 " packets of a queue that PFC pauses were dropped", queue.dropped);
    int64_t pauses = growth_of(judging, COUNTERS_PFC_SENT, port, number);
    if (is_lossless && queue.marked == 0 && pauses > 0)
        add_alarm(judging, ALARM_WARNING, where, "weir tune searches Kmin and Kmax that mark before PFC pauses",
                  "%" PRId64 " pauses were sent and no packet was marked: senders are stopped before they slow down",
                  pauses);
    struct counters_queue *added = sonic_list_add(&judging->judgement->queues, sizeof *added);
    judging->is_short |= added == NULL;
    if (added != NULL)
        *added = queue;
}

static void judge_queues(struct judging *judging)
{
    const struct sonic_config *config = judging->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_QUEUE); i++) {
        const struct sonic_use *use = SONIC_AT(config, sonic_use, SONIC_BUFFER_QUEUE, i);
        for (uint32_t p = 0; p < use->of.count && !use->of.is_remote; p++)
            for (uint32_t queue = use->of.first; queue <= use->of.last; queue++)
                judge_queue(judging, use, use->of.ports[p], queue);
    }
}

static void judge_port(struct judging *judging, const struct counters_series *series)
{
    const struct sonic_model *model = judging->model;
    char where[WHERE_MAX];
    if (sonic_find_port(model->config, series->object) == NULL)
        return; /* of another switch: show says how many */
    if (series->kind == COUNTERS_STORMS && series->last > 0) {
        snprintf(where, sizeof where, "%.100s queue %u", series->object, series->index);
        add_alarm(judging, ALARM_ERROR, where,
                  "find the peer that does not stop pausing: its NIC, or its own congestion",
                  "the watchdog detected %" PRId64 " storms of pauses", series->last);
    }
    int64_t heard = growth_of(judging, COUNTERS_PFC_HEARD, series->object, series->index);
    const struct sonic_port *port = sonic_find_port(model->config, series->object);
    if (series->kind == COUNTERS_PFC_HEARD && heard > 0 && model->has_qos && port->pfc_asym != SONIC_ASYMMETRIC &&
        !(model_pfc_mask(model, series->object) >> series->index & 1)) {
        snprintf(where, sizeof where, "%.100s priority %u", series->object, series->index);
        add_alarm(judging, ALARM_WARNING, where, "give both ends the same pfc_enable",
                  "the peer sent %" PRId64 " pauses of a priority that is not in pfc_enable: they are not obeyed",
                  heard);
    }
}

static void judge_pool(struct judging *judging, const struct counters_series *series)
{
    const struct sonic_pool *pool = sonic_find_pool(judging->model->config, series->object);
    bool is_headroom = series->kind == COUNTERS_POOL_HEADROOM;
    int64_t size = pool == NULL ? SONIC_ABSENT : is_headroom ? model_headroom_pool(judging->model, pool) : pool->size;
    double part = share_of(series->most, size);
    if (part < NEAR)
        return;
    add_alarm(judging, part >= 1 && is_headroom ? ALARM_ERROR : ALARM_WARNING, series->object,
              is_headroom ? "weir suggest --goal no-loss makes room for groups that are in headroom at once"
                          : "lower alpha of groups and queues that hold most, or give the pool more",
              "%s was %.0f %% full: %" PRId64 " of %" PRId64 " B", is_headroom ? "its shared headroom" : "the pool",
              100 * part, series->most, size);
}

static int nearest_first(const void *a, const void *b)
{
    const struct counters_group *one = a, *two = b;
    if (one->part < two->part || one->part > two->part)
        return one->part > two->part ? -1 : 1;
    return one->group < two->group ? -1 : one->group > two->group;
}

static int fullest_first(const void *a, const void *b)
{
    const struct counters_queue *one = a, *two = b;
    if (one->part < two->part || one->part > two->part)
        return one->part > two->part ? -1 : 1;
    int order = strcmp(one->port, two->port);
    return order != 0 ? order : (int)one->queue - (int)two->queue;
}

static int worst_first(const void *a, const void *b)
{
    const struct counters_alarm *one = a, *two = b;
    if (one->level != two->level)
        return one->level > two->level ? -1 : 1;
    int order = strcmp(one->where, two->where);
    return order != 0 ? order : strcmp(one->text, two->text);
}

bool counters_judge(struct counters_judgement *judgement, const struct counters *counters,
                    const struct sonic_model *model)
{
    *judgement = (struct counters_judgement){.groups = {.at = NULL}};
    struct judging judging = {.judgement = judgement, .counters = counters, .model = model};
    judging.held = calloc(SONIC_COUNT(model->config, SONIC_BUFFER_POOL) + 1, sizeof *judging.held);
    if (judging.held == NULL)
        return false;
    sum_held(&judging);
    judge_groups(&judging);
    judge_queues(&judging);
    for (uint32_t i = 0; i < counters->series.count && !judging.is_short; i++) {
        const struct counters_series *series = &COUNTERS_SERIES(counters)[i];
        if (series->kind == COUNTERS_STORMS || series->kind == COUNTERS_PFC_HEARD)
            judge_port(&judging, series);
        else if (series->kind == COUNTERS_POOL || series->kind == COUNTERS_POOL_HEADROOM)
            judge_pool(&judging, series);
    }
    free(judging.held);
    if (judging.is_short)
        return false;
    if (judgement->groups.count > 0)
        qsort(judgement->groups.at, judgement->groups.count, sizeof(struct counters_group), nearest_first);
    if (judgement->queues.count > 0)
        qsort(judgement->queues.at, judgement->queues.count, sizeof(struct counters_queue), fullest_first);
    if (judgement->alarms.count > 0)
        qsort(judgement->alarms.at, judgement->alarms.count, sizeof(struct counters_alarm), worst_first);
    return true;
}

void counters_judgement_free(struct counters_judgement *judgement)
{
    free(judgement->groups.at);
    free(judgement->queues.at);
    free(judgement->alarms.at);
    arena_free(&judgement->arena);
    *judgement = (struct counters_judgement){.groups = {.at = NULL}};
}
