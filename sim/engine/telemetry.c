/*
 * telemetry.c - see telemetry.h.
 */
#include "sim/engine/telemetry.h"

#include <stdlib.h>

bool telemetry_table_init(struct telemetry_table *table)
{
    *table = (struct telemetry_table){.blocks = calloc(TELEMETRY_BLOCKS_MAX, sizeof(struct telemetry *))};
    return table->blocks != NULL;
}

void telemetry_table_free(struct telemetry_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        free(table->blocks[i]);
    free(table->blocks);
    *table = (struct telemetry_table){0};
}

/* A number is taken only for a block that is there: a thread that found no memory leaves no gap. */
bool telemetry_pool_grow(struct telemetry_pool *pool)
{
    struct telemetry_table *table = pool->table;
    struct telemetry *block = aligned_alloc(64, TELEMETRY_PER_BLOCK * sizeof(*block));
    if (!block)
        return false;
    uint32_t number = __atomic_load_n(&table->count, __ATOMIC_RELAXED);
    while (number < TELEMETRY_BLOCKS_MAX &&
           !__atomic_compare_exchange_n(&table->count, &number, number + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    if (number == TELEMETRY_BLOCKS_MAX) {
        free(block);
        return false;
    }
    table->blocks[number] = block;
    for (uint32_t i = TELEMETRY_PER_BLOCK; i-- > 0;)
        telemetry_delete(pool, number * TELEMETRY_PER_BLOCK + i);
    return true;
}

void telemetry_pool_give(struct telemetry_pool *pool, struct telemetry_pool *to, uint32_t count)
{
    assert(count <= pool->spares);
    for (; count > 0; count--) {
        uint32_t number = pool->first;
        pool->first = telemetry_at(pool, number)->next;
        pool->spares--;
        telemetry_delete(to, number);
    }
}
