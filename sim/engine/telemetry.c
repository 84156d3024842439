/*
 * telemetry.c - see telemetry.h.
 */
#include "sim/engine/telemetry.h"

#include <stdlib.h>

bool telemetry_pool_grow(struct telemetry_pool *pool)
{
    if (pool->block_count == pool->block_room) {
        uint32_t room = pool->block_room ? pool->block_room * 2 : 16;
        struct telemetry **blocks = realloc(pool->blocks, room * sizeof(*blocks));
        if (!blocks)
            return false;
        pool->blocks = blocks;
        pool->block_room = room;
    }
    struct telemetry *block = aligned_alloc(64, TELEMETRY_PER_BLOCK * sizeof(*block));
    if (!block)
        return false;
    uint32_t first = pool->block_count * TELEMETRY_PER_BLOCK;
    pool->blocks[pool->block_count++] = block;
    for (uint32_t i = TELEMETRY_PER_BLOCK; i-- > 0;)
        telemetry_delete(pool, first + i);
    return true;
}

void telemetry_pool_free(struct telemetry_pool *pool)
{
    for (uint32_t i = 0; i < pool->block_count; i++)
        free(pool->blocks[i]);
    free(pool->blocks);
    *pool = (struct telemetry_pool){0};
}
