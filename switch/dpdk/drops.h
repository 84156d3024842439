/*
 * drops.h - copies of dropped frames from the packet path to the capture writer: a ring of fixed size.
 * Every processor writes, one thread reads. Also the words for discards (dataplane_discard_name).
 *
 * The packet path must not wait for a capture: writers exclude each other for one copy, the reader takes copies out
 * without stopping them, and what finds the ring full is counted and not kept. Without a listener, a drop costs one
 * load (drops_wanted).
 */
#ifndef DPDK_DROPS_H
#define DPDK_DROPS_H

#include <stdatomic.h>

#include "switch/dpdk/dataplane.h"
#include "switch/dpdk/frame.h"

/* What is known of a dropped frame besides its bytes: as in struct dataplane_drop. */
struct drops_note {
    weir_ps when_ps;
    uint32_t input, output, tc;
    bool discarded;
    enum dataplane_discard discard;
    enum weir_cause cause;
    enum weir_reason reason;
};

struct drops {
    atomic_bool wanted;
    atomic_flag writing;         /* held by a writer, or while the ring is replaced */
    atomic_flag reading;         /* held by the reader, or while the ring is replaced */
    struct dataplane_drop *slot; /* [capacity]; both change only with both flags held */
    uint32_t capacity;
    atomic_uint_fast64_t put, taken; /* since the ring was made: slot put % capacity is the next to be written */
    atomic_uint_fast64_t missed;
};

/* Without a listener. */
void drops_init(struct drops *drops);

/* No writer nor reader is left. */
void drops_free(struct drops *drops);

/* From now on copies go into a new ring of `count`, and what was not taken out of the old one is lost. 0: no more
 * copies are made, and those in the ring can still be taken out. At any time, from a thread that is not an lcore. False
 * when memory is short: all stays as it was. */
bool drops_keep(struct drops *drops, uint32_t count);

/* Whether to call drops_put. */
static inline bool drops_wanted(const struct drops *drops)
{
    return atomic_load_explicit(&drops->wanted, memory_order_relaxed);
}

/* Copies the first segment of the frame, cut at DATAPLANE_DROP_BYTES; a tag that the device took off is put back. */
void drops_put(struct drops *drops, const struct drops_note *note, const struct frame *frame);

/* The oldest ones, at most `max`; returns how many. One thread. */
uint32_t drops_take(struct drops *drops, struct dataplane_drop *out, uint32_t max);

/* Frames that were not copied because the ring was full, since drops_init. */
uint64_t drops_missed(const struct drops *drops);

#endif
