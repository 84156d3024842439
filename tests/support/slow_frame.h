/*
 * slow_frame.h - frames for tests: from hexadecimal text, and read once more, slow and obvious, byte by byte. Shares no
 * line with switch/dpdk/frame.c.
 */
#ifndef TESTS_SUPPORT_SLOW_FRAME_H
#define TESTS_SUPPORT_SLOW_FRAME_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "switch/dpdk/frame.h"

/* Bytes of a text like "02 00 0a0b"; blanks mean nothing. Returns how many. */
static inline uint32_t frame_from_hex(const char *text, uint8_t *bytes, uint32_t max)
{
    uint32_t digits = 0;
    for (; *text && digits < 2 * max; text++) {
        if (!isxdigit((unsigned char)*text))
            continue;
        uint32_t digit = (uint32_t)(isdigit((unsigned char)*text) ? *text - '0' : tolower(*text) - 'a' + 10);
        bytes[digits / 2] = (uint8_t)(digits % 2 ? bytes[digits / 2] | digit : digit << 4);
        digits++;
    }
    return digits / 2;
}

struct slow_reader {
    const struct frame *frame;
    uint32_t at;
    bool over; /* it wanted to read what is not there */
};

static inline uint32_t slow_number(struct slow_reader *reader, uint32_t bytes)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < bytes; i++, reader->at++) {
        if (reader->at >= reader->frame->length || reader->at >= reader->frame->at_hand) {
            reader->over = true;
            return 0;
        }
        number = number * 256 + reader->frame->bytes[reader->at];
    }
    return number;
}

static inline uint64_t slow_address(struct slow_reader *reader)
{
    uint64_t high = slow_number(reader, 3);
    return high * 0x1000000 + slow_number(reader, 3);
}

/* The DSCP and ECN octet of the IP header at the reader, or -1 when the header is not whole. */
static inline int slow_ip_octet(struct slow_reader reader, uint32_t version)
{
    uint32_t left = reader.frame->length - reader.at, start = reader.at;
    uint32_t word = slow_number(&reader, 4);
    if (reader.over || word / 0x10000000 != version)
        return -1;
    if (version == 6) {
        uint32_t payload = slow_number(&reader, 2);
        slow_number(&reader, 2);
        for (int i = 0; i < 8; i++)
            slow_number(&reader, 4);
        return reader.over || payload + 40 > left ? -1 : (int)(word / 0x100000 % 256);
    }
    uint32_t words = word / 0x1000000 % 16, total = word % 0x10000;
    while (!reader.over && reader.at < start + words * 4)
        slow_number(&reader, 1);
    return reader.over || words < 5 || total < words * 4 || total > left ? -1 : (int)(word / 0x10000 % 256);
}

static inline void slow_finish(struct frame_info *info, enum frame_kind kind, enum dataplane_discard discard)
{
    info->kind = kind;
    info->discard = discard;
}

static inline uint32_t slow_is_tag(uint32_t type)
{
    return type == 0x8100 || type == 0x88a8 || type == 0x9100;
}

static inline void slow_look(const struct frame_rules *rules, const struct frame *frame, struct frame_info *info)
{
    struct slow_reader reader = {.frame = frame};
    int outermost = frame->vlan, tags = frame->vlan >= 0 ? 1 : 0, in_frame = 0, octet = -1;
    memset(info, 0, sizeof *info);
    uint64_t destination = slow_address(&reader), source = slow_address(&reader);
    uint32_t type = slow_number(&reader, 2);
    if (reader.over) {
        slow_finish(info, FRAME_DISCARD, DATAPLANE_RUNT);
        return;
    }
    info->destination = destination;
    info->source = source;
    info->group = destination / 0x10000000000 % 2 == 1;
    for (; tags < 2 && slow_is_tag(type); tags++, in_frame++) {
        uint32_t tci = slow_number(&reader, 2);
        outermost = outermost >= 0 ? outermost : (int)tci;
        type = slow_number(&reader, 2);
    }
    if (reader.over)
        slow_finish(info, FRAME_DISCARD, DATAPLANE_RUNT);
    else if (frame->length > rules->length_max + 4 * (uint32_t)in_frame)
        slow_finish(info, FRAME_DISCARD, DATAPLANE_GIANT);
    else if (source / 0x10000000000 % 2 == 1 || source == 0)
        slow_finish(info, FRAME_DISCARD, DATAPLANE_BAD_SOURCE);
    else if (destination == 0x0180c2000001 && type == 0x8808 && outermost < 0)
        slow_finish(info, FRAME_CONTROL, 0);
    else if (destination / 16 == 0x0180c2000000 / 16)
        slow_finish(info, FRAME_DISCARD, DATAPLANE_LINK_LOCAL);
    if (info->kind != FRAME_FORWARD)
        return;
    if (type == 0x0800 || type == 0x86dd) {
        octet = slow_ip_octet(reader, type == 0x0800 ? 4 : 6);
        info->malformed_ip = octet < 0;
        info->ip_at = octet < 0 ? 0 : (uint16_t)reader.at;
        info->ecn = octet >= 0 && octet % 4 != 0;
    }
    if (rules->classify == DATAPLANE_CLASSIFY_DSCP && octet >= 0)
        info->tc = rules->class_of_dscp[octet / 4];
    if (rules->classify == DATAPLANE_CLASSIFY_PCP && outermost >= 0)
        info->tc = rules->class_of_pcp[outermost / 0x2000];
}

static inline bool slow_same(const struct frame_info *a, const struct frame_info *b)
{
    return a->kind == b->kind && a->discard == b->discard && a->source == b->source &&
           a->destination == b->destination && a->group == b->group && a->tc == b->tc && a->ecn == b->ecn &&
           a->malformed_ip == b->malformed_ip && a->ip_at == b->ip_at;
}

/* The sum over an IPv4 header, as a receiver computes it: 0xffff when the checksum is right. */
static inline uint32_t slow_header_sum(const uint8_t *ip)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < (ip[0] & 15u) * 4; i += 2)
        sum += ip[i] * 256u + ip[i + 1];
    while (sum > 0xffff)
        sum = sum % 0x10000 + sum / 0x10000;
    return sum;
}

/* The class map of dataplane_config_init, and a maximum that a frame of an IP packet of 1500 bytes has. */
static inline struct frame_rules slow_rules(enum dataplane_classify classify)
{
    struct frame_rules rules = {.classify = classify, .length_max = 1514};
    for (uint32_t i = 0; i < DATAPLANE_DSCP_COUNT; i++)
        rules.class_of_dscp[i] = (uint8_t)(i / 8);
    for (uint32_t i = 0; i < DATAPLANE_PCP_COUNT; i++)
        rules.class_of_pcp[i] = (uint8_t)i;
    return rules;
}

#endif
