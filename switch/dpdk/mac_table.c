/*
 * mac_table.c - see mac_table.h. A bucket is two cache lines: eight addresses with their ports, and when each was last
 * seen. An address may stand in either of two buckets, which its hash names; it goes to the second only when the first
 * is full, so that most look-ups read one line. There are four places per address that the table is made for: both
 * buckets are full only when it holds many more than that, or the addresses were chosen to collide.
 *
 * A place is free when it was never used or its address has aged; nothing is ever moved, so nothing has to be marked as
 * deleted.
 */
#include <assert.h>
#include <string.h>

#include "switch/dpdk/mac_table.h"
#include "weir/fixed.h"

#define BUCKET_PLACES 8u
#define PLACES_PER_ADDRESS 4u
#define PORT_BITS 16u
#define PORT_MASK ((UINT64_C(1) << PORT_BITS) - 1)
#define AGING_MAX_PS (WEIR_TIME_MAX / 4) /* days: two such times may be added to any other */
#define SEEN_ALWAYS WEIR_NEVER           /* of an address that was given: it never ages */

struct mac_bucket {
    uint64_t entry[BUCKET_PLACES]; /* address << PORT_BITS | port + 1; 0: none, as if address 0 were at no port */
    weir_ps seen_ps[BUCKET_PLACES];
};

struct mac_table {
    uint32_t mask;      /* buckets - 1 */
    weir_ps life_ps;    /* since it was noted for the last time */
    weir_ps refresh_ps; /* a sighting is noted only when the last note is so old: lines stay clean */
    struct mac_bucket *bucket;
};

struct mac_place {
    struct mac_bucket *bucket;
    uint32_t i;
};

uint64_t mac_of_bytes(const uint8_t bytes[6])
{
    uint64_t address = 0;
    for (uint32_t i = 0; i < 6; i++)
        address = address << 8 | bytes[i];
    return address;
}

static uint32_t mac_buckets(uint32_t addresses_max)
{
    uint32_t wanted = (addresses_max + BUCKET_PLACES / PLACES_PER_ADDRESS - 1) / (BUCKET_PLACES / PLACES_PER_ADDRESS);
    return weir_next_power_of_two(wanted < 2 ? 2 : wanted); /* two, since an address has two */
}

size_t mac_table_size(uint32_t addresses_max)
{
    return weir_align(sizeof(struct mac_table)) + (size_t)mac_buckets(addresses_max) * sizeof(struct mac_bucket);
}

struct mac_table *mac_table_init(void *memory, uint32_t addresses_max, weir_ps aging_ps)
{
    struct mac_table *table = memory;
    assert((uintptr_t)memory % 64 == 0 && aging_ps > 0);
    memset(memory, 0, mac_table_size(addresses_max));
    aging_ps = aging_ps < AGING_MAX_PS ? aging_ps : AGING_MAX_PS;
    table->mask = mac_buckets(addresses_max) - 1;
    table->refresh_ps = aging_ps / 8;
    table->life_ps = aging_ps + table->refresh_ps;
    table->bucket = (struct mac_bucket *)(void *)((uint8_t *)memory + weir_align(sizeof *table));
    return table;
}

/* Addresses come in sequences and of few makers: one multiplication leaves patterns of them, two do not. */
static uint64_t mac_hash(uint64_t address)
{
    uint64_t x = address * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 29;
}

static struct mac_bucket *mac_first(const struct mac_table *table, uint64_t hash)
{
    return &table->bucket[hash & table->mask];
}

/* Another one than the first. */
static struct mac_bucket *mac_second(const struct mac_table *table, uint64_t hash)
{
    uint32_t first = (uint32_t)hash & table->mask, second = (uint32_t)(hash >> 32) & table->mask;
    return &table->bucket[second != first ? second : first ^ 1];
}

static uint32_t mac_search(const struct mac_bucket *bucket, uint64_t address)
{
    uint32_t i = 0;
    while (i < BUCKET_PLACES && bucket->entry[i] >> PORT_BITS != address)
        i++;
    return i;
}

/* The place of an address, aged or not; false: it has none. */
static inline bool mac_locate(const struct mac_table *table, uint64_t address, uint64_t hash, struct mac_place *place)
{
    place->bucket = mac_first(table, hash);
    place->i = mac_search(place->bucket, address);
    if (place->i < BUCKET_PLACES)
        return true;
    place->bucket = mac_second(table, hash);
    place->i = mac_search(place->bucket, address);
    return place->i < BUCKET_PLACES;
}

static bool mac_lives(const struct mac_table *table, weir_ps seen_ps, weir_ps now)
{
    return seen_ps == SEEN_ALWAYS || now - seen_ps < table->life_ps;
}

/* A free place for an address that has none. */
static bool mac_find_free(const struct mac_table *table, uint64_t hash, weir_ps now, struct mac_place *place)
{
    struct mac_bucket *const buckets[2] = {mac_first(table, hash), mac_second(table, hash)};
    for (uint32_t b = 0; b < 2; b++) {
        place->bucket = buckets[b];
        for (place->i = 0; place->i < BUCKET_PLACES; place->i++)
            if (place->bucket->entry[place->i] == 0 || !mac_lives(table, place->bucket->seen_ps[place->i], now))
                return true;
    }
    return false;
}

static void mac_write(const struct mac_place *place, uint64_t address, uint32_t port, weir_ps seen_ps)
{
    place->bucket->entry[place->i] = address << PORT_BITS | (port + 1);
    place->bucket->seen_ps[place->i] = seen_ps;
}

bool mac_table_add(struct mac_table *table, uint64_t address, uint32_t port)
{
    uint64_t hash = mac_hash(address);
    struct mac_place place;
    assert(address != 0 && address >> 48 == 0 && port < PORT_MASK);
    weir_ps end = WEIR_TIME_MAX + table->life_ps; /* all that was learned has aged then: it gives way */
    if (!mac_locate(table, address, hash, &place) && !mac_find_free(table, hash, 0, &place) &&
        !mac_find_free(table, hash, end, &place))
        return false;
    mac_write(&place, address, port, SEEN_ALWAYS);
    return true;
}

void mac_table_learn(struct mac_table *table, uint64_t address, uint32_t port, weir_ps now)
{
    uint64_t hash = mac_hash(address);
    struct mac_place place;
    assert(address != 0 && address >> 48 == 0 && port < PORT_MASK);
    if (mac_locate(table, address, hash, &place)) {
        weir_ps seen_ps = place.bucket->seen_ps[place.i];
        bool stays = (place.bucket->entry[place.i] & PORT_MASK) == port + 1 && now - seen_ps < table->refresh_ps;
        if (stays || seen_ps == SEEN_ALWAYS)
            return;
    } else if (!mac_find_free(table, hash, now, &place)) {
        return;
    }
    mac_write(&place, address, port, now);
}

uint32_t mac_table_find(struct mac_table *table, uint64_t address, weir_ps now)
{
    struct mac_place place;
    if (!mac_locate(table, address, mac_hash(address), &place) ||
        !mac_lives(table, place.bucket->seen_ps[place.i], now))
        return MAC_NO_PORT;
    return (uint32_t)(place.bucket->entry[place.i] & PORT_MASK) - 1; /* of address 0, MAC_NO_PORT */
}

void mac_table_forget_port(struct mac_table *table, uint32_t port)
{
    for (uint32_t b = 0; b <= table->mask; b++) {
        struct mac_bucket *bucket = &table->bucket[b];
        for (uint32_t i = 0; i < BUCKET_PLACES; i++)
            if ((bucket->entry[i] & PORT_MASK) == port + 1 && bucket->seen_ps[i] != SEEN_ALWAYS)
                bucket->entry[i] = 0;
    }
}

uint32_t mac_table_count(const struct mac_table *table, weir_ps now)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b <= table->mask; b++)
        for (uint32_t i = 0; i < BUCKET_PLACES; i++)
            count += table->bucket[b].entry[i] != 0 && mac_lives(table, table->bucket[b].seen_ps[i], now);
    return count;
}
