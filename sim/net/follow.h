/*
 * follow.h - packets that are followed from end to end: what happens to them at hosts, switches and links, in the order
 * of a run by one worker. Who sends a packet decides whether it is followed, and numbers it in the packet itself, where
 * no list needs its `next` while it is on the way. So nothing is looked up, and memory holds the events of one stretch
 * of windows only.
 *
 * Nodes of a run that follows nothing never come here.
 */
#ifndef SIM_NET_FOLLOW_H
#define SIM_NET_FOLLOW_H

#include "sim/engine/packet.h"
#include "sim/net/config.h"

struct host;
struct sim;
struct sim_worker;
struct switch_node;
struct switch_port;

/* What happens to a packet. After one of the last seven it is gone. */
enum sim_packet_step {
    SIM_PACKET_SENT,     /* a host begins to send it */
    SIM_PACKET_QUEUED,   /* a switch takes it into its buffer */
    SIM_PACKET_LEFT,     /* it leaves the buffer: its transmission begins */
    SIM_PACKET_TRIMMED,  /* a switch cuts it instead of losing it; it goes on */
    SIM_PACKET_RECEIVED, /* its host has it */
    SIM_PACKET_REFUSED,  /* by a switch: `why` is a weir_reason */
    SIM_PACKET_LOST,     /* out of a buffer: `why` is a weir_cause */
    SIM_PACKET_UNROUTED, /* no link leads to its host */
    SIM_PACKET_BROKEN,   /* its link failed, or lost it by chance */
    SIM_PACKET_STORMED,  /* a PFC watchdog lost it */
    SIM_PACKET_NO_ROOM,  /* the queue of its host's NIC was full: it was never sent */
    SIM_PACKET_STEPS
};

#define SIM_PACKET_NOWHERE UINT32_MAX /* no port: not in a switch, or not yet there */
#define SIM_FOLLOW_ANY UINT32_MAX
#define SIM_FOLLOW_HOSTS_MAX (1u << 24)

struct sim_packet_event {
    weir_ps when;
    int64_t queue_bytes;  /* in its queue afterwards; -1: it is in none */
    uint32_t node, port;  /* where; its output port there, or SIM_PACKET_NOWHERE */
    uint32_t flow, tag;   /* of feedback too */
    uint32_t source;      /* the host that sent it */
    uint32_t number;      /* among those that this host sent and that are followed, from 1 */
    uint32_t destination; /* host */
    uint32_t segment;     /* of data; feedback: 0 */
    uint32_t ack;         /* of feedback: the next segment expected; data: 0 */
    uint16_t bytes, flags;
    uint16_t transport; /* where it is sent, that of its flow: index in config.transports; UINT16_MAX: that is over */
    uint8_t tc;
    uint8_t kind; /* of Ultra Ethernet, with PACKET_KNOWN; else 0 */
    uint8_t hops; /* links that it has behind it */
    uint8_t step; /* enum sim_packet_step */
    uint8_t why;
};

/* Flows [first, last] of a tag between two hosts: each may be SIM_FOLLOW_ANY. */
struct sim_follow_choice {
    uint32_t first, last, tag, host, other;
};

struct sim_follow {
    /* Ordered by time, then by node, then as it happened there. False: the run ends, out of memory. */
    bool (*take)(void *context, const struct sim_packet_event *event);
    void *context;
    const struct sim_follow_choice *choices; /* [count]: what any of them names is followed */
    uint32_t count;
};

/* Each notes down what has happened to a packet, if that is followed. */
void follow_sent(struct host *host, struct packet *packet, weir_ps now);
void follow_without_room(struct host *host, struct packet *packet, weir_ps now);
void follow_at_host(struct host *host, struct packet *packet, enum sim_packet_step step, weir_ps now);
void follow_on_link(struct sim *sim, uint32_t to, const struct packet *packet, weir_ps now);

/* What happens to it at a switch; `why` is 0 where a step has none. */
struct follow_step {
    enum sim_packet_step step;
    uint32_t why;
    weir_ps now;
};

/* A packet has come to a switch. */
static inline void follow_arrives(struct packet *packet)
{
    packet->way.hops++;
}

/* At an output of a switch; `output` may be SIM_PACKET_NOWHERE. */
void follow_at_switch(struct switch_node *node, uint32_t output, const struct packet *packet, struct follow_step step);

/* Hands on what has happened, between stretches of windows. False: out of memory. */
bool follow_hand_on(struct sim *sim);

#endif
