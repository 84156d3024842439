/*
 * test_statistics.c - statistics against their definitions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sim/net/measure.h"
#include "sim/statistics.h"
#include "weir/random.h"

/* The smallest value that has `thousandths` of the sample at or below it, by counting. */
static double naive_percentile(const double *values, uint32_t count, uint32_t thousandths)
{
    double best = 1e300;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t below = 0;
        for (uint32_t k = 0; k < count; k++)
            below += values[k] <= values[i];
        if (below * 1000 >= (uint64_t)count * thousandths && values[i] < best)
            best = values[i];
    }
    return best;
}

static void values__are_nearest_ranks(void **state)
{
    static double values[1000], sorted[1000];
    const uint32_t counts[] = {1, 2, 3, 10, 99, 100, 101, 999, 1000};
    (void)state;
    for (uint32_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        uint32_t count = counts[k];
        struct statistics out;
        double sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            sorted[i] = values[i] = (double)(weir_hash(5, i) % 700) - 100;
            sum += values[i];
        }
        statistics_of(sorted, count, &out);
        assert_int_equal(out.count, count);
        assert_true(out.p50 == naive_percentile(values, count, 500));
        assert_true(out.p90 == naive_percentile(values, count, 900));
        assert_true(out.p95 == naive_percentile(values, count, 950));
        assert_true(out.p99 == naive_percentile(values, count, 990));
        assert_true(out.p999 == naive_percentile(values, count, 999));
        assert_true(out.min == sorted[0] && out.max == sorted[count - 1]);
        assert_true(out.mean == sum / count); /* whole numbers: no rounding before the division */
    }
}

static void values__of_nothing_are_zero(void **state)
{
    const struct statistics zero = {0};
    struct statistics out;
    (void)state;
    memset(&out, 0xff, sizeof out);
    statistics_of(NULL, 0, &out);
    assert_memory_equal(&out, &zero, sizeof out);
}

/* The sum of these depends on the order of adding, but their mean must not depend on the order they come in. */
static void values__do_not_depend_on_order(void **state)
{
    double up[100], down[100];
    struct statistics first, second;
    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        up[i] = down[99 - i] = 1 / (double)(i + 1) * (i % 3 ? 1 : 1e15);
    statistics_of(up, 100, &first);
    statistics_of(down, 100, &second);
    assert_memory_equal(&first, &second, sizeof first);
}

/* As if each value were there as often as its weight says. */
static void weighted__is_the_sample_written_out(void **state)
{
    const double values[] = {1, 2, 5, 7, 8};
    const uint64_t weights[] = {0, 300, 650, 0, 51};
    static double sample[1001];
    struct statistics out, expected;
    uint32_t count = 0;
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        for (uint64_t k = 0; k < weights[i]; k++)
            sample[count++] = values[i];
    statistics_of(sample, count, &expected);
    statistics_of_weighted(values, weights, 5, &out);
    assert_memory_equal(&out, &expected, sizeof out);
    statistics_of_weighted(values, (const uint64_t[]){0, 0, 0, 0, 0}, 5, &out);
    assert_int_equal(out.count, 0);
}

/* The table says where each statistic is. */
static void table__names_every_field(void **state)
{
    const struct statistics of = {9, 1, 2, 3, 4, 5, 6, 7, 8, .unfinished = 0};
    static const char *const names[] = {"mean", "min", "max", "p50", "p90", "p95", "p99", "p999"};
    (void)state;
    for (uint32_t i = 0; i < STATISTIC_COUNT; i++) {
        assert_string_equal(statistic_table[i].name, names[i]);
        assert_true(statistic_value(&of, &statistic_table[i]) == i + 1);
    }
}

/* Every way to give the unfinished values from their bounds on: a known statistic is that of all of them, a bound is
 * not above any. */
static void censored__bounds_whatever_comes(void **state)
{
    static const double finished[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    static const double later[] = {0, 1.5, 7, 100};
    enum { FINISHED = 20, UNFINISHED = 3, ALL = FINISHED + UNFINISHED };
    static const double least[][UNFINISHED] = {{30, 40, 50}, {15.5, 40, 50}, {0, 3, 15}, {20, 20, 20}};
    (void)state;
    for (size_t c = 0; c < sizeof least / sizeof least[0]; c++) {
        double values[FINISHED], bounds[ALL];
        struct statistics cut, whole;
        memcpy(values, finished, sizeof values);
        memcpy(bounds, least[c], sizeof least[c]);
        statistics_of_censored(values, FINISHED, bounds, UNFINISHED, &cut);
        assert_true(cut.count == FINISHED && cut.unfinished == UNFINISHED && cut.mean == 10.5);
        for (uint32_t way = 0; way < 64; way++) {
            double all[ALL];
            memcpy(all, finished, sizeof finished);
            for (uint32_t i = 0; i < UNFINISHED; i++)
                all[FINISHED + i] = least[c][i] + later[way >> 2 * i & 3];
            statistics_of(all, ALL, &whole);
            for (uint32_t i = 0; i < STATISTIC_COUNT; i++) {
                double shown = statistic_value(&cut, &statistic_table[i]);
                double real = statistic_value(&whole, &statistic_table[i]);
                enum statistic_grade grade = statistic_grade(&statistic_table[i], statistics_known(&cut));
                assert_true(grade != STATISTIC_EXACT || shown == real);
                assert_true(grade != STATISTIC_LOWER_BOUND || shown <= real);
                assert_int_equal(grade == STATISTIC_OF_FINISHED, statistic_table[i].thousandths == 0 && i == 0);
            }
            assert_true(cut.bound_mean <= whole.mean);
        }
    }
}

/* 990 of 1000 are known: the 99th percentile is the last that is. */
static void grade__at_the_edge(void **state)
{
    static const struct {
        uint64_t known;
        enum statistic_grade grade[STATISTIC_COUNT]; /* mean, min, max, p50, p90, p95, p99, p999 */
    } cases[] = {{990, {2, 0, 1, 0, 0, 0, 0, 1}},
                 {989, {2, 0, 1, 0, 0, 0, 1, 1}},
                 {500, {2, 0, 1, 0, 1, 1, 1, 1}},
                 {1, {2, 0, 1, 1, 1, 1, 1, 1}},
                 {0, {2, 1, 1, 1, 1, 1, 1, 1}}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const struct statistics sample = {.count = 995, .unfinished = 5, .known = cases[c].known};
        for (uint32_t i = 0; i < STATISTIC_COUNT; i++)
            assert_int_equal(statistic_grade(&statistic_table[i], statistics_known(&sample)), cases[c].grade[i]);
    }
    const struct statistics whole = {.count = 3};
    for (uint32_t i = 0; i < STATISTIC_COUNT; i++)
        assert_int_equal(statistic_grade(&statistic_table[i], statistics_known(&whole)), STATISTIC_EXACT);
}

static void censored__without_a_value(void **state)
{
    double none[1], bounds[] = {3, 4};
    struct statistics out;
    (void)state;
    statistics_of_censored(none, 0, bounds, 2, &out);
    assert_true(out.count == 0 && out.unfinished == 2 && out.known == 0 && out.p99 == 0);
    assert_true(statistics_known(&out) == 0);
}

static void clamp__keeps_percentiles_inside(void **state)
{
    struct statistics of = {
        .count = 3, .mean = 9, .min = 2, .max = 5, .p50 = 1, .p90 = 3, .p95 = 5, .p99 = 6, .p999 = 7};
    const struct statistics clamped = {
        .count = 3, .mean = 9, .min = 2, .max = 5, .p50 = 2, .p90 = 3, .p95 = 5, .p99 = 5, .p999 = 5};
    (void)state;
    statistics_clamp_percentiles(&of);
    assert_memory_equal(&of, &clamped, sizeof of);
}

static void bins_percentile__finds_the_bin(void **state)
{
    static uint64_t bins[MEASURE_BINS];
    (void)state;
    assert_true(statistics_percentile(bins, 99) == 0);
    bins[100] = 500;
    bins[660] = 499;
    bins[1000] = 1;
    assert_true(statistics_percentile(bins, 0) == 0.1);
    assert_true(statistics_percentile(bins, 50) == 0.1);
    assert_true(statistics_percentile(bins, 50.001) == 0.66);
    assert_true(statistics_percentile(bins, 99.9) == 0.66);
    assert_true(statistics_percentile(bins, 100) == 1);
    bins[100] = 1000;
    bins[660] = 99000;
    bins[1000] = 0;
    assert_true(statistics_percentile(bins, 1.001) == 0.66); /* 1.001 * 1000 is below 1001 in floating point */
}

static void jain__of_known_shares(void **state)
{
    (void)state;
    assert_true(statistics_jain((double[]){3, 3, 3, 3}, 4) == 1);
    assert_true(statistics_jain((double[]){5, 0, 0, 0}, 4) == 0.25);
    assert_true(statistics_jain((double[]){1, 3}, 2) == 16.0 / 20);
    assert_true(statistics_jain(NULL, 0) == 0);
    assert_true(statistics_jain((double[]){0, 0}, 2) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values__are_nearest_ranks),       cmocka_unit_test(values__of_nothing_are_zero),
        cmocka_unit_test(values__do_not_depend_on_order),  cmocka_unit_test(weighted__is_the_sample_written_out),
        cmocka_unit_test(censored__bounds_whatever_comes), cmocka_unit_test(grade__at_the_edge),
        cmocka_unit_test(censored__without_a_value),       cmocka_unit_test(table__names_every_field),
        cmocka_unit_test(clamp__keeps_percentiles_inside), cmocka_unit_test(bins_percentile__finds_the_bin),
        cmocka_unit_test(jain__of_known_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
