/*
 * test_competitive.c - the competitive ratios of the theory papers: no sequence, however chosen, breaks an upper bound,
 * and the sequences behind the lower bounds give their exact ratios.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "search.h"
#include "traffic.h"

#define LQD_BOUND (1 + 0.70710678118654752)

/* N up to 3 and B up to 4; all orders of up to N arrivals per slot, and of more than N. */
static const struct slot_tiny tinies[] = {
    {2, 1, 4, 2}, {2, 2, 4, 2}, {2, 3, 4, 2}, {2, 4, 4, 2}, {2, 2, 5, 2}, {2, 4, 5, 2}, {2, 1, 2, 4},
    {2, 2, 2, 4}, {2, 3, 2, 5}, {2, 4, 2, 5}, {3, 1, 2, 3}, {3, 2, 2, 3}, {3, 3, 2, 4}, {3, 3, 3, 2},
};

enum { LQD, CS, WRONG, FOLLOW, COMPETITORS };

static void every_tiny_sequence__keeps_the_upper_bounds(void **state)
{
    const struct slot_algorithm algorithms[COMPETITORS] = {
        [LQD] = slot_algorithm_make("lqd", "lqd", "remove", "tail", 0),
        [CS] = slot_algorithm_make("complete sharing", "cs", NULL, NULL, 0),
        [WRONG] = slot_algorithm_make("credence, always wrong", "credence", NULL, NULL, WEIR_Q16_ONE),
        [FOLLOW] = slot_algorithm_make("followlqd", "followlqd", NULL, NULL, 0),
    };
    (void)state;
    for (size_t i = 0; i < sizeof tinies / sizeof tinies[0]; i++) {
        struct slot_worst worst[COMPETITORS] = {{0}};
        double ports = tinies[i].ports;
        const double bound[COMPETITORS] = {[LQD] = LQD_BOUND, [CS] = ports + 1, [WRONG] = ports, [FOLLOW] = ports + 1};
        assert_int_equal(slot_search_tiny(&tinies[i], algorithms, COMPETITORS, worst), WEIR_ERROR_NONE);
        for (uint32_t a = 0; a < COMPETITORS; a++) {
            if (worst[a].ratio > bound[a])
                print_message("%s: N = %u, B = %u: %f on %s\n", algorithms[a].name, worst[a].ports, worst[a].buffer,
                              worst[a].ratio, worst[a].by);
            assert_true(worst[a].ratio >= 1 && worst[a].ratio <= bound[a]);
        }
    }
}

static void climbing__keeps_the_upper_bounds(void **state)
{
    const struct slot_algorithm lqd = slot_algorithm_make("lqd", "lqd", "remove", "tail", 0);
    const struct slot_algorithm wrong = slot_algorithm_make("wrong", "credence", NULL, NULL, WEIR_Q16_ONE);
    const struct slot_algorithm cs = slot_algorithm_make("cs", "cs", NULL, NULL, 0);
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        for (uint32_t ports = 2; ports <= 4; ports++) {
            struct slot_climb climb = {ports, 2 * ports, 20, ports + ports * (seed % 2), 1, 120, seed};
            struct slot_worst worst[3] = {{0}};
            assert_int_equal(slot_search_climb(&climb, &lqd, &worst[0]), WEIR_ERROR_NONE);
            assert_int_equal(slot_search_climb(&climb, &wrong, &worst[1]), WEIR_ERROR_NONE);
            assert_int_equal(slot_search_climb(&climb, &cs, &worst[2]), WEIR_ERROR_NONE);
            if (worst[0].ratio > LQD_BOUND || worst[1].ratio > ports || worst[2].ratio > ports + 1)
                print_message("seed %llu, N = %u: %s / %s / %s\n", (unsigned long long)seed, ports, worst[0].by,
                              worst[1].by, worst[2].by);
            assert_true(worst[0].ratio <= LQD_BOUND);
            assert_true(worst[1].ratio <= ports);
            assert_true(worst[2].ratio <= ports + 1);
        }
    }
}

struct sent {
    uint64_t optimum, lqd, algorithm;
};

static struct sent run_adversary(const char *name, const struct slot_traffic *traffic,
                                 const struct slot_algorithm *algorithm)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_arrivals arrivals;
    struct slot_case c;
    struct sent sent;
    slot_arrivals_init(&arrivals, traffic->ports);
    assert_int_equal(slot_generate(slot_generator_find(name), traffic, &arrivals, &error), WEIR_ERROR_NONE);
    assert_int_equal(slot_case_open(&c, &arrivals, traffic->buffer, true, &error), WEIR_ERROR_NONE);
    assert_int_equal(slot_case_sent(&c, algorithm, &sent.algorithm, &error), WEIR_ERROR_NONE);
    sent.optimum = c.optimum;
    sent.lqd = c.lqd.sent;
    slot_case_close(&c);
    slot_arrivals_free(&arrivals);
    return sent;
}

/* The burst, then R rounds of two slots: OPT and LQD send B + (N + 1) R, FollowLQD B + 2 R. */
static void followlqd_adversary__gives_half_of_n_plus_one(void **state)
{
    const struct slot_algorithm followlqd = slot_algorithm_make("", "followlqd", NULL, NULL, 0);
    (void)state;
    for (uint32_t ports = 2; ports <= 16; ports *= 2) {
        for (uint32_t rounds = 1; rounds <= 100; rounds *= 10) {
            struct slot_traffic traffic;
            uint32_t buffer = 4 * ports;
            slot_traffic_init(&traffic, ports, buffer, 1 + 2 * rounds);
            traffic.width = 0;
            struct sent sent = run_adversary("followlqd-adversary", &traffic, &followlqd);
            assert_int_equal(sent.optimum, buffer + (ports + 1) * rounds);
            assert_int_equal(sent.lqd, sent.optimum);
            assert_int_equal(sent.algorithm, buffer + 2 * rounds);
        }
    }
}

/*
 * The burst, then S slots: OPT sends N per slot and complete sharing 1, and each the rest of its buffer at the end,
 * where OPT has had to keep N - 1 cells free for the other ports. The ratio tends to N; no sequence is known here that
 * comes closer to the bound of N + 1.
 */
static void cs_adversary__approaches_n(void **state)
{
    const struct slot_algorithm cs = slot_algorithm_make("", "cs", NULL, NULL, 0);
    (void)state;
    for (uint32_t ports = 2; ports <= 16; ports *= 2) {
        struct slot_traffic traffic;
        uint32_t buffer = 2 * ports;
        uint64_t slots = 60 * buffer;
        slot_traffic_init(&traffic, ports, buffer, slots + 1);
        traffic.width = 0;
        struct sent sent = run_adversary("cs-adversary", &traffic, &cs);
        assert_int_equal(sent.algorithm, buffer + slots);
        assert_int_equal(sent.optimum, ports * slots + buffer - (ports - 1));
        double ratio = slot_ratio(sent.optimum, sent.algorithm);
        assert_true(ratio > 0.98 * ports && ratio < ports);
    }
}

/* Wrong predictions keep Credence at B / N while OPT uses all of B: N, up to the start. */
static void cs_adversary__makes_wrong_credence_n_times_worse(void **state)
{
    const struct slot_algorithm wrong = slot_algorithm_make("", "credence", NULL, NULL, WEIR_Q16_ONE);
    (void)state;
    for (uint32_t ports = 2; ports <= 16; ports *= 2) {
        struct slot_traffic traffic;
        slot_traffic_init(&traffic, ports, 2 * ports, 100 * ports);
        traffic.width = 0;
        struct sent sent = run_adversary("cs-adversary", &traffic, &wrong);
        double ratio = slot_ratio(sent.optimum, sent.algorithm);
        assert_true(ratio > 0.99 * ports && ratio <= ports);
    }
}

/* k saturated queues: 1 / (k / N + 1 / (1 + k)) for alpha = 1, less what whole packets and the first round cost. */
static void dt_adversary__grows_with_the_ports(void **state)
{
    static const struct {
        uint32_t ports;
        double saturated;
    } cases[] = {{4, 1}, {9, 2}, {16, 3}, {25, 4}, {36, 5}};
    const struct slot_algorithm dt = slot_algorithm_make("", "dt", "alpha", "1", 0);
    double last = 1;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct slot_traffic traffic;
        double n = cases[i].ports, k = cases[i].saturated;
        slot_traffic_init(&traffic, cases[i].ports, 16 * cases[i].ports, 16 * 24);
        traffic.width = 0;
        struct sent sent = run_adversary("dt-adversary", &traffic, &dt);
        double ratio = slot_ratio(sent.optimum, sent.algorithm), formula = 1 / (k / n + 1 / (1 + k));
        print_message("N = %2u: %.3f, formula %.3f\n", cases[i].ports, ratio, formula);
        assert_true(ratio > last);
        assert_true(ratio > 0.9 * formula && ratio < 1.1 * formula);
        last = ratio;
    }
}

/*
 * A round of B - 1 slots: OPT sends 2 (B - 1). LQD sends B / 2 of the port without a future and B - 1 of the other one,
 * and after the last round the B / 2 - 1 that are left of it.
 */
static void lqd_adversary__gives_four_thirds(void **state)
{
    const struct slot_algorithm lqd = slot_algorithm_make("", "lqd", "remove", "tail", 0);
    (void)state;
    for (uint32_t buffer = 8; buffer <= 128; buffer *= 4) {
        const uint64_t rounds = 24;
        struct slot_traffic traffic;
        slot_traffic_init(&traffic, 2, buffer, rounds * (buffer - 1));
        traffic.width = 0;
        struct sent sent = run_adversary("lqd-adversary", &traffic, &lqd);
        assert_int_equal(sent.optimum, rounds * 2 * (buffer - 1));
        assert_int_equal(sent.lqd, rounds * (buffer - 1 + buffer / 2) + buffer / 2 - 1);
        assert_int_equal(sent.algorithm, sent.lqd);
    }
}

static void compare_losses(const struct slot_arrivals *arrivals, uint32_t buffer, uint64_t seed)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const struct slot_algorithm credence = slot_algorithm_make("", "credence", NULL, NULL, 0);
    struct slot_case c;
    struct slot_result result;
    assert_int_equal(slot_case_open(&c, arrivals, buffer, false, &error), WEIR_ERROR_NONE);
    assert_int_equal(slot_case_run(&c, &credence, NULL, &result, &error), WEIR_ERROR_NONE);
    for (uint64_t i = 0; i < arrivals->count; i++) {
        if (((c.lqd.lost_bits[i / 8] ^ result.lost_bits[i / 8]) >> i % 8 & 1) != 0)
            print_message("seed %llu, N = %u, B = %u: arrival %llu differs\n", (unsigned long long)seed,
                          arrivals->ports, buffer, (unsigned long long)i);
        assert_int_equal(c.lqd.lost_bits[i / 8] >> i % 8 & 1, result.lost_bits[i / 8] >> i % 8 & 1);
    }
    slot_result_free(&result);
    slot_case_close(&c);
}

/* With perfect predictions Credence loses the very packets that LQD loses, for N dividing B. */
static void perfect_credence__is_lqd_packet_by_packet(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        for (uint32_t i = 0; i < slot_generator_count; i++) {
            struct weir_error error = {.code = WEIR_ERROR_NONE};
            struct slot_traffic traffic;
            struct slot_arrivals arrivals;
            uint32_t ports = 2 + (uint32_t)seed % 7, buffer = ports * (1 + (uint32_t)seed % 5);
            slot_traffic_init(&traffic, ports, buffer, 150);
            traffic.seed = seed;
            traffic.width = seed % 2 ? ports : 0;
            slot_arrivals_init(&arrivals, ports);
            assert_int_equal(slot_generate(slot_generators[i], &traffic, &arrivals, &error), WEIR_ERROR_NONE);
            compare_losses(&arrivals, buffer, seed);
            slot_arrivals_free(&arrivals);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tiny_sequence__keeps_the_upper_bounds),
        cmocka_unit_test(climbing__keeps_the_upper_bounds),
        cmocka_unit_test(followlqd_adversary__gives_half_of_n_plus_one),
        cmocka_unit_test(cs_adversary__approaches_n),
        cmocka_unit_test(cs_adversary__makes_wrong_credence_n_times_worse),
        cmocka_unit_test(dt_adversary__grows_with_the_ports),
        cmocka_unit_test(lqd_adversary__gives_four_thirds),
        cmocka_unit_test(perfect_credence__is_lqd_packet_by_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
