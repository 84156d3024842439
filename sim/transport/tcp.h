/*
 * tcp.h - the TCP family: the state and settings of both ends, the operations that its transports share, and what a
 * congestion control decides. The sequence space is counted in segments. tcp_sender.c moves the sender,
 * tcp_scoreboard.c keeps its record of losses, tcp_receiver.c is the other end.
 *
 * A congestion control decides how the window grows with each ACK and where the slow-start threshold goes when there is
 * congestion. The sender decides when there is, at most once per round trip; so the controls share recovery, timeouts
 * and the reaction to marks.
 *
 * What newer RFCs and kernels add is optional, and its state (tcp_more.h) is allocated only where a setting asks for
 * it: RACK (tcp_rack.c), PRR (tcp_prr.c), HyStart (tcp_hystart.c), F-RTO and Eifel (tcp_undo.c), connections that are
 * kept (tcp_connection.c). Each setting has a default, which is how papers simulate TCP, and where they differ the
 * value that Linux has: `preset: kernel`.
 *
 * Both ends are laid out for the path without loss: an ACK then stays within the first 92 bytes of the sender, and the
 * receiver completes a cache line in struct flow.
 */
#ifndef SIM_TRANSPORT_TCP_H
#define SIM_TRANSPORT_TCP_H

#include "sim/transport/transport.h"

struct telemetry;
struct tcp_ring;
struct tcp_more;
struct tcp_acks;

enum tcp_hystart_kind { TCP_HYSTART_OFF, TCP_HYSTART_CLASSIC, TCP_HYSTART_PLUSPLUS };

/* Settings of every TCP; a control's own struct begins with it. */
struct tcp_params {
    uint32_t initial_window_segments; /* 0: the whole flow */
    uint32_t max_window_segments;     /* at most 65535, because SACK blocks count 16 bits */
    weir_ps min_rto_ps, initial_rto_ps, max_rto_ps;
    int64_t unscheduled_bytes; /* first ones of a flow; TRANSPORT_BDP: of the flow's own path */
    weir_ps ack_delay_ps;      /* delayed ACKs wait at most this long */
    uint32_t ack_every;        /* 1: each segment; 2: delayed ACKs */
    bool sack;                 /* else recovery by duplicate ACKs (RFC 6582) */
    bool handshake;            /* a SYN and its answer come first */
    bool slow_start;           /* else congestion avoidance from the first ACK on */
    bool tail_loss_probe;      /* with SACK: a probe after two round trips without news (RFC 8985, section 7) */
    bool ecn;                  /* classic ECN (RFC 3168), where the control does not ask for marks anyway */
    bool rack;                 /* with SACK: losses are found by time (RFC 8985) */
    bool prr;                  /* the window shrinks in proportion to what is delivered (RFC 9937) */
    bool undo;                 /* with RACK: needless reductions are taken back (RFC 5682, 3522) */
    uint8_t hystart;           /* enum tcp_hystart_kind */
    bool linux_rto;            /* min_rto is the least of the variance's part */
    bool halve_window;         /* a loss halves the window, not the flight */
    bool keep_connections;
    bool restart_idle;         /* a kept window shrinks while it is not used (RFC 2861) */
    bool request;              /* the receiver asks for the flow */
    uint8_t quick_acks;        /* segments of a new connection that are acknowledged one by one */
    uint32_t open_connections; /* of each pair of hosts, open before the run */
    weir_ps hystart_delay_ps;  /* least rise of the round-trip time that ends slow start */
    weir_ps tick_ps;           /* of the sender's timers; 0: they are exact */
    weir_ps ack_delay_max_ps;  /* delayed ACKs adapt between ack_delay and this; 0: they do not */
};

/* Of the tables of settings: tcp_settings.def. */
#define TCP_TIME_MAX (1000 * WEIR_PS_PER_S)
#define TCP_KERNEL(value) .kernel_differs = true, .kernel = (value)
extern const char *const tcp_hystart_names[];

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

#define TCP_OWN_BYTES 24u

struct tcp_sender {
    uint32_t una;        /* first segment not acknowledged */
    uint32_t next;       /* first segment never sent */
    double window;       /* congestion window, segments, at least 1 */
    weir_ps srtt_ps;     /* smoothed round-trip time; 0: no sample yet */
    weir_ps rttvar_ps;   /* and its mean deviation */
    double threshold;    /* slow start below it, segments */
    uint8_t state;       /* enum tcp_state */
    uint8_t backoff : 7; /* doublings of the timeout since the last sample */
    uint8_t force : 1;   /* the next retransmission goes out even if the window is full */
    uint8_t data_flags;  /* PACKET_* of every data packet */
    uint8_t probing;     /* enum tcp_probe */
    uint32_t credit;     /* segments acknowledged since the window last grew in congestion avoidance */
    const struct tcp_control *control;
    _Alignas(8) unsigned char own[TCP_OWN_BYTES]; /* the control's state; 0 when the flow opens */
    uint32_t sacked;                              /* segments of [una, next) that have arrived, as far as is known */
    uint32_t waiting;                             /* segments that count as lost and have not been sent again since */
    uint32_t reaction_end;                        /* the next mark counts when this segment is acknowledged */
    uint32_t edge;         /* what is not sacked below it counts as lost; at most una: nothing does */
    uint32_t again;        /* and has been sent again below this one; at most edge */
    uint32_t recover;      /* RECOVERY and LOSS end when everything below this segment is acknowledged */
    struct tcp_ring *ring; /* which segments are sacked; null until the first one is */
    uint32_t probe;        /* the segment of the probe, once it is sent */
    uint32_t unscheduled;  /* first segment that is not */
    struct tcp_more *more; /* of optional mechanisms; null: none is on, or there was no memory */
};

struct tcp_receiver {
    uint32_t next;         /* every segment below it has arrived */
    uint32_t beyond;       /* segments above it that have arrived */
    struct tcp_ring *ring; /* which; null until the first one */
    weir_ps echo_ps;       /* sending time of the oldest segment that waits for its ACK */
    uint16_t pending;      /* segments that wait for their ACK */
    bool marked;           /* those were marked */
    bool answered;         /* something has arrived: with `request`, it need not be sent again */
    uint8_t asks;          /* requests sent again */
    struct tcp_acks *acks; /* when ACKs are delayed as Linux does; else null */
};

/* An ACK, after the sender took it in. */
struct tcp_acked {
    uint32_t delivered; /* segments that it is the first to tell the arrival of, in order or not */
    uint32_t grow;      /* segments by which the window may be opened; 0: it must not grow now */
    bool echo;          /* it echoes a mark */
    weir_ps now;
};

/* What a control by telemetry learns with an ACK. */
struct tcp_told {
    const struct telemetry *stamps, *last; /* of this ACK, of the one before (hops 0: none) */
    double line_bps;                       /* of the sender's link */
    weir_ps base_rtt_ps;                   /* the largest of the network without queues */
    uint32_t mss_bytes;
};

enum tcp_congestion { TCP_CONGESTION_LOSS, TCP_CONGESTION_MARK, TCP_CONGESTION_TIMEOUT };

/* `params` is the control's own struct, which begins with tcp_params. */
struct tcp_control {
    bool ecn;  /* always asks for marks, else only when configured */
    bool mild; /* reduces less for marks than for losses, so that a loss counts also in a window that had a mark */

    /* The flow starts; the sender's window and threshold are set. May be null. */
    void (*init)(struct tcp_sender *sender, const struct tcp_params *params);

    /* The next flow of a kept connection starts, whose state is set; segments count from 0 again. May be null. */
    void (*resume)(struct tcp_sender *sender, weir_ps idle_ps);

    /* One of the two. The first is for a control of its own window; with the second data collects stamps, ACKs return
     * them, and the control sets the window and the rate of sending (tcp_more.h) from them, with every ACK. */
    void (*on_ack)(struct tcp_sender *sender, const struct tcp_params *params, const struct tcp_acked *acked);
    void (*on_stamps)(struct tcp_sender *sender, const struct tcp_params *params, const struct tcp_told *told);

    /* The new threshold; the sender keeps it above its minimum and sets the window: to it, or to 1 on a timeout. */
    double (*reduced)(struct tcp_sender *sender, const struct tcp_params *params, enum tcp_congestion why);
};

bool tcp_check_params(const void *params, const struct sim_wire *wire, struct weir_error *error);
bool tcp_starts_at_receiver(const struct sim_transport *transport);
void tcp_open(struct host *host, struct flow *flow, weir_ps now);
enum transport_more tcp_emit(struct host *host, struct flow *flow, struct packet *packet, weir_ps now);
void tcp_data(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now);
void tcp_ack(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now);
void tcp_sender_timer(struct host *host, struct flow *flow, weir_ps now);
void tcp_receiver_timer(struct host *host, struct flow *flow, weir_ps now);
void tcp_close(struct host *host, struct flow *flow);
void tcp_receiver_ask(struct host *host, struct flow *flow, weir_ps now);

#define TCP_OPERATIONS                                                                                                 \
    .check = tcp_check_params, .starts_at_receiver = tcp_starts_at_receiver, .open = tcp_open, .emit = tcp_emit,       \
    .data = tcp_data, .ack = tcp_ack, .sender_timer = tcp_sender_timer, .receiver_timer = tcp_receiver_timer,          \
    .close = tcp_close

#define TCP_DEVIATIONS "marks are echoed packet by packet; no rescue retransmission"

/* As `segment` of a packet that opens a flow: its receiver asks for it. */
#define TCP_ASKS UINT32_MAX

/* How a receiver delays its ACKs like Linux. */
struct tcp_acks {
    weir_ps arrived_ps; /* the last segment with data */
    weir_ps delay_ps;   /* of the next delayed ACK */
    uint32_t quick;     /* segments yet to be acknowledged one by one */
};
#define TCP_ACKS_WORDS ((uint32_t)(sizeof(struct tcp_acks) / sizeof(uint64_t)))

/* The flow's connection: its state is kept when everything is acknowledged, and set when the next flow starts. */
void tcp_connection_keep(struct flow *flow, weir_ps now);
bool tcp_connection_resume(struct flow *flow, weir_ps now); /* false: it is new */

/* Check what must hold of each end between two calls; null, or what does not. In builds with WEIR_CHECKS every call
 * does. */
const char *tcp_check(const struct flow *flow);
const char *tcp_receiver_check(const struct flow *flow);

static inline bool transport_is_tcp(const struct transport *kind)
{
    return kind->ack == tcp_ack;
}

/* The settings of a transport, and the ends of a flow, of the TCP family. */
static inline struct tcp_params *tcp_params(const struct sim_transport *transport)
{
    return (struct tcp_params *)(uintptr_t)transport->params;
}

static inline struct tcp_sender *tcp_sender(const struct flow *flow)
{
    return (struct tcp_sender *)(uintptr_t)flow->sender;
}

static inline struct tcp_receiver *tcp_receiver(const struct flow *flow)
{
    return (struct tcp_receiver *)(uintptr_t)flow->receiver;
}

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

/* Half of what is in flight (RFC 5681, equation 4), not counting what limited transmit sent beyond the window; of the
 * window, where that is set. */
static inline double tcp_half(const struct tcp_sender *sender, const struct tcp_params *params)
{
    double flight = sender->next - sender->una;
    return (flight < sender->window && !params->halve_window ? flight : sender->window) / 2;
}

#endif
