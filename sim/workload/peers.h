/*
 * peers.h - who may exchange flows with whom: the patterns. For each host that asks (a sender, or the client of
 * a query) there is a set of eligible hosts, kept as a stretch of one shared list with at most one hole in it, so that
 * any pattern costs a few numbers per host and switch and a member is found in O(1).
 */
#ifndef WORKLOAD_PEERS_H
#define WORKLOAD_PEERS_H

#include "sim/workload/traffic.h"

struct peers_range {
    uint32_t first, count; /* hosts */
};

struct peers {
    enum traffic_pattern pattern;
    struct peers_range asking, eligible;
    uint32_t *list; /* eligible hosts, by switch where the pattern needs it; else the partner of each asking host */
    uint32_t *rack_first;        /* [switches + 1]: where a switch's hosts are in the list */
    uint32_t *rack_next;         /* [switches]: the next switch that has hosts, cyclically */
    const uint32_t *host_switch; /* [hosts], the caller's */
};

/* The eligible hosts of one: list[0 .. count), where positions from hole_at on are moved by hole_count. */
struct peers_set {
    const uint32_t *list;
    uint32_t count;
    uint32_t hole_at, hole_count;
};

struct peers_setup {
    enum traffic_pattern pattern;
    struct peers_range asking, eligible;
    uint32_t hosts, switches;
    const uint32_t *host_switch;
    struct weir_random random; /* of the permutation */
};

/* Every asking host has an eligible peer afterwards; false with one line in `error` otherwise. Release with
 * peers_free in either case. */
bool peers_init(struct peers *peers, const struct peers_setup *setup, struct weir_error *error);
void peers_free(struct peers *peers);

struct peers_set peers_of(const struct peers *peers, uint32_t host);

static inline uint32_t peers_at(const struct peers_set *set, uint32_t k)
{
    return set->list[k < set->hole_at ? k : k + set->hole_count];
}

/*
 * The k-th of a random order of 0 .. n-1 that is given by its key: any element of any order without memory, by the
 * swap-or-not shuffle (Hoang, Morris, Rogaway, CRYPTO 2012). In each round every element has a partner, and a coin that
 * both share decides whether they change places.
 */
uint32_t shuffle_at(uint64_t key, uint32_t n, uint32_t k);

#endif
