/*
 * tcp_powertcp.c - PowerTCP as a congestion control of TCP, as its authors simulate it for lossy switches (ABM,
 * Credence): a window and a rate from the power of the bottleneck, with TCP's SACK, recovery and timeouts. PowerTCP
 * over go-back-N is roce_powertcp.c, which explains the idea.
 *
 *   power of a link = (queue + B T) / (B T) * max(1/2, (change of the queue + bytes sent) / (B * time since))
 *   P               = (1 - t / T) P + t / T (largest power),  t = time since on that link, at most T; P = 0 at first
 *   R               = R_old eta / P + R_AI                               while P / eta <= 1/2
 *                     gamma (R_old eta / P + R_AI) + (1 - gamma) R_old   else; between `min_rate` and the link's rate
 *   window          = R T, at least one segment;  rate of sending = R;  both with every ACK
 *   R_old           = R, once per round trip; the link's rate at first
 *
 * A flow starts with `initial_window`. The first ACK is only noted down, because there is nothing to compare it with.
 * Losses do not reduce the window, the queues behind them do; a timeout leaves one segment until the next ACK.
 *
 * V. Addanki, O. Michel and S. Schmid, "PowerTCP", NSDI 2022, for the rule; the authors' ns-3 model of it as a TCP
 * (TcpAdvanced, used with AI = 100 Mb/s, eta = 0.95 and at least 100 Mb/s at links of 10 Gb/s) for the rest.
 * Deviations from that model: stamps tell the queue of the whole port, there that of the packet's class (but the bytes
 * of the whole port); stamps of another port than before, or older ones, are only noted down; segments that the rate
 * holds back leave by the rate of the moment they leave at.
 */
#include "sim/transport/tcp_powertcp.h"

#include "sim/transport/tcp_more.h"
#include "sim/transport/telemetry_load.h"

#define CURRENT_LEAST 0.5 /* of a link that drains its queue: a window never grows because of that alone */
#define POWER_LOW 0.5     /* below it the new rate counts alone */
#define MBPS INT64_C(1000000)

#define TCP_LINUX_HYSTART TCP_HYSTART_OFF
#define TCP_FIXED_ECN

static const struct setting powertcp_tcp_settings[] = {
#include "sim/transport/tcp_settings.def"

    {.name = "min_rate",
     .unit = SETTING_RATE,
     SETTING_FIELD(struct powertcp_tcp_params, min_rate_bps),
     .initial = 100 * MBPS,
     .min = 1000,
     .max = WEIR_RATE_BPS_MAX,
     .help = "A flow is never slower."},
    {.name = "additive",
     .unit = SETTING_RATE,
     SETTING_FIELD(struct powertcp_tcp_params, additive_bps),
     .initial = 100 * MBPS,
     .min = 0,
     .max = WEIR_RATE_BPS_MAX,
     .help = "Additive increase of the rate per round trip, whatever the link's rate."},
    {.name = "base_rtt",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct powertcp_tcp_params, base_rtt_ps),
     .min = WEIR_PS_PER_NS,
     .max = TCP_TIME_MAX,
     .word = "network",
     .help = "Round trip without queues; network: the longest of the topology."},
    {.name = "utilisation",
     .unit = SETTING_REAL,
     SETTING_FIELD(struct powertcp_tcp_params, utilisation),
     .initial = 950000000,
     .min = 1,
     .max = SETTING_BILLION,
     .help = "Eta, the target utilisation of a link."},
    {.name = "gamma",
     .unit = SETTING_REAL,
     SETTING_FIELD(struct powertcp_tcp_params, gamma),
     .initial = 900000000,
     .min = 1,
     .max = SETTING_BILLION,
     .help = "Weight of the newest rate."},
    {.name = "paced",
     .unit = SETTING_FLAG,
     SETTING_FIELD(struct powertcp_tcp_params, paced),
     .initial = true,
     .max = 1,
     .help = "Segments leave at the flow's rate; no: as soon as the window lets them."},
};

static const struct powertcp_tcp_params *settings_of(const struct tcp_params *params)
{
    return (const struct powertcp_tcp_params *)params;
}

/* The next flow of a kept connection starts, or the first: no segment of it has been acknowledged. */
static void powertcp_resume(struct tcp_sender *sender, weir_ps idle_ps)
{
    (void)idle_ps;
    powertcp_tcp_of(sender)->update = 0;
}

static double powertcp_load(const struct telemetry_hop *hop, const struct telemetry_hop *last, weir_ps base_rtt_ps,
                            double bytes_per_ps)
{
    double product = bytes_per_ps * (double)base_rtt_ps;
    double arriving = (double)(hop->sent_bytes - last->sent_bytes) + hop->queue_bytes - last->queue_bytes;
    double current = arriving / (bytes_per_ps * (double)(hop->when - last->when));
    return (hop->queue_bytes + product) / product * (current > CURRENT_LEAST ? current : CURRENT_LEAST);
}

/* R, of the power that has just been taken in. */
static double powertcp_rate(const struct powertcp_tcp *own, const struct powertcp_tcp_params *settings, double line_bps)
{
    double load = own->power / settings->utilisation;
    double rate = own->reference_bps / load + (double)settings->additive_bps;
    if (load > POWER_LOW)
        rate = settings->gamma * rate + (1 - settings->gamma) * own->reference_bps;
    if (rate < (double)settings->min_rate_bps)
        rate = (double)settings->min_rate_bps;
    return rate < line_bps ? rate : line_bps;
}

static void powertcp_on_stamps(struct tcp_sender *sender, const struct tcp_params *params, const struct tcp_told *told)
{
    const struct powertcp_tcp_params *settings = settings_of(params);
    struct powertcp_tcp *own = powertcp_tcp_of(sender);
    weir_ps base_rtt_ps = settings->base_rtt_ps ? settings->base_rtt_ps : told->base_rtt_ps;
    double power;
    weir_ps over_ps;
    if (own->reference_bps <= 0)
        own->reference_bps = told->line_bps;
    if (own->update == 0)
        own->update = sender->next;
    if (!telemetry_largest_load(told->stamps, told->last, base_rtt_ps, powertcp_load, &power, &over_ps))
        return;
    double weight = over_ps < base_rtt_ps ? (double)over_ps / (double)base_rtt_ps : 1;
    own->power += weight * (power - own->power);
    double rate_bps = powertcp_rate(own, settings, told->line_bps);
    double window = rate_bps * (double)base_rtt_ps / (8.0 * (double)WEIR_PS_PER_S * told->mss_bytes);
    sender->window = window > 1 ? window : 1;
    sender->more->pace.rate_bps = settings->paced && rate_bps < told->line_bps ? rate_bps : 0;
    if (sender->una > own->update) {
        own->reference_bps = rate_bps;
        own->update = sender->next;
    }
}

static double powertcp_reduced(struct tcp_sender *sender, const struct tcp_params *params, enum tcp_congestion why)
{
    (void)params;
    (void)why;
    return sender->window;
}

static const struct tcp_control powertcp_control = {
    .resume = powertcp_resume, .on_stamps = powertcp_on_stamps, .reduced = powertcp_reduced};

TRANSPORT_FITS(struct powertcp_tcp_params, struct tcp_sender, struct tcp_receiver);
static_assert(sizeof(struct powertcp_tcp) <= TCP_OWN_BYTES, "PowerTCP's state needs more than TCP_OWN_BYTES");

const struct transport transport_powertcp_tcp = {
    .name = "powertcp-tcp",
    .title = "TCP with PowerTCP",
    .source = "Addanki et al., NSDI 2022, as its authors simulate it over TCP; " TCP_DEVIATIONS,
    .control = &powertcp_control,
    .settings = SETTING_TABLE(powertcp_tcp_settings, struct powertcp_tcp_params),
    TCP_OPERATIONS,
};
