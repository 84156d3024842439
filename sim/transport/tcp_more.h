/*
 * tcp_more.h - the optional mechanisms of a TCP sender and their state, in one block that a flow has only if a setting
 * asks for one of them. Each file is one mechanism; tcp_sender.c calls them at the places where its own rules change.
 *
 *   tcp_rack.c     which segments are lost, by time (RFC 8985, section 6)
 *   tcp_prr.c      how much to send during a reduction (RFC 9937)
 *   tcp_hystart.c  when to leave slow start (Ha and Rhee 2011; RFC 9406)
 *   tcp_undo.c     whether a reduction was needless (RFC 5682, RFC 3522)
 *
 * A control by telemetry has it too, for its rate and its stamps (tcp_sender.c).
 */
#ifndef SIM_TRANSPORT_TCP_MORE_H
#define SIM_TRANSPORT_TCP_MORE_H

#include "sim/transport/tcp.h"

/* Names of RFC 8985 in brackets. Segments are originals until they are sent again; from then on they are in a queue in
 * the order of sending. So both kinds are found oldest first without a list of all. */
struct tcp_rack {
    weir_ps sent_ps; /* the last sent of all segments that arrived: when [xmit_ts], and the one behind it [end_seq] */
    uint32_t end;
    uint32_t highest;     /* one past the highest segment that arrived [fack] */
    weir_ps rtt_ps;       /* of the last segment that arrived [rtt]; 0: none yet */
    weir_ps due_ps;       /* the reordering timer; WEIR_NEVER: it does not run */
    uint32_t dsack_round; /* one duplicate counts until this segment is acknowledged; 0: the next one counts */
    uint8_t multiplier;   /* of the reordering window [reo_wnd_mult] */
    uint8_t persist;      /* recoveries until that falls back to 1 [reo_wnd_persist] */
    bool reordering;      /* seen [reordering_seen] */
    bool original;        /* an ACK reported a segment below `recover` that was sent once */
    bool probe_again;     /* the probe repeated a segment */
    weir_ps probe_ps;     /* when it left */
    weir_ps *sent;        /* when each segment of [una, next) was last sent, by the lower bits of its number */
    uint32_t mask;
    uint32_t queue_mask, queue_head, queue_tail;
    uint64_t *queue;        /* segments sent again, in that order; some have arrived since */
    struct tcp_ring *lost;  /* lost, and not sent again since: as many as `waiting` says */
    struct tcp_ring *again; /* sent more than once */
};

struct tcp_prr {
    uint32_t end;       /* the reduction ends when everything below it is acknowledged */
    uint32_t flight;    /* segments in flight when it began [RecoverFS] */
    uint32_t delivered; /* since then [prr_delivered] */
    uint32_t out;       /* sent since then [prr_out] */
    double window;      /* before it */
    bool active;
};

enum tcp_hystart_phase { TCP_HYSTART_SLOW_START, TCP_HYSTART_CSS, TCP_HYSTART_DONE };

struct tcp_hystart {
    uint32_t end;          /* the round ends when this segment is acknowledged */
    uint8_t samples;       /* of the round-trip time in this round, at most 8 */
    uint8_t phase;         /* enum tcp_hystart_phase; of HyStart++ */
    uint8_t css_rounds;    /* of conservative slow start so far */
    uint8_t css_credit;    /* quarters of a segment by which the window has yet to grow */
    weir_ps start_ps;      /* of the round */
    weir_ps last_ps;       /* the last ACK of its train */
    weir_ps least_ps;      /* round-trip time of this round; WEIR_NEVER: no sample */
    weir_ps least_last_ps; /* and of the one before */
    weir_ps baseline_ps;   /* at which conservative slow start began */
};

enum tcp_frto { TCP_FRTO_NONE, TCP_FRTO_FIRST, TCP_FRTO_SECOND }; /* steps 2 and 3 of RFC 5682 */

struct tcp_undo {
    double window, threshold; /* before the reduction; 0: nothing to undo */
    weir_ps again_ps;         /* the first retransmission since; WEIR_NEVER: none yet */
    uint8_t frto;             /* enum tcp_frto */
    uint8_t fresh;            /* new segments that F-RTO may still send */
    bool moved;               /* una has, since the first retransmission */
};

/* How Linux follows the deviation of the round trip: up at once, down once per round trip. */
struct tcp_deviation {
    weir_ps now_ps;  /* smoothed */
    weir_ps most_ps; /* the greatest of this round trip */
    uint32_t end;    /* which ends when this segment is acknowledged */
};

/* The rate of sending, of controls that set one, and what they compare stamps with. */
struct tcp_pace {
    double rate_bps;     /* of payload; 0: the window alone decides */
    weir_ps sent_ps;     /* the last segment left */
    uint32_t sent_bytes; /* its payload */
    uint32_t stamps;     /* record of the last ACK that brought stamps, or TELEMETRY_NONE */
    weir_ps due_ps;      /* the timeout, the probe or the reordering timer: flow->sender_due_ps may come before it */
};

struct tcp_more {
    weir_ps min_rtt_ps; /* WEIR_NEVER: no sample yet */
    struct tcp_deviation deviation;
    struct tcp_rack rack;
    struct tcp_prr prr;
    struct tcp_hystart hystart;
    struct tcp_undo undo;
    struct tcp_pace pace;
};

#define TCP_MORE_WORDS ((uint32_t)(sizeof(struct tcp_more) / sizeof(uint64_t)))

/* True when a setting or the control asks for any of it. */
static inline bool tcp_wants_more(const struct tcp_params *params, const struct tcp_control *control)
{
    return params->rack || params->prr || params->hystart || params->linux_rto || control->on_stamps;
}

/* At the start of a flow. */
void tcp_rack_init(struct tcp_rack *rack);

/* The segment leaves now, for the first time or again. */
void tcp_rack_sent(struct host *host, struct tcp_sender *sender, uint32_t segment, bool again, weir_ps now);

/* Takes in an ACK; returns how many segments it is the first to report. Afterwards tcp_rack_detect. */
uint32_t tcp_rack_ack(struct host *host, struct tcp_sender *sender, const struct packet *packet, weir_ps now);

/* Marks what is lost by now, and sets the reordering timer for what may be soon. */
void tcp_rack_detect(struct host *host, struct tcp_sender *sender, weir_ps now);

/* Recovery has ended. */
void tcp_rack_recovered(struct tcp_rack *rack);

/* The timeout: the first segment is lost, and all that was sent long enough ago. */
void tcp_rack_timeout(struct host *host, struct tcp_sender *sender, weir_ps now);

/* Takes the first segment that is lost and not sent again; there is one. */
uint32_t tcp_rack_take(struct tcp_sender *sender);

/* Nothing is lost after all. */
void tcp_rack_forget(struct tcp_sender *sender);
void tcp_rack_free(struct host *host, struct tcp_rack *rack);
const char *tcp_rack_check(const struct tcp_sender *sender);

/* The threshold was reduced: the window follows by and by. `delivered`: what this ACK reported. */
void tcp_prr_begin(struct tcp_sender *sender, double window, uint32_t delivered);

/* Sets the window after an ACK. `safe`: it moved una and found no further loss. */
void tcp_prr_ack(struct tcp_sender *sender, uint32_t delivered, bool safe);

/* Of an ACK in slow start: may set the threshold to the window. Returns by how much the window may grow. */
uint32_t tcp_hystart_ack(struct tcp_sender *sender, const struct tcp_params *params, const struct tcp_acked *acked,
                         weir_ps rtt_ps);

/* The threshold and the window are about to be reduced because of a loss or timeout. */
void tcp_undo_begin(struct tcp_sender *sender);

/* Of an ACK during recovery, before the state changes: true when the reduction was needless and has been taken back.
 * `echo_ps`: when the segment was sent that the ACK echoes; `advance`: it moved una. */
bool tcp_undo_ack(struct tcp_sender *sender, weir_ps echo_ps, bool advance, bool has_new);

#endif
