/*
 * pools.c - see pools.h.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/net/pools.h"

#define POOL_PACKETS_PER_BLOCK 256u

/* Each packet has a cache line to itself. */
struct packet_line {
    _Alignas(64) struct packet packet;
};

/* One more block of `bytes`, on pairs of cache lines, noted in the array of blocks. */
static void *pool_block(void ***blocks, uint32_t *count, uint32_t *room, size_t bytes)
{
    if (*count == *room) {
        uint32_t grown = *room ? *room * 2 : 16;
        void **moved = realloc(*blocks, grown * sizeof(*moved));
        if (!moved)
            return NULL;
        *blocks = moved;
        *room = grown;
    }
    void *block = aligned_alloc(LINES_APART, bytes);
    if (block)
        (*blocks)[(*count)++] = block;
    return block;
}

static void pool_release(void **blocks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(blocks[i]);
    free(blocks);
}

/* Of pairs of lines half of the block has the first one, and half the second: they would fill half of a cache only. */
bool packet_pool_grow(struct packet_pool *pool)
{
    const uint32_t lines = pool->apart ? LINES_APART / sizeof(struct packet_line) : 1;
    struct packet_line *block = pool_block(&pool->blocks, &pool->block_count, &pool->block_room,
                                           POOL_PACKETS_PER_BLOCK * lines * sizeof(*block));
    if (!block)
        return false;
    for (uint32_t i = POOL_PACKETS_PER_BLOCK; i-- > 0;) {
        packet_pool_add(pool, &block[i * lines + i * lines / POOL_PACKETS_PER_BLOCK].packet);
    }
    return true;
}

void packet_pool_free(struct packet_pool *pool)
{
    pool_release(pool->blocks, pool->block_count);
    *pool = (struct packet_pool){0};
}

static bool flow_pool_grow(struct flow_pool *pool)
{
    struct flow *block =
        pool_block(&pool->blocks, &pool->block_count, &pool->block_room, POOL_FLOWS_PER_BLOCK * sizeof(*block));
    if (!block)
        return false;
    for (uint32_t i = POOL_FLOWS_PER_BLOCK; i-- > 0;) {
        flow_set_id(&block[i], 0);
        block[i].next = pool->spare;
        pool->spare = &block[i];
    }
    pool->spares += POOL_FLOWS_PER_BLOCK;
    return true;
}

struct flow *flow_new(struct flow_pool *pool, uint32_t id)
{
    if (!pool->spare && !flow_pool_grow(pool))
        return NULL;
    struct flow *flow = pool->spare;
    pool->spare = flow->next;
    pool->spares--;
    const size_t seen = offsetof(struct flow, seen.id), after = seen + sizeof(flow->seen.id);
    memset((unsigned char *)flow + sizeof(flow->id), 0, seen - sizeof(flow->id));
    memset((unsigned char *)flow + after, 0, sizeof(*flow) - after);
    flow_set_id(flow, id);
    return flow;
}

void flow_delete(struct flow_pool *pool, struct flow *flow)
{
    flow_set_id(flow, 0);
    flow->next = pool->spare;
    pool->spare = flow;
    pool->spares++;
}

void flow_pool_give(struct flow_pool *pool, struct flow_pool *to, uint32_t count)
{
    assert(count <= pool->spares);
    for (; count > 0; count--) {
        struct flow *flow = pool->spare;
        pool->spare = flow->next;
        pool->spares--;
        flow_delete(to, flow);
    }
}

struct flow *flow_at(const struct flow_pool *pool, uint32_t i)
{
    uint32_t block = i / POOL_FLOWS_PER_BLOCK;
    if (block >= pool->block_count)
        return NULL;
    return (struct flow *)pool->blocks[block] + i % POOL_FLOWS_PER_BLOCK;
}

void flow_pool_free(struct flow_pool *pool)
{
    pool_release(pool->blocks, pool->block_count);
    *pool = (struct flow_pool){0};
}
