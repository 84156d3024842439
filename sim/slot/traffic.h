/*
 * traffic.h - where arrival sequences come from: random traffic, and adversaries that show a policy at its worst.
 *
 * Appendix A of the Credence paper lets at most N packets arrive per slot at a switch of N ports; the classical
 * shared-memory model (Hahne, Kesselman, Mansour, SPAA 2001) sets no limit. `width` chooses: generators fill slots up
 * to it and go on in the next one.
 *
 * The same traffic gives the same sequence on every machine: draws come from streams of weir/random.h, keyed by the
 * seed and the generator's name.
 */
#ifndef SLOT_TRAFFIC_H
#define SLOT_TRAFFIC_H

#include "arrivals.h"

#define SLOT_PORTS_MAX 4096u /* as many packets as one call of the MMU may lose */
#define SLOT_BUFFER_MAX 100000000u
#define SLOT_SLOTS_MAX UINT64_C(1000000000)

struct slot_traffic {
    uint32_t ports;
    uint32_t buffer;       /* packets; bursts and adversaries are scaled by it */
    uint64_t slots;        /* length; adversaries finish the round they are in */
    uint32_t width;        /* most arrivals per slot, 0: no limit; uniform and onoff never exceed one per input port */
    uint64_t seed;         /* of the random kinds */
    double load;           /* uniform, onoff: packets per input port and slot, above 0, at most 1 */
    double burst_interval; /* bursts: mean slots between the starts of two bursts */
    uint32_t burst;        /* bursts: packets of one, 0: the buffer; onoff: mean of one, 0: buffer / ports */
    uint32_t burst_rate;   /* bursts: most packets of one burst per slot, 0: as many as fit */
    bool burst_in_turn;    /* bursts: a burst waits for those before it; else all under way share the slot */
};

/* What a generator reads of its traffic besides ports, buffer, slots and seed; it ignores the rest. */
enum slot_use {
    SLOT_USE_LOAD = 1 << 0,
    SLOT_USE_BURST = 1 << 1,
    SLOT_USE_INTERVAL = 1 << 2,
    SLOT_USE_RATE = 1 << 3,
    SLOT_USE_IN_TURN = 1 << 4,
    SLOT_USE_WIDTH = 1 << 5,
};

struct slot_generator {
    const char *name;
    const char *title; /* one line */
    uint32_t ports_min;
    uint32_t uses; /* bits of slot_use */
    void (*generate)(const struct slot_traffic *traffic, struct slot_arrivals *arrivals);
};

extern const struct slot_generator *const slot_generators[];
extern const uint32_t slot_generator_count;

const struct slot_generator *slot_generator_find(const char *name);

/* The usual values: at most one arrival per port and slot, load 0.9, a burst every buffer / ports slots, seed 1. */
void slot_traffic_init(struct slot_traffic *traffic, uint32_t ports, uint32_t buffer, uint64_t slots);

/* Fills an initialised, empty sequence; BAD_INPUT with one line in `error` when the generator cannot make it. */
enum weir_error_code slot_generate(const struct slot_generator *generator, const struct slot_traffic *traffic,
                                   struct slot_arrivals *arrivals, struct weir_error *error);

/* The generators, one file or table entry each. */
extern const struct slot_generator slot_bursts, slot_uniform, slot_onoff;
extern const struct slot_generator slot_cs_adversary, slot_dt_adversary, slot_followlqd_adversary, slot_lqd_adversary;

#endif
