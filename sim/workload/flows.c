/*
 * flows.c - traffic whose flows stand alone: POISSON, LONG, and the two lists.
 *
 * POISSON: each sender starts flows with exponential gaps, so that they load its link as configured:
 *
 *   flows/s = load * link rate / oversubscription / (8 * mean bytes)
 *
 * the formula of the ABM, Credence and Occamy evaluations. With a batch of N, flows start N at a time and N times less
 * often. The draws of one launch are: destination and size of each flow, gap to the next launch.
 */
#include "sim/workload/internal.h"

/* POISSON */

static uint32_t poisson_batch(const struct traffic_source *source)
{
    return source->config->batch > 0 ? source->config->batch : 1;
}

/* Launches per second of one sender. */
static double poisson_rate(const struct traffic_source *source, uint32_t host)
{
    return traffic_load_rate(source, host, source->config->sizes->mean_bytes) / poisson_batch(source);
}

static bool poisson_prepare(struct traffic_source *source, struct weir_error *error)
{
    if (source->config->periodic)
        return weir_fail(error, WEIR_ERROR_INPUT, "cannot be periodic");
    if (!traffic_check_sizes(source, error) || !traffic_check_load(source, error))
        return false;
    for (uint32_t i = 0; i < source->sources.count; i++)
        if (!traffic_check_rate(poisson_rate(source, source->sources.first + i), error))
            return false;
    source->stream_host = source->sources.first;
    source->stream_count = source->sources.count;
    return traffic_peers(source, source->sources, source->destinations, error);
}

static void poisson_open(struct traffic_source *source, struct traffic_stream *stream)
{
    stream->gap_ps = (double)WEIR_PS_PER_S / poisson_rate(source, stream->host);
    stream->due_ps = traffic_following(source, stream, source->config->from_ps);
}

static bool poisson_launch(struct traffic_source *source, struct traffic_stream *stream,
                           const struct traffic_sink *sink)
{
    struct flow_request request = traffic_request(source, stream->due_ps);
    struct peers_set set = peers_of(&source->peers, stream->host);
    request.source = stream->host;
    for (uint32_t i = 0; i < poisson_batch(source); i++) {
        request.destination = peers_at(&set, weir_random_below(&stream->random, set.count));
        request.bytes = size_table_draw(source->config->sizes, &stream->random);
        if (!traffic_start(source, &request, sink))
            return false;
    }
    stream->due_ps = traffic_following(source, stream, stream->due_ps);
    return true;
}

const struct traffic_kind traffic_poisson = {
    .prepare = poisson_prepare, .open = poisson_open, .launch = poisson_launch};

/* LONG */

static bool long_prepare(struct traffic_source *source, struct weir_error *error)
{
    const struct traffic_settings *config = source->config;
    if (config->concurrency == 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "needs a concurrency of at least 1: flows per pair of hosts");
    if (config->interval_ps < 0 || config->interval_ps > WEIR_TIME_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "the interval between starts is 0 to 53 days");
    if (config->bytes != 0 && !traffic_check_bytes(source, config->bytes, error))
        return false;
    source->stream_count = 1;
    return traffic_partners(source, error);
}

static void long_open(struct traffic_source *source, struct traffic_stream *stream)
{
    stream->due_ps = source->config->from_ps;
}

static bool long_launch(struct traffic_source *source, struct traffic_stream *stream, const struct traffic_sink *sink)
{
    const struct traffic_settings *config = source->config;
    struct flow_request request = traffic_request(source, stream->due_ps);
    uint32_t i = (uint32_t)(source->at++ / config->concurrency);
    request.source = source->sources.first + i;
    request.destination = source->partners[i];
    if (config->bytes == 0)
        request.bytes = FLOW_ENDLESS;
    bool more = source->at < (uint64_t)source->sources.count * config->concurrency;
    stream->due_ps = more ? traffic_in_time(source, stream->due_ps + config->interval_ps) : WEIR_NEVER;
    return traffic_start(source, &request, sink);
}

const struct traffic_kind traffic_long = {.prepare = long_prepare, .open = long_open, .launch = long_launch};

/* LIST and PACKETS */

static weir_ps listed_start(const struct traffic_settings *config, uint64_t at)
{
    return config->kind == TRAFFIC_LIST ? config->flows[at].start_ps : config->packets[at].start_ps;
}

/* What both kinds of entry must obey; the entry's own size is checked by the kind. */
static bool listed_check(const struct traffic_source *source, uint32_t at, uint32_t from, uint32_t to,
                         struct weir_error *error)
{
    uint32_t hosts = source->traffic->given.topology->hosts;
    weir_ps start_ps = listed_start(source->config, at);
    if (from >= hosts || to >= hosts || from == to)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "entry %u goes from host %u to %u; two different hosts of 0 to %u are possible", at, from, to,
                         hosts - 1);
    if (start_ps < 0 || start_ps > WEIR_TIME_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "entry %u starts outside of 0 to 53 days", at);
    if (at > 0 && start_ps < listed_start(source->config, at - 1))
        return weir_fail(error, WEIR_ERROR_INPUT, "entry %u starts before the one above it", at);
    return true;
}

static bool list_prepare(struct traffic_source *source, struct weir_error *error)
{
    for (uint32_t i = 0; i < source->config->listed; i++) {
        const struct listed_flow *flow = &source->config->flows[i];
        if (!listed_check(source, i, flow->source, flow->destination, error) ||
            !traffic_check_bytes(source, flow->bytes, error))
            return false;
        if (flow->tag >= source->traffic->given.tag_count)
            return weir_fail(error, WEIR_ERROR_INPUT, "entry %u has tag %u; there are %u", i, flow->tag,
                             source->traffic->given.tag_count);
    }
    source->stream_count = 1;
    return source->config->trigger_count == 0 || triggers_prepare(source, error);
}

/* A packet on the wire is a segment with its header, so it is no larger than the largest of these. */
static bool packets_prepare(struct traffic_source *source, struct weir_error *error)
{
    uint32_t full_bytes = source->traffic->given.mss_bytes + source->traffic->given.header_bytes;
    for (uint32_t i = 0; i < source->config->listed; i++) {
        const struct listed_packet *packet = &source->config->packets[i];
        if (!listed_check(source, i, packet->source, packet->destination, error))
            return false;
        if (packet->bytes < 1 || packet->bytes > full_bytes)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "entry %u has %u bytes; a packet has 1 to %u (segment and header)", i, packet->bytes,
                             full_bytes);
    }
    source->stream_count = 1;
    return true;
}

/* Moves on to the next entry, if there is one in time. */
static void listed_due(struct traffic_source *source, struct traffic_stream *stream)
{
    bool more = source->at < source->config->listed;
    stream->due_ps = more ? traffic_in_time(source, listed_start(source->config, source->at)) : WEIR_NEVER;
}

static void listed_open(struct traffic_source *source, struct traffic_stream *stream)
{
    const struct traffic_settings *config = source->config;
    stream->due_ps = WEIR_NEVER;
    if (stream->host != source->stream_host)
        return; /* of triggers */
    while (source->at < config->listed && listed_start(config, source->at) < config->from_ps)
        source->at++;
    listed_due(source, stream);
}

static struct flow_request list_request(const struct traffic_source *source, uint32_t place, weir_ps when)
{
    const struct listed_flow *flow = &source->config->flows[place];
    struct flow_request request = traffic_request(source, when);
    request.source = flow->source;
    request.destination = flow->destination;
    request.bytes = flow->bytes;
    request.tag = flow->tag;
    request.cookie = place;
    return request;
}

bool list_start(const struct traffic_source *source, uint32_t place, weir_ps when, const struct traffic_sink *sink)
{
    const struct flow_request request = list_request(source, place, when);
    return sink->start(sink->context, source->first_id + place, &request);
}

static bool list_launch(struct traffic_source *source, struct traffic_stream *stream, const struct traffic_sink *sink)
{
    if (stream->host != source->stream_host)
        return triggers_launch(source, stream, sink);
    uint32_t place = (uint32_t)source->at++;
    weir_ps start_ps = source->config->flows[place].start_ps;
    listed_due(source, stream);
    if (source->triggers != NULL)
        return list_start(source, place, start_ps, sink);
    const struct flow_request request = list_request(source, place, start_ps);
    return traffic_start(source, &request, sink);
}

static bool packets_launch(struct traffic_source *source, struct traffic_stream *stream,
                           const struct traffic_sink *sink)
{
    const struct listed_packet *packet = &source->config->packets[source->at++];
    uint32_t header_bytes = source->traffic->given.header_bytes;
    struct flow_request request = traffic_request(source, packet->start_ps);
    request.source = packet->source;
    request.destination = packet->destination;
    request.bytes = packet->bytes > header_bytes ? packet->bytes - header_bytes : 1;
    request.packet_bytes = packet->bytes;
    request.packet_tc = packet->tc;
    request.packet_ecn = packet->ecn;
    listed_due(source, stream);
    return traffic_start(source, &request, sink);
}

const struct traffic_kind traffic_list = {.prepare = list_prepare,
                                          .open = listed_open,
                                          .launch = list_launch,
                                          .ended = triggers_ended,
                                          .closed_by_triggers = true};
const struct traffic_kind traffic_packets = {.prepare = packets_prepare, .open = listed_open, .launch = packets_launch};
