/*
 * conformance_frame.c - what a switch owes a frame of conformance_traffic.c. Written against what the manual says, not
 * against the code that reads frames in the switch.
 */
#include <string.h>

#include "conformance.h"

enum { TYPE_VLAN = 0x8100, TYPE_IPV4 = 0x0800, TYPE_CONTROL = 0x8808, CONGESTION_EXPERIENCED = 3 };
enum { TYPE_AT = 12, HEADER_BYTES = 14, TAG_BYTES = 4, IP_BYTES = 20 };

static uint32_t get16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

bool frame_is_control(const struct capture_frame *frame)
{
    return frame->length >= HEADER_BYTES && get16(frame->bytes + TYPE_AT) == TYPE_CONTROL;
}

uint32_t frame_serial(const struct capture_frame *frame)
{
    if (frame->length < HEADER_BYTES)
        return NOWHERE;
    const uint8_t *end = frame->bytes + frame->length;
    return get16(end - 4) << 16 | get16(end - 2);
}

/* Over the 20 bytes of a header; with its checksum in place 0 is right. */
uint16_t frame_ip_checksum(const uint8_t *ip)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < IP_BYTES; i += 2)
        sum += get16(ip + i);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

/* Port p has the address 02:00:00:00:00:(p + 1); all other addresses are unknown. */
static uint32_t judge_outputs(const uint8_t *destination, uint32_t input)
{
    static const uint8_t prefix[5] = {0x02, 0, 0, 0, 0};
    uint32_t number = destination[5];
    if (memcmp(destination, prefix, sizeof prefix) == 0 && number >= 1 && number <= PORTS)
        return 1u << (number - 1);
    return ((1u << PORTS) - 1) & ~(1u << input);
}

struct look frame_judge(const struct capture_frame *frame, uint32_t input)
{
    static const uint8_t link_local[5] = {0x01, 0x80, 0xc2, 0, 0};
    struct look look = {.control = frame_is_control(frame)};
    const uint8_t *bytes = frame->bytes;
    if (look.control)
        return look;
    look.outputs = judge_outputs(bytes, input);
    if (bytes[6] & 1)
        look.discard = "discarded: bad source";
    else if (memcmp(bytes, link_local, sizeof link_local) == 0)
        look.discard = "discarded: link local";
    else if (look.outputs == 1u << input)
        look.discard = "discarded: same port";
    if (look.discard)
        look.outputs = 0;
    look.ip_at = HEADER_BYTES + (get16(bytes + TYPE_AT) == TYPE_VLAN ? TAG_BYTES : 0);
    if (get16(bytes + look.ip_at - 2) == TYPE_IPV4) {
        uint32_t tos = bytes[look.ip_at + 1];
        look.tc = tos >> 5 < CLASSES ? tos >> 5 : CLASSES - 1;
        look.ecn = (tos & CONGESTION_EXPERIENCED) != 0;
    }
    return look;
}

bool frame_is_same(const struct capture_frame *sent, const struct capture_frame *got, bool marked)
{
    if (got->length != sent->length)
        return false;
    if (!marked)
        return memcmp(got->bytes, sent->bytes, sent->length) == 0;
    uint32_t ip_at = frame_judge(sent, 0).ip_at, behind = ip_at + IP_BYTES;
    uint8_t header[IP_BYTES];
    memcpy(header, sent->bytes + ip_at, sizeof header);
    header[1] |= CONGESTION_EXPERIENCED;
    header[10] = header[11] = 0;
    uint16_t checksum = frame_ip_checksum(header);
    header[10] = (uint8_t)(checksum >> 8);
    header[11] = (uint8_t)checksum;
    return memcmp(got->bytes, sent->bytes, ip_at) == 0 && memcmp(got->bytes + ip_at, header, sizeof header) == 0 &&
           memcmp(got->bytes + behind, sent->bytes + behind, sent->length - behind) == 0;
}
