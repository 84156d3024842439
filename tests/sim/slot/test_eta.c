/*
 * test_eta.c - the error of predictions by Definition 1 of the Credence paper, worked out by hand; among them the
 * shortest sequences on which its Lemma 1 and Theorem 2 do not hold; and one on which Theorem 1 does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "eta.h"
#include "traffic.h"

struct example {
    uint32_t ports, buffer;
    const char *arrivals;  /* slots end with '|' */
    const char *predicted; /* one character per arrival: x lost */
    uint64_t lqd, follow, follow_all, naive, credence;
    uint64_t false_positive, false_negative, least;
};

static const struct example examples[] = {
    /* perfect: eta is 1 */
    {2, 2, "00|10|", "...x", 3, 3, 3, 3, 3, 0, 0, 3},
    /* nothing is predicted kept: the safeguard alone sends */
    {2, 2, "00|10|", "xxxx", 3, 0, 0, 0, 2, 3, 0, 0},
    /* Lemma 1: eta is 1, and Credence sends less than LQD; with any rule for ties, and with thresholds of all arrivals.
     * tests/formula/test_credence_papers.c has every reading of these and of Theorem 2. */
    {2, 4, "00|00|00|10|", "......x.", 7, 7, 6, 7, 6, 1, 1, 5},
    {2, 2, "00|01|0|", "x....", 4, 4, 4, 4, 3, 1, 1, 2},
    /* Theorem 2: one false negative costs FollowLQD three packets */
    {2, 4, "00|00|00|01|11||0|", "...........", 10, 8, 8, 9, 9, 0, 1, 9},
    {2, 3, "11|11|10|00|1|", ".........", 8, 6, 6, 7, 7, 0, 1, 7},
};

static void fill(const struct example *e, struct slot_arrivals *arrivals, uint8_t *lost)
{
    slot_arrivals_init(arrivals, e->ports);
    for (const char *c = e->arrivals; *c != '\0'; c++) {
        if (*c == '|')
            slot_arrivals_end_slot(arrivals);
        else
            slot_arrivals_add(arrivals, (uint32_t)(*c - '0'));
    }
    for (uint64_t i = 0; i < arrivals->count; i++)
        lost[i / 8] |= (uint8_t)((e->predicted[i] == 'x') << i % 8);
}

static void slot_eta__by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const struct example *e = &examples[i];
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct slot_algorithm credence = slot_algorithm_make("", "credence", NULL, NULL, 0);
        struct slot_arrivals arrivals;
        struct weir_table_oracle oracle;
        struct slot_case c;
        struct slot_eta eta;
        uint8_t lost[2] = {0};
        uint64_t sent;
        fill(e, &arrivals, lost);
        weir_table_oracle_init(&oracle, lost, arrivals.count, 0, 0);
        credence.oracle = &oracle.base;
        assert_int_equal(slot_case_open(&c, &arrivals, e->buffer, false, &error), WEIR_ERROR_NONE);
        assert_int_equal(slot_eta_find(&c, &oracle.base, &eta, &error), WEIR_ERROR_NONE);
        assert_int_equal(slot_case_sent(&c, &credence, &sent, &error), WEIR_ERROR_NONE);
        assert_int_equal(c.lqd.sent, e->lqd);
        assert_int_equal(eta.true_negative + eta.false_positive, e->lqd);
        assert_int_equal(eta.follow, e->follow);
        assert_int_equal(eta.follow_all, e->follow_all);
        assert_int_equal(eta.naive, e->naive);
        assert_int_equal(sent, e->credence);
        assert_int_equal(eta.false_positive, e->false_positive);
        assert_int_equal(eta.false_negative, e->false_negative);
        assert_int_equal(slot_eta_least(&eta, e->ports), e->least);
        slot_case_close(&c);
        slot_arrivals_free(&arrivals);
    }
}

/*
 * Theorem 1: OPT / Credence is at most min(1.707 eta, N). The adversary of FollowLQD with a quarter of the predictions
 * false keeps eta at 2, while LQD sends N / 8 times as much as Credence: with 64 ports, more than twice the bound for
 * OPT, which sends no less than LQD. The thresholds of Credence are those of all arrivals, of which LQD pushes out
 * most; in eta FollowLQD's are only of those that are predicted kept. With thresholds
 * of all arrivals eta grows as the ratio does, and the sequence says nothing against the theorem.
 */
static void theorem1__does_not_hold_with_many_ports(void **state)
{
    const uint32_t ports = 64, buffer = 256;
    struct slot_algorithm credence = slot_algorithm_make("", "credence", NULL, NULL, WEIR_Q16_ONE / 4);
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_traffic traffic;
    struct slot_arrivals arrivals;
    struct slot_case c;
    struct slot_eta eta;
    uint64_t sent;
    (void)state;
    slot_arrivals_init(&arrivals, ports);
    slot_traffic_init(&traffic, ports, buffer, 2048);
    traffic.width = ports;
    assert_int_equal(slot_generate(slot_generator_find("followlqd-adversary"), &traffic, &arrivals, &error),
                     WEIR_ERROR_NONE);
    assert_int_equal(slot_case_open(&c, &arrivals, buffer, false, &error), WEIR_ERROR_NONE);
    struct weir_table_oracle table = slot_oracle(&c.lqd, credence.flip, credence.flip_seed);
    assert_int_equal(slot_eta_find(&c, &table.base, &eta, &error), WEIR_ERROR_NONE);
    assert_int_equal(slot_case_sent(&c, &credence, &sent, &error), WEIR_ERROR_NONE);
    double ratio = slot_ratio(c.lqd.sent, sent), error_ratio = slot_ratio(c.lqd.sent, eta.follow);
    assert_true(error_ratio > 1.9 && error_ratio < 2.2);
    assert_true(ratio > 2 * 1.707 * error_ratio && ratio < ports);
    assert_true(ratio < 0.6 * 1.707 * slot_ratio(c.lqd.sent, eta.follow_all));
    slot_case_close(&c);
    slot_arrivals_free(&arrivals);
}

/* Asked about every arrival, perfect predictions have eta 1, and more false ones a larger one; those of a table are the
 * same whether it is asked by index or by what the policy shows. */
static void slot_eta_ask__grows_with_flips(void **state)
{
    static const weir_q16 flips[] = {0, WEIR_Q16_ONE / 100, WEIR_Q16_ONE / 10, WEIR_Q16_ONE / 2, WEIR_Q16_ONE};
    double before = 0;
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        struct slot_traffic traffic;
        struct slot_arrivals arrivals;
        struct slot_case c;
        struct slot_eta eta, by_index;
        struct weir_error error;
        slot_arrivals_init(&arrivals, 8);
        slot_traffic_init(&traffic, 8, 64, 4000);
        assert_int_equal(slot_generate(slot_generators[0], &traffic, &arrivals, &error), WEIR_ERROR_NONE);
        assert_int_equal(slot_case_open(&c, &arrivals, 64, false, &error), WEIR_ERROR_NONE);
        struct slot_algorithm credence = slot_algorithm_make("", "credence", NULL, NULL, flips[i]);
        struct weir_table_oracle table = slot_oracle(&c.lqd, credence.flip, credence.flip_seed);
        assert_int_equal(slot_eta_ask(&c, &credence, &eta, &error), WEIR_ERROR_NONE);
        assert_int_equal(slot_eta_find(&c, &table.base, &by_index, &error), WEIR_ERROR_NONE);
        assert_memory_equal(&eta, &by_index, sizeof eta);
        double value = slot_ratio(c.lqd.sent, eta.follow);
        assert_true(i > 0 || value == 1);
        assert_true(value >= before);
        before = value;
        slot_case_close(&c);
        slot_arrivals_free(&arrivals);
    }
    assert_true(before > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slot_eta__by_hand),
                                       cmocka_unit_test(theorem1__does_not_hold_with_many_ports),
                                       cmocka_unit_test(slot_eta_ask__grows_with_flips)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
