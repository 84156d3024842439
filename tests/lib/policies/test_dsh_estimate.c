/*
 * test_dsh_estimate.c - the estimate in fixed point against the formulas in floating point, over random and adversarial
 * sequences; the errors must stay within what dsh_estimate.h states.
 */
#include "tests/support/fixture.h"

#include <math.h>

#include "lib/policies/dsh_estimate.h"

#define SEQUENCES 400u
#define ARRIVALS 500u

/* Algorithm 2, in real numbers. */
struct reference {
    double g_avg, v_avg, phi;
    double at_ps, length;
    bool seen;
};

struct link {
    double cell_ps, headroom;
    double gain_g, gain_v, k;
    double largest; /* gradient seen, in line rates */
};

static void reference_update(struct reference *r, struct link *link, double length, double now)
{
    if (r->seen && now == r->at_ps)
        return;
    if (r->seen) {
        double g = (length - r->length) * link->cell_ps / (now - r->at_ps);
        g = fmax(-0x1p20, fmin(0x1p20, g));
        double v = fabs(r->g_avg - g);
        link->largest = fmax(link->largest, fabs(g));
        r->g_avg = (1 - link->gain_g) * r->g_avg + link->gain_g * g;
        r->v_avg = (1 - link->gain_v) * r->v_avg + link->gain_v * v;
        r->phi = fmax(0, fmin(link->headroom, (r->g_avg + link->k * r->v_avg) * link->headroom));
    }
    r->seen = true;
    r->at_ps = now;
    r->length = length;
}

struct pair {
    struct weir_dsh_rule rule;
    struct weir_dsh_port port;
    struct weir_dsh_estimate estimate;
    struct reference reference;
    struct link link;
};

static void pair_init(struct pair *p, weir_bps rate_bps, uint32_t cell_bytes, weir_cells headroom_cells, bool by_table)
{
    struct weir_values values;
    memset(p, 0, sizeof *p);
    weir_values_init(&values, weir_policy_find("dsh"));
    values.of[DSH_ESTIMATE_ARITHMETIC][0] = by_table;
    weir_dsh_rule_load(&p->rule, &values);
    weir_dsh_port_init(&p->port, rate_bps, cell_bytes, headroom_cells);
    weir_dsh_estimate_init(&p->estimate);
    p->link = (struct link){8e12 * cell_bytes / (double)rate_bps, (double)headroom_cells, 0.25, 0.25, 4, 0};
}

/* Cells by which the estimate is off. */
static double pair_update(struct pair *p, weir_cells length, weir_ps now)
{
    weir_dsh_estimate_update(&p->estimate, &p->rule, &p->port, length, now);
    reference_update(&p->reference, &p->link, (double)length, (double)now);
    assert_in_range(p->estimate.phi_cells, 0, p->port.headroom_cells);
    return fabs(p->estimate.phi_cells - p->reference.phi);
}

/* A queue that grows at line rate, falls, stands still, jumps; and times from a picosecond to a second. */
static weir_cells next_length(struct weir_random *random, uint32_t mood, weir_cells length, weir_cells most)
{
    switch (mood % 5) {
    case 0:
        return length + 1500 > most ? most : length + 1500;
    case 1:
        return length > 4000 ? length - (weir_cells)weir_random_below(random, 4000) : 0;
    case 2:
        return length;
    case 3:
        return weir_random_below(random, 2) == 0 ? 0 : most;
    default:
        return weir_random_below(random, (uint32_t)most);
    }
}

static weir_ps next_step(struct weir_random *random, uint32_t mood)
{
    static const weir_ps steps[] = {0, 1, 120000, 1000000, 1000000000, WEIR_PS_PER_S};
    return mood % 3 == 0 ? 120000 : steps[weir_random_below(random, 6)] * (1 + weir_random_below(random, 5));
}

static void update__exact_is_within_its_bound(void **unused)
{
    static const weir_bps rates[] = {10000000000, 25000000000, 100000000000, 400000000000, 3000000000};
    double worst = 0;
    (void)unused;
    for (uint64_t seed = 1; seed <= SEQUENCES; seed++) {
        struct weir_random random = weir_random_stream(seed, "exact");
        struct pair p;
        weir_cells headroom = 1 + weir_random_below(&random, 200000), length = 0;
        weir_ps now = weir_random_below(&random, 1000);
        pair_init(&p, rates[seed % 5], seed % 3 == 0 ? 208 : 1, headroom, false);
        for (uint32_t i = 0; i < ARRIVALS; i++) {
            uint32_t mood = i / 50 + (uint32_t)seed;
            double off = pair_update(&p, length, now);
            if (off > (double)headroom / 16384 + 1)
                fail_msg("seed %u, arrival %u: off by %.3f cells of %lld", (unsigned)seed, i, off, (long long)headroom);
            worst = fmax(worst, off / ((double)headroom / 16384 + 1));
            length = next_length(&random, mood, length, 16000000);
            now += next_step(&random, mood);
        }
    }
    print_message("largest error: %.2f of the bound\n", worst);
}

/* Gradients of at most the line rate, as a link can make them: that is what the bound of the tables is for. */
static void update__table_is_within_its_bound(void **unused)
{
    static const weir_bps rates[] = {10000000000, 100000000000, 400000000000};
    double worst = 0;
    (void)unused;
    for (uint64_t seed = 1; seed <= SEQUENCES; seed++) {
        struct weir_random random = weir_random_stream(seed, "table");
        struct pair p;
        weir_cells headroom = 1 + weir_random_below(&random, seed % 2 == 0 ? 100 : 200000), length = 1000000;
        weir_ps now = 0;
        pair_init(&p, rates[seed % 3], 1, headroom, true);
        for (uint32_t i = 0; i < ARRIVALS; i++) {
            double off = pair_update(&p, length, now);
            assert_true(p.link.largest <= 1.0001);
            double bound = 0.071 * (double)headroom + 1;
            if (off > bound)
                fail_msg("seed %u, arrival %u: off by %.3f cells of %lld", (unsigned)seed, i, off, (long long)headroom);
            worst = fmax(worst, off / bound);
            weir_cells step = 1 + weir_random_below(&random, 9000);
            weir_ps least = (weir_ps)ceil((double)step * p.link.cell_ps);
            now += weir_random_below(&random, 3) == 0 ? least : least + weir_random_below(&random, 4000000);
            bool falls = weir_random_below(&random, 3) == 0 && length > step;
            length += falls ? -step : step;
        }
    }
    print_message("largest error: %.2f of the bound\n", worst);
}

/* One quotient by tables, at the edges of their intervals and at random. */
static void update__table_gradient_is_within_six_permille(void **unused)
{
    struct weir_random random = weir_random_stream(7, "gradient");
    double worst = 0;
    (void)unused;
    for (uint32_t i = 0; i < 20000; i++) {
        struct pair p;
        pair_init(&p, 100000000000, 1, 60000, true);
        p.rule.gain_g = WEIR_Q16_ONE; /* the average is the last gradient */
        uint32_t shift = weir_random_below(&random, 15);
        weir_cells dq = (256 + weir_random_below(&random, 256)) << shift;
        if (i % 3 == 0)
            dq += (INT64_C(1) << shift) - 1; /* the last of its interval */
        weir_ps dt = 1000 + weir_random_below(&random, 100000000);
        weir_cells from = i % 2 == 0 ? 0 : dq;
        weir_dsh_estimate_update(&p.estimate, &p.rule, &p.port, from, 5);
        weir_dsh_estimate_update(&p.estimate, &p.rule, &p.port, dq - from, 5 + dt);
        double exact = (double)(dq - 2 * from) * 80 / (double)dt * 0x1p20;
        double off = fabs((double)p.estimate.g_avg - exact);
        if (off > 0.006 * fabs(exact) + 1)
            fail_msg("%lld cells in %lld ps: %lld instead of %.1f", (long long)(dq - 2 * from), (long long)dt,
                     (long long)p.estimate.g_avg, exact);
        worst = fmax(worst, (off - 1) / fabs(exact));
    }
    print_message("largest error: %.3f %%\n", 100 * worst);
}

static void update__steps_of_algorithm_2(void **unused)
{
    struct pair p;
    (void)unused;
    pair_init(&p, 8000000000, 1, 1000, false); /* 1000 ps per cell */
    pair_update(&p, 500, 100000);
    assert_int_equal(p.estimate.phi_cells, 0); /* a first arrival tells no gradient */
    pair_update(&p, 600, 100000);
    assert_int_equal(p.estimate.phi_cells, 0);   /* nor does one at the same moment, whose cells count next time: */
    pair_update(&p, 600, 1100000);               /* 100 cells in the time of 1000: g = 0.1, v = 0.1 */
    assert_int_equal(p.estimate.phi_cells, 124); /* 0.025 + 4 * 0.025 of 1000, rounded down */
    pair_update(&p, 600, 1100000);
    assert_int_equal(p.estimate.phi_cells, 124);
    pair_update(&p, 100, 2100000); /* g = -0.5: g_avg = -0.10625, v_avg = 0.15 */
    assert_int_equal(p.estimate.phi_cells, 493);
}

static void update__negative_gradients_end_at_zero(void **unused)
{
    (void)unused;
    for (int by_table = 0; by_table < 2; by_table++) {
        struct pair p;
        weir_cells length = 100000000;
        pair_init(&p, 8000000000, 1, 1000, by_table);
        p.link.k = (double)(p.rule.k = 0);
        for (weir_ps now = 0; length > 0; length -= 5000, now += 1000000)
            pair_update(&p, length, now);
        assert_true(p.estimate.g_avg < -4 * DSH_GRADIENT_ONE); /* five ports drain one */
        assert_int_equal(p.estimate.phi_cells, 0);
    }
}

static void update__never_above_phi(void **unused)
{
    (void)unused;
    for (int by_table = 0; by_table < 2; by_table++) {
        struct pair p;
        pair_init(&p, 8000000000, 65536, 1000, by_table);
        pair_update(&p, 0, 0);
        pair_update(&p, INT32_MAX, 1); /* more line rates than are kept */
        assert_int_equal(p.estimate.phi_cells, 1000);
        assert_int_equal(p.estimate.g_avg, DSH_GRADIENT_MAX / 4);
        pair_update(&p, 0, 2);
        assert_int_equal(p.estimate.phi_cells, 1000); /* what varies so much needs all */
        pair_init(&p, WEIR_RATE_BPS_MIN, 65536, INT32_MAX, by_table);
        pair_update(&p, 0, 0);
        pair_update(&p, INT32_MAX, 1);
        pair_update(&p, INT32_MAX, WEIR_TIME_MAX);
        assert_in_range(p.estimate.phi_cells, 0, INT32_MAX);
    }
}

static void update__table_rounds_up_to_a_step(void **unused)
{
    struct pair p;
    (void)unused;
    pair_init(&p, 8000000000, 1, 6400, true);
    pair_update(&p, 0, 0);
    pair_update(&p, 1000, 10000000); /* as with the exact form, 0.125 of Phi: 8 steps of 100, and the next edge */
    assert_in_range(p.estimate.phi_cells, 800, 900);
    assert_int_equal(p.estimate.phi_cells % 100, 0);
}

static void arrive__single_queue_window(void **unused)
{
    struct pair p;
    const struct {
        uint32_t tc;
        weir_ps now;
        bool single;
    } steps[] = {{2, 50, false},   {2, 1049, false}, {2, 1050, false}, {2, 1051, true}, {2, 1052, true},
                 {0, 1053, false}, {2, 1054, false}, {2, 2054, false}, {2, 2055, true}};
    (void)unused;
    pair_init(&p, 8000000000, 1, 1000, false);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        weir_dsh_port_arrive(&p.port, (weir_class){steps[i].tc}, 1000, steps[i].now);
        assert_int_equal(p.port.single, steps[i].single);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(update__exact_is_within_its_bound),
        cmocka_unit_test(update__table_is_within_its_bound),
        cmocka_unit_test(update__table_gradient_is_within_six_permille),
        cmocka_unit_test(update__steps_of_algorithm_2),
        cmocka_unit_test(update__negative_gradients_end_at_zero),
        cmocka_unit_test(update__never_above_phi),
        cmocka_unit_test(update__table_rounds_up_to_a_step),
        cmocka_unit_test(arrive__single_queue_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
