/*
 * blocks.h - the blocks of a pcapng file, put together in a buffer of the caller's, who writes it. A block: type,
 * length, body, options, length again; all in the machine's byte order, which the first block states.
 *
 * Written by hand: libpcap writes no pcapng, and what became of a packet is a comment of it, which pcap has no place
 * for. Times are in nanoseconds: analysers overflow on picoseconds.
 */
#ifndef CLI_BLOCKS_H
#define CLI_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define BLOCKS_PACKET_MAX 1024u /* bytes that a packet's block has beside the packet and its comment, at most */

struct blocks {
    uint8_t *at;
    size_t room;
    size_t used;
    size_t block; /* where the block that is being put together begins */
};

/* The first block of a file, about all of it; `comment` may be null. */
void blocks_section(struct blocks *blocks, const char *program, const char *comment);

/* An interface, numbered from 0 in this order; packets are cut to `kept_max` bytes. */
void blocks_interface(struct blocks *blocks, const char *name, uint32_t kept_max);

enum blocks_direction { BLOCKS_INBOUND = 1, BLOCKS_OUTBOUND = 2 };

struct blocks_packet {
    uint32_t interface;
    uint64_t when_ns;
    const uint8_t *bytes; /* [kept] */
    uint32_t kept, whole; /* bytes of it here, and on the wire */
    const char *comment;
    enum blocks_direction direction;
    uint64_t missed; /* so many packets are missing before it */
    uint64_t id;     /* of a packet that is seen at several interfaces; 0: none */
};
void blocks_packet(struct blocks *blocks, const struct blocks_packet *packet);

#endif
