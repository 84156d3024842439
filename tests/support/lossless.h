/*
 * lossless.h - an MMU with a headroom scheme under test, fed by a table of packets.
 *
 *   struct lossless l;
 *   lossless_config(&l, 1000, 100);                 4 ports, classes 0 to 2 lossless, 3 lossy, Phi of 100 cells
 *   lossless_build(&l, "sih", "alpha=0.5");
 *   lossless_expect(&l, steps, count);
 *   lossless_free(&l);
 *
 * A step is an arrival from an input port, which must be charged as said, or a departure; after it the input port must
 * have paused what is said. Packets go to the output port of the same number as their input. The naive model is told
 * the same, and must agree.
 */
#ifndef TESTS_SUPPORT_LOSSLESS_H
#define TESTS_SUPPORT_LOSSLESS_H

#include "tests/support/fixture.h"
#include "weir/naive.h"

#define LOSSLESS_PORT_LEVEL 256u

struct lossless {
    struct fixture f;
    struct weir_values values; /* of the headroom scheme */
    struct weir_naive *naive;
};

enum lossless_charge { PRIVATE = 1, SHARED = 2, HEADROOM = 4, REFUSED = 8, LEAVES = 16 };

struct lossless_step {
    uint32_t input, tc, cells; /* an arrival, or with LEAVES the cells that must leave by output `input` */
    uint32_t charge;           /* enum lossless_charge: every pool of which the packet takes cells */
    uint32_t paused;           /* of the input afterwards: bit c class c, LOSSLESS_PORT_LEVEL the whole port */
    weir_ps now;
};

static inline void lossless_config(struct lossless *l, weir_cells buffer_cells, weir_cells headroom_cells)
{
    fixture_config(&l->f, 4, 4, buffer_cells);
    l->f.config.lossless_mask = 7;
    l->f.config.rate_bps = 8000000000; /* 1 ns per byte */
    l->f.config.uplink = (struct weir_uplink){.headroom_cells = headroom_cells, .mtu_bytes = 100};
}

static inline void lossless_build(struct lossless *l, const char *scheme, const char *settings)
{
    struct weir_mmu_config *config = &l->f.config;
    config->ingress = weir_policy_find(scheme);
    assert_non_null(config->ingress);
    fixture_values(&l->values, config->ingress, settings);
    config->ingress_values = &l->values;
    config->headroom_cells = weir_mmu_headroom_cells(config);
    fixture_build(&l->f, "cs", NULL);
    l->naive = weir_naive_new(config);
    assert_non_null(l->naive);
}

static inline void lossless_free(struct lossless *l)
{
    weir_naive_free(l->naive);
    fixture_free(&l->f);
}

static inline struct weir_holding lossless_queue(const struct lossless *l, uint32_t input, uint32_t tc)
{
    const struct weir_view *view = weir_mmu_ingress_view(l->f.mmu);
    const struct weir_policy *policy = l->f.config.ingress;
    uint32_t group = policy->group != NULL ? policy->group(&view->geometry, &l->values, tc) : tc;
    return *weir_view_account(view, weir_account_of(&view->geometry, (weir_port){input}, (weir_class){group}));
}

static inline uint32_t lossless_paused(const struct lossless *l, uint32_t input)
{
    const struct weir_port_state *p = &weir_mmu_ingress_view(l->f.mmu)->port[input];
    return p->paused_mask | (p->paused ? LOSSLESS_PORT_LEVEL : 0);
}

/* Which pools the packet took cells of. */
static inline uint32_t lossless_arrive(struct lossless *l, const struct lossless_step *step)
{
    struct weir_holding before = lossless_queue(l, step->input, step->tc);
    l->f.input.i = step->input;
    if (!fixture_accepts(&l->f, step->input, step->tc, step->cells * l->f.config.cell_bytes, step->now))
        return REFUSED;
    struct weir_holding after = lossless_queue(l, step->input, step->tc);
    weir_cells shared = after.shared_cells - before.shared_cells;
    weir_cells headroom = after.headroom_cells - before.headroom_cells;
    return (shared > 0 ? SHARED : 0u) | (headroom > 0 ? HEADROOM : 0u) |
           (shared + headroom < step->cells ? PRIVATE : 0u);
}

/* The same step in the naive model: what is paused, or UINT32_MAX when it says something else of the packet. */
static inline uint32_t lossless_naive(struct lossless *l, const struct lossless_step *step, weir_account left)
{
    struct weir_packet packet = {.output = {step->input},
                                 .input = {step->input},
                                 .tc = {step->tc},
                                 .bytes = step->cells * l->f.config.cell_bytes};
    bool port_level, accepted = true;
    if (step->charge == LEAVES)
        weir_naive_leave(l->naive, left, step->now);
    else
        accepted = weir_naive_arrive(l->naive, &packet, step->now).accepted;
    uint32_t mask = weir_naive_paused(l->naive, (weir_port){step->input}, &port_level);
    bool agrees = accepted == (step->charge != REFUSED) && weir_naive_hash(l->naive) == weir_mmu_hash(l->f.mmu);
    return agrees ? mask | (port_level ? LOSSLESS_PORT_LEVEL : 0) : UINT32_MAX;
}

static inline void lossless_expect(struct lossless *l, const struct lossless_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct lossless_step *step = &steps[i];
        uint32_t found = LEAVES;
        weir_account left = WEIR_NO_ACCOUNT;
        if (step->charge == LEAVES) {
            const struct weir_effects *fx = weir_mmu_depart(l->f.mmu, (weir_port){step->input}, step->now);
            assert_true(fx->departed && fx->bytes == step->cells * l->f.config.cell_bytes);
            left = fx->account;
        } else {
            found = lossless_arrive(l, step);
        }
        uint32_t paused = lossless_paused(l, step->input), naive = lossless_naive(l, step, left);
        if (found != step->charge || paused != step->paused || naive != step->paused)
            fail_msg("step %zu: charge %u and paused %#x (naive %#x), %u and %#x expected", i, found, paused, naive,
                     step->charge, step->paused);
    }
}

/*
 * A queue that holds half of the largest possible pool, with a delta of the other half, while lossy packets leave: it
 * must be resumed as soon as the naive model says so. What it waits for passes 31 bits.
 */
static inline void lossless_expect_late_resume(const char *scheme, const char *settings)
{
    const uint32_t packet = 1 << 20, lossy_packets = 700;
    struct lossless l;
    uint32_t resumed = 0;
    lossless_config(&l, WEIR_BUFFER_CELLS_MAX, packet);
    lossless_build(&l, scheme, settings);
    for (uint32_t i = 0; i < lossy_packets; i++)
        lossless_expect(&l, &(struct lossless_step){1, 3, packet, PRIVATE, 0, 0}, 1);
    while (lossless_paused(&l, 0) == 0) {
        struct lossless_step step = {0, 0, packet, SHARED, 0, 0};
        assert_int_equal(lossless_arrive(&l, &step), SHARED);
        assert_int_equal(lossless_naive(&l, &step, WEIR_NO_ACCOUNT), lossless_paused(&l, 0));
    }
    assert_true(lossless_queue(&l, 0, 0).shared_cells > WEIR_BUFFER_CELLS_MAX / 2);
    for (uint32_t i = 0; i < lossy_packets; i++) {
        bool port_level;
        weir_account left = weir_mmu_depart(l.f.mmu, (weir_port){1}, 0)->account;
        weir_naive_leave(l.naive, left, 0);
        assert_int_equal(lossless_paused(&l, 0), weir_naive_paused(l.naive, (weir_port){0}, &port_level));
        resumed += lossless_paused(&l, 0) == 0;
    }
    assert_in_range(resumed, 1, lossy_packets - 1);
    lossless_free(&l);
}

#define LOSSLESS_EXPECT(l, steps) lossless_expect(l, steps, sizeof(steps) / sizeof((steps)[0]))

#endif
