/*
 * roce.h - the state of the two ends of a RoCE-like flow: a sender that is paced by a rate and perhaps bounded by a
 * window, and a receiver that takes packets in order only. What is common to all of them is in roce.c and
 * roce_receiver.c, what decides the rate in one file per congestion control (roce_control.h).
 */
#ifndef SIM_TRANSPORT_ROCE_H
#define SIM_TRANSPORT_ROCE_H

#include <assert.h>

#include "weir/types.h"

struct roce_control;

struct roce_dcqcn {
    double target_bps;                        /* R_T */
    double alpha;                             /* estimate of congestion, 0 to 1 */
    weir_ps alpha_ps;                         /* alpha is right as of then */
    weir_ps decreased_ps;                     /* the rate last fell; 0: never */
    weir_ps increase_ps;                      /* the timer raises the rate next; WEIR_NEVER: it is at line rate */
    int64_t bytes;                            /* counted towards the next increase */
    uint32_t timer_increases, byte_increases; /* since the rate last fell */
};

/* HPCC and PowerTCP. */
struct roce_window {
    double reference_bytes;  /* the window a round trip ago, which the next ones are computed from */
    double smoothed;         /* HPCC: utilisation U; PowerTCP: normalised power */
    uint32_t update;         /* the reference changes when this segment is acknowledged */
    uint32_t stage;          /* HPCC: round trips of additive increase in a row */
    uint32_t last;           /* telemetry: record of the last ACK, or TELEMETRY_NONE */
    weir_ps rtt_ps, then_ps; /* by delay: the last round-trip time, and when it was taken; then 0: none yet */
};

struct roce_timely {
    double difference_ps; /* smoothed change of the round-trip time from one sample to the next */
    weir_ps rtt_ps;       /* the last sample; 0: none yet */
    uint32_t update;      /* the rate changes when this segment is acknowledged */
    uint32_t falling;     /* changes of at most 0 in a row */
};

struct roce_sender {
    uint32_t next;       /* segment to send next */
    uint32_t acked;      /* all before it have arrived */
    uint32_t fresh;      /* first segment never sent */
    bool heard;          /* an ACK has arrived */
    double rate_bps;     /* link bits per second, gaps between packets included; at least the link's: not paced */
    double window_bytes; /* that may be under way, gaps included; 0: no limit */
    weir_ps next_ps;     /* the next packet may leave */
    weir_ps timeout_ps;  /* nothing was acknowledged since long: everything again; WEIR_NEVER: never */
    const struct roce_control *control;
    union {
        struct roce_dcqcn dcqcn;
        struct roce_window window;
        struct roce_timely timely;
    } own;
};

static_assert(sizeof(struct roce_sender) <= 128, "two cache lines");

struct roce_receiver {
    uint32_t expected; /* segment */
    uint32_t pending;  /* segments that wait for their ACK */
    weir_ps cnp_ps;    /* the next CNP may be sent */
    bool nacked;       /* the missing segment has been asked for */
};

static_assert(sizeof(struct roce_receiver) <= 32, "completes a cache line in struct flow");

#endif
