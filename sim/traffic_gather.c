/*
 * traffic_gather.c - traffic in which many hosts send to one at the same instant: QUERY, INCAST, BURSTS. They differ in
 * when and to whom:
 *
 *   QUERY    every host of the destination range is a client with its own Poisson (or periodic) stream of queries
 *   INCAST   one client, rounds bursts at from + k interval
 *   BURSTS   one client, a Poisson (or periodic) stream of bursts
 *
 * Who answers is drawn anew each time: fan_out distinct hosts of the source range that the pattern allows for the
 * client. With more answers than such hosts they take turns, so that a host sends several flows, which is how testbeds
 * of a few machines make a large fan-out. The bytes are shared evenly; what is left over goes to the first ones, a byte
 * each.
 */
#include "sim/traffic_internal.h"

static uint32_t gather_answers(const struct traffic_source *source, const struct peers_set *set)
{
    return source->config->fan_out > 0 ? source->config->fan_out : set->count;
}

static bool gather_launch(struct traffic_source *source, struct traffic_stream *stream, const struct traffic_sink *sink)
{
    struct peers_set set = peers_of(&source->peers, stream->host);
    uint32_t answers = gather_answers(source, &set);
    uint64_t order = weir_random_bits(&stream->random);
    struct flow_request request = traffic_request(source, stream->due_ps);
    int64_t share = source->config->bytes / answers;
    int64_t left_over = source->config->bytes % answers;
    request.destination = stream->host;
    request.group = source->groups++;
    for (uint32_t i = 0; i < answers; i++) {
        request.source = peers_at(&set, shuffle_at(order, set.count, i % set.count));
        request.bytes = share + (i < left_over);
        if (!traffic_start(source, &request, sink))
            return false;
    }
    return true;
}

static bool gather_prepare(struct traffic_source *source, char message[WEIR_MESSAGE_MAX])
{
    const struct peers_range clients = source->destinations;
    if (!traffic_check_bytes(source, source->config->bytes, message) ||
        !traffic_peers(source, clients, source->sources, message))
        return false;
    for (uint32_t i = 0; i < clients.count; i++) {
        struct peers_set set = peers_of(&source->peers, clients.first + i);
        uint32_t answers = gather_answers(source, &set);
        if (source->config->bytes < answers)
            return traffic_wrong(message, "%lld bytes cannot be shared by %u senders; each sends at least 1",
                                 (long long)source->config->bytes, answers);
    }
    source->stream_host = clients.first;
    source->stream_count = clients.count;
    return true;
}

/* QUERY and BURSTS: launches at a rate. */

static double rated_rate(const struct traffic_source *source, uint32_t client)
{
    bool by_load = source->config->kind == SIM_TRAFFIC_QUERY && source->config->rate_per_s == 0;
    return by_load ? traffic_load_rate(source, client, (double)source->config->bytes) : source->config->rate_per_s;
}

static void rated_open(struct traffic_source *source, struct traffic_stream *stream)
{
    weir_ps from_ps = source->config->from_ps;
    stream->gap_ps = (double)WEIR_PS_PER_S / rated_rate(source, stream->host);
    stream->due_ps = source->config->periodic ? from_ps : traffic_following(source, stream, from_ps);
}

static bool rated_launch(struct traffic_source *source, struct traffic_stream *stream, const struct traffic_sink *sink)
{
    bool started = gather_launch(source, stream, sink);
    stream->due_ps = traffic_following(source, stream, stream->due_ps);
    return started;
}

static bool rated_prepare(struct traffic_source *source, char message[WEIR_MESSAGE_MAX])
{
    if (!gather_prepare(source, message))
        return false;
    for (uint32_t i = 0; i < source->stream_count; i++)
        if (!traffic_check_rate(rated_rate(source, source->stream_host + i), message))
            return false;
    return true;
}

static bool query_prepare(struct traffic_source *source, char message[WEIR_MESSAGE_MAX])
{
    if (source->config->rate_per_s == 0 && !traffic_check_load(source, message))
        return false;
    return rated_prepare(source, message);
}

static bool one_destination(const struct traffic_source *source, char message[WEIR_MESSAGE_MAX])
{
    return source->destinations.count == 1 ||
           traffic_wrong(message, "has one destination, not %u", source->destinations.count);
}

static bool bursts_prepare(struct traffic_source *source, char message[WEIR_MESSAGE_MAX])
{
    return one_destination(source, message) && rated_prepare(source, message);
}

const struct traffic_kind traffic_query = {
    .name = "query", .prepare = query_prepare, .open = rated_open, .launch = rated_launch};
const struct traffic_kind traffic_bursts = {
    .name = "bursts", .prepare = bursts_prepare, .open = rated_open, .launch = rated_launch};

/* INCAST */

static bool incast_prepare(struct traffic_source *source, char message[WEIR_MESSAGE_MAX])
{
    const struct sim_traffic *config = source->config;
    if (config->rounds == 0)
        return traffic_wrong(message, "needs at least 1 round");
    if (config->interval_ps < 0 || config->interval_ps > WEIR_TIME_MAX)
        return traffic_wrong(message, "the interval between bursts is 0 to 53 days");
    return one_destination(source, message) && gather_prepare(source, message);
}

static void incast_open(struct traffic_source *source, struct traffic_stream *stream)
{
    stream->due_ps = source->config->from_ps;
}

static bool incast_launch(struct traffic_source *source, struct traffic_stream *stream, const struct traffic_sink *sink)
{
    bool started = gather_launch(source, stream, sink);
    bool more = source->groups < source->config->rounds;
    stream->due_ps = more ? traffic_in_time(source, stream->due_ps + source->config->interval_ps) : WEIR_NEVER;
    return started;
}

const struct traffic_kind traffic_incast = {
    .name = "incast", .prepare = incast_prepare, .open = incast_open, .launch = incast_launch};
