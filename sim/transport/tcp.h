/*
 * tcp.h - the state of the two ends of a TCP flow, whatever its congestion control. The sequence space is counted in
 * segments. The sender is moved by tcp_sender.c, its record of losses by tcp_scoreboard.c, its window by a congestion
 * control (tcp_control.h); the receiver by tcp_receiver.c.
 *
 * Both are laid out for the path without loss: an ACK then stays within the first 92 bytes of the sender, and the
 * receiver completes a cache line in struct flow.
 */
#ifndef SIM_TRANSPORT_TCP_H
#define SIM_TRANSPORT_TCP_H

#include <assert.h>

#include "weir/types.h"

struct tcp_control;
struct tcp_ring;

enum tcp_state {
    TCP_OPENING,  /* the SYN is not answered yet */
    TCP_OPEN,     /* nothing outstanding counts as lost */
    TCP_RECOVERY, /* losses are being repaired; the window was reduced on entry */
    TCP_LOSS      /* after a retransmission timeout, until all that was outstanding then is acknowledged */
};

/* The one probe for a loss at the end of what was sent (tcp_sender.c). */
enum tcp_probe {
    TCP_PROBE_NONE,
    TCP_PROBE_ARMED, /* the timer is the probe's, not the retransmission timeout's */
    TCP_PROBE_DUE,   /* it goes out when the NIC asks */
    TCP_PROBE_SENT   /* its segment is not acknowledged yet */
};

/* CUBIC (RFC 9438): at time t the window is to be w_max + C (t - origin)^3. */
struct tcp_cubic {
    double w_max;      /* the plateau, segments */
    double w_est;      /* what Reno would have, segments */
    weir_ps origin_ps; /* when the plateau is reached; WEIR_NEVER: no epoch has begun */
};

/* DCTCP (RFC 8257). */
struct tcp_dctcp {
    double alpha;           /* estimated part of marked segments, 0 to 1 */
    uint32_t acked, marked; /* segments in this observation window */
    uint32_t window_end;    /* the observation ends when this segment is acknowledged */
};

struct tcp_sender {
    uint32_t una;       /* first segment not acknowledged */
    uint32_t next;      /* first segment never sent */
    double window;      /* congestion window, segments, at least 1 */
    weir_ps srtt_ps;    /* smoothed round-trip time; 0: no sample yet */
    weir_ps rttvar_ps;  /* and its mean deviation */
    double threshold;   /* slow start below it, segments */
    uint8_t state;      /* enum tcp_state */
    uint8_t backoff;    /* doublings of the timeout since the last sample */
    uint8_t data_flags; /* PACKET_* of every data packet */
    bool force;         /* the next retransmission goes out even if the window is full */
    uint32_t credit;    /* segments acknowledged since the window last grew in congestion avoidance */
    const struct tcp_control *control;
    union {
        struct tcp_cubic cubic;
        struct tcp_dctcp dctcp;
    } own;
    uint32_t sacked;       /* segments of [una, next) that have arrived, as far as is known */
    uint32_t waiting;      /* segments that count as lost and have not been sent again since */
    uint32_t reaction_end; /* the next mark counts when this segment is acknowledged */
    uint32_t edge;         /* what is not sacked below it counts as lost; at most una: nothing does */
    uint32_t again;        /* and has been sent again below this one; at most edge */
    uint32_t recover;      /* RECOVERY and LOSS end when everything below this segment is acknowledged */
    struct tcp_ring *ring; /* which segments are sacked; null until the first one is */
    uint32_t probe;        /* the segment of the probe, once it is sent */
    uint8_t probing;       /* enum tcp_probe */
};

static_assert(sizeof(struct tcp_sender) <= 128, "two cache lines");

struct tcp_receiver {
    uint32_t next;         /* every segment below it has arrived */
    uint32_t beyond;       /* segments above it that have arrived */
    struct tcp_ring *ring; /* which; null until the first one */
    weir_ps echo_ps;       /* sending time of the oldest segment that waits for its ACK */
    uint16_t pending;      /* segments that wait for their ACK */
    bool marked;           /* those were marked */
};

static_assert(sizeof(struct tcp_receiver) <= 32, "completes a cache line in struct flow");

#endif
