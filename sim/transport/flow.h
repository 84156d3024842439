/*
 * flow.h - a live flow: who sends what to whom, and the state of both ends. The source host alone writes the sender's
 * part, the destination alone the receiver's, and each part has pairs of cache lines of its own (processors fetch the
 * neighbour of a line too), so that the two may live on different threads. When both ends are done the flow becomes a
 * record (records.h) and its memory serves the next one. A listed packet is a flow too; it leaves no record, and ends
 * where it is lost.
 *
 * What the destination reads with every packet is a copy (`seen`), so that no line is read by both ends again and
 * again: one that has left the cache of a thread is fetched from that of the other one.
 *
 * Three fields any host may look at, and who judges losses while hosts run, because a packet of the flow was there:
 * whose memory it is (id), whether the flow has closed, and when. They are read and written by flow_id and its
 * neighbours below.
 *
 * The transport lays out the state of both ends as it likes, within the bytes reserved here (TRANSPORT_FITS).
 */
#ifndef SIM_TRANSPORT_FLOW_H
#define SIM_TRANSPORT_FLOW_H

#include <assert.h>
#include <stddef.h>

#include "sim/engine/lines.h"
#include "sim/engine/packet.h"
#include "sim/workload/traffic.h"

struct sim_transport;

#define FLOW_SENDER_BYTES 128u  /* of which the first 96 share two cache lines with what a sender has besides */
#define FLOW_RECEIVER_BYTES 40u /* completes a cache line; more is allocated by host_words */
#define CONNECTION_BYTES 128u

/* What flows between the same hosts pass on to each other. The transport uses it as it likes. */
struct connection {
    struct connection *next; /* of those that rest */
    struct flow *flow;       /* the last that had it, and its id then */
    uint32_t flow_id;
    uint32_t number;                                   /* among those of its pair, oldest first */
    bool used;                                         /* a flow had it before */
    bool kept;                                         /* there is a state */
    _Alignas(8) unsigned char state[CONNECTION_BYTES]; /* of the sender, which alone writes it */
};

/* What the destination reads with every packet. */
struct flow_seen {
    uint32_t id;
    uint32_t source;
    uint32_t segments;
    uint32_t last_bytes;
    const struct sim_transport *transport;
    uint32_t packet_bytes;
    uint32_t tag;
    bool is_request;
    bool closed;
};

struct flow {
    /* What the source reads with every packet, and nobody writes once the flow has started. */
    _Alignas(LINES_APART) uint32_t id; /* unique in the run, never 0 while alive; 0: free memory */
    uint32_t source, destination;
    uint32_t segments; /* to send; UINT32_MAX when endless */
    const struct sim_transport *transport;
    uint32_t last_bytes;   /* payload of the last segment */
    uint32_t packet_bytes; /* see flow_request */
    uint32_t tag;
    uint8_t tc;      /* class of its data */
    bool packet_ecn; /* see flow_request */
    bool is_request; /* likewise */
    bool closed;     /* it is a record, or will be one soon */
    uint32_t traffic, group, group_flows, cookie;
    weir_ps base_rtt_ps; /* of a full packet and its ACK on its way alone; 0: there is none */

    /* What only starts, ends and losses touch. */
    int64_t bytes;
    weir_ps finish_ps;             /* the receiver had everything; WEIR_NEVER until then */
    struct connection *connection; /* null: it has none */
    weir_ps start_ps;
    weir_ps wait_ps;   /* see flow_request */
    weir_ps ideal_ps;  /* alone in the network, by the routes of its start */
    weir_ps first_ps;  /* and its first segment */
    weir_ps closed_ps; /* when it closed */

    /* The destination's. */
    _Alignas(
        LINES_APART) unsigned char receiver[FLOW_RECEIVER_BYTES]; /* the transport's state; 0 when the flow opens */
    weir_ps receiver_due_ps;
    weir_ps receiver_wake_ps;
    int64_t delivered_bytes; /* payload that arrived, each byte once */
    struct flow_seen seen;   /* as above: flow_show */

    /* The source's. */
    _Alignas(LINES_APART) struct flow *next;             /* on the host's list of starts, or of ready flows */
    weir_ps sender_due_ps;                               /* when the timer is to act; WEIR_NEVER: not */
    weir_ps sender_wake_ps;                              /* when the host looks at it; WEIR_NEVER: it does not */
    uint16_t in_queue;                                   /* its packets in the NIC's queue */
    bool ready;                                          /* on the ready list, or held */
    bool held;                                           /* until one of its packets leaves the NIC's queue */
    bool sender_done;                                    /* every byte was acknowledged or, without feedback, sent */
    _Alignas(8) unsigned char sender[FLOW_SENDER_BYTES]; /* likewise */
    uint32_t timeouts;                                   /* retransmission timeouts */
    uint32_t again;                                      /* segments sent again */
    weir_ps acked_ps;                                    /* sender_done since then; WEIR_NEVER: not yet */

    uint32_t lost;      /* packets, both ways, wherever: counted by flow_count_loss */
    bool receiver_done; /* written by the destination, once */
    bool is_copy;       /* of a flow that began at another rank (sim/parallel/ranks.h): never changes */
    bool at_run_time;   /* it follows from the end of another one, else it was drawn: likewise */
};

static_assert(offsetof(struct flow, sender) == 288 && sizeof(struct flow) == 512, "eight cache lines");

/* Whose memory it is at this moment. */
static inline uint32_t flow_id(const struct flow *flow)
{
    return __atomic_load_n(&flow->id, __ATOMIC_RELAXED);
}

static inline void flow_set_id(struct flow *flow, uint32_t id)
{
    __atomic_store_n(&flow->id, id, __ATOMIC_RELAXED);
    __atomic_store_n(&flow->seen.id, id, __ATOMIC_RELAXED);
}

static inline bool flow_is_closed(const struct flow *flow)
{
    return __atomic_load_n(&flow->closed, __ATOMIC_ACQUIRE);
}

static inline void flow_set_closed(struct flow *flow, weir_ps when)
{
    flow->closed_ps = when;
    __atomic_store_n(&flow->closed, true, __ATOMIC_RELEASE);
    __atomic_store_n(&flow->seen.closed, true, __ATOMIC_RELEASE);
}

/* The same of what the destination sees. */
static inline uint32_t flow_seen_id(const struct flow *flow)
{
    return __atomic_load_n(&flow->seen.id, __ATOMIC_RELAXED);
}

static inline bool flow_seen_closed(const struct flow *flow)
{
    return __atomic_load_n(&flow->seen.closed, __ATOMIC_ACQUIRE);
}

/* Copies the rest of it, before the flow starts. */
static inline void flow_show(struct flow *flow)
{
    flow->seen.source = flow->source;
    flow->seen.segments = flow->segments;
    flow->seen.last_bytes = flow->last_bytes;
    flow->seen.transport = flow->transport;
    flow->seen.packet_bytes = flow->packet_bytes;
    flow->seen.tag = flow->tag;
    flow->seen.is_request = flow->is_request;
}

/* Payload bytes of a segment. */
static inline uint32_t flow_segment_bytes(const struct flow *flow, uint32_t segment, uint32_t mss_bytes)
{
    return segment + 1 == flow->segments ? flow->last_bytes : mss_bytes;
}

static inline uint32_t flow_seen_bytes(const struct flow *flow, uint32_t segment, uint32_t mss_bytes)
{
    return segment + 1 == flow->seen.segments ? flow->seen.last_bytes : mss_bytes;
}

#endif
