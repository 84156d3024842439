/*
 * host.h - a host: a NIC on one link, the flows that start and end here, and their timers. What a transport may ask of
 * it is in sim/transport/transport.h.
 */
#ifndef SIM_NET_HOST_H
#define SIM_NET_HOST_H

#include "sim/engine/link.h"
#include "sim/net/config.h"
#include "sim/transport/transport.h"

struct sim;
struct sim_worker;
struct host_pfc;
struct host_nic;

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
    struct flow *flow; /* null: host_wake */
    uint32_t flow_id;  /* of host_wake, the traffic */
    bool receiver;     /* which end of the flow */
};

struct host {
    struct link *out;           /* to its switch */
    struct link *in;            /* from it */
    weir_ps arrives;            /* the first packet on that link; WEIR_NEVER: none */
    weir_ps other_ps;           /* the first event that is not of the NIC or the link: host_settle */
    struct packet_list control; /* ACKs, sent before data */
    struct flow_list ready;     /* flows that may send */
    struct sim *sim;
    struct sim_worker *worker; /* that runs it */
    struct host_pfc *pfc;      /* null: no class of the network is lossless */
    struct host_nic *nic;      /* null: it takes flows in turn, or one after the other, and at once */
    uint32_t id;
    uint32_t timer_count, timer_room;
    struct host_timer *timers; /* binary heap by time; those of the same moment in an order drawn for it */
    uint64_t tie_salt;         /* of that order */
    weir_ps frame_ps;          /* flow control acts; WEIR_NEVER: it does not */
    struct flow_list starts;   /* flows that are to start, by time */
    void *shared;              /* host_shared; null: nobody asked */
    uint32_t followed;         /* packets of it so far that are followed */
};

/* Handles every event before `end`; returns the time of the next one. */
weir_ps host_run(struct host *host, weir_ps end);

/* A flow of this host starts at flow->start_ps: now or later. */
void host_flow_starts(struct host *host, struct flow *flow, weir_ps now);

/* A packet of the flow that is next, counted as made; it stays first while it may send more, or takes its turn. Null:
 * the flow had none, or memory is short, which ends the run. */
struct packet *host_emit(struct host *host, bool stays, weir_ps now);

/* The next timer of the host; WEIR_NEVER: none. */
static inline weir_ps host_timers_next(const struct host *host)
{
    return host->timer_count ? host->timers[0].when : WEIR_NEVER;
}

/* Finds the first event that is not of the NIC or the link, when one of these may have gone or been put off. */
static inline void host_settle(struct host *host)
{
    weir_ps timer = host_timers_next(host), start = host->starts.head ? host->starts.head->start_ps : WEIR_NEVER;
    weir_ps other = timer < start ? timer : start;
    host->other_ps = host->frame_ps < other ? host->frame_ps : other;
}

/* traffic_woken is to be called for this traffic at `when`. */
void host_wake(struct host *host, uint32_t traffic, weir_ps when);

/* Takes the first timer and acts on it. */
void host_timers_act(struct host *host, weir_ps now);

#endif
