/*
 * traffic.c - the streams of all traffic in one order, and the ids of their flows. What a stream launches is its kind's
 * business (internal.h).
 *
 * Streams wait in a binary heap by (time, number); numbers go through the traffics in order, and through the streams of
 * each, so launches keep the order of traffic.h. Each stream draws from its own random stream: adding a traffic
 * to the end of a config changes ids, but neither times nor sizes nor peers of the others.
 */
#include <assert.h>
#include <stdlib.h>

#include "sim/workload/internal.h"

static const struct traffic_kind *const kinds[TRAFFIC_COUNT] = {
#define TRAFFIC(constant, object, text) [TRAFFIC_##constant] = &traffic_##object,
#include "sim/workload/registry.def"
#undef TRAFFIC
};

const char *const traffic_kind_names[TRAFFIC_COUNT + 1] = {
#define TRAFFIC(constant, object, text) [TRAFFIC_##constant] = (text),
#include "sim/workload/registry.def"
#undef TRAFFIC
    [TRAFFIC_COUNT] = NULL,
};

/* The heap. */

static bool due_before(const struct traffic_due *a, const struct traffic_due *b)
{
    return a->when != b->when ? a->when < b->when : a->stream < b->stream;
}

/* Moves the entry at the root down to where it belongs. */
static void due_settle(struct traffic *traffic)
{
    struct traffic_due *due = traffic->due;
    struct traffic_due moving = due[0];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= traffic->due_count)
            break;
        if (child + 1 < traffic->due_count && due_before(&due[child + 1], &due[child]))
            child++;
        if (!due_before(&due[child], &moving))
            break;
        due[at] = due[child];
        at = child;
    }
    due[at] = moving;
}

static void due_add(struct traffic *traffic, uint32_t stream, weir_ps when)
{
    struct traffic_due *due = traffic->due;
    struct traffic_due added = {when, stream};
    uint32_t at = traffic->due_count++;
    while (at > 0 && due_before(&added, &due[(at - 1) / 2])) {
        due[at] = due[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    due[at] = added;
}

/* Creation. */

/* A range with 0 replaced by all hosts; false: it leaves the network. */
static bool range_resolve(struct peers_range *range, uint32_t hosts)
{
    if (range->count == 0)
        *range = (struct peers_range){0, hosts};
    return range->first < hosts && range->count <= hosts - range->first;
}

static bool source_prepare(struct traffic_source *source, struct weir_error *error)
{
    const struct traffic_settings *config = source->config;
    uint32_t hosts = source->traffic->given.topology->hosts;
    source->sources = (struct peers_range){config->source_first, config->source_count};
    /* INCAST and BURSTS name their one destination by `first` alone. */
    bool one = config->kind == TRAFFIC_INCAST || config->kind == TRAFFIC_BURSTS;
    uint32_t count = one && config->destination_count == 0 ? 1 : config->destination_count;
    source->destinations = (struct peers_range){config->destination_first, count};
    if (config->from_ps < 0 || config->from_ps >= config->until_ps || config->until_ps > WEIR_TIME_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "launches end after they begin, at 0 or later, and before 53 days");
    if (!range_resolve(&source->sources, hosts) || !range_resolve(&source->destinations, hosts))
        return weir_fail(error, WEIR_ERROR_INPUT, "sources and destinations are among hosts 0 to %u", hosts - 1);
    if ((uint32_t)config->pattern >= TRAFFIC_PATTERN_COUNT)
        return weir_fail(error, WEIR_ERROR_INPUT, "unknown pattern %d", (int)config->pattern);
    return source->kind->prepare(source, error);
}

static bool sources_prepare(struct traffic *traffic, struct weir_error *error)
{
    for (uint32_t i = 0; i < traffic->source_count; i++) {
        const struct traffic_settings *config = &traffic->given.traffic[i];
        if ((uint32_t)config->kind >= TRAFFIC_COUNT) {
            weir_fail(error, WEIR_ERROR_INPUT, "unknown kind %d", (int)config->kind);
            return weir_fail_in(error, TRAFFIC_PART, i);
        }
        struct traffic_source *source = &traffic->sources[i];
        *source =
            (struct traffic_source){.kind = kinds[config->kind], .config = config, .traffic = traffic, .index = i};
        bool good = source_prepare(source, error);
        if (good && source->id_count > UINT32_MAX - traffic->next_id)
            good = weir_fail(error, WEIR_ERROR_INPUT, "more than 4294967295 flows");
        if (!good) {
            weir_fail_within(error, "%s: ", traffic_kind_names[config->kind]);
            return weir_fail_in(error, TRAFFIC_PART, i);
        }
        source->first_id = (uint32_t)traffic->next_id;
        traffic->next_id += source->id_count;
        traffic->stream_count += source->stream_count;
    }
    return true;
}

static bool streams_open(struct traffic *traffic)
{
    traffic->streams = malloc(((size_t)traffic->stream_count + 1) * sizeof *traffic->streams);
    traffic->due = malloc(((size_t)traffic->stream_count + 1) * sizeof *traffic->due);
    if (!traffic->streams || !traffic->due)
        return false;
    uint32_t number = 0;
    for (uint32_t i = 0; i < traffic->source_count; i++) {
        struct traffic_source *source = &traffic->sources[i];
        source->first_stream = number;
        for (uint32_t j = 0; j < source->stream_count; j++, number++) {
            struct traffic_stream *stream = &traffic->streams[number];
            uint32_t host = source->stream_host + j;
            *stream = (struct traffic_stream){.random = traffic_random(source, "host", host),
                                              .shape = traffic_random(source, "shape", host),
                                              .delay = traffic_random(source, "delay", host),
                                              .source = i,
                                              .host = host};
            source->kind->open(source, stream);
            if (stream->due_ps != WEIR_NEVER)
                due_add(traffic, number, stream->due_ps);
        }
    }
    return true;
}

/* The rate of each host's only link. */
static bool rates_find(struct traffic *traffic)
{
    const struct topology *t = traffic->given.topology;
    traffic->host_rate = calloc(t->hosts, sizeof *traffic->host_rate);
    if (!traffic->host_rate)
        return false;
    for (uint32_t i = 0; i < t->link_count; i++) {
        const struct topology_link *link = &t->links[i];
        if (link->a < t->hosts)
            traffic->host_rate[link->a] = link->rate_bps;
        if (link->b < t->hosts)
            traffic->host_rate[link->b] = link->rate_bps;
    }
    return true;
}

struct traffic *traffic_create(const struct workload *workload, struct weir_error *error)
{
    weir_fail_memory(error);
    struct traffic *traffic = calloc(1, sizeof *traffic);
    if (!traffic)
        return NULL;
    traffic->given = *workload;
    traffic->next_id = 1;
    traffic->last_id = UINT32_MAX;
    traffic->sources = calloc((size_t)workload->traffic_count + 1, sizeof *traffic->sources);
    if (traffic->sources)
        traffic->source_count = workload->traffic_count;
    bool made = traffic->sources && rates_find(traffic) && sources_prepare(traffic, error);
    if (!made || !streams_open(traffic)) {
        traffic_free(traffic);
        return NULL;
    }
    return traffic;
}

void traffic_free(struct traffic *traffic)
{
    if (!traffic)
        return;
    for (uint32_t i = 0; i < traffic->source_count; i++) {
        struct traffic_source *source = &traffic->sources[i];
        peers_free(&source->peers);
        free(source->partners);
        free(source->all_to_all);
        free(source->all_reduce);
        free(source->answers);
        traffic_job_free(source->job);
        triggers_free(source->triggers);
    }
    traffic_messages_free(traffic->messages);
    free(traffic->sources);
    free(traffic->host_rate);
    free(traffic->streams);
    free(traffic->due);
    free(traffic);
}

/* Running. */

void traffic_due_again(struct traffic_source *source, weir_ps when)
{
    struct traffic_stream *stream = &source->traffic->streams[source->first_stream];
    assert(stream->due_ps == WEIR_NEVER);
    stream->due_ps = when;
    if (when != WEIR_NEVER)
        due_add(source->traffic, source->first_stream, when);
}

void traffic_due_by(struct traffic_source *source, weir_ps when)
{
    struct traffic *traffic = source->traffic;
    struct traffic_stream *stream = &traffic->streams[source->first_stream + 1];
    if (when >= stream->due_ps)
        return;
    if (stream->due_ps == WEIR_NEVER) {
        stream->due_ps = when;
        due_add(traffic, source->first_stream + 1, when);
        return;
    }
    stream->due_ps = when;
    uint32_t at = 0;
    while (traffic->due[at].stream != source->first_stream + 1)
        at++;
    struct traffic_due moved = {when, traffic->due[at].stream};
    for (; at > 0 && due_before(&moved, &traffic->due[(at - 1) / 2]); at = (at - 1) / 2)
        traffic->due[at] = traffic->due[(at - 1) / 2];
    traffic->due[at] = moved;
}

weir_ps traffic_next(const struct traffic *traffic)
{
    return traffic->due_count > 0 ? traffic->due[0].when : WEIR_NEVER;
}

bool traffic_advance(struct traffic *traffic, weir_ps end, const struct traffic_sink *sink)
{
    while (traffic->due_count > 0 && traffic->due[0].when < end) {
        struct traffic_stream *stream = &traffic->streams[traffic->due[0].stream];
        struct traffic_source *source = &traffic->sources[stream->source];
        if (!source->kind->launch(source, stream, sink))
            return false;
        assert(stream->due_ps >= traffic->due[0].when);
        if (stream->due_ps == WEIR_NEVER)
            traffic->due[0] = traffic->due[--traffic->due_count];
        else
            traffic->due[0].when = stream->due_ps;
        if (traffic->due_count > 0)
            due_settle(traffic);
        if (sink->pauses && *sink->pauses)
            return false;
    }
    return true;
}

bool traffic_ended(struct traffic *traffic, const struct flow_ended *flow, bool receiver, weir_ps now,
                   const struct traffic_sink *sink)
{
    struct traffic_source *source = &traffic->sources[flow->traffic];
    assert(source->kind->ended);
    return source->kind->ended(source, flow, receiver, sink, now);
}

bool traffic_woken(struct traffic *traffic, uint32_t source, uint32_t host, weir_ps now,
                   const struct traffic_sink *sink)
{
    return traffic->sources[source].kind->woken(&traffic->sources[source], host, sink, now);
}

bool traffic_is_closed(const struct traffic_settings *source)
{
    const struct traffic_kind *kind = kinds[source->kind];
    return kind->ended && (!kind->closed_by_requests || source->request_bytes > 0) &&
           (!kind->closed_by_triggers || source->trigger_count > 0);
}

bool traffic_is_joint(const struct traffic_settings *source)
{
    return source->kind == TRAFFIC_MESSAGES || (source->kind == TRAFFIC_ALL_REDUCE && source->phased) ||
           (source->kind == TRAFFIC_LIST && source->triggers_apart);
}
