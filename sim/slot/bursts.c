/*
 * bursts.c - bursts of the size of the buffer that start as a Poisson process, each to one random port: the traffic of
 * Figure 14 of the Credence paper.
 *
 * The paper leaves open how fast a burst comes in and what overlapping bursts do. Here a slot takes at most `width`
 * packets (the paper: N), of one burst at most `burst_rate`, so that a lone burst of B packets lasts about B / N slots.
 * Bursts under way at the same time share the slot packet by packet, earliest start first, as N input links would
 * interleave them, or, with burst_in_turn, follow one another. What a slot cannot take waits; with width 0 nothing
 * waits. At a load above 1 the bursts under way become more and more.
 */
#include <stdlib.h>

#include "traffic.h"
#include "weir/random.h"

struct burst {
    uint32_t port;
    uint32_t left; /* packets to come */
};

struct bursts {
    struct burst *at; /* [count] under way, oldest first */
    size_t count, capacity;
    uint32_t taken; /* packets in the open slot */
};

static bool start_burst(struct bursts *b, uint32_t port, uint32_t packets)
{
    if (b->count == b->capacity) {
        size_t capacity = b->capacity == 0 ? 16 : 2 * b->capacity;
        struct burst *larger = realloc(b->at, capacity * sizeof *larger);
        if (larger == NULL)
            return false;
        b->at = larger;
        b->capacity = capacity;
    }
    b->at[b->count++] = (struct burst){port, packets};
    return true;
}

static bool slot_is_full(const struct bursts *b, const struct slot_traffic *t)
{
    return t->width > 0 && b->taken == t->width;
}

static void take_packet(struct bursts *b, struct burst *from, struct slot_arrivals *arrivals)
{
    slot_arrivals_add(arrivals, from->port);
    from->left--;
    b->taken++;
}

static void serve_in_turn(struct bursts *b, const struct slot_traffic *t, struct slot_arrivals *arrivals)
{
    for (size_t i = 0; i < b->count && !slot_is_full(b, t); i++) {
        for (uint32_t n = 0; b->at[i].left > 0 && (t->burst_rate == 0 || n < t->burst_rate); n++) {
            if (slot_is_full(b, t))
                return;
            take_packet(b, &b->at[i], arrivals);
        }
        if (b->at[i].left > 0)
            return;
    }
}

static void bursts_generate(const struct slot_traffic *t, struct slot_arrivals *arrivals)
{
    struct weir_random random = weir_random_stream(t->seed, "slot.bursts");
    struct bursts b = {0};
    uint32_t packets = t->burst > 0 ? t->burst : t->buffer;
    double next_start = weir_random_exponential(&random, t->burst_interval);
    for (uint64_t slot = 0; slot < t->slots && !arrivals->failed; slot++) {
        for (; next_start < (double)slot + 1; next_start += weir_random_exponential(&random, t->burst_interval))
            if (!start_burst(&b, weir_random_below(&random, t->ports), packets))
                arrivals->failed = true;
        b.taken = 0;
        if (t->burst_in_turn)
            serve_in_turn(&b, t, arrivals);
        else {
            /* One packet of each burst in turn until the slot is full or every burst has had its rate. */
            bool more = true;
            for (uint32_t round = 0; more && (t->burst_rate == 0 || round < t->burst_rate); round++) {
                more = false;
                for (size_t i = 0; i < b.count && !slot_is_full(&b, t); i++) {
                    if (b.at[i].left > 0)
                        take_packet(&b, &b.at[i], arrivals);
                    more |= b.at[i].left > 0;
                }
            }
        }
        size_t kept = 0;
        for (size_t i = 0; i < b.count; i++)
            if (b.at[i].left > 0)
                b.at[kept++] = b.at[i];
        b.count = kept;
        slot_arrivals_end_slot(arrivals);
    }
    free(b.at);
}

const struct slot_generator slot_bursts = {
    .name = "bursts",
    .title = "bursts of the buffer's size at Poisson times, each to one random port",
    .ports_min = 1,
    .uses = SLOT_USE_BURST | SLOT_USE_INTERVAL | SLOT_USE_RATE | SLOT_USE_IN_TURN | SLOT_USE_WIDTH,
    .generate = bursts_generate,
};
