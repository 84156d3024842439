/*
 * roce_dcqcn.h - DCQCN's settings and state, for tests that look inside.
 */
#ifndef SIM_TRANSPORT_ROCE_DCQCN_H
#define SIM_TRANSPORT_ROCE_DCQCN_H

#include "sim/transport/roce.h"

struct dcqcn_params {
    struct roce_params roce;
    weir_ps alpha_interval_ps;    /* alpha decays after so long without a CNP */
    weir_ps decrease_interval_ps; /* the rate falls at most once in this time */
    weir_ps increase_interval_ps; /* the rate's timer */
    int64_t increase_bytes;       /* the rate's byte counter; 0: none */
    double gain;                  /* g */
    uint32_t fast_recoveries;     /* F */
    bool clamp_target;            /* each decrease sets the target to the rate before; else the first of a row */
};

struct dcqcn {
    struct roce_sender sender;
    double target_bps;                        /* R_T */
    double alpha;                             /* estimate of congestion, 0 to 1 */
    weir_ps alpha_ps;                         /* alpha is right as of then */
    weir_ps decreased_ps;                     /* the rate last fell; 0: never */
    weir_ps increase_ps;                      /* the timer raises the rate next; WEIR_NEVER: it is at line rate */
    int64_t bytes;                            /* counted towards the next increase */
    uint32_t timer_increases, byte_increases; /* since the rate last fell */
};

static inline struct dcqcn_params *dcqcn_params(const struct sim_transport *transport)
{
    return (struct dcqcn_params *)(uintptr_t)transport->params;
}

static inline struct dcqcn *dcqcn_of(struct roce_sender *sender)
{
    return (struct dcqcn *)sender;
}

#endif
