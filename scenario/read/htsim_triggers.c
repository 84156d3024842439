/*
 * htsim_triggers.c - the triggers of a connection matrix: which flows fire and wait for which, and whether every flow
 * starts at some time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/read/htsim.h"

static bool list_room(void **at, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return true;
    uint32_t more = *room > 0 ? 2 * *room : 64;
    void *larger = more > *room ? realloc(*at, more * size) : NULL;
    if (larger == NULL)
        return false;
    *at = larger;
    *room = more;
    return true;
}

bool htsim_triggers_add(struct htsim_triggers *triggers, const struct htsim_trigger *trigger)
{
    void *at = triggers->at;
    bool room = list_room(&at, triggers->count, &triggers->room, sizeof *triggers->at);
    triggers->at = at;
    if (room)
        triggers->at[triggers->count++] = *trigger;
    return room;
}

bool htsim_triggers_line(struct htsim_triggers *triggers, uint32_t line)
{
    void *at = triggers->lines;
    bool room = list_room(&at, triggers->line_count, &triggers->line_room, sizeof *triggers->lines);
    triggers->lines = at;
    if (room)
        triggers->lines[triggers->line_count++] = line;
    return room;
}

void htsim_triggers_free(struct htsim_triggers *triggers)
{
    free(triggers->at);
    free(triggers->lines);
}

static int by_id(const void *left, const void *right)
{
    const struct htsim_trigger *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* What becomes of a trigger. */
struct fate {
    uint32_t firings, waiting; /* flows that fire it, and that wait for it */
    uint32_t fired;            /* so far */
    uint32_t first, last;      /* of those that wait, sorted by trigger: the next to start, and behind the last */
};

struct join {
    struct listed_flows *list;
    struct htsim_triggers *triggers;
    struct fate *fates;
    uint32_t *waiting, *started; /* places of flows; `started`: those that do, as a queue */
    uint32_t start_count;
    uint32_t *line;
    struct weir_error *error;
};

/* The number of a trigger, from 1; 0: no line describes it. */
static uint32_t number_of(const struct htsim_triggers *triggers, uint32_t id)
{
    uint32_t low = 0, high = triggers->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (triggers->at[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < triggers->count && triggers->at[low].id == id ? low + 1 : 0;
}

/* The ids of flows become numbers. */
static bool join_names(struct join *join)
{
    for (uint32_t i = 0; i < join->list->count; i++) {
        struct listed_flow *flow = &join->list->at[i];
        uint32_t *const names[] = {&flow->waits, &flow->when_sent, &flow->when_there};
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t id = *names[k];
            *names[k] = id > 0 ? number_of(join->triggers, id) : 0;
            if (id == 0 || *names[k] > 0)
                continue;
            *join->line = join->triggers->lines[i];
            return weir_fail(join->error, WEIR_ERROR_MALFORMED,
                             "trigger %" PRIu32 ": no line describes it (expected such as 'trigger id %" PRIu32
                             " oneshot')",
                             id, id);
        }
        if (flow->waits > 0)
            join->fates[flow->waits - 1].waiting++;
        if (flow->when_sent > 0)
            join->fates[flow->when_sent - 1].firings++;
        if (flow->when_there > 0)
            join->fates[flow->when_there - 1].firings++;
    }
    return true;
}

/* As htsim, which ends when a trigger is fired more often than its kind allows. */
static bool check_counts(const struct join *join)
{
    for (uint32_t i = 0; i < join->triggers->count; i++) {
        const struct htsim_trigger *trigger = &join->triggers->at[i];
        const struct fate *fate = &join->fates[i];
        *join->line = trigger->line;
        if (fate->waiting == 0)
            continue;
        if (fate->firings == 0)
            return weir_fail(join->error, WEIR_ERROR_MALFORMED,
                             "trigger %" PRIu32 ": flows wait for it, and none fires it (expected a flow with "
                             "send_done_trigger or recv_done_trigger)",
                             trigger->id);
        if (trigger->is.kind == TRIGGER_ONESHOT && fate->firings > 1)
            return weir_fail(join->error, WEIR_ERROR_MALFORMED,
                             "trigger %" PRIu32 ": oneshot, and %" PRIu32
                             " ends fire it (expected one, or 'multishot', or 'barrier count %" PRIu32 "')",
                             trigger->id, fate->firings, fate->firings);
        if (trigger->is.kind == TRIGGER_BARRIER && fate->firings != trigger->is.count)
            return weir_fail(join->error, WEIR_ERROR_MALFORMED,
                             "trigger %" PRIu32 ": a barrier for %" PRIu32 " ends, and %" PRIu32
                             " fire it (expected 'count %" PRIu32 "')",
                             trigger->id, trigger->is.count, fate->firings, fate->firings);
        if (trigger->is.kind == TRIGGER_MULTISHOT && fate->firings < fate->waiting)
            return weir_fail(join->error, WEIR_ERROR_MALFORMED,
                             "trigger %" PRIu32 ": multishot, and %" PRIu32 " ends fire it for %" PRIu32
                             " flows that wait (expected one for each)",
                             trigger->id, fate->firings, fate->waiting);
    }
    return true;
}

static void sort_waiting(struct join *join)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < join->triggers->count; i++) {
        join->fates[i].first = join->fates[i].last = at;
        at += join->fates[i].waiting;
    }
    for (uint32_t i = 0; i < join->list->count; i++) {
        const struct listed_flow *flow = &join->list->at[i];
        if (flow->waits > 0)
            join->waiting[join->fates[flow->waits - 1].last++] = i;
        else
            join->started[join->start_count++] = i;
    }
}

static void fire(struct join *join, uint32_t number)
{
    if (number == 0)
        return;
    struct fate *fate = &join->fates[number - 1];
    enum trigger_kind kind = join->triggers->at[number - 1].is.kind;
    fate->fired++;
    if (kind == TRIGGER_BARRIER && fate->fired < fate->firings)
        return;
    for (bool more = true; more && fate->first < fate->last; more = kind != TRIGGER_MULTISHOT)
        join->started[join->start_count++] = join->waiting[fate->first++];
}

/* Every flow starts after others that start. */
static bool check_starts(struct join *join)
{
    for (uint32_t i = 0; i < join->start_count; i++) {
        const struct listed_flow *flow = &join->list->at[join->started[i]];
        fire(join, flow->when_sent);
        fire(join, flow->when_there);
    }
    for (uint32_t i = 0; i < join->triggers->count; i++) {
        const struct fate *fate = &join->fates[i];
        if (fate->first == fate->last)
            continue;
        *join->line = join->triggers->lines[join->waiting[fate->first]];
        return weir_fail(
            join->error, WEIR_ERROR_MALFORMED,
            "the flow waits for trigger %" PRIu32
            ", and what fires that waits for this flow (expected some flow of the circle to have a 'start')",
            join->triggers->at[i].id);
    }
    return true;
}

static bool check_twice(const struct join *join)
{
    for (uint32_t i = 1; i < join->triggers->count; i++) {
        *join->line = join->triggers->at[i].line;
        if (join->triggers->at[i].id == join->triggers->at[i - 1].id)
            return weir_fail(join->error, WEIR_ERROR_MALFORMED,
                             "trigger %" PRIu32 ": is there already, in line %" PRIu32 " (expected another id)",
                             join->triggers->at[i].id, join->triggers->at[i - 1].line);
    }
    return true;
}

bool htsim_triggers_join(struct listed_flows *list, struct htsim_triggers *triggers, uint32_t *line,
                         struct weir_error *error)
{
    struct join join = {.list = list, .triggers = triggers, .line = line, .error = error};
    if (triggers->count > 0)
        qsort(triggers->at, triggers->count, sizeof *triggers->at, by_id);
    join.fates = calloc((size_t)triggers->count + 1, sizeof *join.fates);
    join.waiting = calloc(2 * (size_t)list->count + 1, sizeof *join.waiting);
    join.started = join.waiting != NULL ? join.waiting + list->count : NULL;
    list->triggers = calloc((size_t)triggers->count + 1, sizeof *list->triggers);
    bool good = (join.fates != NULL && join.waiting != NULL && list->triggers != NULL) || weir_fail_memory(error);
    good = good && check_twice(&join) && join_names(&join) && check_counts(&join);
    if (good)
        sort_waiting(&join);
    good = good && check_starts(&join);
    for (uint32_t i = 0; good && i < triggers->count; i++)
        list->triggers[i] = triggers->at[i].is;
    list->trigger_count = good ? triggers->count : 0;
    free(join.fates);
    free(join.waiting);
    return good;
}
