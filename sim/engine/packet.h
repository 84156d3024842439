/*
 * packet.h - a packet in the network: one cache line, made by a host's NIC and given back where it is delivered or
 * lost. A packet is in exactly one place at a time: on a link, in a host's control queue, or inside an MMU (which knows
 * it by its address as a handle).
 */
#ifndef SIM_ENGINE_PACKET_H
#define SIM_ENGINE_PACKET_H

#include <assert.h>

#include "weir/types.h"

struct flow;

/* On the way of every packet, wherever it is called. The compiler gives up inlining when a caller is compiled for
 * several kinds of network. */
#define PACKET_PATH static inline __attribute__((always_inline))

#define PACKET_SACKS 3u           /* blocks in an ACK: what fits beside timestamps in a TCP header */
#define PACKET_TELEMETRY_SACKS 2u /* blocks in an ACK that carries telemetry too */

enum {
    PACKET_ACK = 1,          /* feedback from the receiver, else data */
    PACKET_ECN = 2,          /* its transport understands marks */
    PACKET_UNSCHEDULED = 4,  /* of the first bytes of its flow: transport.h */
    PACKET_ECHO = 8,         /* an ACK that echoes marks */
    PACKET_MARKED = 16,      /* congestion experienced */
    PACKET_AGAIN = 32,       /* a retransmission */
    PACKET_OPENING = 64,     /* SYN, or its answer when it is an ACK */
    PACKET_PFC = 128,        /* a PAUSE or RESUME of the link it is on: it has no flow */
    PACKET_NACK = 256,       /* an ACK that asks for everything from `ack` on again */
    PACKET_CNP = 512,        /* an ACK that only says that marks arrive */
    PACKET_TWICE = 2048,     /* an ACK of a segment that had arrived before (RFC 2883) */
    PACKET_TELEMETRY = 1024, /* it carries stamps of the switches it passed: telemetry.h */
    PACKET_TRIMMED = 4096,   /* a switch cut it: the payload is gone */
    PACKET_LAST_HOP = 8192,  /* and that switch was the last before its destination */
    PACKET_ENTROPY = 16384,  /* ECMP takes its entropy value into account */
    PACKET_ERRED = 32768,    /* the link to its destination loses it */
};

/* What kind of packet of Ultra Ethernet it is, and what comes with some of them. */
enum {
    PACKET_SEGMENT,          /* data */
    PACKET_RTS,              /* asks for credit */
    PACKET_PROBE,            /* asks for an ACK */
    PACKET_SACK,             /* an ACK */
    PACKET_TRIM_NACK,        /* of a segment without payload */
    PACKET_PULL,             /* a grant */
    PACKET_KIND = 7,         /* mask */
    PACKET_ASKS = 8,         /* a segment that wants its ACK at once */
    PACKET_FROM_SEGMENT = 8, /* the bits of an ACK begin at its segment */
    PACKET_HAS_LAST = 16,    /* an ACK: the last segment has arrived */
    PACKET_PROBED = 32,      /* an ACK of a probe */
    PACKET_KNOWN = 64,       /* of a packet that is followed: all this means something */
};

/* Segments [ack + offset, ack + offset + length) have arrived out of order; length 0: no block. */
struct packet_sack {
    uint16_t offset, length;
};

/* A PAUSE frame (IEEE 802.1Qbb) in short: the times of its enabled classes are `quanta` or 0. */
struct packet_pfc {
    uint8_t enabled; /* class-enable vector */
    uint8_t paused;  /* of these, to be paused; the others resume */
    uint16_t quanta; /* pause time, in units of 512 bit times */
};

/* Of Ultra Ethernet: sim/transport/uet.c. */
struct packet_uet {
    uint32_t bits[2]; /* an ACK: segments that have arrived, lowest first */
    union {
        uint32_t pull; /* credit that was asked for, or granted: quanta since the start */
        struct {
            uint16_t arrived; /* an ACK: segments, modulo 2^16 */
            uint16_t beyond;  /* of these, out of order */
        };
    };
};

/* Of a packet between two hosts, in a run that follows packets: sim/net/follow.h. */
struct packet_way {
    uint32_t number;      /* among those of its source; 0: it is not followed */
    uint32_t source : 24; /* host */
    uint32_t hops : 8;    /* links that it has behind it */
};

struct packet {
    union {
        struct packet *next; /* on the same list */
        struct packet_way way;
    };
    struct flow *flow;
    uint32_t flow_id;     /* a flow that ended may have given its memory to another: then this differs from flow->id */
    uint32_t destination; /* host */
    uint32_t segment;     /* data: its number; ACK: of the segment that caused it */
    uint32_t ack;         /* ACK: the next segment expected */
    weir_ps sent_ps;      /* data: when its transmission began; ACK: of the segment that caused it */
    uint16_t bytes;       /* occupied in buffers; a link may add a gap */
    uint16_t flags;       /* PACKET_* */
    uint8_t tc;           /* traffic class */
    uint8_t kind;         /* of Ultra Ethernet */
    uint16_t entropy;     /* PACKET_ENTROPY */
    union {
        struct packet_sack sack[PACKET_SACKS]; /* TCP: packet_sacks of them */
        struct {
            struct packet_sack beside[PACKET_TELEMETRY_SACKS];
            uint32_t telemetry; /* PACKET_TELEMETRY: its place in the pool */
        };
        struct packet_pfc pfc; /* PACKET_PFC */
        struct packet_uet uet;
    };
    uint32_t tag; /* of its flow, which may be gone when the packet is lost */
};

static_assert(sizeof(struct packet) <= 64, "a packet fits a cache line");

/* How many SACK blocks an ACK has room for. */
static inline uint32_t packet_sacks(const struct packet *packet)
{
    return packet->flags & PACKET_TELEMETRY ? PACKET_TELEMETRY_SACKS : PACKET_SACKS;
}

/* First in, first out. */
struct packet_list {
    struct packet *head, *tail;
};

static inline void packet_list_append(struct packet_list *list, struct packet *packet)
{
    packet->next = NULL;
    if (list->head)
        list->tail->next = packet;
    else
        list->head = packet;
    list->tail = packet;
}

static inline struct packet *packet_list_take(struct packet_list *list)
{
    struct packet *packet = list->head;
    list->head = packet->next;
    return packet;
}

#endif
