/*
 * frame.c - see frame.h. The common frame, IPv4 with at most one tag, takes two 64-bit reads for the addresses and the
 * type and one for the beginning of the IP header; everything else branches off.
 *
 * A frame is judged in this order: its length (runt, giant), its source, its destination. Nothing behind `at_hand` is
 * read, and no field is believed before it was compared with what is there.
 */
#include <assert.h>
#include <string.h>

#include "dpdk/frame.h"

#define HEADER_BYTES 14u
#define TAG_BYTES 4u
#define TAGS_MAX 2u
#define ADDRESS_GROUP (UINT64_C(1) << 40)
#define LINK_LOCAL UINT64_C(0x0180c2000000) /* and the 15 addresses above it */
#define LINK_LOCAL_COUNT 16u
#define FLOW_CONTROL UINT64_C(0x0180c2000001)
#define IPV4_BYTES 20u
#define IPV4_FIRST_MIN 0x45u /* version 4, 5 words */
#define IPV4_FIRST_MAX 0x4fu
#define IPV6_BYTES 40u
#define ECN_CE 3u

enum {
    TYPE_IPV4 = 0x0800,
    TYPE_VLAN = 0x8100,
    TYPE_IPV6 = 0x86dd,
    TYPE_MAC_CONTROL = 0x8808,
    TYPE_SERVICE_VLAN = 0x88a8,
    TYPE_OLD_SERVICE_VLAN = 0x9100
};

/* How far a frame has been read. */
struct frame_place {
    uint32_t at;   /* behind the type */
    uint32_t type; /* of what stands there */
    int32_t tci;   /* of the outermost tag; -1: none */
};

void frame_rules_init(struct frame_rules *rules, const struct dataplane_config *config)
{
    uint8_t last = (uint8_t)(config->sw.mmu->classes - 1);
    *rules = (struct frame_rules){.classify = config->classify, .length_max = config->mtu_bytes + HEADER_BYTES};
    for (uint32_t i = 0; i < DATAPLANE_DSCP_COUNT; i++)
        rules->class_of_dscp[i] = config->class_of_dscp[i] < last ? config->class_of_dscp[i] : last;
    for (uint32_t i = 0; i < DATAPLANE_PCP_COUNT; i++)
        rules->class_of_pcp[i] = config->class_of_pcp[i] < last ? config->class_of_pcp[i] : last;
}

static uint32_t read16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

static uint64_t read64(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

static bool frame_type_is_tag(uint32_t type)
{
    return type == TYPE_VLAN || type == TYPE_SERVICE_VLAN || type == TYPE_OLD_SERVICE_VLAN;
}

/* False when the frame ends in a tag. What stands behind more tags than a frame may have is not looked at. */
static bool frame_skip_tags(const struct frame *frame, uint32_t at_hand, struct frame_place *place)
{
    uint32_t left = frame->vlan >= 0 ? TAGS_MAX - 1 : TAGS_MAX;
    for (; left > 0 && frame_type_is_tag(place->type); left--) {
        if (at_hand < place->at + TAG_BYTES)
            return false;
        if (place->tci < 0)
            place->tci = (int32_t)read16(frame->bytes + place->at);
        place->type = read16(frame->bytes + place->at + 2);
        place->at += TAG_BYTES;
    }
    return true;
}

/* The traffic class octet (DSCP and ECN) of an IPv4 header, or -1 when there is no whole one. */
static int32_t frame_ipv4(const struct frame *frame, uint32_t at_hand, uint32_t at)
{
    if (at_hand < at + IPV4_BYTES)
        return -1;
    uint64_t start = read64(frame->bytes + at);
    uint32_t first = (uint32_t)(start >> 56), header = (first & 0xf) * 4, total = (uint32_t)(start >> 32 & 0xffff);
    if (first < IPV4_FIRST_MIN || first > IPV4_FIRST_MAX || header > at_hand - at || total < header ||
        total > frame->length - at)
        return -1;
    return (int32_t)(start >> 48 & 0xff);
}

/* The same of an IPv6 header. A payload length of 0 is one that an option tells. */
static int32_t frame_ipv6(const struct frame *frame, uint32_t at_hand, uint32_t at)
{
    if (at_hand < at + IPV6_BYTES)
        return -1;
    uint64_t start = read64(frame->bytes + at);
    uint32_t payload = (uint32_t)(start >> 16 & 0xffff);
    bool good = start >> 60 == 6 && payload <= frame->length - at - IPV6_BYTES;
    return good ? (int32_t)(start >> 52 & 0xff) : -1;
}

static uint8_t frame_class(const struct frame_rules *rules, int32_t octet, int32_t tci)
{
    if (rules->classify == DATAPLANE_CLASSIFY_DSCP)
        return octet >= 0 ? rules->class_of_dscp[octet >> 2] : 0;
    return rules->classify == DATAPLANE_CLASSIFY_PCP && tci >= 0 ? rules->class_of_pcp[tci >> 13 & 7] : 0;
}

/* What may pass, as far as its addresses say. */
static bool frame_is_plain(uint64_t source, uint64_t destination)
{
    return !(source & ADDRESS_GROUP) && source != 0 && destination - LINK_LOCAL >= LINK_LOCAL_COUNT;
}

/* Of a frame with a whole header that is not to be forwarded. */
static void frame_turn_away(const struct frame_place *place, bool giant, struct frame_info *info)
{
    info->kind = FRAME_DISCARD;
    if (giant)
        info->discard = DATAPLANE_GIANT;
    else if (info->source & ADDRESS_GROUP || info->source == 0)
        info->discard = DATAPLANE_BAD_SOURCE;
    else if (info->destination == FLOW_CONTROL && place->type == TYPE_MAC_CONTROL && place->tci < 0)
        info->kind = FRAME_CONTROL;
    else
        info->discard = DATAPLANE_LINK_LOCAL;
}

void frame_look(const struct frame_rules *rules, const struct frame *frame, struct frame_info *info)
{
    uint32_t at_hand = frame->at_hand < frame->length ? frame->at_hand : frame->length;
    if (at_hand < HEADER_BYTES) {
        *info = (struct frame_info){.kind = FRAME_DISCARD, .discard = DATAPLANE_RUNT};
        return;
    }
    uint64_t second = read64(frame->bytes + 6), source = second >> 16, destination = read64(frame->bytes) >> 16;
    struct frame_place place = {.at = HEADER_BYTES, .type = (uint32_t)(second & 0xffff), .tci = frame->vlan};
    *info = (struct frame_info){.source = source, .destination = destination, .group = destination & ADDRESS_GROUP};
    if (frame_type_is_tag(place.type) && !frame_skip_tags(frame, at_hand, &place)) {
        info->kind = FRAME_DISCARD;
        info->discard = DATAPLANE_RUNT;
        return;
    }
    bool giant = frame->length - (place.at - HEADER_BYTES) > rules->length_max;
    if (giant || !frame_is_plain(source, destination)) {
        frame_turn_away(&place, giant, info);
        return;
    }
    int32_t octet = -1;
    if (place.type == TYPE_IPV4)
        octet = frame_ipv4(frame, at_hand, place.at);
    else if (place.type == TYPE_IPV6)
        octet = frame_ipv6(frame, at_hand, place.at);
    if (octet >= 0) {
        info->ip_at = (uint16_t)place.at;
        info->ecn = octet & ECN_CE;
    } else {
        info->malformed_ip = place.type == TYPE_IPV4 || place.type == TYPE_IPV6;
    }
    info->tc = frame_class(rules, octet, place.tci);
}

/* RFC 1624, equation 3: the new checksum from the old one and the word that changes. */
static void frame_mark_ipv4(uint8_t *ip)
{
    uint32_t before = read16(ip), after = before | ECN_CE;
    uint32_t sum = (read16(ip + 10) ^ 0xffff) + (before ^ 0xffff) + after;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    sum ^= 0xffff;
    ip[1] = (uint8_t)after;
    ip[10] = (uint8_t)(sum >> 8);
    ip[11] = (uint8_t)sum;
}

void frame_mark(uint8_t *bytes, const struct frame_info *info)
{
    assert(info->ecn && info->ip_at > 0);
    uint8_t *ip = bytes + info->ip_at;
    if (ip[0] >> 4 == 6)
        ip[1] |= ECN_CE << 4;
    else
        frame_mark_ipv4(ip);
}
