/*
 * udp.h - UDP's settings and the state of its ends, for those who look inside: tests, and those who
 * make real packets of it. See udp.c.
 */
#ifndef SIM_TRANSPORT_UDP_H
#define SIM_TRANSPORT_UDP_H

#include "sim/transport/transport.h"
#include "weir/random.h"

struct udp_params {
    weir_bps rate_bps;        /* mean rate while on, of the wire bytes without gap; 0: the rate of the host's link */
    weir_ps on_ps, off_ps;    /* means of on and off periods; off 0: always on */
    bool poisson;             /* exponential gaps between packets, else constant */
    bool exponential_sizes;   /* packet sizes exponential around the full segment, else all full */
    bool exponential_periods; /* else both are constant */
};

struct udp_sender {
    weir_ps next_ps;   /* when the next packet is scheduled */
    weir_ps on_end_ps; /* end of the current on period; WEIR_NEVER: always on */
    double gap_ps;     /* mean time between packets while on */
    double carry_ps;   /* part of a picosecond that constant gaps have left over */
    struct weir_random random;
    uint32_t sent; /* packets so far */
};

struct udp_receiver {
    uint64_t packets;     /* delivered */
    double delay_sum_ps;  /* from the start of their transmission to delivery */
    double delay_squares; /* sum of squares, ps^2 */
    weir_ps delay_max_ps;
};

static inline struct udp_params *udp_params(const struct sim_transport *transport)
{
    return (struct udp_params *)(uintptr_t)transport->params;
}

/* Constant gaps and sizes, without periods of silence: all that is told by its rate. */
static inline bool udp_is_steady(const struct udp_params *params)
{
    return !params->poisson && !params->exponential_sizes && params->off_ps == 0;
}

/* Linux can be the sender of such flows. */
static inline bool transport_is_real(const struct sim_transport *transport)
{
    return transport->kind->kernel != NULL ||
           (transport->kind == &transport_udp && udp_is_steady(udp_params(transport)));
}

static inline struct udp_sender *udp_sender(const struct flow *flow)
{
    return (struct udp_sender *)(uintptr_t)flow->sender;
}

static inline struct udp_receiver *udp_receiver(const struct flow *flow)
{
    return (struct udp_receiver *)(uintptr_t)flow->receiver;
}

#endif
