/*
 * roce_hpcc.h - HPCC's settings and state, for tests that look inside.
 */
#ifndef SIM_TRANSPORT_ROCE_HPCC_H
#define SIM_TRANSPORT_ROCE_HPCC_H

#include "sim/transport/roce.h"

struct hpcc_params {
    struct roce_params roce;
    double utilisation; /* eta: the part of a link that is aimed at */
    uint32_t stages;    /* maxStage */
};

struct hpcc {
    struct roce_sender sender;
    double reference_bytes; /* W_c: the window a round trip ago, which the next ones are computed from */
    double used;            /* U: smoothed utilisation */
    uint32_t update;        /* the reference changes when this segment is acknowledged */
    uint32_t stage;         /* round trips of additive increase in a row */
};

static inline struct hpcc_params *hpcc_params(const struct sim_transport *transport)
{
    return (struct hpcc_params *)(uintptr_t)transport->params;
}

static inline struct hpcc *hpcc_of(struct roce_sender *sender)
{
    return (struct hpcc *)sender;
}

#endif
