/*
 * packet_headers.h - the headers that a simulated packet would have, for packet analysers: Ethernet, IPv4, and TCP,
 * RoCEv2 (UDP port 4791) or UDP. Payload is counted and not there.
 */
#ifndef SHOW_WRITERS_PACKET_HEADERS_H
#define SHOW_WRITERS_PACKET_HEADERS_H

#include "sim/net/follow.h"

#define PACKET_HEADERS_MAX 64u

struct packet_headers {
    uint8_t bytes[PACKET_HEADERS_MAX];
    uint32_t length;
    uint32_t whole; /* with the payload, and what the network adds: as many bytes as the packet has, if not more */
};

/* What is known of flows since their first packet: a table by their numbers. */
struct packet_flow {
    uint32_t flow;      /* 0: no place is taken */
    uint32_t transport; /* index in config.transports, or UINT16_MAX */
    uint64_t end;       /* bytes of payload that were sent so far: an ACK tells of no more */
};
struct packet_flows {
    struct packet_flow *at; /* [room], a power of two */
    uint32_t count, room;
};
void packet_flows_free(struct packet_flows *flows);

/* Events of a flow must come in their order. False: out of memory. */
bool packet_headers_make(struct packet_headers *headers, struct packet_flows *flows, const struct sim_config *config,
                         const struct sim_packet_event *event);

#endif
