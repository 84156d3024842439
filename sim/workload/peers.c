/*
 * peers.c - the patterns as sets of eligible hosts, and random orders without memory.
 *
 * A rack is the set of hosts of one switch. For patterns of racks the list of eligible hosts is sorted by switch (in
 * the usual numbering it is already), so that "all but this rack" is the list with one hole and "that rack" one
 * stretch. PERMUTATION and ONE_TO_ONE give each asking host one partner.
 */
#include "sim/workload/peers.h"

#include <stdio.h>
#include <stdlib.h>

#define SHUFFLE_ROUNDS 64u /* several times log2 n for every possible number of hosts */

uint32_t shuffle_at(uint64_t key, uint32_t n, uint32_t k)
{
    for (uint32_t round = 0; round < SHUFFLE_ROUNDS; round++) {
        uint64_t hash = weir_hash(key, round);
        uint32_t sum = (uint32_t)(((hash >> 32) * n) >> 32);
        uint32_t partner = sum >= k ? sum - k : sum + (n - k);
        if (weir_hash(hash, k > partner ? k : partner) >> 63)
            k = partner;
    }
    return k;
}

static bool fail(const struct peers *peers, struct weir_error *error, const char *wrong)
{
    static const char *const names[TRAFFIC_PATTERN_COUNT] = {"uniform", "other-rack", "next-rack", "permutation",
                                                             "one-to-one"};
    return weir_fail(error, WEIR_ERROR_INPUT, "pattern %s: %s", names[peers->pattern], wrong);
}

/* Sorts the eligible hosts by switch, keeping their order within one. */
static bool peers_group_by_rack(struct peers *peers, uint32_t switches)
{
    uint32_t *first = peers->rack_first = calloc(switches + 1, sizeof *first);
    uint32_t *end = malloc((switches + 1) * sizeof *end);
    if (!first || !end) {
        free(end);
        return false;
    }
    const uint32_t *rack = peers->host_switch + peers->eligible.first;
    for (uint32_t i = 0; i < peers->eligible.count; i++)
        first[rack[i] + 1]++;
    for (uint32_t s = 0; s <= switches; s++)
        end[s] = first[s] += s > 0 ? first[s - 1] : 0;
    for (uint32_t i = 0; i < peers->eligible.count; i++)
        peers->list[end[rack[i]]++] = peers->eligible.first + i;
    free(end);
    return true;
}

/* Which switch comes after each, among those of the whole network that have hosts. */
static bool peers_link_racks(struct peers *peers, uint32_t hosts, uint32_t switches)
{
    uint32_t *next = peers->rack_next = malloc(switches * sizeof *next);
    bool *used = calloc(switches, sizeof *used);
    if (!next || !used) {
        free(used);
        return false;
    }
    for (uint32_t h = 0; h < hosts; h++)
        used[peers->host_switch[h]] = true;
    uint32_t after = 0;
    while (!used[after])
        after++;
    for (uint32_t s = switches; s-- > 0;) {
        next[s] = after;
        after = used[s] ? s : after;
    }
    free(used);
    return true;
}

static bool peers_set_partners(struct peers *peers, const struct peers_setup *setup, struct weir_error *error)
{
    struct weir_random random = setup->random;
    const struct peers_range asking = setup->asking, eligible = setup->eligible;
    if (setup->pattern == TRAFFIC_PATTERN_PERMUTATION) {
        if (asking.count != eligible.count)
            return fail(peers, error, "needs as many destinations as sources");
        if (asking.count == 1 && asking.first == eligible.first)
            return fail(peers, error, "a single host would send to itself");
        /* Shuffle (Fisher-Yates) until no host is its own partner: e times on average at worst. */
        uint32_t count = peers->asking.count;
        bool own;
        do {
            own = false;
            for (uint32_t i = 0; i < count; i++)
                peers->list[i] = peers->eligible.first + i;
            for (uint32_t i = count; i-- > 0;) {
                uint32_t j = weir_random_below(&random, i + 1);
                uint32_t partner = peers->list[j];
                peers->list[j] = peers->list[i];
                peers->list[i] = partner;
                own = own || partner == peers->asking.first + i;
            }
        } while (own);
        return true;
    }
    for (uint32_t i = 0; i < asking.count; i++) {
        uint32_t partner = (asking.first + i + setup->hosts / 2) % setup->hosts;
        if (partner - eligible.first >= eligible.count)
            return fail(peers, error, "the partner of a source is not among the destinations");
        peers->list[i] = partner;
    }
    return true;
}

static bool peers_fill(struct peers *peers, const struct peers_setup *setup, struct weir_error *error)
{
    bool enough = true;
    switch (setup->pattern) {
    case TRAFFIC_PATTERN_PERMUTATION:
    case TRAFFIC_PATTERN_ONE_TO_ONE:
        return peers_set_partners(peers, setup, error);
    case TRAFFIC_PATTERN_NEXT_RACK:
        enough = peers_link_racks(peers, setup->hosts, setup->switches) && peers_group_by_rack(peers, setup->switches);
        break;
    case TRAFFIC_PATTERN_OTHER_RACK:
        enough = peers_group_by_rack(peers, setup->switches);
        break;
    default:
        for (uint32_t i = 0; i < peers->eligible.count; i++)
            peers->list[i] = peers->eligible.first + i;
    }
    return enough || weir_fail_memory(error);
}

bool peers_init(struct peers *peers, const struct peers_setup *setup, struct weir_error *error)
{
    *peers = (struct peers){.pattern = setup->pattern,
                            .asking = setup->asking,
                            .eligible = setup->eligible,
                            .host_switch = setup->host_switch};
    uint32_t room = setup->asking.count > setup->eligible.count ? setup->asking.count : setup->eligible.count;
    peers->list = malloc(room * sizeof *peers->list);
    if (!peers->list)
        return weir_fail_memory(error);
    if (!peers_fill(peers, setup, error))
        return false;
    for (uint32_t i = 0; i < setup->asking.count; i++) {
        if (peers_of(peers, setup->asking.first + i).count > 0)
            continue;
        char wrong[64];
        snprintf(wrong, sizeof wrong, "host %u has no eligible peer", setup->asking.first + i);
        return fail(peers, error, wrong);
    }
    return true;
}

void peers_free(struct peers *peers)
{
    free(peers->list);
    free(peers->rack_first);
    free(peers->rack_next);
}

struct peers_set peers_of(const struct peers *peers, uint32_t host)
{
    struct peers_set set = {.list = peers->list, .count = peers->eligible.count, .hole_at = UINT32_MAX};
    uint32_t rack = peers->host_switch[host];
    switch (peers->pattern) {
    case TRAFFIC_PATTERN_OTHER_RACK:
        set.hole_at = peers->rack_first[rack];
        set.hole_count = peers->rack_first[rack + 1] - set.hole_at;
        break;
    case TRAFFIC_PATTERN_NEXT_RACK: {
        uint32_t next = peers->rack_next[rack];
        set.list += peers->rack_first[next];
        set.count = next == rack ? 0 : peers->rack_first[next + 1] - peers->rack_first[next];
        break;
    }
    case TRAFFIC_PATTERN_PERMUTATION:
    case TRAFFIC_PATTERN_ONE_TO_ONE:
        set.list += host - peers->asking.first;
        set.count = 1;
        break;
    default:
        if (host - peers->eligible.first < peers->eligible.count) {
            set.hole_at = host - peers->eligible.first;
            set.hole_count = 1;
        }
    }
    set.count -= set.hole_count;
    return set;
}
