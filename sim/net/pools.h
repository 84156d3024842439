/*
 * pools.h - memory of packets, of the telemetry some of them carry, and of flows: allocated in blocks, handed out last
 * in, first out so that what was used last is used next, and never given back before the run ends.
 */
#ifndef SIM_NET_POOLS_H
#define SIM_NET_POOLS_H

#include "sim/engine/telemetry.h"
#include "sim/transport/flow.h"

struct packet_pool {
    struct packet *spare; /* linked by next */
    void **blocks;
    uint32_t block_count, block_room;
    uint64_t live;                   /* handed out now */
    struct telemetry_pool telemetry; /* of packets with PACKET_TELEMETRY */
};

struct flow_pool {
    struct flow *spare; /* linked by next */
    void **blocks;
    uint32_t block_count, block_room;
};

#define POOL_FLOWS_PER_BLOCK 64u

/* Another block; false: out of memory. */
bool packet_pool_grow(struct packet_pool *pool);
void packet_pool_free(struct packet_pool *pool);

/* Null: out of memory. The content is what its last user left, but for the flags, which are 0. */
static inline struct packet *packet_new(struct packet_pool *pool)
{
    if (!pool->spare && !packet_pool_grow(pool))
        return NULL;
    struct packet *packet = pool->spare;
    pool->spare = packet->next;
    pool->live++;
    packet->flags = 0;
    return packet;
}

static inline void packet_delete(struct packet_pool *pool, struct packet *packet)
{
    if (packet->flags & PACKET_TELEMETRY)
        telemetry_delete(&pool->telemetry, packet->telemetry);
    packet->next = pool->spare;
    pool->spare = packet;
    pool->live--;
}

/* A flow with all fields 0; null: out of memory. */
struct flow *flow_new(struct flow_pool *pool);
void flow_delete(struct flow_pool *pool, struct flow *flow);

/* The i-th flow of the pool, alive (id not 0) or not; null beyond the last. */
struct flow *flow_at(const struct flow_pool *pool, uint32_t i);
void flow_pool_free(struct flow_pool *pool);

#endif
