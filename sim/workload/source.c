/*
 * source.c - what the kinds of traffic have in common: rates and gaps, patterns, requests, ids, messages.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/workload/internal.h"

#define GAP_PS_MAX 0x1p62 /* beyond any run */

struct weir_random traffic_random(const struct traffic_source *source, const char *what, uint32_t host)
{
    char name[64];
    snprintf(name, sizeof name, "traffic/%u/%s/%u", source->index, what, host);
    return weir_random_stream(source->traffic->given.seed, name);
}

bool traffic_check_rate(double rate_per_s, struct weir_error *error)
{
    double gap_ps = (double)WEIR_PS_PER_S / rate_per_s;
    if (rate_per_s > 0 && gap_ps >= 1 && gap_ps <= GAP_PS_MAX)
        return true;
    return weir_fail(error, WEIR_ERROR_INPUT,
                     "%g launches per second; the rate is above 0, and at most one per picosecond", rate_per_s);
}

bool traffic_check_load(const struct traffic_source *source, struct weir_error *error)
{
    if (!(source->config->load > 0 && source->config->load <= 1000))
        return weir_fail(error, WEIR_ERROR_INPUT, "load %g; it is above 0 and at most 1000", source->config->load);
    if (!(source->config->oversubscription > 0 && source->config->oversubscription <= 1000))
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "oversubscription %g; it is above 0 and at most 1000, and 1 means none",
                         source->config->oversubscription);
    return true;
}

bool traffic_check_bytes(const struct traffic_source *source, int64_t bytes, struct weir_error *error)
{
    int64_t most = (int64_t)source->traffic->given.mss_bytes * (UINT32_MAX - 1);
    if (bytes >= 1 && bytes <= most)
        return true;
    return weir_fail(error, WEIR_ERROR_INPUT, "%lld bytes; a flow has 1 to %lld", (long long)bytes, (long long)most);
}

bool traffic_check_sizes(const struct traffic_source *source, struct weir_error *error)
{
    const struct size_table *sizes = source->config->sizes;
    if (!sizes || sizes->count == 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "needs a size table");
    return traffic_check_bytes(source, (int64_t)sizes->points[sizes->count - 1].bytes, error);
}

double traffic_load_rate(const struct traffic_source *source, uint32_t host, double mean_bytes)
{
    double rate_bps = (double)source->traffic->host_rate[host];
    return source->config->load * rate_bps / source->config->oversubscription / (8 * mean_bytes);
}

weir_ps traffic_following(const struct traffic_source *source, struct traffic_stream *stream, weir_ps after)
{
    double gap = source->config->periodic ? stream->gap_ps : weir_random_exponential(&stream->random, stream->gap_ps);
    if (gap + 0.5 >= (double)(source->config->until_ps - after) + 1)
        return WEIR_NEVER;
    return traffic_in_time(source, after + (weir_ps)(gap + 0.5));
}

bool traffic_peers(struct traffic_source *source, struct peers_range asking, struct peers_range eligible,
                   struct weir_error *error)
{
    const struct workload *workload = &source->traffic->given;
    char name[64];
    snprintf(name, sizeof name, "traffic/%u/permutation", source->index);
    struct peers_setup setup = {
        .pattern = source->config->pattern,
        .asking = asking,
        .eligible = eligible,
        .hosts = workload->topology->hosts,
        .switches = workload->topology->switches,
        .host_switch = source->traffic->given.host_switch,
        .random = weir_random_stream(workload->seed, name),
    };
    return peers_init(&source->peers, &setup, error);
}

bool traffic_partners(struct traffic_source *source, struct weir_error *error)
{
    bool by_ranges = source->config->destination_count > 0 && source->config->pattern == TRAFFIC_PATTERN_UNIFORM;
    if (!by_ranges && !traffic_peers(source, source->sources, source->destinations, error))
        return false;
    source->partners = malloc(source->sources.count * sizeof *source->partners);
    if (!source->partners)
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < source->sources.count; i++) {
        uint32_t host = source->sources.first + i;
        if (by_ranges) {
            source->partners[i] = source->destinations.first + i % source->destinations.count;
        } else {
            struct weir_random random = traffic_random(source, "host", host);
            struct peers_set set = peers_of(&source->peers, host);
            source->partners[i] = peers_at(&set, weir_random_below(&random, set.count));
        }
        if (source->partners[i] == host)
            return weir_fail(error, WEIR_ERROR_INPUT, "host %u would send to itself", host);
    }
    return true;
}

bool traffic_prepare_collective(struct traffic_source *source, uint64_t round_ids, struct weir_error *error)
{
    const struct traffic_settings *config = source->config;
    const struct peers_range hosts = source->sources;
    if (hosts.count < 2)
        return weir_fail(error, WEIR_ERROR_INPUT, "needs at least 2 hosts");
    if (config->destination_count > 0 &&
        (source->destinations.first != hosts.first || source->destinations.count != hosts.count))
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "the hosts that take part send and receive; leave the destinations out");
    if (config->pattern != TRAFFIC_PATTERN_UNIFORM)
        return weir_fail(error, WEIR_ERROR_INPUT, "has no pattern");
    if (config->rounds == 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "needs at least 1 round");
    if (round_ids > UINT32_MAX / config->rounds)
        return weir_fail(error, WEIR_ERROR_INPUT, "more than 4294967295 flows in %u rounds", config->rounds);
    source->stream_count = 1;
    source->id_count = round_ids * config->rounds;
    return true;
}

struct flow_request traffic_request(const struct traffic_source *source, weir_ps start_ps)
{
    return (struct flow_request){
        .bytes = source->config->bytes,
        .start_ps = start_ps,
        .traffic = source->index,
        .transport = source->config->transport,
        .tag = source->config->tag,
        .group = FLOW_NO_GROUP,
    };
}

bool traffic_start(struct traffic_source *source, const struct flow_request *request, const struct traffic_sink *sink)
{
    struct traffic *traffic = source->traffic;
    if (traffic->next_id > traffic->last_id)
        return false;
    return sink->start(sink->context, (uint32_t)traffic->next_id++, request);
}

bool traffic_ask(struct traffic_source *source, const struct flow_request *request, const struct traffic_sink *sink)
{
    struct traffic *traffic = source->traffic;
    if (traffic->next_id > traffic->last_id)
        return false;
    return sink->start(sink->context, (uint32_t)traffic->last_id--, request);
}
