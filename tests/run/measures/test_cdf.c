/*
 * test_cdf.c - curves in few points: quantiles of distributions, and series that keep their peaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "run/measures/cdf.h"
#include "weir/random.h"

static void cdf_make__of_few_values_has_all(void **state)
{
    const double values[] = {1, 2, 2, 2, 5};
    struct run_cdf cdf;
    (void)state;
    run_cdf_make(&cdf, values, NULL, 5);
    assert_int_equal(cdf.count, 3);
    assert_true(cdf.x[0] == 1 && cdf.y[0] == 0.2);
    assert_true(cdf.x[1] == 2 && cdf.y[1] == 0.8);
    assert_true(cdf.x[2] == 5 && cdf.y[2] == 1);
    run_cdf_make(&cdf, values, NULL, 0);
    assert_int_equal(cdf.count, 0);
}

static void cdf_make__of_weights(void **state)
{
    const double values[] = {1, 2, 3, 4};
    struct run_cdf cdf;
    (void)state;
    run_cdf_make(&cdf, values, (const uint64_t[]){0, 1000, 0, 3000}, 4);
    assert_int_equal(cdf.count, 2);
    assert_true(cdf.x[0] == 2 && cdf.y[0] == 0.25);
    assert_true(cdf.x[1] == 4 && cdf.y[1] == 1);
    run_cdf_make(&cdf, values, (const uint64_t[]){0, 0, 0, 0}, 4);
    assert_int_equal(cdf.count, 0);
}

/* Whatever their number: all points are of the distribution, the ends are there, and no step is large. */
static void cdf_make__of_many_values_is_even(void **state)
{
    static double values[5000];
    struct run_cdf cdf;
    (void)state;
    for (uint32_t count = 199; count <= 5000; count += 53) {
        for (uint32_t i = 0; i < count; i++)
            values[i] = i;
        run_cdf_make(&cdf, values, NULL, count);
        assert_int_equal(cdf.count, count < RUN_CDF_POINTS ? count : RUN_CDF_POINTS);
        assert_true(cdf.x[0] == 0 && cdf.x[cdf.count - 1] == count - 1 && cdf.y[cdf.count - 1] == 1);
        for (uint32_t i = 0; i < cdf.count; i++) {
            assert_true(cdf.y[i] == (cdf.x[i] + 1) / count);
            assert_true(i == 0 || (cdf.x[i] > cdf.x[i - 1] &&
                                   cdf.y[i] - cdf.y[i - 1] <= 1.0 / (RUN_CDF_POINTS - 1) + 1.0 / count));
        }
    }
}

static void series_thin__leaves_short_ones(void **state)
{
    double points[] = {1, 2, 3, 4};
    (void)state;
    assert_int_equal(run_series_thin(points, 2), 2);
    assert_true(points[3] == 4);
}

/* Ends, peaks and order stay, wherever the peaks are. */
static void series_thin__keeps_peaks(void **state)
{
    (void)state;
    for (uint32_t count = RUN_SERIES_POINTS; count < 40000; count += 1777) {
        double *points = malloc(2 * count * sizeof *points);
        uint32_t high = (uint32_t)(weir_hash(1, count) % count), low = (uint32_t)(weir_hash(2, count) % count);
        bool has_high = false, has_low = false;
        for (uint32_t i = 0; i < count; i++) {
            points[2 * i] = i;
            points[2 * i + 1] = i == high ? 1000 : i == low ? -1000 : (double)(weir_hash(3, i) % 100);
        }
        uint32_t left = run_series_thin(points, count);
        assert_in_range(left, 3000, RUN_SERIES_POINTS);
        assert_true(points[0] == 0 && points[2 * (left - 1)] == count - 1);
        for (uint32_t i = 0; i < left; i++) {
            assert_true(i == 0 || points[2 * i] > points[2 * i - 2]);
            has_high |= points[2 * i] == high && points[2 * i + 1] == 1000;
            has_low |= points[2 * i] == low && points[2 * i + 1] == -1000;
        }
        assert_true(has_high && (has_low || high == low));
        free(points);
    }
}

/* A piece without any value keeps a gap; one with some keeps their extremes. */
static void series_thin__knows_gaps(void **state)
{
    static double points[20000];
    uint32_t gaps = 0;
    (void)state;
    for (uint32_t i = 0; i < 10000; i++) {
        points[2 * i] = i;
        points[2 * i + 1] = i < 5000 ? NAN : i;
    }
    uint32_t left = run_series_thin(points, 10000);
    for (uint32_t i = 0; i < left; i++)
        gaps += isnan(points[2 * i + 1]);
    assert_in_range(gaps, 900, 1100);
    assert_true(points[2 * left - 1] == 9999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cdf_make__of_few_values_has_all),  cmocka_unit_test(cdf_make__of_weights),
        cmocka_unit_test(cdf_make__of_many_values_is_even), cmocka_unit_test(series_thin__leaves_short_ones),
        cmocka_unit_test(series_thin__keeps_peaks),         cmocka_unit_test(series_thin__knows_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
