/*
 * roce.h - the RoCE family: one queue pair per flow, go-back-N, paced by a rate and perhaps bounded by a window. Here
 * are the state and settings of both ends, the operations that its transports share (roce.c), and what a congestion
 * control decides: the rate and perhaps the window, from ACKs, congestion notifications (CNP) and its own sending. A
 * control has no timers: what changes with time alone is computed when the flow next sends or hears.
 *
 * Rates and windows are those of the link: gaps between packets count, so that a rate equal to the link's fills it.
 */
#ifndef SIM_TRANSPORT_ROCE_H
#define SIM_TRANSPORT_ROCE_H

#include "sim/transport/telemetry_load.h"
#include "sim/transport/transport.h"

#define ROCE_REFERENCE_BPS 25e9 /* rates of increase are given for such a link, and grow with the sender's */

/* Settings of every RoCE; a control's own struct begins with it. What a control's table does not list stays 0. */
struct roce_params {
    weir_ps base_rtt_ps;     /* 0: the largest of the network without queues */
    weir_ps rto_ps;          /* everything unacknowledged is sent again after so long without an ACK; 0: never */
    weir_ps cnp_interval_ps; /* a receiver sends at most one CNP per flow in this time */
    weir_bps min_rate_bps;
    weir_bps additive_bps;       /* per ROCE_REFERENCE_BPS; of a window: over a round trip */
    weir_bps hyper_additive_bps; /* likewise, in a fast phase */
    int64_t unscheduled_bytes;   /* first ones of a flow; TRANSPORT_BDP: of the flow's own path */
    uint32_t ack_every;          /* data packets per ACK */
    bool windowed; /* no more than a window under way: of one bandwidth-delay product where the control sets none */
};

#define ROCE_TIME_MAX (1000 * WEIR_PS_PER_S)
#define ROCE_MBPS INT64_C(1000000)

#define ROCE_ACK_SETTING                                                                                               \
    {                                                                                                                  \
        .name = "ack_every", .unit = SETTING_COUNT, SETTING_FIELD(struct roce_params, ack_every), .initial = 1,        \
        .min = 1, .max = UINT16_MAX, .help = "Data packets per ACK."                                                   \
    }

/* The timeout is 4.096 us * 2^12, a usual setting of NICs. */
#define ROCE_SETTINGS                                                                                                  \
    {.name = "rto",                                                                                                    \
     .unit = SETTING_TIME,                                                                                             \
     SETTING_FIELD(struct roce_params, rto_ps),                                                                        \
     .initial = 4096 * WEIR_PS_PER_NS << 12,                                                                           \
     .min = WEIR_PS_PER_US,                                                                                            \
     .max = ROCE_TIME_MAX,                                                                                             \
     .word = "never",                                                                                                  \
     .help = "After this long without an ACK, everything unacknowledged is resent."},                                  \
        TRANSPORT_UNSCHEDULED_SETTING(struct roce_params),                                                             \
    {                                                                                                                  \
        .name = "base_rtt", .unit = SETTING_TIME, SETTING_FIELD(struct roce_params, base_rtt_ps),                      \
        .min = WEIR_PS_PER_NS, .max = ROCE_TIME_MAX, .word = "network",                                                \
        .help = "Round trip without queues; network: the longest of the topology."                                     \
    }

/* For controls that set a rate only. */
#define ROCE_WINDOWED_SETTING                                                                                          \
    {                                                                                                                  \
        .name = "windowed", .unit = SETTING_FLAG, SETTING_FIELD(struct roce_params, windowed), .max = 1,               \
        .help = "At most one product of link rate and base_rtt is under way."                                          \
    }

#define ROCE_RATE_SETTINGS(least_mbps, additive_mbps)                                                                  \
    {.name = "min_rate",                                                                                               \
     .unit = SETTING_RATE,                                                                                             \
     SETTING_FIELD(struct roce_params, min_rate_bps),                                                                  \
     .initial = (least_mbps)*ROCE_MBPS,                                                                                \
     .min = 1000,                                                                                                      \
     .max = WEIR_RATE_BPS_MAX,                                                                                         \
     .help = "A flow is never slower."},                                                                               \
    {                                                                                                                  \
        .name = "additive", .unit = SETTING_RATE, SETTING_FIELD(struct roce_params, additive_bps),                     \
        .initial = (additive_mbps)*ROCE_MBPS, .min = 0, .max = WEIR_RATE_BPS_MAX,                                      \
        .help = "Additive increase, of a link of 25 Gb/s; grows with the link. Of hpcc and powertcp: of the window, "  \
                "over a round trip."                                                                                   \
    }

#define ROCE_HYPER_SETTING(hyper_mbps)                                                                                 \
    {                                                                                                                  \
        .name = "hyper_additive", .unit = SETTING_RATE, SETTING_FIELD(struct roce_params, hyper_additive_bps),         \
        .initial = (hyper_mbps)*ROCE_MBPS, .min = 0, .max = WEIR_RATE_BPS_MAX, .help = "Likewise, in the fast phase."  \
    }

/* For controls that have a field `utilisation`. */
#define ROCE_UTILISATION_SETTING(type)                                                                                 \
    {                                                                                                                  \
        .name = "utilisation", .unit = SETTING_REAL, SETTING_FIELD(type, utilisation), .initial = 950000000, .min = 1, \
        .max = SETTING_BILLION, .help = "Eta, the target utilisation of a link."                                       \
    }

/* A control's own struct begins with it and may have 64 bytes more. */
struct roce_sender {
    uint32_t next;        /* segment to send next */
    uint32_t acked;       /* all before it have arrived */
    uint32_t fresh;       /* first segment never sent */
    uint32_t unscheduled; /* first segment that is not */
    double rate_bps;      /* link bits per second, gaps between packets included; at least the link's: not paced */
    double window_bytes;  /* that may be under way, gaps included; 0: no limit */
    weir_ps next_ps;      /* the next packet may leave */
    weir_ps timeout_ps;   /* nothing was acknowledged since long: everything again; WEIR_NEVER: never */
    const struct roce_control *control;
    uint32_t stamps; /* telemetry: record of the last ACK, or TELEMETRY_NONE */
};

struct roce_receiver {
    uint32_t expected; /* segment */
    uint32_t pending;  /* segments that wait for their ACK */
    weir_ps cnp_ps;    /* the next CNP may be sent */
    bool nacked;       /* the missing segment has been asked for */
};

/* What happened, and where the flow lives. */
struct roce_event {
    const struct roce_params *params; /* the control's own struct */
    double line_bps;                  /* of the sender's link */
    weir_ps base_rtt_ps;              /* T: without queues */
    weir_ps now;
    uint32_t bytes;                        /* on_send: of the packet, gap included */
    uint32_t ack;                          /* on_ack: the next segment the receiver expects */
    weir_ps rtt_ps;                        /* on_ack: of the segment that caused it */
    const struct telemetry *stamps, *last; /* on_ack, if `telemetry`: of this ACK, of the one before (hops 0: none) */
};

struct roce_control {
    bool ecn;       /* data may be marked, and the receiver sends CNPs */
    bool telemetry; /* data collects stamps, and the receiver returns them */

    /* The flow starts: rate and window are at their usual values, line rate and no limit. Null: stays so. */
    void (*open)(struct roce_sender *sender, const struct roce_event *event);
    /* After the sender took in an ACK; a CNP arrived; a packet leaves. Each may be null. */
    void (*on_ack)(struct roce_sender *sender, const struct roce_event *event);
    void (*on_cnp)(struct roce_sender *sender, const struct roce_event *event);
    void (*on_send)(struct roce_sender *sender, const struct roce_event *event);
};

void roce_open(struct host *host, struct flow *flow, weir_ps now);
enum transport_more roce_emit(struct host *host, struct flow *flow, struct packet *packet, weir_ps now);
void roce_data(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now);
void roce_ack(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now);
void roce_sender_timer(struct host *host, struct flow *flow, weir_ps now);
void roce_close(struct host *host, struct flow *flow);

#define ROCE_OPERATIONS                                                                                                \
    .open = roce_open, .emit = roce_emit, .data = roce_data, .ack = roce_ack, .sender_timer = roce_sender_timer,       \
    .close = roce_close

/* Checks what must hold of both ends between two calls; null, or what does not. */
const char *roce_check(const struct flow *flow);

static inline bool transport_is_roce(const struct transport *kind)
{
    return kind->ack == roce_ack;
}

/* The settings of a transport, and the ends of a flow, of the RoCE family. */
static inline struct roce_params *roce_params(const struct sim_transport *transport)
{
    return (struct roce_params *)(uintptr_t)transport->params;
}

static inline struct roce_sender *roce_sender(const struct flow *flow)
{
    return (struct roce_sender *)(uintptr_t)flow->sender;
}

static inline struct roce_receiver *roce_receiver(const struct flow *flow)
{
    return (struct roce_receiver *)(uintptr_t)flow->receiver;
}

/* Within [least, most]; the least gives way. */
static inline double roce_within(double value, double least, double most)
{
    if (value < least)
        value = least;
    return value < most ? value : most;
}

/* A rate of increase at the sender's link. */
static inline double roce_scaled(const struct roce_event *event, weir_bps per_reference_bps)
{
    return (double)per_reference_bps * event->line_bps / ROCE_REFERENCE_BPS;
}

/* Bytes that a rate sends in a round trip. */
static inline double roce_window_of(const struct roce_event *event, double rate_bps)
{
    return rate_bps * (double)event->base_rtt_ps / (8.0 * (double)WEIR_PS_PER_S);
}

/* A new window, and the rate that spreads it over a round trip; both between the least rate and the link's. */
static inline void roce_set_window(struct roce_sender *sender, const struct roce_event *event, double window_bytes)
{
    double least = roce_window_of(event, (double)event->params->min_rate_bps);
    double most = roce_window_of(event, event->line_bps);
    sender->window_bytes = roce_within(window_bytes, least, most);
    sender->rate_bps = sender->window_bytes < most ? event->line_bps * (sender->window_bytes / most) : event->line_bps;
}

#endif
