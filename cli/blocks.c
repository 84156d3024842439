/*
 * blocks.c - see blocks.h.
 */
#include "cli/blocks.h"

#include <assert.h>
#include <string.h>

enum { BLOCK_SECTION = 0x0a0d0d0a, BLOCK_INTERFACE = 1, BLOCK_PACKET = 6 };
enum { BYTE_ORDER_MAGIC = 0x1a2b3c4d, LINKTYPE_ETHERNET = 1, RESOLUTION_NS = 9 };
enum {
    OPTION_END = 0,
    OPTION_COMMENT = 1,
    OPTION_FLAGS = 2,      /* of a packet */
    OPTION_NAME = 2,       /* of an interface */
    OPTION_DROPCOUNT = 4,  /* of a packet */
    OPTION_PROGRAM = 4,    /* of a section */
    OPTION_PACKET_ID = 5,  /* of a packet */
    OPTION_RESOLUTION = 9, /* of an interface */
};

static void put_bytes(struct blocks *blocks, const void *bytes, size_t count)
{
    static const uint8_t zeros[3];
    size_t padding = -count & 3;
    assert(blocks->used + count + padding <= blocks->room);
    memcpy(blocks->at + blocks->used, bytes, count);
    memcpy(blocks->at + blocks->used + count, zeros, padding);
    blocks->used += count + padding;
}

static void put32(struct blocks *blocks, uint32_t value)
{
    put_bytes(blocks, &value, sizeof value);
}

static void put_pair(struct blocks *blocks, uint16_t first, uint16_t second)
{
    const uint16_t pair[2] = {first, second};
    put_bytes(blocks, pair, sizeof pair);
}

static void put_option(struct blocks *blocks, uint16_t code, const void *value, size_t length)
{
    put_pair(blocks, code, (uint16_t)length);
    put_bytes(blocks, value, length);
}

static void block_begin(struct blocks *blocks, uint32_t type)
{
    blocks->block = blocks->used;
    put32(blocks, type);
    put32(blocks, 0); /* the length, when it is known */
}

static void block_end(struct blocks *blocks)
{
    put_pair(blocks, OPTION_END, 0);
    uint32_t length = (uint32_t)(blocks->used - blocks->block + sizeof length);
    put32(blocks, length);
    memcpy(blocks->at + blocks->block + sizeof length, &length, sizeof length);
}

void blocks_section(struct blocks *blocks, const char *program, const char *comment)
{
    block_begin(blocks, BLOCK_SECTION);
    put32(blocks, BYTE_ORDER_MAGIC);
    put_pair(blocks, 1, 0); /* version 1.0 */
    put32(blocks, UINT32_MAX);
    put32(blocks, UINT32_MAX); /* length of the section: unknown */
    if (comment)
        put_option(blocks, OPTION_COMMENT, comment, strlen(comment));
    put_option(blocks, OPTION_PROGRAM, program, strlen(program));
    block_end(blocks);
}

void blocks_interface(struct blocks *blocks, const char *name, uint32_t kept_max)
{
    const uint8_t resolution = RESOLUTION_NS;
    block_begin(blocks, BLOCK_INTERFACE);
    put_pair(blocks, LINKTYPE_ETHERNET, 0);
    put32(blocks, kept_max);
    put_option(blocks, OPTION_NAME, name, strlen(name));
    put_option(blocks, OPTION_RESOLUTION, &resolution, sizeof resolution);
    block_end(blocks);
}

void blocks_packet(struct blocks *blocks, const struct blocks_packet *packet)
{
    const uint32_t flags = packet->direction;
    block_begin(blocks, BLOCK_PACKET);
    put32(blocks, packet->interface);
    put32(blocks, (uint32_t)(packet->when_ns >> 32));
    put32(blocks, (uint32_t)packet->when_ns);
    put32(blocks, packet->kept);
    put32(blocks, packet->whole);
    put_bytes(blocks, packet->bytes, packet->kept);
    put_option(blocks, OPTION_COMMENT, packet->comment, strlen(packet->comment));
    put_option(blocks, OPTION_FLAGS, &flags, sizeof flags);
    if (packet->missed > 0)
        put_option(blocks, OPTION_DROPCOUNT, &packet->missed, sizeof packet->missed);
    if (packet->id > 0)
        put_option(blocks, OPTION_PACKET_ID, &packet->id, sizeof packet->id);
    block_end(blocks);
}
