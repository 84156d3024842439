/*
 * tcp_dctcp.h - DCTCP's settings and state, for those who look inside: the testbed, weir-traffic, tests.
 */
#ifndef SIM_TRANSPORT_TCP_DCTCP_H
#define SIM_TRANSPORT_TCP_DCTCP_H

#include "sim/transport/tcp.h"

struct dctcp_params {
    struct tcp_params tcp;
    weir_q16 gain;          /* g */
    weir_q16 initial_alpha; /* of a new flow */
};

struct dctcp {
    double alpha;           /* estimated part of marked segments, 0 to 1 */
    uint32_t acked, marked; /* segments in this observation window */
    uint32_t window_end;    /* the observation ends when this segment is acknowledged */
};

static inline struct dctcp_params *dctcp_params(const struct sim_transport *transport)
{
    return (struct dctcp_params *)(uintptr_t)transport->params;
}

static inline struct dctcp *dctcp_of(struct tcp_sender *sender)
{
    return (struct dctcp *)(void *)sender->own;
}

#endif
