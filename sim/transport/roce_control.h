/*
 * roce_control.h - what a congestion control decides for the sender of roce.c: its rate and perhaps its window, from
 * ACKs, congestion notifications (CNP) and its own sending. There are no timers: what changes with time alone is
 * computed when the flow next sends or hears, which costs nothing while it does neither.
 *
 * Rates and windows are those of the link: gaps between packets count, so that a rate equal to the link's fills it.
 */
#ifndef SIM_TRANSPORT_ROCE_CONTROL_H
#define SIM_TRANSPORT_ROCE_CONTROL_H

#include "sim/engine/config.h"
#include "sim/engine/telemetry.h"
#include "sim/transport/roce.h"
#include "sim/transport/transport.h"

#define ROCE_REFERENCE_BPS 25e9 /* rates of increase are given for such a link */

/* What happened, and where the flow lives. */
struct roce_event {
    const struct sim_roce *settings;
    double line_bps;     /* of the sender's link */
    weir_ps base_rtt_ps; /* T: without queues */
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

void roce_open(struct host *host, struct flow *flow, const struct roce_control *control, weir_ps now);
enum transport_more roce_emit(struct host *host, struct flow *flow, struct packet *packet, weir_ps now);
void roce_data(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now);
void roce_ack(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now);
void roce_sender_timer(struct host *host, struct flow *flow, weir_ps now);
void roce_close(struct host *host, struct flow *flow);

#define ROCE_OPERATIONS                                                                                                \
    .emit = roce_emit, .data = roce_data, .ack = roce_ack, .sender_timer = roce_sender_timer, .close = roce_close

/* Checks what must hold of both ends between two calls; null, or what does not. */
const char *roce_check(const struct flow *flow);

/* What RoCE asks of its host beside host.h (roce_host.c): the largest round-trip time of the network without queues,
 * the pool of telemetry, and a record of it (TELEMETRY_NONE: out of memory, which ends the run with an error). */
weir_ps host_base_rtt(const struct host *host);
struct telemetry_pool *host_telemetry(const struct host *host);
uint32_t host_telemetry_new(struct host *host);

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
    double least = roce_window_of(event, (double)event->settings->min_rate_bps);
    double most = roce_window_of(event, event->line_bps);
    sender->window_bytes = roce_within(window_bytes, least, most);
    sender->rate_bps = sender->window_bytes < most ? event->line_bps * (sender->window_bytes / most) : event->line_bps;
}

/* How loaded a link was between two stamps of it, in the terms of a control. */
typedef double roce_load(const struct roce_event *event, const struct telemetry_hop *hop,
                         const struct telemetry_hop *last, double bytes_per_ps);

/* The largest load of the links on the way, and over which time it was taken; false: nothing to compare. Stamps of
 * another port than before say nothing. */
static inline bool roce_largest_load(const struct roce_event *event, roce_load *load, double *largest, weir_ps *over_ps)
{
    bool found = false;
    for (uint32_t i = 0; i < event->stamps->hops && i < event->last->hops; i++) {
        const struct telemetry_hop *hop = &event->stamps->hop[i], *last = &event->last->hop[i];
        if (hop->port != last->port || hop->when <= last->when)
            continue;
        double here = load(event, hop, last, (double)hop->rate_bps / (8.0 * (double)WEIR_PS_PER_S));
        if (!found || here > *largest) {
            *largest = here;
            *over_ps = hop->when - last->when;
        }
        found = true;
    }
    return found;
}

#endif
