/*
 * random_frames.c - see random_frames.h. A frame is first built as it should be, and then, half of the time, damaged in
 * a few places: so most of it stays plausible, which is what gets deep into a parser.
 */
#include "random_frames.h"

#include <string.h>

#include "weir/pfc.h"
#include "wires.h"

#define HEADER_BYTES 14u
#define SHORTEST 60u
#define LONGEST 1514u

static uint32_t below(struct weir_random *random, uint32_t n)
{
    return weir_random_below(random, n);
}

static void put16(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

static void fill(struct weir_random *random, uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)weir_random_bits(random);
}

static void put_source(struct weir_random *random, uint32_t ports, uint8_t *mac)
{
    uint32_t kind = below(random, 32);
    wires_address(mac, below(random, ports));
    if (kind == 0)
        mac[0] |= 1; /* a group as source */
    else if (kind == 1)
        memset(mac, 0, 6);
    else if (kind < 4)
        fill(random, mac, 6);
}

static void put_destination(struct weir_random *random, uint32_t ports, uint8_t *mac)
{
    uint32_t kind = below(random, 16);
    wires_address(mac, below(random, ports));
    if (kind == 0)
        memset(mac, 0xff, 6);
    else if (kind < 3)
        fill(random, mac, 6);
}

/* Up to three tags; returns where the type stands. */
static uint32_t put_tags(struct weir_random *random, uint8_t *bytes)
{
    static const uint16_t types[] = {0x8100, 0x88a8, 0x9100};
    uint32_t at = 12, tags = below(random, 8);
    for (; tags < 4 && tags > 0; tags--, at += 4) {
        put16(bytes + at, types[below(random, 3)]);
        fill(random, bytes + at + 2, 2);
    }
    return at;
}

static uint32_t put_ipv4(struct weir_random *random, uint8_t *bytes, uint32_t at, uint32_t length)
{
    put16(bytes + at, 0x0800);
    at += 2;
    bytes[at] = 0x45;
    bytes[at + 1] = (uint8_t)weir_random_bits(random);
    put16(bytes + at + 2, length - at);
    bytes[at + 9] = 17;
    return length;
}

static uint32_t put_ipv6(struct weir_random *random, uint8_t *bytes, uint32_t at, uint32_t length)
{
    put16(bytes + at, 0x86dd);
    at += 2;
    uint32_t octet = below(random, 256);
    bytes[at] = (uint8_t)(0x60 | octet >> 4);
    bytes[at + 1] = (uint8_t)(octet << 4);
    length = length < at + 40 ? at + 40 : length;
    put16(bytes + at + 4, length - at - 40);
    return length;
}

/* Of flow control: for classes, for the whole port, or with an opcode that nobody knows. */
static uint32_t put_pause(struct weir_random *random, uint8_t *bytes)
{
    struct weir_pfc_frame frame = {.enabled = (uint8_t)weir_random_bits(random)};
    wires_address(frame.source, 0);
    for (uint32_t c = 0; c < WEIR_PFC_CLASSES; c++)
        if (frame.enabled & 1u << c)
            frame.quanta[c] = (uint16_t)(below(random, 2) ? weir_random_bits(random) : 0);
    weir_pfc_encode(&frame, bytes);
    uint32_t kind = below(random, 8);
    if (kind == 0)
        put16(bytes + 14, 0x0001); /* PAUSE of 802.3x */
    else if (kind == 1)
        fill(random, bytes + 14, 2);
    return WEIR_PFC_FRAME_BYTES - WEIR_PFC_FCS_BYTES;
}

static uint32_t good_frame(struct weir_random *random, uint32_t ports, uint8_t *bytes)
{
    uint32_t kind = below(random, 16),
             length = below(random, 2) ? SHORTEST : SHORTEST + below(random, LONGEST - SHORTEST);
    if (kind == 0)
        return put_pause(random, bytes);
    put_destination(random, ports, bytes);
    put_source(random, ports, bytes + 6);
    uint32_t at = put_tags(random, bytes);
    length += at - 12;
    if (kind < 8)
        return put_ipv4(random, bytes, at, length);
    if (kind < 12)
        return put_ipv6(random, bytes, at, length);
    if (kind == 12) {
        const uint8_t bridges[] = {0x01, 0x80, 0xc2, 0, 0, (uint8_t)below(random, 32)};
        memcpy(bytes, bridges, sizeof(bridges));
    }
    if (kind < 14)
        put16(bytes + at, 0x0806);
    else
        put16(bytes + at, length - at - 2); /* a length in place of a type */
    return length;
}

static uint32_t damage(struct weir_random *random, uint8_t *bytes, uint32_t length)
{
    uint32_t header = length < 64 ? length : 64;
    switch (below(random, 6)) {
    case 0: /* cut short, often within its headers */
        return 1 + below(random, below(random, 2) ? header : length);
    case 1: /* something behind it */
        return length + below(random, RANDOM_FRAME_MAX - length + 1);
    case 2:
        bytes[below(random, header)] ^= (uint8_t)(1u << below(random, 8));
        return length;
    case 3:
        fill(random, bytes + below(random, header), 1);
        return length;
    case 4:
        if (length > HEADER_BYTES + 4) /* the total length of an IPv4 header, among others */
            put16(bytes + HEADER_BYTES + 2, below(random, 65536));
        return length;
    default:
        fill(random, bytes, header);
        return length;
    }
}

uint32_t random_frame(struct weir_random *random, uint32_t ports, uint8_t bytes[RANDOM_FRAME_MAX])
{
    memset(bytes, 0, RANDOM_FRAME_MAX);
    uint32_t length = good_frame(random, ports, bytes);
    if (below(random, 2))
        for (uint32_t times = 1 + below(random, 3); times > 0; times--)
            length = damage(random, bytes, length);
    return length;
}
