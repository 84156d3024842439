/*
 * start_order.c - a stable sort by starting time. Files are usually sorted already, which is found out first. Keys are
 * (start, place in the file), all different, so that the result does not depend on how qsort works.
 */
#include "sim/workload/start_order.h"

#include <stdlib.h>
#include <string.h>

struct start_key {
    weir_ps start_ps;
    uint32_t place;
};

static weir_ps item_start(const uint8_t *item)
{
    weir_ps start_ps;
    memcpy(&start_ps, item, sizeof start_ps);
    return start_ps;
}

static int key_compare(const void *left, const void *right)
{
    const struct start_key *a = left, *b = right;
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static bool is_sorted(const uint8_t *items, size_t size, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (item_start(items + i * size) < item_start(items + (i - 1) * size))
            return false;
    return true;
}

bool start_order_sort(void *items, size_t size, uint32_t count)
{
    uint8_t *bytes = items;
    if (is_sorted(bytes, size, count))
        return true;
    struct start_key *keys = malloc(count * sizeof *keys);
    uint8_t *copy = malloc(count * size);
    bool enough = keys && copy;
    if (enough) {
        memcpy(copy, bytes, count * size);
        for (uint32_t i = 0; i < count; i++)
            keys[i] = (struct start_key){item_start(bytes + i * size), i};
        qsort(keys, count, sizeof *keys, key_compare);
        for (uint32_t i = 0; i < count; i++)
            memcpy(bytes + i * size, copy + keys[i].place * size, size);
    }
    free(keys);
    free(copy);
    return enough;
}
