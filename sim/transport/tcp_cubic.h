/*
 * tcp_cubic.h - CUBIC's settings and state, for tests that look inside.
 */
#ifndef SIM_TRANSPORT_TCP_CUBIC_H
#define SIM_TRANSPORT_TCP_CUBIC_H

#include "sim/transport/tcp.h"

enum cubic_friendly {
    CUBIC_UNFRIENDLY,
    CUBIC_FRIENDLY,        /* never slower than Reno would be (RFC 9438, section 4.3) */
    CUBIC_FRIENDLY_RFC8312 /* by that RFC's rule (section 4.2) */
};

enum cubic_code { CUBIC_RFC, CUBIC_NS3 };

struct cubic_params {
    struct tcp_params tcp;
    weir_q16 c, beta;
    enum cubic_friendly friendly;
    enum cubic_code code;
};

/* At time t the window is to be w_max + C (t - origin)^3. */
struct cubic {
    double w_max;      /* the plateau, segments; as ns-3 has it negative until the first loss */
    double w_est;      /* what Reno would have, segments */
    weir_ps origin_ps; /* when the plateau is reached; WEIR_NEVER: no epoch has begun */
};

static inline struct cubic_params *cubic_params(const struct sim_transport *transport)
{
    return (struct cubic_params *)(uintptr_t)transport->params;
}

static inline struct cubic *cubic_of(struct tcp_sender *sender)
{
    return (struct cubic *)(void *)sender->own;
}

/* The cube root, in plain IEEE arithmetic. */
double cubic_root(double x);

#endif
