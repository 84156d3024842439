/*
 * wheel.h - the events of one switch within one window of time. A switch has a fixed set of entries (ports to free,
 * links to deliver), each due at most once, so the wheel is sized by links and never by packets. It has so many buckets
 * that most hold one entry at most: an insertion is then a few instructions without a branch that is hard to predict. A
 * bitmap of two levels finds the first one. In a bucket that holds several, a list keeps the total order of events:
 * time, then entry number, except that entries of one range (links) that are due at the same moment come in an order
 * drawn for that moment. Whatever is due after the window is not in it.
 *
 * The wheel is empty between windows, so that one of them serves all switches of a thread, and stays in its cache.
 */
#ifndef SIM_ENGINE_WHEEL_H
#define SIM_ENGINE_WHEEL_H

#include <assert.h>

#include "weir/random.h"

#define WHEEL_WORDS 16u
#define WHEEL_BUCKETS (WHEEL_WORDS * 64u)
#define WHEEL_NONE UINT32_MAX
#define WHEEL_INLINE static inline __attribute__((always_inline))

/* What a switch has in the wheel. */
struct wheel_entries {
    const weir_ps *times;              /* when each is due; an entry's time stays while it is in the wheel */
    uint32_t *next;                    /* lists */
    uint64_t salt;                     /* of the draws */
    uint32_t drawn_first, drawn_after; /* the range whose ties are drawn */
};

struct wheel {
    uint64_t words;                 /* bit w: occupied[w] is not 0 */
    uint64_t occupied[WHEEL_WORDS]; /* bit b % 64 of word b / 64: bucket b holds an entry */
    weir_ps base_ps;                /* start of bucket 0 */
    uint32_t shift;                 /* log2 of a bucket's width in ps */
    struct wheel_entries of;
    uint32_t first[WHEEL_BUCKETS];
};

/* The width of buckets, so that all of them cover a window of this length. */
static inline void wheel_set_window(struct wheel *w, weir_ps window_ps)
{
    w->shift = 0;
    while ((weir_ps)WHEEL_BUCKETS << w->shift < window_ps)
        w->shift++;
}

/* A window begins, for a switch with these entries. The wheel is empty. */
static inline void wheel_begin(struct wheel *w, weir_ps base_ps, const struct wheel_entries *of)
{
    w->base_ps = base_ps;
    w->of = *of;
}

/* Of two entries at the same moment: a hash of (salt, moment, entry) favours none of a range, and depends on nothing
 * but the three. */
static inline bool wheel_tie_before(const struct wheel_entries *of, uint32_t a, uint32_t b)
{
    uint32_t drawn = of->drawn_after - of->drawn_first;
    if (a - of->drawn_first >= drawn || b - of->drawn_first >= drawn)
        return a < b;
    uint64_t moment = weir_hash(of->salt, (uint64_t)of->times[a]);
    return weir_hash(moment, a) < weir_hash(moment, b);
}

static inline bool wheel_before(const struct wheel *w, uint32_t a, uint32_t b)
{
    weir_ps when_a = w->of.times[a], when_b = w->of.times[b];
    return when_a < when_b || (when_a == when_b && wheel_tie_before(&w->of, a, b));
}

/* Puts an entry in that is due at `when`, which its time says too. */
WHEEL_INLINE void wheel_insert(struct wheel *w, uint32_t entry, weir_ps when)
{
    uint64_t bucket = (uint64_t)(when - w->base_ps) >> w->shift, number = bucket / 64;
    uint64_t word = w->occupied[number], with = word | UINT64_C(1) << bucket % 64;
    uint32_t *at = &w->first[bucket];
    uint32_t following = WHEEL_NONE;
    if (__builtin_expect(with == word, 0)) {
        while (*at != WHEEL_NONE && wheel_before(w, *at, entry))
            at = &w->of.next[*at];
        following = *at;
        assert(following != entry); /* it is in already */
    }
    w->occupied[number] = with;
    w->words |= UINT64_C(1) << number;
    w->of.next[entry] = following;
    *at = entry;
}

/* Takes an entry out that is in the wheel. */
static inline void wheel_remove(struct wheel *w, uint32_t entry)
{
    uint32_t bucket = (uint32_t)((w->of.times[entry] - w->base_ps) >> w->shift);
    uint32_t *at = &w->first[bucket];
    while (*at != entry)
        at = &w->of.next[*at];
    *at = w->of.next[entry];
    if (w->first[bucket] != WHEEL_NONE)
        return;
    w->occupied[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
    w->words &= ~((uint64_t)(w->occupied[bucket / 64] == 0) << bucket / 64);
}

/* Removes the first entry and returns it; WHEEL_NONE when there is none. */
WHEEL_INLINE uint32_t wheel_pop(struct wheel *w)
{
    if (!w->words)
        return WHEEL_NONE;
    uint64_t number = (uint32_t)__builtin_ctzll(w->words), word = w->occupied[number];
    uint32_t *at = &w->first[number * 64 + (uint32_t)__builtin_ctzll(word)];
    uint32_t entry = *at;
    if (__builtin_expect(w->of.next[entry] != WHEEL_NONE, 0)) {
        *at = w->of.next[entry];
        return entry;
    }
    word &= word - 1;
    w->occupied[number] = word;
    w->words &= ~((uint64_t)(word == 0) << number);
    return entry;
}

#endif
