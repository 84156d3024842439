/*
 * tcp_newreno.c - NewReno: slow start doubles the window each round trip, congestion avoidance adds one segment to it,
 * a loss or a mark halves it. The repair of losses is in tcp_sender.c.
 *
 *   ACK of n segments:  window += n below the threshold, else 1 for every `window` segments acknowledged
 *   loss, timeout:      threshold = flight / 2
 *   mark:               threshold = window / 2
 *
 * RFC 5681 (congestion control), RFC 6582 (NewReno without SACK), RFC 3168 (marks).
 */
#include "sim/transport/tcp_sender.h"

static void newreno_on_ack(struct tcp_sender *sender, const struct sim_transport *settings,
                           const struct tcp_acked *acked)
{
    (void)settings;
    if (acked->grow)
        tcp_grow_reno(sender, acked->grow);
}

static double newreno_reduced(struct tcp_sender *sender, const struct sim_transport *settings, enum tcp_congestion why)
{
    (void)settings;
    return why == TCP_CONGESTION_MARK ? sender->window / 2 : tcp_half_flight(sender);
}

const struct tcp_control tcp_control_newreno = {.on_ack = newreno_on_ack, .reduced = newreno_reduced};

static void newreno_open(struct host *host, struct flow *flow, weir_ps now)
{
    (void)now;
    tcp_open(host, flow, &tcp_control_newreno);
}

const struct transport transport_newreno = {
    .name = "newreno",
    .title = "TCP NewReno",
    .source = "RFC 5681, 6582, 6675, 6298; " TCP_DEVIATIONS,
    .open = newreno_open,
    TCP_OPERATIONS,
};
