/*
 * roce_powertcp.c - PowerTCP: a window from the power of the bottleneck, the product of how much it holds and how fast
 * that arrives, so that both a queue and its growth count.
 *
 *   power of a link  = (queue + B T) (change of the queue + bytes sent) / (time since), over B^2 T
 *   P                = (1 - t / T) P + t / T (largest power),  t = time since on that link, at most T
 *   W                = gamma (W_old eta / P + W_AI) + (1 - gamma) W,  with every ACK
 *   W_old            = W, once per round trip
 *   rate             = W / T
 *
 * By delay (theta-PowerTCP), without help from switches: power = (change of the RTT / time since + 1) RTT / T, its
 * first factor at least DELAY_CURRENT_LEAST, eta = 1, and W changes once per round trip. A flow starts with a window of
 * one bandwidth-delay product.
 *
 * V. Addanki, O. Michel and S. Schmid, "PowerTCP: Pushing the Performance Limits of Datacenter Networks", NSDI 2022.
 * Deviations: eta = 0.95 by default and the least current by delay, as in the authors' simulations (the paper has
 * neither; without the latter many flows that wait for a queue to drain all open their windows at once); a power of at
 * least POWER_LEAST, so that a link on which nothing arrives does not open the window without bound. Stamps of another
 * port than before are only noted down.
 */
#include "sim/transport/roce_powertcp.h"

#define POWER_LEAST 0.01
#define DELAY_CURRENT_LEAST 0.5

#define POWER_RATE_SETTINGS ROCE_RATE_SETTINGS(100, 150)
#define POWER_GAMMA_SETTING                                                                                            \
    {                                                                                                                  \
        .name = "gamma", .unit = SETTING_REAL, SETTING_FIELD(struct powertcp_params, gamma), .initial = 900000000,     \
        .min = 1, .max = SETTING_BILLION, .help = "Weight of the newest window."                                       \
    }

static const struct setting power_settings[] = {
    ROCE_ACK_SETTING,    ROCE_SETTINGS, POWER_RATE_SETTINGS, ROCE_UTILISATION_SETTING(struct powertcp_params),
    POWER_GAMMA_SETTING,
};

static const struct setting delay_settings[] = {ROCE_ACK_SETTING, ROCE_SETTINGS, POWER_RATE_SETTINGS,
                                                POWER_GAMMA_SETTING};

static const struct powertcp_params *settings_of(const struct roce_event *event)
{
    return (const struct powertcp_params *)event->params;
}

/* The normalised power of a link: what it holds on its way and in its queue, times what arrives. */
static double power_load(const struct telemetry_hop *hop, const struct telemetry_hop *last, weir_ps base_rtt_ps,
                         double bytes_per_ps)
{
    double product = bytes_per_ps * (double)base_rtt_ps;
    double arriving = (double)(hop->sent_bytes - last->sent_bytes) + hop->queue_bytes - last->queue_bytes;
    return (hop->queue_bytes + product) / product * (arriving / (bytes_per_ps * (double)(hop->when - last->when)));
}

static void power_open(struct roce_sender *sender, const struct roce_event *event)
{
    struct powertcp *own = powertcp_of(sender);
    roce_set_window(sender, event, roce_window_of(event, event->line_bps));
    own->reference_bytes = sender->window_bytes;
    own->power = 1;
}

static void power_smooth(struct powertcp *own, const struct roce_event *event, double power, weir_ps over_ps)
{
    double weight = over_ps < event->base_rtt_ps ? (double)over_ps / (double)event->base_rtt_ps : 1;
    own->power += weight * (power - own->power);
    if (own->power < POWER_LEAST)
        own->power = POWER_LEAST;
}

static void power_set_window(struct roce_sender *sender, const struct roce_event *event, double aim)
{
    const struct powertcp_params *settings = settings_of(event);
    const struct powertcp *own = powertcp_of(sender);
    double more = roce_window_of(event, roce_scaled(event, settings->roce.additive_bps));
    double wanted = own->reference_bytes * aim / own->power + more;
    roce_set_window(sender, event, settings->gamma * wanted + (1 - settings->gamma) * sender->window_bytes);
}

/* Once per round trip. */
static void power_remember(struct roce_sender *sender)
{
    struct powertcp *own = powertcp_of(sender);
    own->reference_bytes = sender->window_bytes;
    own->update = sender->next;
}

static void power_on_ack(struct roce_sender *sender, const struct roce_event *event)
{
    struct powertcp *own = powertcp_of(sender);
    double power;
    weir_ps over_ps;
    if (!telemetry_largest_load(event->stamps, event->last, event->base_rtt_ps, power_load, &power, &over_ps))
        return;
    power_smooth(own, event, power, over_ps);
    power_set_window(sender, event, settings_of(event)->utilisation);
    if (event->ack > own->update)
        power_remember(sender);
}

static void delay_on_ack(struct roce_sender *sender, const struct roce_event *event)
{
    struct powertcp *own = powertcp_of(sender);
    weir_ps since = event->now - own->then_ps, change = event->rtt_ps - own->rtt_ps;
    bool first = own->then_ps == 0;
    if (!first && since <= 0)
        return;
    own->then_ps = event->now;
    own->rtt_ps = event->rtt_ps;
    if (first)
        return;
    double current = (double)change / (double)since + 1;
    current = current > DELAY_CURRENT_LEAST ? current : DELAY_CURRENT_LEAST;
    double power = current * ((double)event->rtt_ps / (double)event->base_rtt_ps);
    power_smooth(own, event, power, since);
    if (event->ack <= own->update)
        return;
    power_set_window(sender, event, 1);
    power_remember(sender);
}

static const struct roce_control power_control = {.telemetry = true, .open = power_open, .on_ack = power_on_ack};
static const struct roce_control delay_control = {.open = power_open, .on_ack = delay_on_ack};

TRANSPORT_FITS(struct powertcp_params, struct powertcp, struct roce_receiver);

const struct transport transport_powertcp = {
    .name = "powertcp",
    .title = "RoCE with PowerTCP",
    .source = "Addanki et al., NSDI 2022; targets a fraction of the link by default",
    .control = &power_control,
    .settings = SETTING_TABLE(power_settings, struct powertcp_params),
    ROCE_OPERATIONS,
};

const struct transport transport_powertcp_delay = {
    .name = "powertcp-delay",
    .title = "RoCE with theta-PowerTCP: by delay alone",
    .source = "Addanki et al., NSDI 2022",
    .control = &delay_control,
    .settings = SETTING_TABLE(delay_settings, struct powertcp_params),
    ROCE_OPERATIONS,
};
