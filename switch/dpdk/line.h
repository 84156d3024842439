/*
 * line.h - a delay line: the part of a link that the emulated switch has and the machine has not. Frames come out in
 * the order in which they went in, each so much later; a paced line also lets them in no faster than the rate of the
 * sender, as if they waited at its end of the link. One module owns a line and does all with it.
 */
#ifndef DPDK_LINE_H
#define DPDK_LINE_H

#include "switch/dpdk/shaper.h"

struct rte_mbuf;

struct line_slot {
    struct rte_mbuf *mbuf;
    weir_ps release_ps;
};

struct line {
    struct line_slot *slot; /* [mask + 1]; null: there is no line, frames pass at once */
    uint32_t mask;
    uint32_t in, out; /* how many have gone in and come out, wrapping */
    bool paced;
    weir_ps delay_ps;
    struct shaper sender; /* of a paced line */
};

struct line_settings {
    weir_ps delay_ps;
    bool paced;
    weir_bps rate_bps;  /* of the link */
    uint32_t gap_bytes; /* on the link between frames */
    uint32_t frames;    /* that it can hold at least */
};

/* Bytes of memory for its slots. */
size_t line_size(const struct line_settings *settings);

/* `memory` holds line_size bytes and stays the caller's. */
void line_init(struct line *line, const struct line_settings *settings, void *memory);

/* Frames that a line of this link should have room for: all that the delay can hold, and some that are late. */
uint32_t line_frames(const struct line_settings *settings);

static inline uint32_t line_count(const struct line *line)
{
    return __atomic_load_n(&line->in, __ATOMIC_RELAXED) - __atomic_load_n(&line->out, __ATOMIC_RELAXED);
}

static inline bool line_is_full(const struct line *line)
{
    return line_count(line) > line->mask;
}

/* A frame of so many bytes goes in, at `ready_ps` or when the sender is free; there is room. */
static inline void line_put(struct line *line, struct rte_mbuf *mbuf, uint32_t bytes, weir_ps ready_ps)
{
    weir_ps passed = line->paced ? shaper_pass(&line->sender, bytes, ready_ps) : ready_ps;
    line->slot[line->in & line->mask] = (struct line_slot){mbuf, passed + line->delay_ps};
    __atomic_store_n(&line->in, line->in + 1, __ATOMIC_RELAXED);
}

/* When the first frame comes out; WEIR_NEVER: there is none. */
static inline weir_ps line_next(const struct line *line)
{
    return line->in == line->out ? WEIR_NEVER : line->slot[line->out & line->mask].release_ps;
}

/* The frames that have come out, at most `max`. */
static inline uint32_t line_take(struct line *line, weir_ps now, struct rte_mbuf **mbufs, uint32_t max)
{
    uint32_t count = 0;
    while (count < max && line_next(line) <= now) {
        mbufs[count++] = line->slot[line->out & line->mask].mbuf;
        __atomic_store_n(&line->out, line->out + 1, __ATOMIC_RELAXED);
    }
    return count;
}

#endif
