/*
 * test_oracle.c - the table oracle: its bits, its end, and flips that are a function of (seed, index) alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "weir/oracle.h"
#include "weir/random.h"

#define DRAWS 200000u

static const int64_t nothing[WEIR_FEATURE_COUNT];

static bool ask(const struct weir_table_oracle *oracle, uint64_t index)
{
    return oracle->base.predict(&oracle->base, index, nothing);
}

static void predict__reads_the_table(void **state)
{
    (void)state;
    static const uint8_t lost[] = {0x81, 0x02, 0xff};
    struct weir_table_oracle oracle;
    weir_table_oracle_init(&oracle, lost, 18, 0, 7);
    for (uint64_t i = 0; i < 40; i++)
        assert_int_equal(ask(&oracle, i), i == 0 || i == 7 || i == 9 || i == 16 || i == 17);
}

static void predict__empty_table_keeps(void **state)
{
    (void)state;
    struct weir_table_oracle oracle;
    weir_table_oracle_init(&oracle, NULL, 0, 0, 7);
    assert_false(ask(&oracle, 0));
    assert_false(ask(&oracle, UINT64_MAX));
}

static void predict__always_wrong(void **state)
{
    (void)state;
    static const uint8_t lost[] = {0x55};
    struct weir_table_oracle oracle;
    weir_table_oracle_init(&oracle, lost, 8, WEIR_Q16_ONE, 3);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(ask(&oracle, i), !(i < 8 && i % 2 == 0));
}

/* Within five standard deviations of the binomial, for a fixed seed. */
static void predict__flip_rate(void **state)
{
    (void)state;
    static const weir_q16 flips[] = {1, 328, 6554, 32768, 65535};
    for (size_t k = 0; k < sizeof flips / sizeof flips[0]; k++) {
        struct weir_table_oracle oracle;
        uint32_t flipped = 0;
        weir_table_oracle_init(&oracle, NULL, 0, flips[k], 42);
        for (uint64_t i = 0; i < DRAWS; i++)
            flipped += ask(&oracle, i);
        double p = (double)flips[k] / WEIR_Q16_ONE, off = flipped - p * DRAWS;
        assert_true(off * off <= 25 * p * (1 - p) * DRAWS);
    }
}

/* The lowest draw there is: flipped by the lowest probability, and not by none. */
static void predict__flip_bounds(void **state)
{
    (void)state;
    struct weir_table_oracle oracle;
    uint64_t index = 0;
    while (weir_hash(42, index) >> 48 != 0)
        index++;
    weir_table_oracle_init(&oracle, NULL, 0, 0, 42);
    assert_false(ask(&oracle, index));
    weir_table_oracle_init(&oracle, NULL, 0, 1, 42);
    assert_true(ask(&oracle, index));
}

/* A function of (seed, index): asked in any order; other seeds flip others; a higher rate flips a superset. */
static void predict__flips_by_seed_and_index(void **state)
{
    (void)state;
    struct weir_table_oracle few, many, other;
    uint32_t different = 0;
    weir_table_oracle_init(&few, NULL, 0, 6554, 42);
    weir_table_oracle_init(&many, NULL, 0, 20000, 42);
    weir_table_oracle_init(&other, NULL, 0, 6554, 43);
    for (uint64_t i = 10000; i-- > 0;) {
        assert_int_equal(ask(&few, i), (weir_hash(42, i) >> 48) < 6554);
        assert_true(!ask(&few, i) || ask(&many, i));
        different += ask(&few, i) != ask(&other, i);
    }
    assert_true(different > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predict__reads_the_table), cmocka_unit_test(predict__empty_table_keeps),
        cmocka_unit_test(predict__always_wrong),    cmocka_unit_test(predict__flip_rate),
        cmocka_unit_test(predict__flip_bounds),     cmocka_unit_test(predict__flips_by_seed_and_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
