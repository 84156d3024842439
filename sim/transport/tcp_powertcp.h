/*
 * tcp_powertcp.h - the settings and state of PowerTCP over TCP, for tests that look inside.
 */
#ifndef SIM_TRANSPORT_TCP_POWERTCP_H
#define SIM_TRANSPORT_TCP_POWERTCP_H

#include "sim/transport/tcp.h"

struct powertcp_tcp_params {
    struct tcp_params tcp;
    weir_bps min_rate_bps;
    weir_bps additive_bps; /* per round trip */
    weir_ps base_rtt_ps;   /* T; 0: the largest of the network without queues */
    double utilisation;    /* eta: the part of a link that is aimed at */
    double gamma;          /* weight of the newest rate */
    bool paced;            /* segments leave at the rate; else as the window lets them */
};

struct powertcp_tcp {
    double reference_bps; /* R_old: the rate a round trip ago, which the next ones are computed from */
    double power;         /* P: smoothed and normalised */
    uint32_t update;      /* the reference changes when this segment is acknowledged */
};

static inline struct powertcp_tcp_params *powertcp_tcp_params(const struct sim_transport *transport)
{
    return (struct powertcp_tcp_params *)(uintptr_t)transport->params;
}

static inline struct powertcp_tcp *powertcp_tcp_of(struct tcp_sender *sender)
{
    return (struct powertcp_tcp *)(void *)sender->own;
}

#endif
