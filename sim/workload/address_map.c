/*
 * address_map.c - see address_map.h.
 */
#include "sim/workload/address_map.h"

#include <stdlib.h>

#include "weir/random.h"

#define ROOM_FIRST 256u

/* Where the address is, or the free entry where it belongs. */
static struct address_entry *map_find(const struct address_map *map, struct address address)
{
    uint64_t at = weir_hash(address.high, address.low);
    for (;; at++) {
        struct address_entry *entry = &map->entries[at & (map->room - 1)];
        if (entry->number == 0 || (entry->address.high == address.high && entry->address.low == address.low))
            return entry;
    }
}

static bool map_grow(struct address_map *map)
{
    struct address_map larger = {.room = map->room > 0 ? map->room * 2 : ROOM_FIRST, .count = map->count};
    if (larger.room < map->room)
        return false;
    larger.entries = calloc(larger.room, sizeof *larger.entries);
    if (!larger.entries)
        return false;
    for (uint32_t i = 0; i < map->room; i++)
        if (map->entries[i].number > 0)
            *map_find(&larger, map->entries[i].address) = map->entries[i];
    free(map->entries);
    *map = larger;
    return true;
}

bool address_map_number(struct address_map *map, struct address address, uint32_t *number)
{
    if (map->count >= map->room / 2 && !map_grow(map))
        return false;
    struct address_entry *entry = map_find(map, address);
    if (entry->number == 0)
        *entry = (struct address_entry){address, ++map->count};
    *number = entry->number - 1;
    return true;
}

void address_map_free(struct address_map *map)
{
    free(map->entries);
    *map = (struct address_map){0};
}
