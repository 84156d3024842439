/*
 * tcp_control.h - what a congestion control decides for the sender of tcp_sender.c: how the window grows with each ACK
 * and where the slow-start threshold goes when there is congestion. When that is the case, and that it happens at most
 * once per round trip, is the sender's business; so the controls share recovery, timeouts and the heeding of marks.
 */
#ifndef SIM_TRANSPORT_TCP_CONTROL_H
#define SIM_TRANSPORT_TCP_CONTROL_H

#include "sim/engine/config.h"
#include "sim/transport/tcp.h"

/* An ACK, after the sender took it in. */
struct tcp_acked {
    uint32_t delivered; /* segments that it is the first to tell the arrival of, in order or not */
    uint32_t grow;      /* segments by which the window may be opened; 0: it must not grow now */
    bool echo;          /* it echoes a mark */
    weir_ps now;
};

enum tcp_congestion { TCP_CONGESTION_LOSS, TCP_CONGESTION_MARK, TCP_CONGESTION_TIMEOUT };

struct tcp_control {
    bool ecn;  /* always asks for marks, else only when configured */
    bool mild; /* reduces less for marks than for losses, so that a loss counts also in a window that had a mark */

    /* The flow starts; the sender's window and threshold are set. May be null. */
    void (*init)(struct tcp_sender *sender, const struct sim_transport *settings);
    void (*on_ack)(struct tcp_sender *sender, const struct sim_transport *settings, const struct tcp_acked *acked);

    /* The new threshold; the sender keeps it above its minimum and sets the window: to it, or to 1 on a timeout. */
    double (*reduced)(struct tcp_sender *sender, const struct sim_transport *settings, enum tcp_congestion why);
};

extern const struct tcp_control tcp_control_newreno, tcp_control_cubic, tcp_control_dctcp;

/* Slow start up to the threshold (RFC 5681, section 3.1); true when the window is below it. */
static inline bool tcp_slow_start(struct tcp_sender *sender, uint32_t grow)
{
    if (sender->window >= sender->threshold)
        return false;
    sender->window += grow;
    if (sender->window > sender->threshold)
        sender->window = sender->threshold;
    return true;
}

/* Slow start, then one segment more for each window of segments acknowledged: counted, so that no ACK divides. */
static inline void tcp_grow_reno(struct tcp_sender *sender, uint32_t grow)
{
    if (tcp_slow_start(sender, grow))
        return;
    sender->credit += grow;
    if (sender->credit >= sender->window) {
        sender->credit -= (uint32_t)sender->window;
        sender->window += 1;
    }
}

/* Half of what is in flight (RFC 5681, equation 4), not counting what limited transmit sent beyond the window. */
static inline double tcp_half_flight(const struct tcp_sender *sender)
{
    double flight = sender->next - sender->una;
    return (flight < sender->window ? flight : sender->window) / 2;
}

#endif
