/*
 * udp.h - the state of the two ends of a UDP flow: a source that sends by a schedule, and a receiver that takes the
 * delays. See udp.c.
 */
#ifndef SIM_TRANSPORT_UDP_H
#define SIM_TRANSPORT_UDP_H

#include "weir/random.h"
#include "weir/types.h"

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

#endif
