/*
 * roce_dcqcn.c - DCQCN: the receiver tells of marks at most once in an interval, and the sender cuts its rate by what
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
#include "sim/transport/roce_control.h"

#define DCQCN_LINE 0.999 /* of the link's rate: released */

static void dcqcn_open(struct roce_sender *sender, const struct roce_event *event)
{
    sender->own.dcqcn = (struct roce_dcqcn){.target_bps = event->line_bps, .alpha = 1, .increase_ps = WEIR_NEVER};
}

static void dcqcn_increase(struct roce_sender *sender, const struct roce_event *event, uint32_t *count)
{
    const struct sim_roce *settings = event->settings;
    struct roce_dcqcn *own = &sender->own.dcqcn;
    uint32_t timer = own->timer_increases;
    uint32_t bytes = settings->increase_bytes ? own->byte_increases : timer;
    if (timer > settings->fast_recoveries && bytes > settings->fast_recoveries)
        own->target_bps += roce_scaled(event, settings->hyper_additive_bps);
    else if (timer >= settings->fast_recoveries || bytes >= settings->fast_recoveries)
        own->target_bps += roce_scaled(event, settings->additive_bps);
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
    struct roce_dcqcn *own = &sender->own.dcqcn;
    while (own->increase_ps <= event->now) {
        own->increase_ps += event->settings->increase_interval_ps;
        dcqcn_increase(sender, event, &own->timer_increases);
    }
}

static void dcqcn_on_send(struct roce_sender *sender, const struct roce_event *event)
{
    struct roce_dcqcn *own = &sender->own.dcqcn;
    if (own->increase_ps == WEIR_NEVER)
        return;
    dcqcn_catch_up(sender, event);
    own->bytes += event->bytes;
    if (event->settings->increase_bytes && own->bytes >= event->settings->increase_bytes &&
        own->increase_ps != WEIR_NEVER) {
        own->bytes -= event->settings->increase_bytes;
        dcqcn_increase(sender, event, &own->byte_increases);
    }
}

/* alpha after the intervals that have gone by without a CNP. */
static void dcqcn_decay(struct roce_dcqcn *own, const struct roce_event *event)
{
    double factor = 1 - event->settings->dcqcn_gain;
    for (uint64_t n = (uint64_t)((event->now - own->alpha_ps) / event->settings->alpha_interval_ps); n; n >>= 1) {
        if (n & 1)
            own->alpha *= factor;
        factor *= factor;
    }
}

static void dcqcn_decrease(struct roce_sender *sender, const struct roce_event *event)
{
    struct roce_dcqcn *own = &sender->own.dcqcn;
    dcqcn_catch_up(sender, event);
    if (own->timer_increases || own->byte_increases || event->settings->clamp_target)
        own->target_bps = sender->rate_bps;
    sender->rate_bps =
        roce_within(sender->rate_bps * (1 - own->alpha / 2), (double)event->settings->min_rate_bps, event->line_bps);
    own->timer_increases = own->byte_increases = 0;
    own->bytes = 0;
    own->decreased_ps = event->now;
    own->increase_ps = event->now + event->settings->increase_interval_ps;
}

static void dcqcn_on_cnp(struct roce_sender *sender, const struct roce_event *event)
{
    struct roce_dcqcn *own = &sender->own.dcqcn;
    bool first = own->decreased_ps == 0;
    if (!first)
        dcqcn_decay(own, event);
    if (first || event->now - own->decreased_ps >= event->settings->decrease_interval_ps)
        dcqcn_decrease(sender, event);
    own->alpha += event->settings->dcqcn_gain * (1 - own->alpha);
    own->alpha_ps = event->now;
}

static const struct roce_control dcqcn_control = {
    .ecn = true, .open = dcqcn_open, .on_cnp = dcqcn_on_cnp, .on_send = dcqcn_on_send};

static void dcqcn_start(struct host *host, struct flow *flow, weir_ps now)
{
    roce_open(host, flow, &dcqcn_control, now);
}

const struct transport transport_dcqcn = {
    .name = "dcqcn",
    .title = "RoCE with DCQCN",
    .source = "Zhu et al., SIGCOMM 2015; intervals and F of later simulations by default, constant hyper increase",
    .open = dcqcn_start,
    ROCE_OPERATIONS,
};
