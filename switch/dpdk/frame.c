/*
 * frame.c - see frame.h. How frames are read is in frame_look.h.
 */
#include <assert.h>

#include "switch/dpdk/frame_look.h"
#include "weir/random.h"

void frame_rules_init(struct frame_rules *rules, const struct dataplane_config *config)
{
    uint8_t last = (uint8_t)(config->sw.mmu->classes - 1);
    *rules = (struct frame_rules){.classify = config->classify, .length_max = config->mtu_bytes + FRAME_HEADER_BYTES};
    for (uint32_t i = 0; i < DATAPLANE_DSCP_COUNT; i++)
        rules->class_of_dscp[i] = config->class_of_dscp[i] < last ? config->class_of_dscp[i] : last;
    for (uint32_t i = 0; i < DATAPLANE_PCP_COUNT; i++)
        rules->class_of_pcp[i] = config->class_of_pcp[i] < last ? config->class_of_pcp[i] : last;
}

void frame_look(const struct frame_rules *rules, const struct frame *frame, struct frame_info *info)
{
    frame_read(rules, frame, info);
}

/* Ports follow in the first packet of these. */
static bool frame_has_ports(uint32_t protocol)
{
    return protocol == 6 || protocol == 17 || protocol == 132; /* TCP, UDP, SCTP */
}

void frame_flow(const struct frame *frame, const struct frame_info *info, struct weir_flow *flow)
{
    const uint8_t *ip = frame->bytes + info->ip_at;
    uint64_t hash = weir_hash(info->source, info->destination);
    *flow = (struct weir_flow){.bytes = WEIR_FLOW_UNKNOWN};
    if (info->ip_at == 0) {
        flow->hash = hash;
        return;
    }
    const bool is_6 = ip[0] >> 4 == 6;
    const uint32_t at = frame_ip_end(frame->bytes, info->ip_at), protocol = is_6 ? ip[6] : ip[9];
    const bool fragment = !is_6 && frame_read16(ip + 6) & 0x3fff; /* more of them, or not the first */
    hash = protocol;
    for (uint32_t i = is_6 ? 8 : 12; i < (is_6 ? FRAME_IPV6_BYTES : FRAME_IPV4_BYTES); i += 8)
        hash = weir_hash(hash, frame_read64(ip + i));
    if (!fragment && frame_has_ports(protocol) && at + 4 <= frame->at_hand)
        hash = weir_hash(hash, frame_read16(frame->bytes + at) << 16 | frame_read16(frame->bytes + at + 2));
    flow->hash = hash;
    flow->dscp = (is_6 ? frame_read16(ip) >> 4 & 0xff : ip[1]) >> 2;
}

static void frame_write16(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

/* RFC 1624, equation 3: the new checksum from the old one and the word that changes. */
static void frame_change_ipv4(uint8_t *ip, uint32_t at, uint32_t after)
{
    uint32_t sum = (frame_read16(ip + 10) ^ 0xffff) + (frame_read16(ip + at) ^ 0xffff) + after;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    frame_write16(ip + at, after);
    frame_write16(ip + 10, sum ^ 0xffff);
}

void frame_mark(uint8_t *bytes, const struct frame_info *info)
{
    assert(info->ecn && info->ip_at > 0);
    uint8_t *ip = bytes + info->ip_at;
    if (ip[0] >> 4 == 6)
        ip[1] |= FRAME_ECN_CE << 4;
    else
        frame_change_ipv4(ip, 0, frame_read16(ip) | FRAME_ECN_CE);
}

uint32_t frame_ip_end(const uint8_t *bytes, uint32_t ip_at)
{
    return ip_at + (bytes[ip_at] >> 4 == 6 ? FRAME_IPV6_BYTES : (bytes[ip_at] & 0xfu) * 4);
}

/* The traffic class octet after the cut. */
static uint32_t cut_octet(uint32_t octet, const struct frame_cut *cut)
{
    uint32_t ecn = octet & FRAME_ECN_CE, dscp = cut->dscp >= 0 ? (uint32_t)cut->dscp : octet >> 2;
    if (cut->ecn == WEIR_TRIM_ECN_CLEAR)
        ecn = 0;
    else if (cut->ecn == WEIR_TRIM_ECN_MARK && ecn)
        ecn = FRAME_ECN_CE;
    return dscp << 2 | ecn;
}

void frame_cut(uint8_t *bytes, uint32_t ip_at, const struct frame_cut *cut)
{
    uint8_t *ip = bytes + ip_at;
    uint32_t left = cut->length - ip_at, first = frame_read16(ip);
    assert(frame_ip_end(bytes, ip_at) <= cut->length);
    if (ip[0] >> 4 == 6) {
        uint32_t payload = frame_read16(ip + 4), most = left - FRAME_IPV6_BYTES;
        frame_write16(ip, (first & 0xf00f) | cut_octet(first >> 4 & 0xff, cut) << 4);
        frame_write16(ip + 4, payload < most ? payload : most);
        return;
    }
    uint32_t total = frame_read16(ip + 2);
    frame_change_ipv4(ip, 0, (first & 0xff00) | cut_octet(first & 0xff, cut));
    frame_change_ipv4(ip, 2, total < left ? total : left);
}
