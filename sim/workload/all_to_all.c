/*
 * all_to_all.c - every host of the source range sends to every other one, in an order of its own that is random
 * and different in each round, and keeps at most `concurrency` flows unfinished. A flow that ended at its sender makes
 * room for the next; rounds follow each other at each host without waiting for the others.
 *
 * The k-th flow of a host in a round is given by the host's key alone, so nothing is stored per pair of hosts, and its
 * id is its place in the block: (round, host, k).
 */
#include <stdlib.h>

#include "sim/workload/internal.h"

static bool all_to_all_prepare(struct traffic_source *source, struct weir_error *error)
{
    uint32_t count = source->sources.count;
    if (!traffic_prepare_collective(source, (uint64_t)count * (count - 1), error) ||
        !traffic_check_bytes(source, source->config->bytes, error))
        return false;
    if (source->config->concurrency == 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "needs a concurrency of at least 1: flows that a host keeps going");
    source->all_to_all = malloc(count * sizeof *source->all_to_all);
    if (!source->all_to_all)
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = traffic_random(source, "host", source->sources.first + i).key;
        source->all_to_all[i] = (struct all_to_all_host){.key = key};
    }
    return true;
}

static void all_to_all_open(struct traffic_source *source, struct traffic_stream *stream)
{
    stream->due_ps = source->config->from_ps;
}

/* Starts the next flow of the i-th host, if it has one left. */
static bool all_to_all_next(struct traffic_source *source, uint32_t i, weir_ps now, const struct traffic_sink *sink)
{
    struct all_to_all_host *host = &source->all_to_all[i];
    uint32_t count = source->sources.count, others = count - 1;
    uint32_t round = host->sent / others, k = host->sent % others;
    if (round >= source->config->rounds || now >= source->config->until_ps)
        return true;
    uint32_t other = shuffle_at(weir_hash(host->key, round), others, k);
    struct flow_request request = traffic_request(source, now);
    request.source = source->sources.first + i;
    request.destination = source->sources.first + other + (other >= i);
    request.group = round;
    request.group_flows = count * others;
    host->sent++;
    return sink->start(sink->context, source->first_id + (round * count + i) * others + k, &request);
}

static bool all_to_all_launch(struct traffic_source *source, struct traffic_stream *stream,
                              const struct traffic_sink *sink)
{
    uint64_t all = (uint64_t)(source->sources.count - 1) * source->config->rounds;
    uint32_t first = source->config->concurrency < all ? source->config->concurrency : (uint32_t)all;
    for (uint32_t i = 0; i < source->sources.count; i++)
        for (uint32_t j = 0; j < first; j++)
            if (!all_to_all_next(source, i, stream->due_ps, sink))
                return false;
    stream->due_ps = WEIR_NEVER;
    return true;
}

static bool all_to_all_ended(struct traffic_source *source, const struct flow_ended *flow, bool receiver,
                             const struct traffic_sink *sink, weir_ps now)
{
    return receiver || all_to_all_next(source, flow->source - source->sources.first, now, sink);
}

const struct traffic_kind traffic_all_to_all = {
    .prepare = all_to_all_prepare, .open = all_to_all_open, .launch = all_to_all_launch, .ended = all_to_all_ended};
