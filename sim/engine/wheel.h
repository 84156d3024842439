/*
 * wheel.h - events of one window of time, in their order: by time, then by the number of their place. The wheel has so
 * many buckets that most hold one event at most: an insertion is then a few instructions without a branch that is hard
 * to predict. A bitmap of two levels finds the first one. A bucket that holds several is a list in their order.
 * Whatever is due after the window is not in it.
 *
 * A switch has in it what comes up while it runs: a port is free, flow control acts. The first event is always known.
 * What arrives is known when the window begins, and is sorted apart (arrivals.h). The wheel is empty between windows,
 * so that it serves all switches of a worker, and stays in its cache.
 */
#ifndef SIM_ENGINE_WHEEL_H
#define SIM_ENGINE_WHEEL_H

#include "weir/types.h"

#define WHEEL_WORDS 16u
#define WHEEL_BUCKETS (WHEEL_WORDS * 64u)
#define WHEEL_NONE UINT32_MAX
#define WHEEL_INLINE static inline __attribute__((always_inline))

/* Of one event. */
struct wheel_place {
    weir_ps when;
    uint32_t next; /* place in the same bucket */
};

struct wheel {
    uint64_t words;                 /* bit w: occupied[w] is not 0 */
    uint64_t occupied[WHEEL_WORDS]; /* bit b % 64 of word b / 64: bucket b holds an event */
    weir_ps base_ps;                /* start of bucket 0 */
    uint32_t shift;                 /* log2 of a bucket's width in ps */
    uint32_t places;
    struct wheel_place *at; /* [places] */
    weir_ps next_ps;        /* of the first event; WEIR_NEVER: there is none */
    uint32_t next;          /* its place; WHEEL_NONE: there is none */
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

/* A window begins. The wheel is empty. */
static inline void wheel_begin(struct wheel *w, weir_ps base_ps)
{
    w->base_ps = base_ps;
    w->next_ps = WEIR_NEVER;
    w->next = WHEEL_NONE;
}

/* Puts an event into a list that is not empty. */
void wheel_insert_in_list(struct wheel *w, uint32_t *first, uint32_t place);

/* Puts an event into a place, which is not in use. */
WHEEL_INLINE void wheel_insert(struct wheel *w, uint32_t place, weir_ps when)
{
    uint64_t bucket = (uint64_t)(when - w->base_ps) >> w->shift, number = bucket / 64;
    uint64_t word = w->occupied[number], with = word | UINT64_C(1) << bucket % 64;
    struct wheel_place *event = &w->at[place];
    event->when = when;
    if (__builtin_expect(with == word, 0)) {
        wheel_insert_in_list(w, &w->first[bucket], place);
    } else {
        w->occupied[number] = with;
        w->words |= UINT64_C(1) << number;
        event->next = WHEEL_NONE;
        w->first[bucket] = place;
    }
    uint64_t earlier = when < w->next_ps, tie = when == w->next_ps, lower = place < w->next;
    uint64_t chosen = -(earlier | (tie & lower)); /* without a branch, which is hard to predict */
    w->next_ps = (weir_ps)(((uint64_t)when & chosen) | ((uint64_t)w->next_ps & ~chosen));
    w->next = (place & (uint32_t)chosen) | (w->next & ~(uint32_t)chosen);
}

/* Finds the first event again. */
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

#endif
