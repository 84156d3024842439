/*
 * frame.c - see frame.h. How frames are read is in frame_look.h.
 */
#include <assert.h>

#include "switch/dpdk/frame_look.h"

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

void frame_mark(uint8_t *bytes, const struct frame_info *info)
{
    assert(info->ecn && info->ip_at > 0);
    uint8_t *ip = bytes + info->ip_at;
    if (ip[0] >> 4 == 6)
        ip[1] |= FRAME_ECN_CE << 4;
    else {
        /* RFC 1624, equation 3: the new checksum from the old one and the word that changes. */
        uint32_t before = frame_read16(ip), after = before | FRAME_ECN_CE;
        uint32_t sum = (frame_read16(ip + 10) ^ 0xffff) + (before ^ 0xffff) + after;
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        sum ^= 0xffff;
        ip[1] = (uint8_t)after;
        ip[10] = (uint8_t)(sum >> 8);
        ip[11] = (uint8_t)sum;
    }
}
