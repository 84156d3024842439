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
#include "sim/transport/roce_control.h"

static void timely_change(struct roce_sender *sender, const struct roce_event *event)
{
    const struct sim_roce *settings = event->settings;
    struct roce_timely *own = &sender->own.timely;
    double rtt = (double)event->rtt_ps, high = (double)settings->high_rtt_ps, rate = sender->rate_bps;
    double gradient = own->difference_ps / (double)event->base_rtt_ps;
    own->falling = gradient <= 0 && event->rtt_ps <= settings->high_rtt_ps ? own->falling + 1 : 0;
    bool fast = own->falling >= settings->fast_increases && event->rtt_ps >= settings->low_rtt_ps;
    if (event->rtt_ps > settings->high_rtt_ps)
        rate *= 1 - settings->timely_beta * (1 - high / rtt);
    else if (event->rtt_ps < settings->low_rtt_ps || gradient <= 0)
        rate += roce_scaled(event, fast ? settings->hyper_additive_bps : settings->additive_bps);
    else
        rate *= 1 - settings->timely_beta * gradient;
    sender->rate_bps = roce_within(rate, (double)settings->min_rate_bps, event->line_bps);
}

static void timely_on_ack(struct roce_sender *sender, const struct roce_event *event)
{
    struct roce_timely *own = &sender->own.timely;
    if (event->ack <= own->update)
        return;
    own->update = sender->next;
    if (own->rtt_ps) {
        double difference = (double)(event->rtt_ps - own->rtt_ps);
        own->difference_ps += event->settings->timely_weight * (difference - own->difference_ps);
        timely_change(sender, event);
    }
    own->rtt_ps = event->rtt_ps;
}

static const struct roce_control timely_control = {.on_ack = timely_on_ack};

static void timely_start(struct host *host, struct flow *flow, weir_ps now)
{
    roce_open(host, flow, &timely_control, now);
}

const struct transport transport_timely = {
    .name = "timely",
    .title = "RoCE with TIMELY",
    .source = "Mittal et al., SIGCOMM 2015; one sample per round trip, paced packets, starts at line rate",
    .open = timely_start,
    ROCE_OPERATIONS,
};
