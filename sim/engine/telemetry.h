/*
 * telemetry.h - what switches write into the packets of transports that ask for it (HPCC, PowerTCP): for each switch on
 * the way what waits at the port that the packet left by, what that port had sent and when. A packet has no room for
 * that, so it carries the number of a record in a table. The record goes back to a pool with its packet
 * (packet_delete); the receiver copies it into the ACK, and the sender keeps a copy of the last one. Each thread has a
 * pool of spare records; the table is one for all, since packets go from thread to thread.
 *
 * Like INT headers of real switches a record has a fixed number of places; switches beyond it leave no stamp.
 */
#ifndef SIM_ENGINE_TELEMETRY_H
#define SIM_ENGINE_TELEMETRY_H

#include "sim/engine/packet.h"

#define TELEMETRY_HOPS 7u /* five are on the longest way through a fat tree */
#define TELEMETRY_PER_BLOCK 256u
#define TELEMETRY_BLOCKS_MAX 65536u /* 4 GB of records */
#define TELEMETRY_NONE UINT32_MAX

/* As a packet starts to leave a switch. */
struct telemetry_hop {
    weir_ps when;
    int64_t sent_bytes; /* by the port since the start, gaps between packets and this packet included */
    weir_bps rate_bps;
    uint32_t queue_bytes; /* left behind in the port's queues, of every class: they share the link */
    uint32_t port;        /* which one it is; the same number: the same port of the same switch */
};

struct telemetry {
    uint32_t hops;
    uint32_t next; /* while it is spare */
    _Alignas(32) struct telemetry_hop hop[TELEMETRY_HOPS];
};

/* All records. Its memory does not move, and a block is there before any number of it is known to another thread. */
struct telemetry_table {
    struct telemetry *
        *blocks;    /* [TELEMETRY_BLOCKS_MAX], of TELEMETRY_PER_BLOCK each; pages beyond the count are none */
    uint32_t count; /* of blocks */
};

struct telemetry_pool {
    struct telemetry_table *table;
    uint32_t first;  /* spare record; valid if there are any */
    uint32_t spares; /* how many */
};

bool telemetry_table_init(struct telemetry_table *table); /* false: out of memory */
void telemetry_table_free(struct telemetry_table *table);

/* True when there is any record. */
static inline bool telemetry_is_used(const struct telemetry_table *table)
{
    return __atomic_load_n(&table->count, __ATOMIC_RELAXED) > 0;
}

/* Another block; false: out of memory. */
bool telemetry_pool_grow(struct telemetry_pool *pool);

/* Gives `count` spares to another pool, which has at least as many. */
void telemetry_pool_give(struct telemetry_pool *pool, struct telemetry_pool *to, uint32_t count);

static inline struct telemetry *telemetry_at(const struct telemetry_pool *pool, uint32_t number)
{
    return &pool->table->blocks[number / TELEMETRY_PER_BLOCK][number % TELEMETRY_PER_BLOCK];
}

/* A record without stamps; TELEMETRY_NONE: out of memory. */
static inline uint32_t telemetry_new(struct telemetry_pool *pool)
{
    if (!pool->spares && !telemetry_pool_grow(pool))
        return TELEMETRY_NONE;
    uint32_t number = pool->first;
    struct telemetry *record = telemetry_at(pool, number);
    pool->first = record->next;
    pool->spares--;
    record->hops = 0;
    return number;
}

static inline void telemetry_delete(struct telemetry_pool *pool, uint32_t number)
{
    telemetry_at(pool, number)->next = pool->first;
    pool->first = number;
    pool->spares++;
}

static inline void telemetry_copy(struct telemetry *to, const struct telemetry *from)
{
    to->hops = from->hops;
    for (uint32_t i = 0; i < from->hops; i++)
        to->hop[i] = from->hop[i];
}

/* A switch sends a packet that has PACKET_TELEMETRY. On its way back, in an ACK, the record stays as it is. */
static inline void telemetry_stamp(struct telemetry_pool *pool, const struct packet *packet,
                                   const struct telemetry_hop *hop)
{
    struct telemetry *record = telemetry_at(pool, packet->telemetry);
    if (!(packet->flags & PACKET_ACK) && record->hops < TELEMETRY_HOPS)
        record->hop[record->hops++] = *hop;
}

#endif
