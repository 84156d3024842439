/*
 * tcp_cubic.c - CUBIC: after a reduction the window returns quickly to where the loss was, stays near it, and then
 * probes further, by a cubic function of time and not of round trips.
 *
 *   W(t) = C (t - K)^3 + w_max,   K = cbrt((w_max - window at the epoch's start) / C)
 *   ACK of n segments: window += n (target - window) / window,   target = W(t + RTT) within [window, 1.5 window]
 *   congestion: threshold = beta window;  w_max = window, or window (1 + beta) / 2 if it was below the last w_max
 *               (fast convergence: the flow gives way to a newcomer)
 *   Reno-friendly region (optional): where W(t) is below what Reno would have, the window is that of Reno
 *
 * An epoch starts with the first growth in congestion avoidance after a reduction. Stored is the moment of the plateau,
 * epoch + K, instead of both. Without a reduction before it (a threshold that was set, not found) the plateau is the
 * window itself.
 *
 * As the authors of ns-3's TcpCubic have it (`code: ns3`): HyStart compares the time since a round began with the least
 * delay, which timestamps of milliseconds make 0 in a data center, and so ends slow start at once; and before the first
 * loss the window grows by a twentieth of a segment per ACK at least.
 *
 * RFC 9438. Deviation: the window, not the flight, is multiplied by beta.
 */
#include "sim/transport/tcp_cubic.h"

#define PS_TO_SECONDS 1e-12

#define TCP_LINUX_HYSTART TCP_HYSTART_CLASSIC

static const char *const friendly_names[] = {"no", "yes", "rfc8312", NULL};

static const char *const code_names[] = {"rfc", "ns3", NULL};

/* Defaults of RFC 9438. */
static const struct setting cubic_settings[] = {
#include "sim/transport/tcp_settings.def"

    {.name = "c",
     .unit = SETTING_RATIO,
     SETTING_FIELD(struct cubic_params, c),
     .initial = WEIR_Q16_ONE * 4 / 10,
     .min = 1,
     .max = 1000 * WEIR_Q16_ONE,
     .help = "C of RFC 9438: how fast the window grows."},
    {.name = "beta",
     .unit = SETTING_RATIO,
     SETTING_FIELD(struct cubic_params, beta),
     .initial = WEIR_Q16_ONE * 7 / 10,
     .min = 1,
     .max = WEIR_Q16_ONE - 1,
     .help = "Fraction of the window kept after a loss."},
    {.name = "friendly",
     .unit = SETTING_CHOICE,
     SETTING_FIELD(struct cubic_params, friendly),
     .initial = CUBIC_FRIENDLY,
     .max = CUBIC_FRIENDLY_RFC8312,
     .choices = friendly_names,
     TCP_KERNEL(CUBIC_FRIENDLY_RFC8312),
     .help = "Never slower than Reno would be: yes as RFC 9438 has it (section 4.3), rfc8312 as the one before, "
             "whose Reno grows slowly for ever."},
    {.name = "code",
     .unit = SETTING_CHOICE,
     SETTING_FIELD(struct cubic_params, code),
     .initial = CUBIC_RFC,
     .max = CUBIC_NS3,
     .choices = code_names,
     .help = "ns3: as ns-3 has it where round trips are below a millisecond. Its timestamps count milliseconds, which "
             "ends slow start at the first ACK from 16 segments on; until the first loss each ACK adds a twentieth of "
             "a segment at least."},
};

#define NS3_LOW_WINDOW 16 /* segments from which its HyStart looks */
#define NS3_CLAMP 20      /* ACKs for a segment at most, before the first loss */

static const struct cubic_params *settings_of(const struct tcp_params *params)
{
    return (const struct cubic_params *)params;
}

double cubic_root(double x)
{
    double root = 1, scaled = x;
    if (x <= 0)
        return 0;
    for (; scaled > 8; scaled /= 8)
        root *= 2;
    for (; scaled < 1; scaled *= 8)
        root /= 2;
    double y = 1.5;
    for (int i = 0; i < 6; i++)
        y = (2 * y + scaled / (y * y)) / 3;
    return root * y;
}

static void cubic_init(struct tcp_sender *sender, const struct tcp_params *params)
{
    (void)params;
    cubic_of(sender)->origin_ps = WEIR_NEVER;
}

/* Time in which nothing was sent does not count (RFC 9438, section 4.2). */
static void cubic_resume(struct tcp_sender *sender, weir_ps idle_ps)
{
    struct cubic *own = cubic_of(sender);
    if (own->origin_ps != WEIR_NEVER)
        own->origin_ps += idle_ps;
}

static double plateau(const struct cubic *own)
{
    return own->w_max < 0 ? -own->w_max : own->w_max;
}

static void cubic_begin(struct tcp_sender *sender, const struct cubic_params *settings, double c, weir_ps now)
{
    struct cubic *own = cubic_of(sender);
    if (plateau(own) < sender->window)
        own->w_max = settings->code == CUBIC_NS3 && own->w_max <= 0 ? -sender->window : sender->window;
    double k_seconds = cubic_root((plateau(own) - sender->window) / c);
    own->origin_ps = now + (weir_ps)(k_seconds / PS_TO_SECONDS);
    own->w_est = sender->window;
}

/* W at a time relative to the plateau. */
static double cubic_curve(const struct cubic *own, double c, weir_ps since_origin)
{
    double t = (double)since_origin * PS_TO_SECONDS;
    return c * t * t * t + plateau(own);
}

/* What Reno with CUBIC's beta would have: it grows by less than 1 per round trip until it is back at the window before
 * the reduction, because it was cut less (RFC 9438, section 4.3); in RFC 8312 it never counts as back. */
static void cubic_estimate(struct tcp_sender *sender, const struct cubic_params *settings, double windows)
{
    struct cubic *own = cubic_of(sender);
    double beta = (double)settings->beta / WEIR_Q16_ONE;
    bool back = settings->friendly != CUBIC_FRIENDLY_RFC8312 && own->w_est * beta >= sender->threshold;
    own->w_est += windows * (back ? 1 : 3 * (1 - beta) / (1 + beta));
}

static void cubic_on_ack(struct tcp_sender *sender, const struct tcp_params *params, const struct tcp_acked *acked)
{
    const struct cubic_params *settings = settings_of(params);
    struct cubic *own = cubic_of(sender);
    if (settings->code == CUBIC_NS3 && sender->window >= NS3_LOW_WINDOW && sender->window < sender->threshold)
        sender->threshold = sender->window;
    if (!acked->grow || tcp_slow_start(sender, acked->grow))
        return;
    double c = (double)settings->c / WEIR_Q16_ONE;
    if (own->origin_ps == WEIR_NEVER)
        cubic_begin(sender, settings, c, acked->now);
    weir_ps since_origin = acked->now - own->origin_ps;
    double windows = acked->grow / sender->window;
    cubic_estimate(sender, settings, windows);
    if (settings->friendly && cubic_curve(own, c, since_origin) < own->w_est) {
        if (sender->window < own->w_est)
            sender->window = own->w_est;
        return;
    }
    double target = cubic_curve(own, c, since_origin + sender->srtt_ps);
    double most = 1.5 * sender->window, least = own->w_max < 0 ? (double)acked->grow / NS3_CLAMP : 0;
    target = target < most ? target : most;
    double growth = target > sender->window ? windows * (target - sender->window) : 0;
    sender->window += growth > least ? growth : least;
}

static double cubic_reduced(struct tcp_sender *sender, const struct tcp_params *params, enum tcp_congestion why)
{
    struct cubic *own = cubic_of(sender);
    double beta = (double)settings_of(params)->beta / WEIR_Q16_ONE;
    (void)why;
    own->w_max = sender->window < own->w_max ? sender->window * (1 + beta) / 2 : sender->window;
    own->origin_ps = WEIR_NEVER;
    return sender->window * beta;
}

static const struct tcp_control cubic_control = {
    .init = cubic_init, .resume = cubic_resume, .on_ack = cubic_on_ack, .reduced = cubic_reduced};

TRANSPORT_FITS(struct cubic_params, struct tcp_sender, struct tcp_receiver);
static_assert(sizeof(struct cubic) <= TCP_OWN_BYTES, "CUBIC's state needs more than TCP_OWN_BYTES");

const struct transport transport_cubic = {
    .name = "cubic",
    .title = "TCP CUBIC",
    .source = "RFC 9438; " TCP_DEVIATIONS,
    .kernel = "cubic",
    .control = &cubic_control,
    .settings = SETTING_TABLE(cubic_settings, struct cubic_params),
    TCP_OPERATIONS,
};
