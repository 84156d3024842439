/*
 * roce_powertcp.h - PowerTCP's settings and state, for tests that look inside.
 */
#ifndef SIM_TRANSPORT_ROCE_POWERTCP_H
#define SIM_TRANSPORT_ROCE_POWERTCP_H

#include "sim/transport/roce.h"

struct powertcp_params {
    struct roce_params roce;
    double utilisation; /* eta: the part of a link that is aimed at; by delay: not used */
    double gamma;       /* weight of the newest window */
};

struct powertcp {
    struct roce_sender sender;
    double reference_bytes;  /* W_old: the window a round trip ago, which the next ones are computed from */
    double power;            /* P: smoothed and normalised */
    uint32_t update;         /* the reference changes when this segment is acknowledged */
    weir_ps rtt_ps, then_ps; /* by delay: the last round-trip time, and when it was taken; then 0: none yet */
};

static inline struct powertcp_params *powertcp_params(const struct sim_transport *transport)
{
    return (struct powertcp_params *)(uintptr_t)transport->params;
}

static inline struct powertcp *powertcp_of(struct roce_sender *sender)
{
    return (struct powertcp *)sender;
}

#endif
