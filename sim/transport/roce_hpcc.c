/*
 * roce_hpcc.c - HPCC: switches tell in each packet how full their links are, and the sender sets its window so that the
 * fullest one has eta of its capacity in use, queue included.
 *
 *   u of a link   = min(queue, queue before) / (B T) + (bytes sent since) / (B (time since))
 *   U             = (1 - t / T) U + t / T (largest u),  t = time since on that link, at most T
 *   W             = W_c / (U / eta) + W_AI   if U >= eta, or after `stages` increases in a row;  else  W_c + W_AI
 *   once per RTT    W_c = W, and the increases in a row are counted
 *   rate          = W / T
 *
 * where a link's queue is that of all classes of its port, as the bytes it sent are. W follows every ACK, but from a
 * reference W_c that changes once per round trip, so that one congestion is not answered twice. A flow starts with a
 * window of one bandwidth-delay product.
 *
 * Only W_AI makes windows even. A fast flow finds less queue than a slow one, because it is paced and never waits
 * behind itself; where a window is few packets this outweighs a small W_AI, and shares stay uneven
 * (docs/reference/simulator.md).
 *
 * Y. Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019. Deviations: no `stages` by default (the
 * paper has 5), as in the authors' simulations, and W_AI is given as a rate. Stamps of another port than before (the
 * route has changed, or packets are sprayed) say nothing and are only noted down.
 */
#include "sim/transport/roce_hpcc.h"

static const struct setting hpcc_settings[] = {
    ROCE_ACK_SETTING,
    ROCE_SETTINGS,
    ROCE_RATE_SETTINGS(100, 10),
    ROCE_UTILISATION_SETTING(struct hpcc_params),
    {.name = "stages",
     .unit = SETTING_COUNT,
     SETTING_FIELD(struct hpcc_params, stages),
     .min = 0,
     .max = 1000,
     .help = "Additive increases in a row before a multiplicative one."},
};

static const struct hpcc_params *settings_of(const struct roce_event *event)
{
    return (const struct hpcc_params *)event->params;
}

/* The utilisation of a link: what it sent, and the queue that stayed, in a round trip. */
static double hpcc_load(const struct telemetry_hop *hop, const struct telemetry_hop *last, weir_ps base_rtt_ps,
                        double bytes_per_ps)
{
    uint32_t queue = hop->queue_bytes < last->queue_bytes ? hop->queue_bytes : last->queue_bytes;
    return queue / (bytes_per_ps * (double)base_rtt_ps) +
           (double)(hop->sent_bytes - last->sent_bytes) / (bytes_per_ps * (double)(hop->when - last->when));
}

static void hpcc_open(struct roce_sender *sender, const struct roce_event *event)
{
    struct hpcc *own = hpcc_of(sender);
    roce_set_window(sender, event, roce_window_of(event, event->line_bps));
    own->reference_bytes = sender->window_bytes;
    own->used = settings_of(event)->utilisation;
}

static void hpcc_on_ack(struct roce_sender *sender, const struct roce_event *event)
{
    struct hpcc *own = hpcc_of(sender);
    const struct hpcc_params *settings = settings_of(event);
    double used;
    weir_ps over_ps;
    if (!telemetry_largest_load(event->stamps, event->last, event->base_rtt_ps, hpcc_load, &used, &over_ps))
        return;
    double weight = over_ps < event->base_rtt_ps ? (double)over_ps / (double)event->base_rtt_ps : 1;
    own->used += weight * (used - own->used);
    double more = roce_window_of(event, roce_scaled(event, settings->roce.additive_bps));
    bool multiply = own->used >= settings->utilisation || own->stage >= settings->stages;
    double scale = multiply ? settings->utilisation / own->used : 1;
    roce_set_window(sender, event, own->reference_bytes * scale + more);
    if (event->ack <= own->update)
        return;
    own->stage = multiply ? 0 : own->stage + 1;
    own->reference_bytes = sender->window_bytes;
    own->update = sender->next;
}

static const struct roce_control hpcc_control = {.telemetry = true, .open = hpcc_open, .on_ack = hpcc_on_ack};

TRANSPORT_FITS(struct hpcc_params, struct hpcc, struct roce_receiver);

const struct transport transport_hpcc = {
    .name = "hpcc",
    .title = "RoCE with HPCC",
    .source = "Li et al., SIGCOMM 2019; no additive stages by default",
    .control = &hpcc_control,
    .settings = SETTING_TABLE(hpcc_settings, struct hpcc_params),
    ROCE_OPERATIONS,
};
