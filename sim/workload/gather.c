/*
 * gather.c - traffic in which many hosts send to one at the same instant: QUERY, INCAST, BURSTS. They differ in
 * when and to whom:
 *
 *   QUERY    every host of the destination range is a client with its own Poisson (or periodic) stream of queries
 *   INCAST   one client, rounds bursts at from + k interval
 *   BURSTS   one client, a Poisson (or periodic) stream of bursts
 *
 * Each query draws its responders: fan_out distinct hosts of the source range that the pattern allows for the
 * client. With more answers than such hosts they take turns, so that a host sends several flows, which is how testbeds
 * of a few machines make a large fan-out. The number itself may be drawn, evenly from a range.
 *
 * Either the bytes are of the whole and shared evenly, what is left over going to the first ones, a byte each; or every
 * flow draws its size from a table. A load is of the client's link:
 *
 *   launches/s = load * link rate / oversubscription / (8 * mean bytes),  mean bytes = mean answers * mean size
 *
 * Answers start at the launch, or when a request for them has arrived; each up to `spread` later, by its own draw.
 * Draws and ids of answers are the same with requests and without.
 */
#include <stdlib.h>

#include "sim/workload/internal.h"

struct gather_answers {
    uint32_t least, most;
};

static struct gather_answers gather_answers(const struct traffic_source *source, uint32_t client)
{
    const struct traffic_settings *config = source->config;
    if (config->fan_out == 0) {
        uint32_t all = peers_of(&source->peers, client).count;
        return (struct gather_answers){all, all};
    }
    return (struct gather_answers){config->fan_out_min > 0 ? config->fan_out_min : config->fan_out, config->fan_out};
}

static uint32_t gather_draw_answers(const struct traffic_source *source, struct traffic_stream *stream)
{
    struct gather_answers answers = gather_answers(source, stream->host);
    if (answers.least == answers.most)
        return answers.most;
    return answers.least + weir_random_below(&stream->shape, answers.most - answers.least + 1);
}

static bool answers_make_room(struct traffic_source *source)
{
    if (source->answer_count < source->answer_room)
        return true;
    uint32_t room = source->answer_room < UINT32_MAX / 2 ? source->answer_room * 2 + 64 : UINT32_MAX;
    if (room == source->answer_room)
        return false;
    struct gather_answer *answers = realloc(source->answers, room * sizeof *answers);
    if (!answers)
        return false;
    source->answers = answers;
    source->answer_room = room;
    return true;
}

/* Asks for the flow `answer`, which is kept until the request is there. */
static bool gather_ask(struct traffic_source *source, const struct flow_request *answer,
                       const struct traffic_sink *sink)
{
    struct traffic *traffic = source->traffic;
    if (!answers_make_room(source) || traffic->next_id >= traffic->last_id)
        return false;
    weir_ps asked_ps = answer->start_ps - answer->wait_ps;
    struct flow_request request = traffic_request(source, asked_ps);
    request.source = answer->destination;
    request.destination = answer->source;
    request.bytes = source->config->request_bytes;
    request.cookie = source->answer_count;
    request.is_request = true;
    source->answers[source->answer_count++] = (struct gather_answer){.bytes = answer->bytes,
                                                                     .asked_ps = asked_ps,
                                                                     .delay_ps = answer->wait_ps,
                                                                     .id = (uint32_t)traffic->next_id++,
                                                                     .group = answer->group,
                                                                     .group_flows = answer->group_flows};
    return traffic_ask(source, &request, sink);
}

/* A request has arrived: its destination answers. */
static bool gather_ended(struct traffic_source *source, const struct flow_ended *flow, bool receiver,
                         const struct traffic_sink *sink, weir_ps now)
{
    if (!flow->is_request || !receiver)
        return true;
    const struct gather_answer *answer = &source->answers[flow->cookie];
    struct flow_request request = traffic_request(source, now + answer->delay_ps);
    request.source = flow->destination;
    request.destination = flow->source;
    request.bytes = answer->bytes;
    request.wait_ps = request.start_ps - answer->asked_ps;
    request.group = answer->group;
    request.group_flows = answer->group_flows;
    return sink->start(sink->context, answer->id, &request);
}

static bool gather_launch(struct traffic_source *source, struct traffic_stream *stream, const struct traffic_sink *sink)
{
    const struct traffic_settings *config = source->config;
    struct peers_set set = peers_of(&source->peers, stream->host);
    uint32_t answers = gather_draw_answers(source, stream);
    uint64_t order = weir_random_bits(&stream->random);
    struct flow_request request = traffic_request(source, stream->due_ps);
    int64_t share = config->bytes / answers;
    int64_t left_over = config->bytes % answers;
    request.destination = stream->host;
    request.group = source->groups++;
    request.group_flows = config->request_bytes > 0 ? answers : 0;
    for (uint32_t i = 0; i < answers; i++) {
        request.source = peers_at(&set, shuffle_at(order, set.count, i % set.count));
        request.bytes = config->bytes > 0 ? share + (i < left_over) : size_table_draw(config->sizes, &stream->shape);
        weir_ps spread_ps = source->config->spread_ps;
        request.wait_ps = spread_ps > 0 ? (weir_ps)(weir_random_unit(&stream->delay) * ((double)spread_ps + 1)) : 0;
        request.start_ps = stream->due_ps + request.wait_ps;
        if (!(config->request_bytes > 0 ? gather_ask : traffic_start)(source, &request, sink))
            return false;
    }
    return true;
}

static bool gather_prepare(struct traffic_source *source, struct weir_error *error)
{
    const struct peers_range clients = source->destinations;
    if (source->config->fan_out_min > source->config->fan_out)
        return weir_fail(error, WEIR_ERROR_INPUT, "a fan-out of %u to %u (the minimum exceeds the maximum)",
                         source->config->fan_out_min, source->config->fan_out);
    if (source->config->request_bytes > 0 && !traffic_check_bytes(source, source->config->request_bytes, error))
        return false;
    if (source->config->spread_ps < 0 || source->config->spread_ps > WEIR_TIME_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "answers are spread over 0 to 53 days");
    /* Bytes of the whole, or a table of sizes. */
    const struct traffic_settings *config = source->config;
    bool drawn = config->bytes == 0 && config->sizes;
    if (!(drawn ? traffic_check_sizes(source, error) : traffic_check_bytes(source, config->bytes, error)) ||
        !traffic_peers(source, clients, source->sources, error))
        return false;
    for (uint32_t i = 0; i < clients.count; i++) {
        uint32_t most = gather_answers(source, clients.first + i).most;
        if (source->config->bytes > 0 && source->config->bytes < most)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "%lld bytes cannot be shared by %u senders; each sends at least 1",
                             (long long)source->config->bytes, most);
    }
    source->stream_host = clients.first;
    source->stream_count = clients.count;
    return true;
}

/* QUERY and BURSTS: launches at a rate. */

/* Of a whole query or burst to this client. */
static double rated_mean_bytes(const struct traffic_source *source, uint32_t client)
{
    struct gather_answers answers = gather_answers(source, client);
    if (source->config->bytes > 0)
        return (double)source->config->bytes;
    return 0.5 * ((double)answers.least + (double)answers.most) * source->config->sizes->mean_bytes;
}

static double rated_rate(const struct traffic_source *source, uint32_t client)
{
    bool by_load = source->config->rate_per_s == 0;
    return by_load ? traffic_load_rate(source, client, rated_mean_bytes(source, client)) : source->config->rate_per_s;
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

static bool rated_prepare(struct traffic_source *source, struct weir_error *error)
{
    if (source->config->rate_per_s == 0 && !traffic_check_load(source, error))
        return false;
    if (!gather_prepare(source, error))
        return false;
    for (uint32_t i = 0; i < source->stream_count; i++)
        if (!traffic_check_rate(rated_rate(source, source->stream_host + i), error))
            return false;
    return true;
}

static bool one_destination(const struct traffic_source *source, struct weir_error *error)
{
    return source->destinations.count == 1 ||
           weir_fail(error, WEIR_ERROR_INPUT, "has one destination, not %u", source->destinations.count);
}

static bool bursts_prepare(struct traffic_source *source, struct weir_error *error)
{
    return one_destination(source, error) && rated_prepare(source, error);
}

const struct traffic_kind traffic_query = {.prepare = rated_prepare,
                                           .open = rated_open,
                                           .launch = rated_launch,
                                           .ended = gather_ended,
                                           .closed_by_requests = true};
const struct traffic_kind traffic_bursts = {.prepare = bursts_prepare,
                                            .open = rated_open,
                                            .launch = rated_launch,
                                            .ended = gather_ended,
                                            .closed_by_requests = true};

/* INCAST */

static bool incast_prepare(struct traffic_source *source, struct weir_error *error)
{
    const struct traffic_settings *config = source->config;
    if (config->rounds == 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "needs at least 1 round");
    if (config->interval_ps < 0 || config->interval_ps > WEIR_TIME_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "the interval between bursts is 0 to 53 days");
    return one_destination(source, error) && gather_prepare(source, error);
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

const struct traffic_kind traffic_incast = {.prepare = incast_prepare,
                                            .open = incast_open,
                                            .launch = incast_launch,
                                            .ended = gather_ended,
                                            .closed_by_requests = true};
