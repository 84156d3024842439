/*
 * tcp_newreno.c - NewReno: slow start doubles the window each round trip, congestion avoidance adds one segment to it,
 * a loss or a mark halves it. The repair of losses is in tcp_sender.c.
 *
 *   ACK of n segments:  window += n below the threshold, else 1 for every `window` segments acknowledged
 *   loss, timeout:      threshold = flight / 2, or window / 2 with `halve_window`
 *   mark:               threshold = window / 2
 *
 * RFC 5681 (congestion control), RFC 6582 (NewReno without SACK), RFC 3168 (marks).
 */
#include "sim/transport/tcp.h"

#define TCP_LINUX_HYSTART TCP_HYSTART_OFF

static const struct setting newreno_settings[] = {
#include "sim/transport/tcp_settings.def"
};

static void newreno_on_ack(struct tcp_sender *sender, const struct tcp_params *params, const struct tcp_acked *acked)
{
    (void)params;
    if (acked->grow)
        tcp_grow_reno(sender, acked->grow);
}

static double newreno_reduced(struct tcp_sender *sender, const struct tcp_params *params, enum tcp_congestion why)
{
    return why == TCP_CONGESTION_MARK ? sender->window / 2 : tcp_half(sender, params);
}

static const struct tcp_control newreno_control = {.on_ack = newreno_on_ack, .reduced = newreno_reduced};

TRANSPORT_FITS(struct tcp_params, struct tcp_sender, struct tcp_receiver);

const struct transport transport_newreno = {
    .name = "newreno",
    .title = "TCP NewReno",
    .source = "RFC 5681, 6582, 6675, 6298; " TCP_DEVIATIONS,
    .kernel = "reno",
    .control = &newreno_control,
    .settings = SETTING_TABLE(newreno_settings, struct tcp_params),
    TCP_OPERATIONS,
};
