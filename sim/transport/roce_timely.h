/*
 * roce_timely.h - TIMELY's settings and state, for tests that look inside.
 */
#ifndef SIM_TRANSPORT_ROCE_TIMELY_H
#define SIM_TRANSPORT_ROCE_TIMELY_H

#include "sim/transport/roce.h"

struct timely_params {
    struct roce_params roce;
    double weight; /* of the newest gradient */
    double beta;
    weir_ps low_rtt_ps, high_rtt_ps;
    uint32_t fast_increases; /* gradients at most 0 in a row until the fast phase */
};

struct timely {
    struct roce_sender sender;
    double difference_ps; /* smoothed change of the round-trip time from one sample to the next */
    weir_ps rtt_ps;       /* the last sample; 0: none yet */
    uint32_t update;      /* the rate changes when this segment is acknowledged */
    uint32_t falling;     /* changes of at most 0 in a row */
};

static inline struct timely_params *timely_params(const struct sim_transport *transport)
{
    return (struct timely_params *)(uintptr_t)transport->params;
}

static inline struct timely *timely_of(struct roce_sender *sender)
{
    return (struct timely *)sender;
}

#endif
