/*
 * on_off.c - ON_OFF: one renewal process per source, the mixed traffic of TDT's evaluation (its section VI-C). A source
 * is off, then on, and while it is on it sends one flow: a burst, or with probability long_share a long-lived flow.
 * The next "off" begins when the flow's time is over, so that a source never sends two of them at once.
 *
 *   bytes of a flow = on * rate / 8 * mss / (mss + header)
 *   cycles/s        = 1 / (off + (1 - long_share) on + long_share long_on)
 *
 * Times are log-normal with a mean and a coefficient of variation. The draws of one cycle are: off, which of the two,
 * on. That a flow lasts as long as its "on" is the transport's business (udp at that rate, on a link that is fast
 * enough).
 */
#include "sim/workload/internal.h"

static bool on_off_check_time(weir_ps mean_ps, const char *name, struct weir_error *error)
{
    return (mean_ps >= 1 && mean_ps <= WEIR_TIME_MAX) ||
           weir_fail(error, WEIR_ERROR_INPUT, "the mean time %s is 1 ps to 53 days", name);
}

static bool on_off_check_rate(weir_bps rate_bps, struct weir_error *error)
{
    return (rate_bps >= WEIR_RATE_BPS_MIN && rate_bps <= WEIR_RATE_BPS_MAX) ||
           weir_fail(error, WEIR_ERROR_INPUT, "needs a rate at which it sends while it is on");
}

static bool on_off_prepare(struct traffic_source *source, struct weir_error *error)
{
    const struct traffic_settings *config = source->config;
    if (!(config->variation >= 0 && config->variation <= 100))
        return weir_fail(error, WEIR_ERROR_INPUT, "variation %g; it is 0 to 100", config->variation);
    if (!(config->long_share >= 0 && config->long_share <= 1))
        return weir_fail(error, WEIR_ERROR_INPUT, "a share of %g of long-lived flows; it is 0 to 1",
                         config->long_share);
    if (!on_off_check_time(config->on_ps, "on", error) || !on_off_check_time(config->off_ps, "off", error) ||
        !on_off_check_rate(config->on_rate_bps, error))
        return false;
    if (config->long_share > 0 && (!on_off_check_time(config->long_on_ps, "on of long-lived flows", error) ||
                                   !on_off_check_rate(config->long_rate_bps, error)))
        return false;
    source->stream_host = source->sources.first;
    source->stream_count = source->sources.count;
    return traffic_partners(source, error);
}

/* `after` and a random time later, or WEIR_NEVER: beyond the last launch. */
static weir_ps on_off_later(const struct traffic_source *source, weir_ps after, double time_ps)
{
    if (time_ps + 0.5 >= (double)(source->config->until_ps - after) + 1)
        return WEIR_NEVER;
    return traffic_in_time(source, after + (weir_ps)(time_ps + 0.5));
}

static void on_off_next(const struct traffic_source *source, struct traffic_stream *stream, weir_ps after)
{
    const struct traffic_settings *config = source->config;
    double off_ps = weir_random_lognormal(&stream->random, (double)config->off_ps, config->variation);
    stream->due_ps = after == WEIR_NEVER ? WEIR_NEVER : on_off_later(source, after, off_ps);
}

static void on_off_open(struct traffic_source *source, struct traffic_stream *stream)
{
    on_off_next(source, stream, source->config->from_ps);
}

static bool on_off_launch(struct traffic_source *source, struct traffic_stream *stream, const struct traffic_sink *sink)
{
    const struct traffic_settings *config = source->config;
    bool is_long = weir_random_unit(&stream->random) < config->long_share;
    weir_ps mean_ps = is_long ? config->long_on_ps : config->on_ps;
    double on_ps = weir_random_lognormal(&stream->random, (double)mean_ps, config->variation);
    /* The bytes of a flow that lasts so long. */
    const struct workload *given = &source->traffic->given;
    double rate_bps = (double)(is_long ? source->config->long_rate_bps : source->config->on_rate_bps);
    double payload = (double)given->mss_bytes / (double)(given->mss_bytes + given->header_bytes);
    double bytes = on_ps / (double)WEIR_PS_PER_S * rate_bps / 8 * payload;
    double most = (double)source->traffic->given.mss_bytes * (UINT32_MAX - 1);
    struct flow_request request = traffic_request(source, stream->due_ps);
    request.source = stream->host;
    request.destination = source->partners[stream->host - source->sources.first];
    request.bytes = bytes < 1 ? 1 : (int64_t)(bytes < most ? bytes : most);
    if (is_long) {
        request.transport = config->long_transport;
        request.tag = config->long_tag;
    }
    on_off_next(source, stream, on_off_later(source, stream->due_ps, on_ps));
    return traffic_start(source, &request, sink);
}

const struct traffic_kind traffic_on_off = {.prepare = on_off_prepare, .open = on_off_open, .launch = on_off_launch};
