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
#include "sim/transport/tcp_sender.h"

static void dctcp_init(struct tcp_sender *sender, const struct sim_transport *settings)
{
    sender->own.dctcp.alpha = (double)settings->dctcp_initial / WEIR_Q16_ONE;
    sender->own.dctcp.window_end = (uint32_t)sender->window - 1;
}

static void dctcp_observe(struct tcp_sender *sender, const struct sim_transport *settings)
{
    struct tcp_dctcp *own = &sender->own.dctcp;
    double gain = (double)settings->dctcp_gain / WEIR_Q16_ONE;
    own->alpha = (1 - gain) * own->alpha + gain * ((double)own->marked / own->acked);
    own->acked = own->marked = 0;
    own->window_end = sender->next;
}

static void dctcp_on_ack(struct tcp_sender *sender, const struct sim_transport *settings, const struct tcp_acked *acked)
{
    struct tcp_dctcp *own = &sender->own.dctcp;
    own->acked += acked->delivered;
    if (acked->echo)
        own->marked += acked->delivered;
    if (sender->una > own->window_end && own->acked)
        dctcp_observe(sender, settings);
    if (acked->grow)
        tcp_grow_reno(sender, acked->grow);
}

static double dctcp_reduced(struct tcp_sender *sender, const struct sim_transport *settings, enum tcp_congestion why)
{
    (void)settings;
    if (why == TCP_CONGESTION_MARK)
        return sender->window * (1 - sender->own.dctcp.alpha / 2);
    return tcp_half_flight(sender);
}

const struct tcp_control tcp_control_dctcp = {
    .ecn = true, .mild = true, .init = dctcp_init, .on_ack = dctcp_on_ack, .reduced = dctcp_reduced};

static void dctcp_open(struct host *host, struct flow *flow, weir_ps now)
{
    (void)now;
    tcp_open(host, flow, &tcp_control_dctcp);
}

const struct transport transport_dctcp = {
    .name = "dctcp",
    .title = "Data Center TCP",
    .source = "Alizadeh et al., SIGCOMM 2010; RFC 8257; " TCP_DEVIATIONS,
    .open = dctcp_open,
    TCP_OPERATIONS,
};
