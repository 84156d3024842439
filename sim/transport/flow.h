/*
 * flow.h - a live flow: who sends what to whom, and the state of both ends. The source host alone writes the sender's
 * part, the destination alone the receiver's, so that the two may live on different threads. When both ends are done
 * the flow becomes a record (records.h) and its memory serves the next one. A listed packet is a flow too; it leaves no
 * record, and ends where it is lost.
 *
 * The transport lays out the state of both ends as it likes, within the bytes reserved here (TRANSPORT_FITS).
 */
#ifndef SIM_TRANSPORT_FLOW_H
#define SIM_TRANSPORT_FLOW_H

#include <assert.h>

#include "sim/engine/packet.h"
#include "workload/traffic.h"

struct sim_transport;

enum flow_end { FLOW_SENDER_DONE = 1, FLOW_RECEIVER_DONE = 2, FLOW_BOTH_DONE = 3, FLOW_CLOSED = 7 };

#define FLOW_SENDER_BYTES 128u  /* two cache lines */
#define FLOW_RECEIVER_BYTES 40u /* completes a cache line; more is allocated by host_words */
#define CONNECTION_BYTES 128u

/* What flows between the same hosts pass on to each other. The transport uses it as it likes. */
struct connection {
    struct connection *next; /* of those that rest */
    struct flow *flow;       /* the last that had it, and its id then */
    uint32_t flow_id;
    uint32_t number;                                   /* among those of its pair, in the order of their making */
    bool used;                                         /* a flow had it before */
    bool kept;                                         /* there is a state */
    _Alignas(8) unsigned char state[CONNECTION_BYTES]; /* of the sender, which alone writes it */
};

struct flow {
    /* What both ends read with every packet. */
    _Alignas(64) uint32_t id; /* unique in the run, never 0 while alive; 0: free memory */
    uint32_t source, destination;
    uint32_t segments; /* to send; UINT32_MAX when endless */
    const struct sim_transport *transport;
    struct flow *next;      /* on the host's list of starts, or of ready flows */
    weir_ps sender_due_ps;  /* when the timer is to act; WEIR_NEVER: not */
    weir_ps sender_wake_ps; /* when the host looks at it; WEIR_NEVER: it does not */
    uint32_t last_bytes;    /* payload of the last segment */
    uint32_t packet_bytes;  /* see flow_request */
    uint32_t tag;
    uint8_t tc;        /* class of its data */
    bool ready;        /* on the ready list, or held */
    bool held;         /* until one of its packets leaves the NIC's queue */
    uint16_t in_queue; /* its packets there */
    bool is_request;   /* see flow_request */
    uint8_t ended;     /* FLOW_SENDER_DONE | FLOW_RECEIVER_DONE; FLOW_CLOSED: it is a record */

    _Alignas(64) unsigned char sender[FLOW_SENDER_BYTES]; /* the transport's state; 0 when the flow opens */

    _Alignas(64) unsigned char receiver[FLOW_RECEIVER_BYTES]; /* likewise */
    weir_ps receiver_due_ps;
    weir_ps receiver_wake_ps;
    int64_t delivered_bytes; /* payload that arrived, each byte once */

    /* What only starts, ends and losses touch. */
    int64_t bytes;
    weir_ps finish_ps;             /* the receiver had everything; WEIR_NEVER until then */
    struct connection *connection; /* null: it has none */
    weir_ps start_ps;
    weir_ps wait_ps;     /* see flow_request */
    weir_ps ideal_ps;    /* alone in the network, by the routes of its start */
    weir_ps first_ps;    /* and its first segment */
    weir_ps base_rtt_ps; /* of a full packet and its ACK on that way; 0: there is none */
    weir_ps closed_ps;   /* when it became a record */
    uint32_t traffic, group, group_flows, cookie;
    uint32_t timeouts; /* retransmission timeouts */
    uint32_t again;    /* segments sent again */
    uint32_t lost;     /* packets, both ways, until it closed */
    uint32_t record;   /* when closed: its place among the records */
};

/* Payload bytes of a segment. */
static inline uint32_t flow_segment_bytes(const struct flow *flow, uint32_t segment, uint32_t mss_bytes)
{
    return segment + 1 == flow->segments ? flow->last_bytes : mss_bytes;
}

#endif
