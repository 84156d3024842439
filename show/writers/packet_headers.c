/*
 * packet_headers.c - see packet_headers.h.
 *
 *   IPv4: RFC 791, the checksum of RFC 1071, ECN of RFC 3168, the class as DSCP. Hosts are 10.0.0.1 and up.
 *   TCP: RFC 9293. A segment begins at byte 1 + number * MSS; checksums of the absent payload stay 0.
 *   RoCEv2: InfiniBand specification 1.4, annex A17: base transport header, and that of an acknowledgement.
 */
#include "show/writers/packet_headers.h"

#include <stdlib.h>

#include "sim/engine/packet.h"

enum { ETHERNET = 14, IPV4 = 20, TCP = 20, UDP = 8, BTH = 12, AETH = 4, ICRC = 4 };
enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, PORT_DISCARD = 9, PORT_ROCE = 4791, PORT_UET = 4793, PORT_FIRST = 49152 };
enum { TCP_SYN = 2, TCP_PUSH = 8, TCP_ACK = 16, TCP_ECE = 64 };
enum { OPCODE_WRITE = 0x07, OPCODE_ACK = 0x11, OPCODE_CNP = 0x81, SYNDROME_ACK = 0x1f, SYNDROME_NAK = 0x60 };

#define FLOWS_FIRST_ROOM 64u

void packet_flows_free(struct packet_flows *flows)
{
    free(flows->at);
    *flows = (struct packet_flows){.at = NULL};
}

/* The place of a flow, or where it would be. */
static struct packet_flow *flow_place(const struct packet_flows *flows, uint32_t flow)
{
    uint32_t place = flow * UINT32_C(0x9e3779b1) & (flows->room - 1);
    while (flows->at[place].flow != 0 && flows->at[place].flow != flow)
        place = (place + 1) & (flows->room - 1);
    return &flows->at[place];
}

/* Null: out of memory. */
static struct packet_flow *flow_find(struct packet_flows *flows, uint32_t flow)
{
    if (2 * flows->count >= flows->room) {
        struct packet_flows larger = {.room = flows->room > 0 ? 2 * flows->room : FLOWS_FIRST_ROOM,
                                      .count = flows->count};
        larger.at = calloc(larger.room, sizeof *larger.at);
        if (larger.at == NULL)
            return NULL;
        for (uint32_t i = 0; i < flows->room; i++)
            if (flows->at[i].flow != 0)
                *flow_place(&larger, flows->at[i].flow) = flows->at[i];
        free(flows->at);
        *flows = larger;
    }
    struct packet_flow *found = flow_place(flows, flow);
    if (found->flow == 0) {
        *found = (struct packet_flow){.flow = flow, .transport = UINT16_MAX};
        flows->count++;
    }
    return found;
}

static uint8_t *put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
    return at + 2;
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
    return put16(put16(at, value >> 16), value);
}

static uint8_t *put_ethernet(uint8_t *at, const struct sim_packet_event *event)
{
    /* Locally administered addresses. */
    at = put32(put16(at, 0x0200), event->destination);
    at = put32(put16(at, 0x0200), event->source);
    return put16(at, 0x0800);
}

static uint8_t *put_ipv4(uint8_t *at, const struct sim_packet_event *event, uint32_t protocol, uint32_t length)
{
    static const uint32_t first_host = UINT32_C(10) << 24 | 1;
    uint8_t *const start = at;
    uint32_t ecn = event->flags & PACKET_MARKED ? 3 : event->flags & PACKET_ECN ? 2 : 0, sum = 0;
    at = put16(at, 0x4500 | (uint32_t)event->tc << 2 | ecn);
    at = put16(at, length);
    at = put32(at, (event->number & 0xffff) << 16 | 0x4000); /* not to be fragmented */
    at = put16(at, 64u << 8 | protocol);
    at = put16(at, 0);
    at = put32(at, first_host + event->source);
    at = put32(at, first_host + event->destination);
    for (const uint8_t *word = start; word < at; word += 2)
        sum += (uint32_t)word[0] << 8 | word[1];
    sum = (sum & 0xffff) + (sum >> 16);
    put16(start + 10, ~(sum + (sum >> 16)) & 0xffff);
    return at;
}

/* What an analyser needs to know of a packet, beside the event. */
struct about {
    uint32_t payload;
    uint64_t first, ack; /* bytes before its payload; those that its feedback acknowledges */
    uint32_t port;       /* the flow's own; the other end has a fixed one */
};

static uint8_t *put_tcp(uint8_t *at, const struct sim_packet_event *event, const struct about *about)
{
    const bool feedback = event->flags & PACKET_ACK, opening = event->flags & PACKET_OPENING;
    uint32_t flags = (opening ? TCP_SYN : 0) | (feedback || !opening ? TCP_ACK : 0) |
                     (about->payload > 0 ? TCP_PUSH : 0) | (event->flags & PACKET_ECHO ? TCP_ECE : 0);
    at = put16(at, feedback ? PORT_DISCARD : about->port);
    at = put16(at, feedback ? about->port : PORT_DISCARD);
    at = put32(at, opening ? 0 : feedback ? 1 : (uint32_t)(1 + about->first));
    at = put32(at, feedback ? (uint32_t)(1 + (opening ? 0 : about->ack)) : !opening);
    at = put16(at, TCP / 4 << 12 | flags);
    at = put16(at, 0xffff); /* window */
    return put32(at, 0);
}

static uint8_t *put_udp(uint8_t *at, const struct about *about, uint32_t port, uint32_t length)
{
    return put16(put16(put16(put16(at, about->port), port), length), 0);
}

static uint8_t *put_roce(uint8_t *at, const struct sim_packet_event *event)
{
    const bool feedback = event->flags & PACKET_ACK, cnp = event->flags & PACKET_CNP;
    uint32_t opcode = cnp ? OPCODE_CNP : feedback ? OPCODE_ACK : OPCODE_WRITE;
    uint32_t sequence = feedback ? event->ack - (event->flags & PACKET_NACK ? 0 : 1) : event->segment;
    at = put32(at, opcode << 24 | 0x40 << 16 | 0xffff);
    at = put32(at, event->flow & 0xffffff); /* queue pair */
    at = put32(at, sequence & 0xffffff);
    if (!feedback || cnp)
        return at;
    return put32(at,
                 (uint32_t)(event->flags & PACKET_NACK ? SYNDROME_NAK : SYNDROME_ACK) << 24 | (event->ack & 0xffffff));
}

bool packet_headers_make(struct packet_headers *headers, struct packet_flows *flows, const struct sim_config *config,
                         const struct sim_packet_event *event)
{
    struct packet_flow *flow = flow_find(flows, event->flow);
    const struct sim_wire *wire = &config->wire;
    const bool feedback = event->flags & PACKET_ACK;
    if (flow == NULL)
        return false;
    if (event->transport != UINT16_MAX)
        flow->transport = event->transport;
    const struct transport *kind =
        flow->transport != UINT16_MAX ? config->transports[flow->transport].kind : &transport_udp;
    const bool uet = kind == &transport_uet, roce = kind->data == transport_none.data,
               tcp = kind->data == transport_newreno.data;
    struct about about = {.first = (uint64_t)event->segment * wire->mss_bytes,
                          .ack = (uint64_t)event->ack * wire->mss_bytes,
                          .port = PORT_FIRST + event->flow % (65536 - PORT_FIRST)};
    bool bare =
        feedback || event->flags & (PACKET_OPENING | PACKET_TRIMMED) || (event->kind & PACKET_KIND) != PACKET_SEGMENT;
    about.payload = !bare && event->bytes > wire->header_bytes ? event->bytes - wire->header_bytes : 0;
    flow->end = about.first + about.payload > flow->end ? about.first + about.payload : flow->end;
    about.ack = about.ack < flow->end ? about.ack : flow->end; /* the last segment is shorter */
    uint32_t above = tcp ? TCP : UDP;
    if (roce)
        above += BTH + ICRC + (feedback && !(event->flags & PACKET_CNP) ? AETH : 0);
    uint32_t length = IPV4 + above + about.payload;
    uint8_t *at = put_ethernet(headers->bytes, event);
    at = put_ipv4(at, event, tcp ? PROTOCOL_TCP : PROTOCOL_UDP, length);
    if (roce)
        at = put_roce(put_udp(at, &about, PORT_ROCE, length - IPV4), event);
    else if (tcp)
        at = put_tcp(at, event, &about);
    else
        at = put_udp(at, &about, uet ? PORT_UET : PORT_DISCARD, length - IPV4);
    headers->length = (uint32_t)(at - headers->bytes);
    headers->whole = ETHERNET + length > event->bytes ? ETHERNET + length : event->bytes;
    return true;
}
