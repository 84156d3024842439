/*
 * drops.c - see drops.h. Writers and the reader meet at two counters only: a slot belongs to the reader once `put` has
 * passed it, and to the writers again once `taken` has.
 */
#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "switch/dpdk/drops.h"

#define ADDRESSES_BYTES 12u /* of an Ethernet header; a tag stands behind them */
#define TAG_BYTES 4u
#define LOCK_SPINS 2000u /* before others may run */

const char *dataplane_discard_name(enum dataplane_discard discard)
{
    static const char *const names[DATAPLANE_DISCARDS] = {
        [DATAPLANE_RUNT] = "runt",
        [DATAPLANE_GIANT] = "giant",
        [DATAPLANE_BAD_SOURCE] = "bad-source",
        [DATAPLANE_SAME_PORT] = "same-port",
        [DATAPLANE_UNKNOWN] = "unknown-destination",
        [DATAPLANE_LINK_LOCAL] = "link-local",
        [DATAPLANE_INVALID] = "invalid",
        [DATAPLANE_DAMAGED] = "damaged",
        [DATAPLANE_OUTPUT_DOWN] = "output-down",
        [DATAPLANE_NO_MBUF] = "no-mbuf",
        [DATAPLANE_BEHIND] = "behind",
    };
    assert((unsigned)discard < DATAPLANE_DISCARDS);
    return names[discard];
}

/* Yield after a long spin: the owner may be waiting for this processor. */
static void drops_lock(atomic_flag *flag)
{
    uint32_t spins = 0;
    while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) {
        if (++spins % LOCK_SPINS == 0)
            sched_yield();
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

static void drops_unlock(atomic_flag *flag)
{
    atomic_flag_clear_explicit(flag, memory_order_release);
}

void drops_init(struct drops *drops)
{
    drops->slot = NULL;
    drops->capacity = 0;
    atomic_init(&drops->wanted, false);
    atomic_init(&drops->put, 0);
    atomic_init(&drops->taken, 0);
    atomic_init(&drops->missed, 0);
    atomic_flag_clear(&drops->writing);
    atomic_flag_clear(&drops->reading);
}

void drops_free(struct drops *drops)
{
    free(drops->slot);
    drops_init(drops);
}

bool drops_keep(struct drops *drops, uint32_t count)
{
    if (count == 0) {
        atomic_store(&drops->wanted, false);
        return true;
    }
    struct dataplane_drop *fresh = malloc(count * sizeof *fresh), *old;
    if (!fresh)
        return false;
    for (uint32_t i = 0; i < count; i++) /* makes the pages real, which the packet path has no time for */
        fresh[i].frame_bytes = fresh[i].kept_bytes = 0;
    drops_lock(&drops->reading);
    drops_lock(&drops->writing);
    old = drops->slot;
    drops->slot = fresh;
    drops->capacity = count;
    atomic_store(&drops->put, 0);
    atomic_store(&drops->taken, 0);
    atomic_store(&drops->wanted, true);
    drops_unlock(&drops->writing);
    drops_unlock(&drops->reading);
    free(old);
    return true;
}

static uint32_t drops_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void drops_put(struct drops *drops, const struct drops_note *note, const struct frame *frame)
{
    drops_lock(&drops->writing);
    uint64_t put = atomic_load_explicit(&drops->put, memory_order_relaxed);
    if (put - atomic_load_explicit(&drops->taken, memory_order_acquire) < drops->capacity) {
        struct dataplane_drop *slot = &drops->slot[put % drops->capacity];
        slot->when_ps = note->when_ps;
        slot->input = note->input;
        slot->output = note->output;
        slot->tc = note->tc;
        slot->discarded = note->discarded;
        slot->discard = note->discard;
        slot->cause = note->cause;
        slot->reason = note->reason;
        /* The first segment of the frame, and a tag that the device took off. */
        uint32_t there = drops_least(frame->at_hand, frame->length);
        bool tagged = frame->vlan >= 0 && there >= ADDRESSES_BYTES;
        uint32_t tag_bytes = tagged ? TAG_BYTES : 0, before = tagged ? ADDRESSES_BYTES : 0;
        uint32_t kept = drops_least(there, DATAPLANE_DROP_BYTES - tag_bytes);
        const uint8_t tag[TAG_BYTES] = {0x81, 0x00, (uint8_t)(frame->vlan >> 8), (uint8_t)frame->vlan};
        memcpy(slot->bytes, frame->bytes, before);
        memcpy(slot->bytes + before, tag, tag_bytes);
        memcpy(slot->bytes + before + tag_bytes, frame->bytes + before, kept - before);
        slot->kept_bytes = kept + tag_bytes;
        slot->frame_bytes = frame->length + tag_bytes;
        atomic_store_explicit(&drops->put, put + 1, memory_order_release);
    } else {
        atomic_fetch_add_explicit(&drops->missed, 1, memory_order_relaxed);
    }
    drops_unlock(&drops->writing);
}

uint32_t drops_take(struct drops *drops, struct dataplane_drop *out, uint32_t max)
{
    drops_lock(&drops->reading);
    uint64_t taken = atomic_load_explicit(&drops->taken, memory_order_relaxed);
    uint64_t there = atomic_load_explicit(&drops->put, memory_order_acquire) - taken;
    uint32_t count = there < max ? (uint32_t)there : max;
    for (uint32_t i = 0; i < count; i++) {
        const struct dataplane_drop *slot = &drops->slot[(taken + i) % drops->capacity];
        memcpy(&out[i], slot, offsetof(struct dataplane_drop, bytes) + slot->kept_bytes);
        atomic_store_explicit(&drops->taken, taken + i + 1, memory_order_release);
    }
    drops_unlock(&drops->reading);
    return count;
}

uint64_t drops_missed(const struct drops *drops)
{
    return atomic_load_explicit(&drops->missed, memory_order_relaxed);
}
