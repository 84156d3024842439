/*
 * triggers.c - flows of a LIST that start when others have ended, as htsim's connection matrices say it. The end of a
 * flow at its sender or its receiver fires a trigger; flows wait for one.
 *
 * Where all that happens to each trigger happens at one host, that host starts its flows at once. Else nobody can know
 * in time, and what was fired is sorted, by time and then by place, until a lookahead has passed: then all of it is
 * known, in whatever order it was told.
 */
#include <stdlib.h>

#include "sim/workload/internal.h"

/* A trigger that was fired and has not acted. */
struct firing {
    weir_ps when;
    uint32_t place, trigger; /* of the flow that ended */
};

struct trigger_state {
    uint32_t left; /* BARRIER: firings; ONESHOT: 1 until it acted */
    uint32_t next; /* of `waiting`: the first that has not started; MULTISHOT */
    uint32_t last; /* behind those that wait for it */
};

struct traffic_triggers {
    struct trigger_state *state; /* [trigger_count] */
    uint32_t *waiting;           /* places in the list, trigger by trigger */
    struct firing *heap;
    uint32_t heap_count, heap_room;
};

static bool firing_before(const struct firing *a, const struct firing *b)
{
    if (a->when != b->when)
        return a->when < b->when;
    return a->place != b->place ? a->place < b->place : a->trigger < b->trigger;
}

static bool firing_push(struct traffic_triggers *triggers, struct firing firing)
{
    if (triggers->heap_count == triggers->heap_room) {
        uint32_t room = triggers->heap_room ? 2 * triggers->heap_room : 64;
        struct firing *heap = realloc(triggers->heap, room * sizeof *heap);
        if (!heap)
            return false;
        triggers->heap = heap;
        triggers->heap_room = room;
    }
    struct firing *heap = triggers->heap;
    uint32_t at = triggers->heap_count++;
    for (; at > 0 && firing_before(&firing, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = firing;
    return true;
}

static struct firing firing_pop(struct traffic_triggers *triggers)
{
    struct firing *heap = triggers->heap, first = heap[0], last = heap[--triggers->heap_count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < triggers->heap_count; child = 2 * at + 1) {
        if (child + 1 < triggers->heap_count && firing_before(&heap[child + 1], &heap[child]))
            child++;
        if (!firing_before(&heap[child], &last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

/* The host where everything happens to a trigger, as far as is known. */
static void join_host(uint32_t *hosts, uint32_t trigger, uint32_t host, bool *apart)
{
    if (trigger == 0)
        return;
    *apart = *apart || (hosts[trigger - 1] != UINT32_MAX && hosts[trigger - 1] != host);
    hosts[trigger - 1] = host;
}

bool traffic_triggers_apart(const struct traffic_settings *list, bool *apart)
{
    uint32_t *hosts = malloc(((size_t)list->trigger_count + 1) * sizeof *hosts);
    *apart = false;
    if (!hosts)
        return false;
    for (uint32_t i = 0; i < list->trigger_count; i++)
        hosts[i] = UINT32_MAX;
    for (uint32_t i = 0; i < list->listed; i++) {
        const struct listed_flow *flow = &list->flows[i];
        join_host(hosts, flow->waits, flow->source, apart);
        join_host(hosts, flow->when_sent, flow->source, apart);
        join_host(hosts, flow->when_there, flow->destination, apart);
    }
    free(hosts);
    return true;
}

/* Which flows wait for which trigger. */
static void triggers_sort(struct traffic_triggers *triggers, const struct traffic_settings *config)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < config->listed; i++)
        if (config->flows[i].waits > 0)
            triggers->state[config->flows[i].waits - 1].last++;
    for (uint32_t i = 0; i < config->trigger_count; i++) {
        struct trigger_state *state = &triggers->state[i];
        state->left = config->triggers[i].kind == TRIGGER_BARRIER ? config->triggers[i].count : 1;
        state->next = at;
        at += state->last;
        state->last = state->next;
    }
    for (uint32_t i = 0; i < config->listed; i++)
        if (config->flows[i].waits > 0)
            triggers->waiting[triggers->state[config->flows[i].waits - 1].last++] = i;
}

bool triggers_prepare(struct traffic_source *source, struct weir_error *error)
{
    const struct traffic_settings *config = source->config;
    bool apart;
    for (uint32_t i = 0; i < config->listed; i++) {
        const struct listed_flow *flow = &config->flows[i];
        if (flow->waits > config->trigger_count || flow->when_sent > config->trigger_count ||
            flow->when_there > config->trigger_count || (flow->waits > 0) != (flow->start_ps == WEIR_TIME_MAX))
            return weir_fail(error, WEIR_ERROR_INPUT, "entry %u names a trigger that is not there, or has a start too",
                             i);
    }
    if (!traffic_triggers_apart(config, &apart))
        return weir_fail_memory(error);
    if (apart != config->triggers_apart)
        return weir_fail(error, WEIR_ERROR_INPUT, "triggers_apart is wrong");
    struct traffic_triggers *triggers = source->triggers = calloc(1, sizeof *triggers);
    if (!triggers)
        return weir_fail_memory(error);
    triggers->state = calloc(config->trigger_count, sizeof *triggers->state);
    triggers->waiting = malloc(((size_t)config->listed + 1) * sizeof *triggers->waiting);
    if (!triggers->state || !triggers->waiting)
        return weir_fail_memory(error);
    triggers_sort(triggers, config);
    source->stream_count = 2;
    source->id_count = config->listed;
    return true;
}

void triggers_free(struct traffic_triggers *triggers)
{
    if (!triggers)
        return;
    free(triggers->state);
    free(triggers->waiting);
    free(triggers->heap);
    free(triggers);
}

/* A trigger acts. */
static bool trigger_act(struct traffic_source *source, uint32_t trigger, const struct traffic_sink *sink, weir_ps now)
{
    struct trigger_state *state = &source->triggers->state[trigger - 1];
    const bool one = source->config->triggers[trigger - 1].kind == TRIGGER_MULTISHOT;
    if (now >= source->config->until_ps || (!one && (state->left == 0 || --state->left > 0)))
        return true;
    for (bool more = true; more && state->next < state->last; more = !one)
        if (!list_start(source, source->triggers->waiting[state->next++], now, sink))
            return false;
    return true;
}

bool triggers_launch(struct traffic_source *source, struct traffic_stream *stream, const struct traffic_sink *sink)
{
    struct traffic_triggers *triggers = source->triggers;
    const weir_ps now = stream->due_ps, after = source->traffic->given.lookahead_ps;
    while (triggers->heap_count > 0 && triggers->heap[0].when + after <= now)
        if (!trigger_act(source, firing_pop(triggers).trigger, sink, now))
            return false;
    stream->due_ps = triggers->heap_count > 0 ? traffic_in_time(source, triggers->heap[0].when + after) : WEIR_NEVER;
    return true;
}

bool triggers_ended(struct traffic_source *source, const struct flow_ended *flow, bool receiver,
                    const struct traffic_sink *sink, weir_ps now)
{
    const struct listed_flow *listed = &source->config->flows[flow->cookie];
    uint32_t trigger = receiver ? listed->when_there : listed->when_sent;
    if (trigger == 0)
        return true;
    if (!source->config->triggers_apart)
        return trigger_act(source, trigger, sink, now);
    if (!firing_push(source->triggers, (struct firing){now, flow->cookie, trigger}))
        return false;
    traffic_due_by(source, traffic_in_time(source, now + source->traffic->given.lookahead_ps));
    return true;
}
