/*
 * address_map.h - numbers addresses as they appear. An open hash table that doubles when it is half
 * full; nothing depends on the order of its entries.
 */
#ifndef WORKLOAD_ADDRESS_MAP_H
#define WORKLOAD_ADDRESS_MAP_H

#include "weir/types.h"

/* An IPv6 address, or an IPv4 address in its place among them (RFC 4291, section 2.5.5.2), as two words. */
struct address {
    uint64_t high, low;
};

struct address_entry {
    struct address address;
    uint32_t number; /* from 1; 0: free */
};

/* Starts as all zeros. */
struct address_map {
    struct address_entry *entries;
    uint32_t room; /* a power of two, or 0 */
    uint32_t count;
};

/* The address's number from 0, a new one if it is new. False: out of memory. */
bool address_map_number(struct address_map *map, struct address address, uint32_t *number);
void address_map_free(struct address_map *map);

#endif
