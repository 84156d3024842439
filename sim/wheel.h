/*
 * wheel.h - the events of one switch within one window of time. A switch has a fixed set of entries (ports to free,
 * links to deliver), each due at most once, so the wheel is sized by links and never by packets: 64 buckets over the
 * window, a bitmap of those that hold something, and in each bucket a short list in the total order of events: time,
 * then entry number. Whatever is due after the window is not in it.
 */
#ifndef SIM_WHEEL_H
#define SIM_WHEEL_H

#include "weir/types.h"

#define WHEEL_BUCKETS 64u
#define WHEEL_NONE UINT32_MAX

struct wheel {
    uint64_t occupied; /* bit b: bucket b holds an entry */
    weir_ps base_ps;   /* start of bucket 0 */
    uint32_t shift;    /* log2 of a bucket's width in ps */
    uint32_t first[WHEEL_BUCKETS];
    uint32_t *next;       /* [entries] */
    const weir_ps *times; /* [entries]: when each is due; an entry's time stays while it is in the wheel */
};

static inline bool wheel_before(const struct wheel *w, uint32_t a, uint32_t b)
{
    return w->times[a] < w->times[b] || (w->times[a] == w->times[b] && a < b);
}

static inline void wheel_insert(struct wheel *w, uint32_t entry)
{
    uint32_t bucket = (uint32_t)((w->times[entry] - w->base_ps) >> w->shift);
    uint64_t bit = UINT64_C(1) << bucket;
    uint32_t *at = &w->first[bucket];
    if (w->occupied & bit)
        while (*at != WHEEL_NONE && wheel_before(w, *at, entry))
            at = &w->next[*at];
    else
        *at = WHEEL_NONE;
    w->occupied |= bit;
    w->next[entry] = *at;
    *at = entry;
}

/* The first entry; WHEEL_NONE when there is none. */
static inline uint32_t wheel_peek(const struct wheel *w)
{
    return w->occupied ? w->first[__builtin_ctzll(w->occupied)] : WHEEL_NONE;
}

/* Removes the first entry, which there is. */
static inline void wheel_pop(struct wheel *w)
{
    uint32_t bucket = (uint32_t)__builtin_ctzll(w->occupied);
    uint32_t entry = w->first[bucket];
    w->first[bucket] = w->next[entry];
    if (w->next[entry] == WHEEL_NONE)
        w->occupied &= w->occupied - 1;
}

#endif
