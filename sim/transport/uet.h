/*
 * uet.h - Ultra Ethernet's transport in parts: both ends of a flow (uet.c), the sender's window (uet_nscc.c), the
 * receiver's credit (uet_credit.c) and the choice of a path for every packet (uet_paths.c). Here are what they share
 * and the formulas' settings.
 *
 * Bytes are those of buffers: a packet counts with its header, as the window, the credit and the counts of ACKs do.
 */
#ifndef SIM_TRANSPORT_UET_H
#define SIM_TRANSPORT_UET_H

#include "sim/transport/transport.h"
#include "weir/random.h"

#define UET_QUANTUM 256u           /* bytes of credit in a unit of pull targets and grants */
#define UET_PULL_START 0x08000000u /* of both; so that a target below what was granted does not pass 0 */

enum uet_control { UET_NSCC, UET_RCCC, UET_BOTH };
enum uet_balance { UET_OBLIVIOUS, UET_BITMAP, UET_REPS, UET_MIXED };

struct uet_params {
    uint8_t control;        /* enum uet_control */
    uint8_t balance;        /* enum uet_balance */
    bool trimmed;           /* switches trim: sets the target delay, and NACKs are to be expected */
    bool sleek;             /* losses are also found from the number of packets out of order, and by probes */
    bool oversubscribed;    /* rccc: a receiver slows down for marks and for trims before the last hop */
    uint32_t entropies;     /* values that a sender chooses from; a power of two */
    weir_ps rto_ps;         /* of the oldest packet under way */
    weir_ps target_ps;      /* of queueing; 0: 0.75 of the network's round trip with `trimmed`, else all of it */
    weir_ps network_rtt_ps; /* 0: the largest of the network without queues */
    weir_ps freeze_ps;      /* reps: how long it stays frozen */
    int64_t ack_bytes;      /* received without an ACK */
    int64_t credit_bytes;   /* of one grant */
    int64_t window_bytes;   /* at the start; TRANSPORT_BDP: one and a half products of rate and round trip */
    int64_t unscheduled_bytes;
    double credit_rate;  /* of all grants, of the rate of the receiver's link */
    double credit_least; /* oversubscribed: of that rate */
};

/* Where a segment is that may be under way: a word per segment, in a ring that grows with the window. */
enum { UET_GONE, UET_SENT, UET_QUEUED };             /* acknowledged or not sent yet; under way; to be sent again */
enum uet_cause { UET_NACK, UET_SLEEK, UET_TIMEOUT }; /* why it is to be sent again */

/* What a sender needs less often, behind it the penalties of `bitmap` and `mixed`. */
struct uet_reps {
    uint16_t ring[8];
    uint32_t thaw_us; /* frozen: until then, modulo 2^32 */
    uint8_t fresh;    /* bit i: ring[i] may be used */
    uint8_t head;     /* where the next one goes */
    uint8_t count : 4, reuse : 4;
    uint8_t explore : 7, frozen : 1;
};
static_assert(sizeof(struct uet_reps) <= 25, "REPS claims 25 bytes of state");

struct uet_more {
    uint64_t salt; /* of draws */
    uint32_t draws;
    uint16_t index, flip; /* the next entropy value is index ^ flip */
    struct uet_reps reps;
    uint16_t *good; /* mixed: ring of values without congestion, first in, first out */
    uint32_t good_first, good_count, good_room;
    uint32_t pull;        /* granted so far, in quanta */
    int32_t credit;       /* bytes */
    int32_t credit_most;  /* it is never more */
    uint32_t recovery;    /* sleek: it ends when all before are acknowledged */
    uint32_t recovered;   /* sleek: the first segment that it has not looked at */
    uint32_t probe;       /* its number */
    uint32_t unscheduled; /* first segment that is not */
    weir_ps rts_ps;       /* the last one */
    weir_ps probe_ps;     /* the next probe is due; WEIR_NEVER: none */
    weir_ps probe_sent_ps;
    uint64_t penalties[]; /* 4 bits for each entropy value */
};

struct uet_sender {
    uint32_t next;   /* segment to send for the first time */
    uint32_t acked;  /* all before it have arrived */
    uint32_t *slots; /* [slot_mask + 1] */
    uint32_t slot_mask;
    uint32_t queued;   /* segments to be sent again */
    uint32_t lowest;   /* none of them is below it */
    int32_t in_flight; /* bytes sent less bytes that arrived, or were found lost */
    int32_t window;    /* bytes */
    int32_t window_most;
    uint32_t achieved;   /* quick adapt: bytes that arrived since it last looked */
    uint32_t ignored;    /* and since it last acted */
    uint32_t to_ignore;  /* bytes under way when it last acted: their marks are old */
    uint32_t grown;      /* bytes that arrived since the window was last set */
    uint32_t fast_bytes; /* bytes in a row without delay */
    uint16_t arrived;    /* segments that the receiver has, modulo 2^16 */
    bool last_arrived;   /* the last one is among them */
    bool speculating : 1, triggered : 1, fast : 1, recovering : 1;
    bool patient : 1;     /* it waits for its turn of the receiver's credit */
    int64_t increase;     /* of the window, times the window: bytes^2 */
    weir_ps base_ps;      /* round trip without queues: the least seen */
    weir_ps delay_ps;     /* mean of queueing delays */
    weir_ps adapt_ps;     /* quick adapt looks again after it; 0: it has not yet */
    weir_ps decreased_ps; /* when the window was last decreased */
    weir_ps adjusted_ps;  /* and last increased by eta */
    weir_ps rto_ps;       /* no segment times out before; WEIR_NEVER: none */
    struct uet_more *more;
};

struct uet_receiver {
    uint64_t *bits;    /* [words]: segments beyond `expected` that have arrived, a ring; null: none ever */
    struct flow *next; /* on the pacer's list */
    uint32_t expected; /* segment */
    uint32_t arrived;  /* segments, each once */
    uint32_t target;   /* rccc: the highest that was asked for, in quanta */
    uint32_t granted;  /* and what was granted */
    uint16_t accepted; /* bytes since the last ACK */
    uint16_t beyond;   /* segments out of order */
    uint8_t words_log2;
    bool active : 1, idle : 1; /* on which list */
    bool ack_due : 1;          /* an ACK was asked for while segments were missing */
    bool last : 1;             /* the last one has arrived */
    bool open : 1;             /* the rest is set up */
};

/* The network and the host's link, as the formulas of NSCC want them. */
struct uet_scale {
    weir_ps rtt_ps;    /* L */
    weir_ps target_ps; /* D */
    double alpha;      /* bytes per picosecond */
    double fair, eta;  /* bytes */
    double fast;
    int32_t full; /* bytes of a full packet */
};

/* What flows of one NIC share: host_shared. */
struct uet_nic {
    uint32_t sending; /* flows that wait to send */
    uint32_t pulls;
    struct uet_list {
        struct flow *head, *tail;
    } active, idle;                             /* of receivers: that want credit, that do not */
    struct flow *waits;                         /* its timer is the pacer's; null: it rests */
    weir_ps next_ps;                            /* the next grant, or the end of what the last one takes */
    weir_ps round_ps;                           /* oversubscribed: the next look; 0: not started */
    double rate, congested;                     /* of the pacer, 0.01 .. 1; smoothed part of marked packets */
    uint32_t received, marked, cut, cut_before; /* packets since the last look; trimmed; and before the last hop */
    uint32_t rises;
    uint32_t rounds;
    bool started;
    const struct sim_transport *scaled; /* whose constants these are; null: nobody's */
    struct uet_scale scale;
};

static inline const struct uet_params *uet_params(const struct sim_transport *transport)
{
    return (const struct uet_params *)(uintptr_t)transport->params;
}

static inline struct uet_sender *uet_sender(const struct flow *flow)
{
    return (struct uet_sender *)(uintptr_t)flow->sender;
}

static inline struct uet_receiver *uet_receiver(const struct flow *flow)
{
    return (struct uet_receiver *)(uintptr_t)flow->receiver;
}

static inline struct uet_nic *uet_nic(struct host *host)
{
    return host_shared(host, sizeof(struct uet_nic));
}

struct uet_scale uet_scale_of(const struct uet_params *params, const struct sim_wire *wire, weir_bps rate_bps,
                              weir_ps network_rtt_ps);

/* Bytes of a round trip at a rate, and the most that a window may be for it. */
int32_t uet_window_most(weir_bps rate_bps, weir_ps rtt_ps);

/* An ACK told of so many bytes that arrived; or of a segment that was trimmed, where `kept`: receiver credit has
 * accounted for it. */
void uet_nscc_sample(struct uet_sender *s, const struct uet_scale *scale, weir_ps delay_ps, bool marked);
void uet_nscc_ack(struct uet_sender *s, const struct uet_scale *scale, uint32_t bytes, weir_ps delay_ps, bool marked,
                  weir_ps now);
void uet_nscc_nack(struct uet_sender *s, const struct uet_scale *scale, uint32_t bytes, bool kept, weir_ps now);

/* What an entropy value has met. */
enum uet_feedback { UET_GOOD, UET_MARKED, UET_TRIMMED, UET_LATE };

/* Bytes of `more` with these settings. */
size_t uet_more_size(const struct uet_params *params);
void uet_paths_open(struct uet_more *more, const struct uet_params *params, uint64_t salt);
uint16_t uet_paths_next(struct uet_more *more, const struct uet_params *params);
/* False: out of memory. */
void uet_paths_learn(struct host *host, struct uet_more *more, const struct uet_params *params, uint16_t entropy,
                     enum uet_feedback feedback, weir_ps now);
void uet_paths_close(struct host *host, struct uet_more *more);

/* The pull target of a packet, after its bytes were taken from the credit and the backlog, both in bytes. */
uint32_t uet_credit_target(const struct uet_sender *s, const struct uet_params *params, int64_t backlog, uint32_t full,
                           uint32_t sending);

/* The receiver knows of a target; or wants its flow to be served, whatever the target. */
void uet_credit_ask(struct host *host, struct flow *flow, uint32_t target, bool always, weir_ps now);
void uet_credit_leave(struct host *host, struct flow *flow, weir_ps now);
void uet_credit_act(struct host *host, struct flow *flow, weir_ps now);
/* A data packet came to this NIC. */
void uet_credit_watch(struct host *host, const struct flow *flow, const struct packet *packet, weir_ps now);

#endif
