/*
 * arrivals.h - what arrives at a switch in one window of time, in its order. All of it is known when the window begins:
 * it is put into buckets as it comes off the links, and then sorted. There are so many buckets that most hold one
 * arrival at most, and a bitmap finds them ordered by time: no branch is hard to predict. Arrivals of one bucket
 * are a list in their order: by time; those of the same moment in an order drawn for it, which favours no input.
 *
 * The buckets are empty between windows, so that one set serves all switches of a worker, and stays in its cache.
 */
#ifndef SIM_ENGINE_ARRIVALS_H
#define SIM_ENGINE_ARRIVALS_H

#include "sim/engine/link.h"

#define ARRIVALS_WORDS 16u
#define ARRIVALS_BUCKETS (ARRIVALS_WORDS * 64u)
#define ARRIVALS_NONE UINT32_MAX

struct arrival {
    weir_ps when; /* WEIR_NEVER: behind the last one */
    struct packet *packet;
    uint32_t input; /* port */
    union {
        uint32_t next;   /* in a bucket: the place of the following one, or ARRIVALS_NONE */
        uint32_t output; /* sorted: port; for the switch to fill in */
    };
};

/* Which bucket a time belongs to. */
struct arrivals_scale {
    weir_ps base_ps; /* start of bucket 0 */
    uint32_t shift;  /* log2 of a bucket's width in ps */
};

struct arrivals {
    struct arrival *at;     /* [room]: as they came off the links */
    struct arrival *sorted; /* [room] */
    uint32_t *heads;        /* the first of each bucket, by time: places in `at` */
    uint32_t room;
    struct arrivals_scale scale;
    uint64_t salt;                     /* of the draws */
    uint32_t first_rank;               /* of input 0 in them */
    uint64_t occupied[ARRIVALS_WORDS]; /* bit b % 64 of word b / 64: bucket b is not empty */
    uint32_t first[ARRIVALS_BUCKETS];
};

/* Room for so many, and for the end of them; what is in stays. False: out of memory. */
bool arrivals_reserve(struct arrivals *a, uint32_t count);
void arrivals_free(struct arrivals *a);

/* The width of buckets, so that all of them cover a window of this length. */
void arrivals_set_window(struct arrivals *a, weir_ps window_ps);

/* A window begins, for a switch with this salt. */
static inline void arrivals_begin(struct arrivals *a, weir_ps base_ps, uint64_t salt, uint32_t first_rank)
{
    a->scale.base_ps = base_ps;
    a->salt = salt;
    a->first_rank = first_rank;
}

/* Puts an arrival into a list that is not empty; returns the place of the first one. */
uint32_t arrivals_insert(struct arrivals *a, uint32_t first, uint32_t place);

/* Puts an arrival into a place, for which there is room. `scale` is a copy of a->scale: it stays in registers. */
PACKET_PATH void arrivals_put(struct arrivals *a, struct arrivals_scale scale, uint32_t place, struct arrival arrival)
{
    uint64_t bucket = (uint64_t)(arrival.when - scale.base_ps) >> scale.shift, number = bucket / 64;
    uint64_t word = a->occupied[number], with = word | UINT64_C(1) << bucket % 64;
    arrival.next = ARRIVALS_NONE;
    a->at[place] = arrival;
    if (__builtin_expect(with == word, 0))
        place = arrivals_insert(a, a->first[bucket], place);
    a->first[bucket] = place;
    a->occupied[number] = with;
}

/* Writes `heads`, and empties the buckets; how many were not empty. */
uint32_t arrivals_heads(struct arrivals *a);

#endif
