/*
 * roce_timely.c - TIMELY: the rate follows the gradient of the round-trip time.
 *
 *   gradient        = smoothed difference of successive RTTs / T
 *   RTT < low:        rate += delta
 *   RTT > high:       rate = rate (1 - beta (1 - high / RTT))
 *   gradient <= 0:    rate += delta; after `fast_increases` of them in a row the larger fast delta
 *   else:             rate = rate (1 - beta gradient)
 *
 * The rate changes once per round trip, by the sample of the first segment that was sent after the last change.
 *
 * R. Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015. Deviations: a sample per
 * round trip instead of one per message of 16 KB to 64 KB, and packets are paced instead of such messages; a flow
 * starts at line rate. T is the base round-trip time, as the paper's minimum is.
 */
#include "sim/transport/roce_timely.h"

/* Delta is 10 Mb/s at 10 Gb/s, and five times as much when fast. */
static const struct setting timely_settings[] = {
    ROCE_ACK_SETTING,
    {.name = "beta",
     .unit = SETTING_REAL,
     SETTING_FIELD(struct timely_params, beta),
     .initial = 800000000,
     .min = 1,
     .max = SETTING_BILLION,
     .help = "How much of the rate a rising delay takes away."},
    ROCE_SETTINGS,
    ROCE_WINDOWED_SETTING,
    ROCE_RATE_SETTINGS(100, 25),
    ROCE_HYPER_SETTING(125),
    {.name = "weight",
     .unit = SETTING_REAL,
     SETTING_FIELD(struct timely_params, weight),
     .initial = 875000000,
     .min = 1,
     .max = SETTING_BILLION,
     .help = "Weight of the newest gradient of delays."},
    {.name = "low_rtt",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct timely_params, low_rtt_ps),
     .initial = 50 * WEIR_PS_PER_US,
     .min = 0,
     .max = ROCE_TIME_MAX,
     .help = "Below it the rate rises whatever the gradient."},
    {.name = "high_rtt",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct timely_params, high_rtt_ps),
     .initial = 500 * WEIR_PS_PER_US,
     .min = 0,
     .max = ROCE_TIME_MAX,
     .help = "Above it the rate falls whatever the gradient."},
    {.name = "fast_increases",
     .unit = SETTING_COUNT,
     SETTING_FIELD(struct timely_params, fast_increases),
     .initial = 5,
     .min = 1,
     .max = 1000,
     .help = "Falling delays in a row until the fast phase."},
};

static bool timely_check(const void *params, const struct sim_wire *wire, struct weir_error *error)
{
    const struct timely_params *timely = params;
    (void)wire;
    if (timely->low_rtt_ps > timely->high_rtt_ps)
        return weir_fail(error, WEIR_ERROR_INPUT, "'low_rtt' is above 'high_rtt'");
    return true;
}

static const struct timely_params *settings_of(const struct roce_event *event)
{
    return (const struct timely_params *)event->params;
}

static void timely_change(struct roce_sender *sender, const struct roce_event *event)
{
    const struct timely_params *settings = settings_of(event);
    struct timely *own = timely_of(sender);
    double rtt = (double)event->rtt_ps, high = (double)settings->high_rtt_ps, rate = sender->rate_bps;
    double gradient = own->difference_ps / (double)event->base_rtt_ps;
    own->falling = gradient <= 0 && event->rtt_ps <= settings->high_rtt_ps ? own->falling + 1 : 0;
    bool fast = own->falling >= settings->fast_increases && event->rtt_ps >= settings->low_rtt_ps;
    if (event->rtt_ps > settings->high_rtt_ps)
        rate *= 1 - settings->beta * (1 - high / rtt);
    else if (event->rtt_ps < settings->low_rtt_ps || gradient <= 0)
        rate += roce_scaled(event, fast ? settings->roce.hyper_additive_bps : settings->roce.additive_bps);
    else
        rate *= 1 - settings->beta * gradient;
    sender->rate_bps = roce_within(rate, (double)settings->roce.min_rate_bps, event->line_bps);
}

static void timely_on_ack(struct roce_sender *sender, const struct roce_event *event)
{
    struct timely *own = timely_of(sender);
    if (event->ack <= own->update)
        return;
    own->update = sender->next;
    if (own->rtt_ps) {
        double difference = (double)(event->rtt_ps - own->rtt_ps);
        own->difference_ps += settings_of(event)->weight * (difference - own->difference_ps);
        timely_change(sender, event);
    }
    own->rtt_ps = event->rtt_ps;
}

static const struct roce_control timely_control = {.on_ack = timely_on_ack};

TRANSPORT_FITS(struct timely_params, struct timely, struct roce_receiver);

const struct transport transport_timely = {
    .name = "timely",
    .title = "RoCE with TIMELY",
    .source = "Mittal et al., SIGCOMM 2015; one sample per round trip, paced packets, starts at line rate",
    .control = &timely_control,
    .settings = SETTING_TABLE(timely_settings, struct timely_params),
    .check = timely_check,
    ROCE_OPERATIONS,
};
