/*
 * host.h - a host: a NIC on one link, the flows that start and end here, and their timers. What a transport may ask of
 * it is the second half of this file.
 */
#ifndef SIM_HOST_H
#define SIM_HOST_H

#include "sim/config.h"
#include "sim/flow.h"
#include "sim/link.h"

struct sim;
struct host_pfc;

struct flow_list {
    struct flow *head, *tail;
};

static inline struct flow *flow_list_take(struct flow_list *list)
{
    struct flow *flow = list->head;
    list->head = flow->next;
    return flow;
}

static inline void flow_list_append(struct flow_list *list, struct flow *flow)
{
    flow->next = NULL;
    if (list->head)
        list->tail->next = flow;
    else
        list->head = flow;
    list->tail = flow;
}

struct host_timer {
    weir_ps when;
    struct flow *flow;
    uint32_t flow_id;
    bool receiver; /* which end of the flow */
};

struct host {
    struct sim *sim;
    uint32_t id;
    struct link *out;           /* to its switch */
    struct link *in;            /* from it */
    weir_ps arrives;            /* the first packet on that link; WEIR_NEVER: none */
    weir_ps frame_ps;           /* flow control acts; WEIR_NEVER: it does not */
    struct packet_list control; /* ACKs, sent before data */
    struct flow_list ready;     /* flows that may send */
    struct flow_list starts;    /* flows that are to start, by time */
    struct host_timer *timers;  /* binary heap by (when, flow id, end) */
    uint32_t timer_count, timer_room;
    struct host_pfc *pfc; /* null: no class of the network is lossless */
};

/* Handles every event before `end`; returns the time of the next one. */
weir_ps host_run(struct host *host, weir_ps end);

/* A flow of this host starts at flow->start_ps: now, or later and not before those given earlier. */
void host_flow_starts(struct host *host, struct flow *flow, weir_ps now);

/* What transports may ask. */

/* The flow has something to send: it takes its turn at the NIC. No effect when it waits there already. */
void host_flow_ready(struct host *host, struct flow *flow);

/* A fresh packet for feedback on `flow`, addressed to its source; send it with host_send. Null: out of memory, which
 * ends the run with an error. */
struct packet *host_feedback(struct host *host, struct flow *flow);
void host_send(struct host *host, struct packet *packet);

/* Sets the due time of one end of the flow and makes sure that the host wakes for it. */
void host_sender_timer(struct host *host, struct flow *flow, weir_ps due);
void host_receiver_timer(struct host *host, struct flow *flow, weir_ps due);

/* Every byte was acknowledged (or, without feedback, sent). The flow may be gone after the call if the receiver is done
 * too: return at once. */
void host_sender_done(struct host *host, struct flow *flow, weir_ps now);

/* The receiver has every byte. Sets finish_ps. The flow may be gone after the call. */
void host_receiver_done(struct host *host, struct flow *flow, weir_ps now);

/* Payload that arrived for the first time, for goodput. */
void host_delivered(struct host *host, struct flow *flow, uint32_t bytes, weir_ps now);

/* How long a packet was under way, for the delays of its tag; only of transports without feedback. */
void host_delayed(struct host *host, struct flow *flow, weir_ps delay_ps);

const struct sim_wire *host_wire(const struct host *host);
uint64_t host_seed(const struct host *host);
weir_bps host_rate(const struct host *host);

/* Memory for a flow's bitmaps: `words` of 64 bits, zeroed; free with the same size. Null: out of memory, which ends the
 * run with an error after this event. */
uint64_t *host_words(struct host *host, uint32_t words);
void host_words_free(struct host *host, uint64_t *memory, uint32_t words);

#endif
