/*
 * roce_dcqcn.c - DCQCN: the receiver reports marks at most once in an interval, and the sender cuts its rate by what
 * it has learnt of how often that happens; without such news the rate climbs back, first to where it was, then beyond.
 *
 *   CNP:             target = rate, rate = rate (1 - alpha / 2), at most once in the decrease interval;
 *                    alpha = (1 - g) alpha + g. In a row of decreases without an increase in between the target stays
 *                    what it was before the first of them, unless `clamp_target`
 *   no CNP for the alpha interval:  alpha = (1 - g) alpha, once for each interval
 *   increase timer, byte counter:   each counts its own expiries since the rate last fell, and at each
 *                    both counts below F:  fast recovery, target stays
 *                    both counts above F:  hyper increase, target += HAI
 *                    else:                 additive increase, target += AI
 *                    and in every case     rate = (rate + target) / 2
 *
 * A flow starts at line rate with alpha = 1, and nothing runs before its first CNP. What time does to the rate and to
 * alpha is computed when it sends or hears, so a rate that rises between two packets holds from the second one on. A
 * rate within a thousandth of the link's is the link's. Without a byte counter the timer's count serves as both.
 *
 * Y. Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015. Deviations: intervals of
 * microseconds, F = 1 and no clamp_target by default, as NICs and simulations since HPCC have them, instead of 50 us, 5
 * and a target that is always clamped; the hyper increase is HAI each time, not growing.
 */
#include "sim/transport/roce_dcqcn.h"

#define DCQCN_LINE 0.999 /* of the link's rate: released */

/* Defaults of simulations since HPCC: alpha every 1 us and so CNPs at most every 1 us, decreases every 4 us, increases
 * every 300 us, no byte counter, F 1, g 1/256, AI 5 and HAI 50 Mb/s per 25 Gb/s (SIGCOMM 2015: 55, 50, 50 and 55 us,
 * 10 MB, 5, 1/256). */
static const struct setting dcqcn_settings[] = {
    ROCE_ACK_SETTING,
    {.name = "gain",
     .unit = SETTING_REAL,
     SETTING_FIELD(struct dcqcn_params, gain),
     .initial = SETTING_BILLION / 256,
     .min = 1,
     .max = SETTING_BILLION,
     .help = "g, the weight of the newest mark."},
    ROCE_SETTINGS,
    ROCE_WINDOWED_SETTING,
    ROCE_RATE_SETTINGS(1000, 5),
    ROCE_HYPER_SETTING(50),
    {.name = "cnp_interval",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct dcqcn_params, roce.cnp_interval_ps),
     .initial = WEIR_PS_PER_US,
     .min = 0,
     .max = ROCE_TIME_MAX,
     .help = "A receiver sends at most one CNP per flow in this time."},
    {.name = "alpha_interval",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct dcqcn_params, alpha_interval_ps),
     .initial = WEIR_PS_PER_US,
     .min = WEIR_PS_PER_NS,
     .max = ROCE_TIME_MAX,
     .help = "Alpha decays after this long without a CNP."},
    {.name = "decrease_interval",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct dcqcn_params, decrease_interval_ps),
     .initial = 4 * WEIR_PS_PER_US,
     .min = 0,
     .max = ROCE_TIME_MAX,
     .help = "The rate falls at most once in this time."},
    {.name = "increase_interval",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct dcqcn_params, increase_interval_ps),
     .initial = 300 * WEIR_PS_PER_US,
     .min = WEIR_PS_PER_NS,
     .max = ROCE_TIME_MAX,
     .help = "Period of the timer that raises the rate."},
    {.name = "increase_bytes",
     .unit = SETTING_PAYLOAD,
     SETTING_FIELD(struct dcqcn_params, increase_bytes),
     .min = 1,
     .max = INT64_C(1) << 40,
     .word = "none",
     .help = "Period of the byte counter that raises the rate."},
    {.name = "fast_recoveries",
     .unit = SETTING_COUNT,
     SETTING_FIELD(struct dcqcn_params, fast_recoveries),
     .initial = 1,
     .min = 1,
     .max = 1000,
     .help = "F: rises towards the former rate before additive ones."},
    {.name = "clamp_target",
     .unit = SETTING_FLAG,
     SETTING_FIELD(struct dcqcn_params, clamp_target),
     .max = 1,
     .help = "Each decrease sets the target rate; no: only the first of several in a row."},
};

static const struct dcqcn_params *settings_of(const struct roce_event *event)
{
    return (const struct dcqcn_params *)event->params;
}

static void dcqcn_open(struct roce_sender *sender, const struct roce_event *event)
{
    struct dcqcn *own = dcqcn_of(sender);
    own->target_bps = event->line_bps;
    own->alpha = 1;
    own->increase_ps = WEIR_NEVER;
}

static void dcqcn_increase(struct roce_sender *sender, const struct roce_event *event, uint32_t *count)
{
    const struct dcqcn_params *settings = settings_of(event);
    struct dcqcn *own = dcqcn_of(sender);
    uint32_t timer = own->timer_increases;
    uint32_t bytes = settings->increase_bytes ? own->byte_increases : timer;
    if (timer > settings->fast_recoveries && bytes > settings->fast_recoveries)
        own->target_bps += roce_scaled(event, settings->roce.hyper_additive_bps);
    else if (timer >= settings->fast_recoveries || bytes >= settings->fast_recoveries)
        own->target_bps += roce_scaled(event, settings->roce.additive_bps);
    if (own->target_bps > event->line_bps)
        own->target_bps = event->line_bps;
    sender->rate_bps = (sender->rate_bps + own->target_bps) / 2;
    ++*count;
    if (sender->rate_bps >= DCQCN_LINE * event->line_bps) {
        sender->rate_bps = own->target_bps = event->line_bps;
        own->increase_ps = WEIR_NEVER;
    }
}

/* The increases of the timer until now. */
static void dcqcn_catch_up(struct roce_sender *sender, const struct roce_event *event)
{
    struct dcqcn *own = dcqcn_of(sender);
    while (own->increase_ps <= event->now) {
        own->increase_ps += settings_of(event)->increase_interval_ps;
        dcqcn_increase(sender, event, &own->timer_increases);
    }
}

static void dcqcn_on_send(struct roce_sender *sender, const struct roce_event *event)
{
    struct dcqcn *own = dcqcn_of(sender);
    if (own->increase_ps == WEIR_NEVER)
        return;
    dcqcn_catch_up(sender, event);
    own->bytes += event->bytes;
    if (settings_of(event)->increase_bytes && own->bytes >= settings_of(event)->increase_bytes &&
        own->increase_ps != WEIR_NEVER) {
        own->bytes -= settings_of(event)->increase_bytes;
        dcqcn_increase(sender, event, &own->byte_increases);
    }
}

/* alpha after the intervals that have gone by without a CNP. */
static void dcqcn_decay(struct dcqcn *own, const struct roce_event *event)
{
    double factor = 1 - settings_of(event)->gain;
    for (uint64_t n = (uint64_t)((event->now - own->alpha_ps) / settings_of(event)->alpha_interval_ps); n; n >>= 1) {
        if (n & 1)
            own->alpha *= factor;
        factor *= factor;
    }
}

static void dcqcn_decrease(struct roce_sender *sender, const struct roce_event *event)
{
    struct dcqcn *own = dcqcn_of(sender);
    dcqcn_catch_up(sender, event);
    if (own->timer_increases || own->byte_increases || settings_of(event)->clamp_target)
        own->target_bps = sender->rate_bps;
    sender->rate_bps =
        roce_within(sender->rate_bps * (1 - own->alpha / 2), (double)event->params->min_rate_bps, event->line_bps);
    own->timer_increases = own->byte_increases = 0;
    own->bytes = 0;
    own->decreased_ps = event->now;
    own->increase_ps = event->now + settings_of(event)->increase_interval_ps;
}

static void dcqcn_on_cnp(struct roce_sender *sender, const struct roce_event *event)
{
    struct dcqcn *own = dcqcn_of(sender);
    bool first = own->decreased_ps == 0;
    if (!first)
        dcqcn_decay(own, event);
    if (first || event->now - own->decreased_ps >= settings_of(event)->decrease_interval_ps)
        dcqcn_decrease(sender, event);
    own->alpha += settings_of(event)->gain * (1 - own->alpha);
    own->alpha_ps = event->now;
}

static const struct roce_control dcqcn_control = {
    .ecn = true, .open = dcqcn_open, .on_cnp = dcqcn_on_cnp, .on_send = dcqcn_on_send};

TRANSPORT_FITS(struct dcqcn_params, struct dcqcn, struct roce_receiver);

const struct transport transport_dcqcn = {
    .name = "dcqcn",
    .title = "RoCE with DCQCN",
    .source = "Zhu et al., SIGCOMM 2015; intervals and F of later simulations by default, constant hyper increase",
    .needs_marks = true,
    .control = &dcqcn_control,
    .settings = SETTING_TABLE(dcqcn_settings, struct dcqcn_params),
    ROCE_OPERATIONS,
};
