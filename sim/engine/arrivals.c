/*
 * arrivals.c - the part of arrivals.h that is not done for each packet.
 */
#include <stdlib.h>

#include "sim/engine/arrivals.h"
#include "weir/random.h"

#define HEADS_AT_ONCE 8u /* of a word of the bitmap; seldom are there more */

bool arrivals_reserve(struct arrivals *a, uint32_t count)
{
    if (count < a->room)
        return true;
    uint32_t room = 2 * count + 1;
    struct arrival *at = realloc(a->at, room * sizeof *at);
    a->at = at ? at : a->at;
    struct arrival *sorted = at ? realloc(a->sorted, room * sizeof *sorted) : NULL;
    a->sorted = sorted ? sorted : a->sorted;
    uint32_t *heads = sorted ? realloc(a->heads, (room + HEADS_AT_ONCE) * sizeof *heads) : NULL;
    a->heads = heads ? heads : a->heads;
    a->room = heads ? room : a->room;
    return heads;
}

void arrivals_free(struct arrivals *a)
{
    free(a->at);
    free(a->sorted);
    free(a->heads);
}

void arrivals_set_window(struct arrivals *a, weir_ps window_ps)
{
    a->scale.shift = 0;
    while ((weir_ps)ARRIVALS_BUCKETS << a->scale.shift < window_ps)
        a->scale.shift++;
}

/* Of two of the same moment: a hash of (salt, moment, input) depends on nothing but the three. */
static bool arrivals_draw(const struct arrivals *a, weir_ps when, uint32_t one, uint32_t other)
{
    uint64_t moment = weir_hash(a->salt, (uint64_t)when);
    return weir_hash(moment, a->first_rank + one) < weir_hash(moment, a->first_rank + other);
}

static bool arrivals_before(const struct arrivals *a, const struct arrival *one, const struct arrival *other)
{
    return one->when < other->when ||
           (one->when == other->when && arrivals_draw(a, one->when, one->input, other->input));
}

uint32_t arrivals_insert(struct arrivals *a, uint32_t first, uint32_t place)
{
    uint32_t *at = &first;
    while (*at != ARRIVALS_NONE && arrivals_before(a, &a->at[*at], &a->at[place]))
        at = &a->at[*at].next;
    a->at[place].next = *at;
    *at = place;
    return first;
}

static uint32_t bits_set(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

/* How many bits of a word are set is hard to predict, so some are looked at in any case: what is written beyond those
 * that are set is overwritten by the next word. */
uint32_t arrivals_heads(struct arrivals *a)
{
    uint32_t *head = a->heads;
    uint64_t words = 0;
    for (uint32_t i = 0; i < ARRIVALS_WORDS; i++)
        words |= (uint64_t)(a->occupied[i] != 0) << i;
    for (; words; words &= words - 1) {
        uint32_t number = (uint32_t)__builtin_ctzll(words), done = HEADS_AT_ONCE;
        const uint32_t *first = &a->first[number * 64];
        uint64_t word = a->occupied[number];
        uint32_t count = bits_set(word);
        a->occupied[number] = 0;
#pragma GCC unroll 8
        for (uint32_t i = 0; i < HEADS_AT_ONCE; i++, word &= word - 1)
            head[i] = first[__builtin_ctzll(word | UINT64_C(1) << 63)];
        for (; __builtin_expect(done < count, 0); word &= word - 1)
            head[done++] = first[__builtin_ctzll(word)];
        head += count;
    }
    return (uint32_t)(head - a->heads);
}
