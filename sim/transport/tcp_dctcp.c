/*
 * tcp_dctcp.c - DCTCP: reduces the window in proportion to how much of the traffic was marked, so that a short queue is
 * enough to keep a link busy.
 *
 *   once per window:  alpha = (1 - g) alpha + g (marked / acknowledged segments)
 *   marks in a window: threshold = window (1 - alpha / 2), once per window
 *   loss, timeout:    as NewReno
 *
 * The window of observation ends when the first segment sent after its start is acknowledged. The first one is the
 * initial window (RFC 8257 would end it with the first ACK). Segments that a SACK reports count in the window in which
 * it arrives, with the mark of the ACK that brought it. The receiver's exact echo is in tcp_receiver.c.
 *
 * M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010; RFC 8257.
 */
#include "sim/transport/tcp_dctcp.h"

#define TCP_LINUX_HYSTART TCP_HYSTART_OFF
#define TCP_FIXED_ECN

/* Defaults of RFC 8257. */
static const struct setting dctcp_settings[] = {
#include "sim/transport/tcp_settings.def"

    {.name = "gain",
     .unit = SETTING_RATIO,
     SETTING_FIELD(struct dctcp_params, gain),
     .initial = WEIR_Q16_ONE / 16,
     .min = 1,
     .max = WEIR_Q16_ONE,
     .help = "g, the weight of the newest fraction of marked packets."},
    {.name = "initial_alpha",
     .unit = SETTING_RATIO,
     SETTING_FIELD(struct dctcp_params, initial_alpha),
     .initial = WEIR_Q16_ONE,
     .min = 0,
     .max = WEIR_Q16_ONE,
     .help = "Initial alpha, the estimated fraction of marked packets."},
};

static const struct dctcp_params *settings_of(const struct tcp_params *params)
{
    return (const struct dctcp_params *)params;
}

static void dctcp_init(struct tcp_sender *sender, const struct tcp_params *params)
{
    struct dctcp *own = dctcp_of(sender);
    own->alpha = (double)settings_of(params)->initial_alpha / WEIR_Q16_ONE;
    own->window_end = (uint32_t)sender->window - 1;
}

/* The observation that the last flow began ends with the first ACK of this one (RFC 8257). */
static void dctcp_resume(struct tcp_sender *sender, weir_ps idle_ps)
{
    (void)idle_ps;
    dctcp_of(sender)->window_end = 0;
}

static void dctcp_observe(struct tcp_sender *sender, const struct tcp_params *params)
{
    struct dctcp *own = dctcp_of(sender);
    double gain = (double)settings_of(params)->gain / WEIR_Q16_ONE;
    own->alpha = (1 - gain) * own->alpha + gain * ((double)own->marked / own->acked);
    own->acked = own->marked = 0;
    own->window_end = sender->next;
}

static void dctcp_on_ack(struct tcp_sender *sender, const struct tcp_params *params, const struct tcp_acked *acked)
{
    struct dctcp *own = dctcp_of(sender);
    own->acked += acked->delivered;
    if (acked->echo)
        own->marked += acked->delivered;
    if (sender->una > own->window_end && own->acked)
        dctcp_observe(sender, params);
    if (acked->grow)
        tcp_grow_reno(sender, acked->grow);
}

static double dctcp_reduced(struct tcp_sender *sender, const struct tcp_params *params, enum tcp_congestion why)
{
    if (why == TCP_CONGESTION_MARK)
        return sender->window * (1 - dctcp_of(sender)->alpha / 2);
    return tcp_half(sender, params);
}

static const struct tcp_control dctcp_control = {.ecn = true,
                                                 .mild = true,
                                                 .init = dctcp_init,
                                                 .resume = dctcp_resume,
                                                 .on_ack = dctcp_on_ack,
                                                 .reduced = dctcp_reduced};

TRANSPORT_FITS(struct dctcp_params, struct tcp_sender, struct tcp_receiver);
static_assert(sizeof(struct dctcp) <= TCP_OWN_BYTES, "DCTCP's state needs more than TCP_OWN_BYTES");

const struct transport transport_dctcp = {
    .name = "dctcp",
    .title = "Data Center TCP",
    .source = "Alizadeh et al., SIGCOMM 2010; RFC 8257; " TCP_DEVIATIONS,
    .kernel = "dctcp",
    .control = &dctcp_control,
    .settings = SETTING_TABLE(dctcp_settings, struct dctcp_params),
    TCP_OPERATIONS,
};
