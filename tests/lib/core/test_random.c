/* test_random.c - random streams: known draws, moments, and logarithm and exponential against libm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "weir/random.h"

#define DRAWS 100000u

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void assert_near(double x, double got, double expected)
{
    double error = fabs(got - expected);
    if (error > 1e-12 * fabs(expected))
        print_message("at %a: got %a, expected %a\n", x, got, expected);
    assert_true(error <= 1e-12 * fabs(expected));
}

/* The first outputs of SplitMix64 from the state 0, as published with the generator. */
static void weir_random_bits__is_splitmix64(void **unused)
{
    struct weir_random r = {0, 0};
    (void)unused;
    assert_int_equal(weir_random_bits(&r), UINT64_C(0xe220a8397b1dcdaf));
    assert_int_equal(weir_random_bits(&r), UINT64_C(0x6e789e6aa1b965f4));
    assert_int_equal(weir_random_bits(&r), UINT64_C(0x06c45d188009454f));
    assert_int_equal(r.counter, 3);
}

static void weir_random_stream__depends_on_seed_and_name(void **unused)
{
    struct weir_random a = weir_random_stream(1, "link 3");
    (void)unused;
    assert_int_equal(a.counter, 0);
    assert_int_equal(a.key, weir_random_stream(1, "link 3").key);
    assert_true(a.key != weir_random_stream(2, "link 3").key);
    assert_true(a.key != weir_random_stream(1, "link 4").key);
    assert_true(a.key != weir_random_stream(1, "link ").key);
    assert_true(weir_random_stream(1, "ab").key != weir_random_stream(1, "ba").key);
    assert_true(weir_random_stream(0, "").key != 0);
}

/* Every bucket of ten gets a tenth, within five standard deviations (95 each). */
static void weir_random_below__is_uniform(void **unused)
{
    struct weir_random r = weir_random_stream(5, "below");
    uint32_t count[10] = {0};
    (void)unused;
    for (uint32_t i = 0; i < DRAWS; i++)
        count[weir_random_below(&r, 10)]++;
    for (uint32_t i = 0; i < 10; i++)
        assert_in_range(count[i], DRAWS / 10 - 475, DRAWS / 10 + 475);
}

static void weir_random_below__extremes(void **unused)
{
    struct weir_random r = weir_random_stream(5, "extremes");
    uint32_t highest = 0;
    (void)unused;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(weir_random_below(&r, 1), 0);
        uint32_t x = weir_random_below(&r, UINT32_MAX);
        assert_true(x < UINT32_MAX);
        highest = x > highest ? x : highest;
    }
    assert_true(highest > UINT32_MAX / 100 * 98);
}

/* The 96-bit product, computed the short way. */
static void weir_random_below__is_the_high_part_of_the_product(void **unused)
{
    struct weir_random r = weir_random_stream(9, "product");
    (void)unused;
    for (uint32_t i = 0; i < 1000; i++) {
        struct weir_random copy = r;
        uint32_t n = (uint32_t)weir_hash(3, i) | 1;
        __extension__ unsigned __int128 product = (unsigned __int128)weir_random_bits(&copy) * n;
        assert_int_equal(weir_random_below(&r, n), (uint32_t)(product >> 64));
    }
}

static void weir_random_unit__moments(void **unused)
{
    struct weir_random r = weir_random_stream(5, "unit");
    double sum = 0, squares = 0;
    (void)unused;
    for (uint32_t i = 0; i < DRAWS; i++) {
        double x = weir_random_unit(&r);
        assert_true(x > 0 && x < 1);
        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum / DRAWS - 0.5) < 5 * 0.2887 / sqrt(DRAWS));
    assert_true(fabs(squares / DRAWS - 1.0 / 3) < 5 * 0.2981 / sqrt(DRAWS));
}

static void weir_random_exponential__moments(void **unused)
{
    struct weir_random r = weir_random_stream(5, "exponential");
    double sum = 0, squares = 0;
    uint32_t above_mean = 0;
    (void)unused;
    for (uint32_t i = 0; i < DRAWS; i++) {
        double x = weir_random_exponential(&r, 3);
        assert_true(x > 0);
        sum += x;
        squares += x * x;
        above_mean += x > 3;
    }
    assert_true(fabs(sum / DRAWS - 3) < 5 * 3 / sqrt(DRAWS));
    assert_true(fabs(squares / DRAWS - 18) < 5 * 9 * sqrt(20) / sqrt(DRAWS));
    assert_true(fabs(above_mean / (double)DRAWS - exp(-1)) < 5 * 0.4823 / sqrt(DRAWS));
}

static void weir_random_normal__moments(void **unused)
{
    (void)unused;
    struct weir_random r = weir_random_stream(6, "normal");
    const int count = 200000;
    double sum = 0, squares = 0, cubes = 0;
    int beyond = 0;
    for (int i = 0; i < count; i++) {
        double x = weir_random_normal(&r);
        sum += x;
        squares += x * x;
        cubes += x * x * x;
        beyond += x > 1.959964;
    }
    assert_true(fabs(sum / count) < 0.01);
    assert_true(fabs(squares / count - 1) < 0.015);
    assert_true(fabs(cubes / count) < 0.04);
    assert_true(fabs((double)beyond / count - 0.025) < 0.002);
}

static void weir_random_lognormal__moments(void **unused)
{
    (void)unused;
    struct weir_random r = weir_random_stream(7, "lognormal");
    const int count = 400000;
    double sum = 0, squares = 0, logs = 0;
    for (int i = 0; i < count; i++) {
        double x = weir_random_lognormal(&r, 5, 0.5);
        sum += x;
        squares += x * x;
        logs += log(x);
    }
    double mean = sum / count;
    assert_true(fabs(mean - 5) < 0.02);
    assert_true(fabs(sqrt(squares / count - mean * mean) / mean - 0.5) < 0.01);
    assert_true(fabs(logs / count - (log(5) - log(1.25) / 2)) < 0.005);
    assert_true(weir_random_lognormal(&r, 5, 0) == 5);
}

static void weir_log__agrees_with_libm(void **unused)
{
    static const double points[] = {1,
                                    2,
                                    0.5,
                                    0x1.6a09e667f3bcdp+0,
                                    0x1.6a09e667f3bccp+0,
                                    3,
                                    10,
                                    1 + 1e-10,
                                    1 - 1e-10,
                                    DBL_MIN,
                                    DBL_MAX,
                                    DBL_TRUE_MIN,
                                    1 + 0x1p-52,
                                    1 - 0x1p-53,
                                    0x1p-1030,
                                    0x1.fffffffffffffp-1023};
    struct weir_random r = weir_random_stream(11, "log");
    (void)unused;
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        assert_near(points[i], weir_log(points[i]), log(points[i]));
    for (uint32_t i = 0; i < DRAWS; i++) {
        double x = ldexp(weir_random_unit(&r), (int)weir_random_below(&r, 2000) - 1000);
        assert_near(x, weir_log(x), log(x));
        double near_one = 1 + (weir_random_unit(&r) - 0.5) / 8;
        assert_near(near_one, weir_log(near_one), log(near_one));
    }
}

static void weir_exp__agrees_with_libm(void **unused)
{
    static const double points[] = {0,    -0.0,  1, -1, 0.3465735902799726, -0.3465735902799727, 709.782712893384,
                                    -708, 1e-300};
    struct weir_random r = weir_random_stream(12, "exp");
    (void)unused;
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        assert_near(points[i], weir_exp(points[i]), exp(points[i]));
    for (uint32_t i = 0; i < DRAWS; i++) {
        double x = (weir_random_unit(&r) - 0.5) * 1416;
        assert_near(x, weir_exp(x), exp(x));
        double small = (weir_random_unit(&r) - 0.5) * 2;
        assert_near(small, weir_exp(small), exp(small));
    }
}

/* Subnormal results have few bits: they may be off by their last one. */
static void weir_exp__range_ends(void **unused)
{
    (void)unused;
    assert_true(weir_exp(710) == HUGE_VAL);
    assert_true(weir_exp(HUGE_VAL) == HUGE_VAL);
    assert_true(weir_exp(-746) == 0);
    assert_true(weir_exp(-HUGE_VAL) == 0);
    for (double x = -745.13; x < -708; x += 0.37) {
        assert_true(weir_exp(x) > 0);
        assert_true(fabs(weir_exp(x) - exp(x)) <= DBL_TRUE_MIN + 1e-12 * exp(x));
    }
}

/* Fixed bits: a compiler or an option that evaluates differently is found here and not in a simulation. */
static void weir_log_exp__bits_are_fixed(void **unused)
{
    uint64_t logs = 0, exps = 0;
    (void)unused;
    for (uint32_t i = 1; i <= 10000; i++) {
        logs = weir_hash(logs, bits_of(weir_log(i * 0.37)));
        exps = weir_hash(exps, bits_of(weir_exp((i - 5000.0) * 0.0731)));
    }
    assert_int_equal(logs, UINT64_C(0x3f73134a95bd72a9));
    assert_int_equal(exps, UINT64_C(0x9943b34db97e8e61));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weir_random_bits__is_splitmix64),
        cmocka_unit_test(weir_random_stream__depends_on_seed_and_name),
        cmocka_unit_test(weir_random_below__is_uniform),
        cmocka_unit_test(weir_random_below__extremes),
        cmocka_unit_test(weir_random_below__is_the_high_part_of_the_product),
        cmocka_unit_test(weir_random_unit__moments),
        cmocka_unit_test(weir_random_exponential__moments),
        cmocka_unit_test(weir_random_normal__moments),
        cmocka_unit_test(weir_random_lognormal__moments),
        cmocka_unit_test(weir_log__agrees_with_libm),
        cmocka_unit_test(weir_exp__agrees_with_libm),
        cmocka_unit_test(weir_exp__range_ends),
        cmocka_unit_test(weir_log_exp__bits_are_fixed),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
