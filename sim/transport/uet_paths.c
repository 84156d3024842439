/*
 * uet_paths.c - the entropy value of a packet, by which switches choose among equal paths.
 *
 *   oblivious  i ^ x in 0 .. n - 1, where i counts up and x is drawn again after n packets: each value once in n
 *   bitmap     the same, but for values with a penalty: ECN 1, NACK 4, timeout 15, together at most 15. One with a
 *              penalty is skipped; the first that a packet skips has one less afterwards
 *   reps       a ring of 8 values whose packets met no congestion, each used once, oldest first; without any, a drawn
 *              one. A timeout freezes it: the ring is used round and round until the freeze has passed, and then 16
 *              packets explore. T. Bonato et al., "REPS: Recycled Entropy Packet Spraying", arXiv 2407.21625; less
 *              than 25 bytes
 *   mixed      a value that met no congestion, first in, first out, each used once; without any, as bitmap
 *
 * Oblivious and bitmap have upper bits that are drawn for each flow. A timeout does not know its packet's value: the
 * reference charges value 0, and so does this.
 */
#include <string.h>

#include "sim/transport/uet.h"

#define UET_PENALTY_MOST 15u
#define UET_PENALTIES_PER_WORD 16u
#define UET_EXPLORE 16u
#define UET_RING 8u
#define UET_GOOD_FIRST 16u /* values of `mixed` that there is room for at first */

static uint32_t draw(struct uet_more *more)
{
    return (uint32_t)(weir_hash(more->salt, more->draws++) >> 32);
}

static bool has_penalties(const struct uet_params *params)
{
    return params->balance == UET_BITMAP || params->balance == UET_MIXED;
}

size_t uet_more_size(const struct uet_params *params)
{
    size_t words =
        has_penalties(params) ? (params->entropies + UET_PENALTIES_PER_WORD - 1) / UET_PENALTIES_PER_WORD : 0;
    return sizeof(struct uet_more) + words * sizeof(uint64_t);
}

void uet_paths_open(struct uet_more *more, const struct uet_params *params, uint64_t salt)
{
    more->salt = salt;
    more->flip = (uint16_t)(draw(more) & (params->entropies - 1));
}

/* Upper bits stay those of the flow. */
static uint16_t entropy_of(const struct uet_more *more, const struct uet_params *params, uint32_t value)
{
    uint32_t upper = (uint32_t)(weir_hash(more->salt, UINT64_MAX / 2) >> 32) & ~(params->entropies - 1);
    return (uint16_t)(upper | value);
}

static uint32_t step(struct uet_more *more, const struct uet_params *params)
{
    uint32_t value = (uint32_t)(more->index ^ more->flip) & (params->entropies - 1);
    if (++more->index == (uint16_t)params->entropies) {
        more->index = 0;
        more->flip = (uint16_t)(draw(more) & (params->entropies - 1));
    }
    return value;
}

static uint32_t penalty_of(const struct uet_more *more, uint32_t value)
{
    return more->penalties[value / UET_PENALTIES_PER_WORD] >> value % UET_PENALTIES_PER_WORD * 4 & UET_PENALTY_MOST;
}

static void penalty_set(struct uet_more *more, uint32_t value, uint32_t penalty)
{
    uint64_t *word = &more->penalties[value / UET_PENALTIES_PER_WORD];
    uint32_t shift = value % UET_PENALTIES_PER_WORD * 4;
    *word = (*word & ~((uint64_t)UET_PENALTY_MOST << shift)) | (uint64_t)penalty << shift;
}

static uint16_t bitmap_next(struct uet_more *more, const struct uet_params *params)
{
    uint32_t value = step(more, params);
    for (uint32_t skipped = 0; skipped <= params->entropies && penalty_of(more, value) > 0; skipped++) {
        if (skipped == 0)
            penalty_set(more, value, penalty_of(more, value) - 1);
        if (skipped < params->entropies)
            value = step(more, params);
    }
    return entropy_of(more, params, value);
}

static uint16_t reps_next(struct uet_reps *reps, struct uet_more *more, const struct uet_params *params)
{
    uint32_t fresh = (uint32_t)__builtin_popcount(reps->fresh);
    if (reps->explore > 0) {
        reps->explore--;
    } else if (reps->frozen && reps->count > 0) {
        uint32_t at = reps->reuse;
        reps->reuse = (uint8_t)((at + 1) % reps->count) & 15u;
        reps->fresh &= (uint8_t) ~(1u << at);
        return reps->ring[at];
    } else if (!reps->frozen && fresh > 0) {
        uint32_t at = (reps->head - fresh) % UET_RING;
        reps->fresh &= (uint8_t) ~(1u << at);
        return reps->ring[at];
    }
    return (uint16_t)(draw(more) % params->entropies);
}

static void reps_learn(struct uet_reps *reps, uint16_t entropy, enum uet_feedback feedback, weir_ps freeze_ps,
                       weir_ps now)
{
    const uint32_t now_us = (uint32_t)(now / WEIR_PS_PER_US);
    if (feedback == UET_LATE && !reps->frozen && reps->explore == 0) {
        reps->frozen = 1;
        reps->thaw_us = now_us + (uint32_t)(freeze_ps / WEIR_PS_PER_US);
    }
    if (reps->frozen && (int32_t)(now_us - reps->thaw_us) > 0)
        *reps = (struct uet_reps){.explore = UET_EXPLORE};
    if (feedback != UET_GOOD)
        return;
    reps->ring[reps->head] = entropy;
    reps->fresh |= (uint8_t)(1u << reps->head);
    reps->head = (reps->head + 1) % UET_RING;
    reps->count = (uint8_t)(reps->count + (reps->count < UET_RING)) & 15u;
}

uint16_t uet_paths_next(struct uet_more *more, const struct uet_params *params)
{
    switch ((enum uet_balance)params->balance) {
    case UET_OBLIVIOUS:
        break;
    case UET_REPS:
        return reps_next(&more->reps, more, params);
    case UET_MIXED:
        if (more->good_count > 0) {
            uint16_t entropy = more->good[more->good_first];
            more->good_first = (more->good_first + 1) % more->good_room;
            more->good_count--;
            return entropy;
        }
        return bitmap_next(more, params);
    case UET_BITMAP:
        return bitmap_next(more, params);
    }
    return entropy_of(more, params, step(more, params));
}

/* The ring of `mixed` starts at its first value when it grows. */
static void mixed_keep(struct host *host, struct uet_more *more, uint16_t entropy)
{
    if (more->good_count == more->good_room) {
        uint32_t room = more->good_room ? 2 * more->good_room : UET_GOOD_FIRST;
        uint16_t *good = (uint16_t *)host_words(host, room / 4);
        if (!good)
            return;
        for (uint32_t i = 0; i < more->good_count; i++)
            good[i] = more->good[(more->good_first + i) % more->good_room];
        host_words_free(host, (uint64_t *)more->good, more->good_room / 4);
        more->good = good;
        more->good_room = room;
        more->good_first = 0;
    }
    more->good[(more->good_first + more->good_count++) % more->good_room] = entropy;
}

void uet_paths_learn(struct host *host, struct uet_more *more, const struct uet_params *params, uint16_t entropy,
                     enum uet_feedback feedback, weir_ps now)
{
    static const uint32_t charge[] = {[UET_MARKED] = 1, [UET_TRIMMED] = 4, [UET_LATE] = UET_PENALTY_MOST};
    if (params->balance == UET_REPS)
        reps_learn(&more->reps, entropy, feedback, params->freeze_ps, now);
    else if (feedback == UET_GOOD && params->balance == UET_MIXED)
        mixed_keep(host, more, entropy);
    if (feedback == UET_GOOD || !has_penalties(params))
        return;
    uint32_t value = entropy & (params->entropies - 1), penalty = penalty_of(more, value) + charge[feedback];
    penalty_set(more, value, penalty < UET_PENALTY_MOST ? penalty : UET_PENALTY_MOST);
}

void uet_paths_close(struct host *host, struct uet_more *more)
{
    host_words_free(host, (uint64_t *)more->good, more->good_room / 4);
}
