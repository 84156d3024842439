/*
 * tcp_ring.c - see tcp_ring.h. Every operation goes word by word.
 */
#include "sim/transport/tcp_ring.h"

#include "sim/transport/transport.h"

#define HEADER_WORDS ((uint32_t)(sizeof(struct tcp_ring) / sizeof(uint64_t)))
#define FIRST_WORDS 4u

static_assert(sizeof(struct tcp_ring) % sizeof(uint64_t) == 0, "a header of whole words");

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The bits of word number `word` (not reduced to the ring) that stand for segments of [from, until), not empty there.
 */
static uint64_t word_bits(uint32_t word, uint32_t from, uint32_t until)
{
    uint64_t bits = ~UINT64_C(0);
    if (word == from >> 6)
        bits <<= from & 63;
    if (word == (until - 1) >> 6)
        bits &= ~UINT64_C(0) >> (63 - ((until - 1) & 63));
    return bits;
}

static struct tcp_ring *ring_create(struct host *host, uint32_t words)
{
    struct tcp_ring *ring = (struct tcp_ring *)host_words(host, HEADER_WORDS + words);
    if (ring)
        ring->mask = words - 1;
    return ring;
}

void tcp_ring_free(struct host *host, struct tcp_ring *ring)
{
    if (ring)
        host_words_free(host, (uint64_t *)ring, HEADER_WORDS + ring->mask + 1);
}

bool tcp_ring_reserve(struct host *host, struct tcp_ring **ring, uint32_t base, uint32_t segment)
{
    struct tcp_ring *old = *ring;
    uint32_t need = (segment >> 6) - (base >> 6) + 1;
    if (old && need <= old->mask + 1)
        return true;
    uint32_t words = old ? old->mask + 1 : FIRST_WORDS;
    while (words < need)
        words *= 2;
    struct tcp_ring *made = ring_create(host, words);
    if (!made)
        return false;
    if (old) {
        made->end = old->end;
        for (uint32_t i = 0; i < TCP_RING_RECENT; i++)
            made->recent[i] = old->recent[i];
        for (uint32_t i = 0, word = base >> 6; i <= old->mask; i++, word++)
            made->words[word & made->mask] = old->words[word & old->mask];
        tcp_ring_free(host, old);
    }
    *ring = made;
    return true;
}

uint32_t tcp_ring_count(const struct tcp_ring *ring, uint32_t from, uint32_t until)
{
    uint32_t count = 0;
    until = ring ? smaller(until, ring->end) : 0;
    if (from >= until)
        return 0;
    for (uint32_t word = from >> 6; word <= (until - 1) >> 6; word++)
        count += (uint32_t)__builtin_popcountll(ring->words[word & ring->mask] & word_bits(word, from, until));
    return count;
}

uint32_t tcp_ring_add(struct tcp_ring *ring, uint32_t from, uint32_t until)
{
    uint32_t count = 0;
    for (uint32_t word = from >> 6; word <= (until - 1) >> 6; word++) {
        uint64_t bits = word_bits(word, from, until), *at = &ring->words[word & ring->mask];
        count += (uint32_t)__builtin_popcountll(bits & ~*at);
        *at |= bits;
    }
    if (ring->end < until)
        ring->end = until;
    return count;
}

uint32_t tcp_ring_remove(struct tcp_ring *ring, uint32_t from, uint32_t until)
{
    uint32_t count = 0;
    until = ring ? smaller(until, ring->end) : 0;
    if (from >= until)
        return 0;
    for (uint32_t word = from >> 6; word <= (until - 1) >> 6; word++) {
        uint64_t bits = word_bits(word, from, until), *at = &ring->words[word & ring->mask];
        count += (uint32_t)__builtin_popcountll(bits & *at);
        *at &= ~bits;
    }
    return count;
}

uint32_t tcp_ring_gap(const struct tcp_ring *ring, uint32_t from)
{
    uint32_t end = ring ? ring->end : 0;
    while (from < end) {
        uint64_t absent = ~ring->words[(from >> 6) & ring->mask] >> (from & 63);
        if (absent)
            return from + (uint32_t)__builtin_ctzll(absent);
        from = (from | 63) + 1;
    }
    return from;
}

uint32_t tcp_ring_first(const struct tcp_ring *ring, uint32_t from)
{
    uint32_t end = ring ? ring->end : 0;
    while (from < end) {
        uint64_t present = ring->words[(from >> 6) & ring->mask] >> (from & 63);
        if (present)
            return from + (uint32_t)__builtin_ctzll(present);
        from = (from | 63) + 1;
    }
    return UINT32_MAX;
}

uint32_t tcp_ring_run(const struct tcp_ring *ring, uint32_t last, uint32_t floor)
{
    for (;;) {
        uint64_t absent = ~ring->words[(last >> 6) & ring->mask] << (63 - (last & 63));
        uint32_t present = absent ? (uint32_t)__builtin_clzll(absent) : (last & 63) + 1;
        if (last - floor < present)
            return floor;
        if (absent)
            return last - present + 1;
        last -= present;
    }
}

uint32_t tcp_ring_nth_highest(const struct tcp_ring *ring, uint32_t n, uint32_t floor)
{
    if (!ring || ring->end <= floor)
        return floor;
    for (uint32_t word = (ring->end - 1) >> 6;; word--) {
        uint64_t bits = ring->words[word & ring->mask] & word_bits(word, floor, ring->end);
        uint32_t count = (uint32_t)__builtin_popcountll(bits);
        if (count >= n) {
            for (; n > 1; n--)
                bits &= ~(UINT64_C(1) << (63 - __builtin_clzll(bits)));
            return (word << 6) + 63 - (uint32_t)__builtin_clzll(bits);
        }
        if (word == floor >> 6)
            return floor;
        n -= count;
    }
}
