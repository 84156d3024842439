/*
 * wheel.h - events of one window of time, in their order. The wheel has so many buckets that most hold one event at
 * most: an insertion is then a few instructions without a branch that is hard to predict. A bitmap of two levels finds
 * the first one. In a bucket that holds several, a list keeps the total order of events: time, then rank, except that
 * events whose ranks are in one range (arrivals) and that are due at the same moment come in an order drawn for that
 * moment. Whatever is due after the window is not in it.
 *
 * A switch uses two of them: one for what comes up while it runs (a port is free, flow control acts), whose first event
 * is always known, and one to sort what arrives, all of which is known when the window begins (wheel_sort). Both are
 * empty between windows, so that they serve all switches of a thread, and stay in its cache.
 */
#ifndef SIM_ENGINE_WHEEL_H
#define SIM_ENGINE_WHEEL_H

#include <assert.h>
#include <string.h>

#include "weir/random.h"

#define WHEEL_WORDS 16u
#define WHEEL_BUCKETS (WHEEL_WORDS * 64u)
#define WHEEL_NONE UINT32_MAX
#define WHEEL_INLINE static inline __attribute__((always_inline))

/* Of one event. */
struct wheel_place {
    weir_ps when;
    uint32_t next; /* place in the same bucket */
    uint32_t rank; /* among those of the same moment */
};

/* How ranks of one moment are ordered. */
struct wheel_ties {
    uint64_t salt;                     /* of the draws */
    uint32_t drawn_first, drawn_after; /* the range of ranks whose ties are drawn */
};

struct wheel {
    uint64_t words;                 /* bit w: occupied[w] is not 0 */
    uint64_t occupied[WHEEL_WORDS]; /* bit b % 64 of word b / 64: bucket b holds an event */
    weir_ps base_ps;                /* start of bucket 0 */
    uint32_t shift;                 /* log2 of a bucket's width in ps */
    uint32_t places;
    struct wheel_place *at; /* [places] */
    struct wheel_ties ties;
    weir_ps next_ps; /* of the first event; WEIR_NEVER: there is none */
    uint32_t next;   /* its place; WHEEL_NONE: there is none */
    uint32_t first[WHEEL_BUCKETS];
};

/* Room for so many places at least; what is in the wheel stays. False: out of memory. */
bool wheel_reserve(struct wheel *w, uint32_t places);
void wheel_free(struct wheel *w);

/* The width of buckets, so that all of them cover a window of this length. */
static inline void wheel_set_window(struct wheel *w, weir_ps window_ps)
{
    w->shift = 0;
    while ((weir_ps)WHEEL_BUCKETS << w->shift < window_ps)
        w->shift++;
}

/* A window begins, for a switch with these ties. The wheel is empty. */
static inline void wheel_begin(struct wheel *w, weir_ps base_ps, struct wheel_ties ties)
{
    w->base_ps = base_ps;
    w->ties = ties;
    w->next_ps = WEIR_NEVER;
    w->next = WHEEL_NONE;
}

/* Of two ranks at the same moment: a hash of (salt, moment, rank) favours none of a range, and depends on nothing
 * but the three. */
static inline bool wheel_tie_before(const struct wheel_ties *ties, weir_ps when, uint32_t a, uint32_t b)
{
    uint32_t drawn = ties->drawn_after - ties->drawn_first;
    if (a - ties->drawn_first >= drawn || b - ties->drawn_first >= drawn)
        return a < b;
    uint64_t moment = weir_hash(ties->salt, (uint64_t)when);
    return weir_hash(moment, a) < weir_hash(moment, b);
}

static inline bool wheel_before(const struct wheel *w, const struct wheel_place *a, const struct wheel_place *b)
{
    return a->when < b->when || (a->when == b->when && wheel_tie_before(&w->ties, a->when, a->rank, b->rank));
}

/* Puts an event into the bucket of its time. */
WHEEL_INLINE void wheel_put(struct wheel *w, uint32_t place, weir_ps when, uint32_t rank)
{
    uint64_t bucket = (uint64_t)(when - w->base_ps) >> w->shift, number = bucket / 64;
    uint64_t word = w->occupied[number], with = word | UINT64_C(1) << bucket % 64;
    uint32_t *at = &w->first[bucket];
    struct wheel_place *event = &w->at[place];
    uint32_t following = WHEEL_NONE;
    event->when = when;
    event->rank = rank;
    if (__builtin_expect(with == word, 0)) {
        while (*at != WHEEL_NONE && wheel_before(w, &w->at[*at], event))
            at = &w->at[*at].next;
        following = *at;
        assert(following != place); /* it is in already */
    }
    w->occupied[number] = with;
    w->words |= UINT64_C(1) << number;
    event->next = following;
    *at = place;
}

/* Puts an event into a place, which is not in use. */
WHEEL_INLINE void wheel_insert(struct wheel *w, uint32_t place, weir_ps when, uint32_t rank)
{
    wheel_put(w, place, when, rank);
    bool first = when < w->next_ps;
    if (__builtin_expect(when == w->next_ps, 0))
        first = w->next == WHEEL_NONE || wheel_before(w, &w->at[place], &w->at[w->next]);
    uint64_t chosen = -(uint64_t)first; /* without a branch, which is hard to predict */
    w->next_ps = (weir_ps)(((uint64_t)when & chosen) | ((uint64_t)w->next_ps & ~chosen));
    w->next = (place & (uint32_t)chosen) | (w->next & ~(uint32_t)chosen);
}

/* Finds the first event anew. */
WHEEL_INLINE void wheel_seek(struct wheel *w)
{
    w->next_ps = WEIR_NEVER;
    w->next = WHEEL_NONE;
    if (!w->words)
        return;
    uint64_t number = (uint32_t)__builtin_ctzll(w->words);
    w->next = w->first[number * 64 + (uint32_t)__builtin_ctzll(w->occupied[number])];
    w->next_ps = w->at[w->next].when;
}

/* Takes out what is in a place. */
static inline void wheel_remove(struct wheel *w, uint32_t place)
{
    uint32_t bucket = (uint32_t)((w->at[place].when - w->base_ps) >> w->shift);
    uint32_t *at = &w->first[bucket];
    while (*at != place)
        at = &w->at[*at].next;
    *at = w->at[place].next;
    if (w->first[bucket] == WHEEL_NONE) {
        w->occupied[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
        w->words &= ~((uint64_t)(w->occupied[bucket / 64] == 0) << bucket / 64);
    }
    if (place == w->next)
        wheel_seek(w);
}

/* Removes the first event and returns its place; WHEEL_NONE when there is none. */
WHEEL_INLINE uint32_t wheel_pop(struct wheel *w)
{
    uint32_t place = w->next;
    if (place == WHEEL_NONE)
        return WHEEL_NONE;
    uint64_t bucket = (uint64_t)(w->next_ps - w->base_ps) >> w->shift, number = bucket / 64;
    uint32_t following = w->at[place].next;
    w->first[bucket] = following;
    if (__builtin_expect(following == WHEEL_NONE, 1)) {
        uint64_t word = w->occupied[number] & ~(UINT64_C(1) << bucket % 64);
        w->occupied[number] = word;
        w->words &= ~((uint64_t)(word == 0) << number);
    }
    wheel_seek(w);
    return place;
}

/* Takes out everything that wheel_put has put in, `count` events: writes places in the order of their events. Where a
 * word of the bitmap ends is hard to predict, so the next one is chosen without a branch. */
static inline void wheel_sort(struct wheel *w, uint32_t *order, uint32_t count)
{
    uint64_t words = w->words | UINT64_C(1) << 63, word = w->occupied[(uint32_t)__builtin_ctzll(words) % WHEEL_WORDS];
    for (uint32_t i = 0; i < count;) {
        uint32_t place = w->first[(uint32_t)__builtin_ctzll(words) * 64 + (uint32_t)__builtin_ctzll(word)];
        uint64_t rest = (words & (words - 1)) | UINT64_C(1) << 63;
        uint64_t following = w->occupied[(uint32_t)__builtin_ctzll(rest) % WHEEL_WORDS];
        order[i++] = place;
        while (__builtin_expect((place = w->at[place].next) != WHEEL_NONE, 0))
            order[i++] = place;
        word &= word - 1;
        uint64_t over = -(uint64_t)(word == 0);
        words = (rest & over) | (words & ~over);
        word |= following & over;
    }
    w->words = 0;
    memset(w->occupied, 0, sizeof w->occupied);
}

#endif
