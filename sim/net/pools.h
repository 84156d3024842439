/*
 * pools.h - memory of packets, of the telemetry some of them carry, and of flows: allocated in blocks, handed out last
 * in, first out so that what was used last is used next, and never given back before the run ends.
 *
 * Each thread has its own pools. What one pool has handed out may come back to another. Spares of packets go back
 * the way that packets came (worker.h); those of telemetry and flows move from where they pile up to where they are
 * short, now and then, between windows (telemetry_pool_give, flow_pool_give).
 */
#ifndef SIM_NET_POOLS_H
#define SIM_NET_POOLS_H

#include "sim/engine/telemetry.h"
#include "sim/transport/flow.h"

struct packet_pool {
    struct packet *spare; /* linked by next */
    void **blocks;
    uint32_t block_count, block_room;
    bool apart;                      /* other threads have packets of it: each is on a pair of cache lines of its own */
    int64_t live;                    /* handed out, less those that came back: below 0 where more end than begin */
    struct telemetry_pool telemetry; /* of packets with PACKET_TELEMETRY */
};

struct flow_pool {
    struct flow *spare; /* linked by next */
    void **blocks;
    uint32_t block_count, block_room;
    uint32_t spares; /* how many */
};

#define POOL_FLOWS_PER_BLOCK 64u

/* Another block; false: out of memory. */
bool packet_pool_grow(struct packet_pool *pool);
void packet_pool_free(struct packet_pool *pool);

/* Memory that no packet is in: goes to another pool, comes from one. Null: there is none. */
static inline struct packet *packet_pool_spare(struct packet_pool *pool)
{
    struct packet *packet = pool->spare;
    if (packet)
        pool->spare = packet->next;
    return packet;
}

static inline void packet_pool_add(struct packet_pool *pool, struct packet *packet)
{
    packet->next = pool->spare;
    pool->spare = packet;
}

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
    packet_pool_add(pool, packet);
    pool->live--;
}

/* A flow with all fields 0 but for its id; null: out of memory. Packets of an earlier flow may still know the memory,
 * and look at its id. */
struct flow *flow_new(struct flow_pool *pool, uint32_t id);
void flow_delete(struct flow_pool *pool, struct flow *flow);
void flow_pool_give(struct flow_pool *pool, struct flow_pool *to, uint32_t count);

/* The i-th flow of the pool, alive (id not 0) or not; null beyond the last. */
struct flow *flow_at(const struct flow_pool *pool, uint32_t i);
void flow_pool_free(struct flow_pool *pool);

#endif
