/*
 * slots.h - random arrivals in the slot model, for tests that compare a policy with LQD: unit packets, all arrivals of
 * a slot before one departure per port, everything of slot s at the time s * SLOT_PS.
 */
#ifndef TESTS_SUPPORT_SLOTS_H
#define TESTS_SUPPORT_SLOTS_H

#include "tests/support/fixture.h"
#include "weir/random.h"

#define SLOT_BYTES 1500u
#define SLOT_PS ((weir_ps)1200000) /* SLOT_BYTES at 10 Gb/s */
#define SLOTS_MAX 64u
#define SLOTS_ARRIVALS_MAX 4096u

enum slots_shape { SLOTS_BURSTS, SLOTS_OVERLOAD, SLOTS_MIXED, SLOTS_SKEWED, SLOTS_SHAPES };

struct slots {
    uint32_t ports, buffer;
    uint32_t slots, arrivals;
    uint32_t end[SLOTS_MAX];              /* [slot]: arrivals up to and with it */
    uint16_t output[SLOTS_ARRIVALS_MAX];  /* [arrival] */
    uint8_t lost[SLOTS_ARRIVALS_MAX / 8]; /* [arrival]: bit set when LQD loses it, as the table oracle wants */
};

static inline bool slots_is_lost(const struct slots *s, uint32_t arrival)
{
    return s->lost[arrival / 8] >> (arrival % 8) & 1;
}

static inline void slots_add(struct slots *s, uint32_t port, uint32_t packets)
{
    for (uint32_t i = 0; i < packets && s->arrivals < SLOTS_ARRIVALS_MAX; i++)
        s->output[s->arrivals++] = (uint16_t)port;
}

static inline void slots_fill_slot(struct slots *s, enum slots_shape shape, struct weir_random *r)
{
    uint32_t n = s->ports;
    if (shape == SLOTS_BURSTS && weir_random_below(r, 4) == 0)
        slots_add(s, weir_random_below(r, n), s->buffer);
    if (shape == SLOTS_MIXED && weir_random_below(r, 2) == 0)
        slots_add(s, weir_random_below(r, n), 1 + weir_random_below(r, s->buffer));
    uint32_t singles = shape == SLOTS_OVERLOAD ? 2 * n : weir_random_below(r, shape == SLOTS_SKEWED ? 4 * n : n + 1);
    for (uint32_t i = 0; i < singles; i++) {
        uint32_t a = weir_random_below(r, n), b = weir_random_below(r, n);
        slots_add(s, shape == SLOTS_SKEWED && b < a ? b : a, 1);
    }
}

/* A sequence of `count` slots; the last third is quiet now and then, so that queues also run empty. */
static inline void slots_make(struct slots *s, enum slots_shape shape, uint32_t count, uint64_t seed)
{
    struct weir_random r = {seed, 0};
    s->slots = count;
    s->arrivals = 0;
    memset(s->lost, 0, sizeof s->lost);
    for (uint32_t slot = 0; slot < count; slot++) {
        if (slot < 2 * count / 3 || weir_random_below(&r, 3) == 0)
            slots_fill_slot(s, shape, &r);
        s->end[slot] = s->arrivals;
    }
}

static inline void slots_config(struct fixture *f, const struct slots *s)
{
    fixture_config(f, s->ports, 1, s->buffer);
    f->config.cell_bytes = SLOT_BYTES;
    f->config.packets_max = s->buffer + 1; /* an arrival that pushes out needs its own descriptor */
    f->config.evictions_max = 1;
}

/* Sends arrival i; handles are i + 1. */
static inline const struct weir_effects *slots_send(struct fixture *f, const struct slots *s, uint32_t i, weir_ps now)
{
    return fixture_send(f, s->output[i], 0, SLOT_BYTES, now);
}

static inline void slots_depart(struct fixture *f, const struct slots *s, weir_ps now)
{
    for (uint32_t port = 0; port < s->ports; port++)
        fixture_depart(f, port, now);
}

/* Runs LQD over the sequence and notes which arrivals it refuses or pushes out. */
static inline void slots_run_lqd(struct slots *s, const char *settings)
{
    struct fixture f;
    slots_config(&f, s);
    fixture_build(&f, "lqd", settings);
    for (uint32_t slot = 0, i = 0; slot < s->slots; slot++) {
        for (; i < s->end[slot]; i++) {
            const struct weir_effects *effects = slots_send(&f, s, i, slot * SLOT_PS);
            if (!effects->accepted)
                s->lost[i / 8] |= (uint8_t)(1u << (i % 8));
            for (uint32_t k = 0; k < effects->lost_count; k++) {
                uint64_t victim = effects->lost[k].handle - 1;
                s->lost[victim / 8] |= (uint8_t)(1u << (victim % 8));
            }
        }
        slots_depart(&f, s, slot * SLOT_PS);
    }
    fixture_free(&f);
}

static inline void slots_print(const struct slots *s)
{
    print_message("%u ports, %u packets; outputs by slot, those that LQD loses in brackets:\n", s->ports, s->buffer);
    for (uint32_t slot = 0, i = 0; slot < s->slots; slot++) {
        for (; i < s->end[slot]; i++)
            print_message(slots_is_lost(s, i) ? "[%u] " : "%u ", s->output[i]);
        print_message("|\n");
    }
}

/* Rounds of a random test: the usual number times WEIR_TEST_ROUNDS. */
static inline uint32_t slots_rounds(uint32_t usual)
{
    const char *text = getenv("WEIR_TEST_ROUNDS");
    return text == NULL ? usual : usual * (uint32_t)strtoul(text, NULL, 10);
}

#endif
