/*
 * test_evaluate.c - expressions over a table whose values are functions of the run's number, what they are
 * about, and statistics over seeds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/store/evaluate.h"
#include "tests/support/error_line.h"
#include "tests/support/results_table.h"
#include "weir/random.h"

/* Runs are policy * 6 + size * 2 + seed, and sizes are 100, 300 and 200 KB. */
static const struct table_measure measures[] = {
    {"a.x", "s"},     /* the run's number */
    {"b.bytes", "B"}, /* 1000 times that */
    {"gap", "1"},     /* 1, but nothing in run 3 */
    {"r.rate", "bit/s"}, {"zero", "1"},
};

static double value_of_run(uint32_t run, uint32_t measure)
{
    const double values[] = {run, 1000.0 * run, run == 3 ? NAN : 1, 1e9, 0};
    return values[measure];
}

static const struct expression *read_expression(struct table *table, const char *text)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const struct expression_axes axes = {table->experiment.axes, table->experiment.axis_count, true};
    const struct expression *expression = expression_read(&table->arena, &axes, (struct mark){"t", 1, 1}, text, &error);
    if (expression == NULL)
        fail_msg("%s: %s", text, ERROR_LINE(&error));
    return expression;
}

static void make(struct table *table)
{
    results_table_make(table, RESULTS_SWEEP, measures, sizeof measures / sizeof measures[0], value_of_run);
}

struct value_case {
    const char *text;
    double expected;
};

/* At policy 1, size 2, seed 1: run 11. */
static void check_values(const struct value_case *cases, size_t count)
{
    struct table table;
    make(&table);
    const struct position position = {{1, 2}, 1, UNFINISHED_MARK};
    for (size_t i = 0; i < count; i++) {
        double value = evaluate(&table, read_expression(&table, cases[i].text), &position);
        bool same = isnan(cases[i].expected) ? isnan(value) : fabs(value - cases[i].expected) < 1e-12 * fabs(value);
        if (!same && value != cases[i].expected)
            fail_msg("%s is %g (expected %g)", cases[i].text, value, cases[i].expected);
    }
    table_free(&table);
}

static void evaluate__operators(void **state)
{
    static const struct value_case cases[] = {
        {"a.x", 11},
        {"2 + a.x * 3 - 1", 34},
        {"-a.x", -11},
        {"abs(1 - a.x)", 10},
        {"a.x / 4", 2.75},
        {"a.x / zero", NAN},
        {"zero / zero", NAN},
        {"size", 200000},
        {"size[size=300KB]", 300000},
        {"a.x[policy=DT]", 5},
        {"a.x[policy=DT, size=100KB]", 1},
        {"1 - a.x[policy=DT] / a.x[policy=Pushout]", 1 - 5 / 11.0},
        {"(a.x + b.bytes)[policy=DT]", 5005},
        {"a.x[policy=Gone]", NAN},
        {"nothing.here", NAN},
        {"a.x < 12", 1},
        {"a.x <= 10", 0},
        {"a.x > 10", 1},
        {"a.x >= 12", 0},
        {"a.x == 11", 1},
        {"a.x != 11", 0},
        {"nothing.here < 1", NAN},
        {"nothing.here != 1", NAN},
        {"nothing.here and zero", 0},
        {"zero and nothing.here", 0},
        {"nothing.here and 1", NAN},
        {"nothing.here or 1", 1},
        {"1 or nothing.here", 1},
        {"nothing.here or zero", NAN},
        {"2 and 3", 1},
        {"zero or zero", 0},
    };
    (void)state;
    check_values(cases, sizeof cases / sizeof cases[0]);
}

static void evaluate__functions(void **state)
{
    static const struct value_case cases[] = {
        {"max(a.x, 20)", 20},
        {"min(a.x, 20)", 11},
        {"max(a.x, nothing.here)", NAN},
        {"max(size, a.x)", 11},
        {"min(size, a.x)", 7},
        {"mean(size, a.x)", 9},
        {"sum(size, a.x)", 27},
        {"sum(policy, sum(size, a.x))", 36},
        {"count(size, a.x > 8)", 2},
        {"count(size, zero)", 0},
        {"sum(size, size)", 600000},
        {"max(size, gap)[policy=DT]", NAN}, /* run 3 is one of them */
        {"count(size, gap)[policy=DT]", NAN},
        {"max(size, gap)", 1},
        {"largest(size, a.x < 12)", 300000},
        {"largest(size, a.x != 9)", 200000},  /* 9 is at 300 KB: 100 and 200 hold */
        {"largest(size, a.x != 11)", 100000}, /* 11 is at 200 KB, the second of them */
        {"largest(size, a.x != 7)", 0},
        {"largest(size, gap == 1)[policy=DT]", NAN},
        {"largest(size, gap == 2)[policy=DT]", 0}, /* decided before the gap */
        {"largest(size, size < 250KB)[policy=DT]", 200000},
        {"a.x * 55%", 6.05},
        {"b.bytes < 12KB", 1},
    };
    (void)state;
    check_values(cases, sizeof cases / sizeof cases[0]);
}

static void evaluate__all_seeds(void **state)
{
    struct table table;
    (void)state;
    make(&table);
    struct position position = {{0, 1}, EVALUATE_ALL_SEEDS, UNFINISHED_MARK}; /* runs 2 and 3 */
    assert_true(evaluate(&table, read_expression(&table, "a.x"), &position) == 2.5);
    assert_true(evaluate(&table, read_expression(&table, "a.x > 2.4"), &position) == 1);
    assert_true(evaluate(&table, read_expression(&table, "gap"), &position) == 1);
    table_free(&table);
}

static void evaluate_free_axes__bits(void **state)
{
    static const struct {
        const char *text;
        uint32_t expected; /* of the two axes */
    } cases[] = {
        {"1 + 2", 0},
        {"a.x", 3},
        {"size", 2},
        {"a.x[policy=DT]", 2},
        {"a.x[policy=DT] / a.x[policy=Pushout]", 2},
        {"a.x[policy=DT] / a.x", 3},
        {"max(size, a.x)", 1},
        {"max(size, a.x)[policy=DT]", 0},
        {"largest(size, zero == 0) + size", 3},
        {"a.x[policy=DT, size=100KB]", 0},
    };
    struct table table;
    (void)state;
    make(&table);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if ((evaluate_free_axes(read_expression(&table, cases[i].text)) & 3) != cases[i].expected)
            fail_msg("%s", cases[i].text);
    table_free(&table);
}

static void evaluate_unit__follows(void **state)
{
    static const struct {
        const char *text, *unit;
    } cases[] = {
        {"a.x", "s"},
        {"-a.x + 5us", "s"},
        {"1us + a.x", "s"},
        {"a.x / a.x", "1"},
        {"a.x / 2", "s"},
        {"2 * b.bytes", "B"},
        {"b.bytes * 2", "B"},
        {"b.bytes / a.x", "1"},
        {"a.x < 1", "1"},
        {"size", "B"},
        {"largest(size, 1)", "B"},
        {"count(size, a.x)", "1"},
        {"mean(size, r.rate)[policy=DT]", "bit/s"},
        {"max(a.x, 1)", "s"},
        {"abs(a.x)", "s"},
        {"nothing.here", "1"},
    };
    struct table table;
    (void)state;
    make(&table);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (strcmp(evaluate_unit(&table, read_expression(&table, cases[i].text)), cases[i].unit) != 0)
            fail_msg("%s", cases[i].text);
    table_free(&table);
}

static void evaluate__what_it_needs(void **state)
{
    struct table table;
    (void)state;
    make(&table);
    assert_null(evaluate_unknown(&table, read_expression(&table, "a.x / max(size, b.bytes[policy=DT])")));
    assert_string_equal(evaluate_unknown(&table, read_expression(&table, "a.x / max(size, c.y[policy=DT])")), "c.y");
    assert_false(evaluate_is_elsewhere(read_expression(&table, "a.x[policy=DT]")));
    assert_true(evaluate_is_elsewhere(read_expression(&table, "1 + a.x[policy=Gone]")));
    table.runs[5].finished = false; /* DT, 200 KB, second seed */
    const struct position here = {{1, 2}, 1, UNFINISHED_MARK}, all = {{0, 2}, EVALUATE_ALL_SEEDS, UNFINISHED_MARK};
    assert_int_equal(evaluate_missing(&table, read_expression(&table, "a.x"), &here), UINT32_MAX);
    assert_int_equal(evaluate_missing(&table, read_expression(&table, "1 / a.x[policy=DT]"), &here), 5);
    assert_int_equal(evaluate_missing(&table, read_expression(&table, "a.x"), &all), 5);
    assert_int_equal(evaluate_missing(&table, read_expression(&table, "max(policy, a.x)"), &here), 5);
    assert_int_equal(evaluate_missing(&table, read_expression(&table, "a.x[policy=DT, size=100KB]"), &here),
                     UINT32_MAX);
    assert_int_equal(evaluate_missing(&table, read_expression(&table, "a.x[policy=Gone]"), &here), UINT32_MAX);
    table_free(&table);
}

static void evaluate_spread__over_seeds(void **state)
{
    struct table table;
    (void)state;
    make(&table);
    const struct position position = {{0, 1}, 77, UNFINISHED_MARK};
    struct spread spread = evaluate_spread(&table, read_expression(&table, "a.x"), &position);
    assert_int_equal(spread.count, 2);
    assert_true(spread.mean == 2.5 && spread.min == 2 && spread.max == 3);
    assert_true(fabs(spread.half - 12.7062047 * 0.5) < 1e-6); /* deviation 0.7071, over sqrt 2 */
    spread = evaluate_spread(&table, read_expression(&table, "gap"), &position);
    assert_int_equal(spread.count, 1);
    assert_true(spread.mean == 1 && isnan(spread.half));
    table_free(&table);
}

static void spread_of__known_values(void **state)
{
    const double ten[] = {10.1, 9.8, 10.4, 10.0, 9.9, 10.3, 9.7, 10.2, 10.0, 9.6};
    const double equal[] = {0.1, 0.1, 0.1, 0.1};
    const double gaps[] = {NAN, 4, NAN, 6, NAN};
    (void)state;
    struct spread spread = spread_of(ten, 10); /* mean 10, variance 0.6 / 9, t(9) = 2.262157 */
    assert_true(fabs(spread.mean - 10) < 1e-12);
    assert_true(fabs(spread.half - 2.262157163 * sqrt(0.6 / 9 / 10)) < 1e-9);
    assert_true(spread.min == 9.6 && spread.max == 10.4);
    spread = spread_of(equal, 4);
    assert_true(spread.mean == 0.1 && spread.half == 0);
    spread = spread_of(gaps, 5);
    assert_int_equal(spread.count, 2);
    assert_true(spread.mean == 5 && spread.min == 4 && spread.max == 6);
    spread = spread_of(gaps, 1);
    assert_true(spread.count == 0 && isnan(spread.mean) && isnan(spread.half) && isnan(spread.min));
}

/* How often the interval of the mean of `count` values that `draw` makes leaves out the true mean, in 2000 trials. With
 * `looks` it is looked at after each value from the second on, and must never. */
typedef double draw_value(uint64_t key);

static double draw_even(uint64_t key)
{
    double sum = -6;
    for (uint32_t i = 0; i < 12; i++)
        sum += (double)(weir_hash(key, i) >> 11) / 9007199254740992.0;
    return sum;
}

/* Four of five runs take 1, one has a timeout: a mean of 20.8. */
static double draw_timeouts(uint64_t key)
{
    return weir_hash(key, 5) % 5 == 0 ? 100 : 1;
}

static double error_rate(draw_value *draw, double mean, uint32_t count, bool anytime, bool bootstrap)
{
    uint32_t wrong = 0;
    for (uint32_t trial = 0; trial < 2000; trial++) {
        struct spread_sum sum = {.count = 0};
        double values[200];
        bool out = false;
        for (uint32_t i = 0; i < count; i++) {
            values[i] = draw(weir_hash(trial, i));
            spread_add(&sum, values[i]);
            struct spread spread = anytime ? spread_end_anytime(&sum) : spread_end(&sum);
            if (bootstrap && i + 1 == count)
                spread_bootstrap(&spread, &sum, values);
            if ((anytime && i > 0) || i + 1 == count)
                out = out || mean < spread_low(&spread) || mean > spread_high(&spread);
        }
        wrong += out && sum.squares > 0;
    }
    return wrong / 2000.0;
}

/* Student's is right for one look and wrong for many; the anytime interval holds whoever looks how often. */
static void spread_end_anytime__holds_at_every_look(void **state)
{
    (void)state;
    double once = error_rate(draw_even, 0, 10, false, false), often = error_rate(draw_even, 0, 200, true, false);
    assert_true(once > 0.035 && once < 0.065);
    print_message("even values: Student once %.3f, anytime at 199 looks %.3f leave the mean out\n", once, often);
    assert_true(often > 0.001 && often < 0.05);
    struct spread_sum sum = {.count = 0};
    for (uint32_t i = 0; i < 10; i++) /* K = (400 * 11)^(1/10) = 2.313, x = 1.663, t = 3.869 */
        spread_add(&sum, i % 2);
    double deviation = sqrt(0.25 * 10 / 9);
    assert_true(fabs(spread_end_anytime(&sum).half / (deviation / sqrt(10)) - 3.869) < 0.01);
    sum.count = 3;
    assert_true(isinf(spread_end_anytime(&sum).half));
}

/* Of rare timeouts the bootstrap's interval is no worse, and is one of a time: it does not begin below the least. */
static void spread_bootstrap__fits_what_is_skewed(void **state)
{
    const double values[] = {1, 1, 100, 1, 1, 1, 1, 1, 1, 1};
    struct spread_sum sum = {.count = 0};
    (void)state;
    for (uint32_t i = 0; i < 10; i++)
        spread_add(&sum, values[i]);
    struct spread even = spread_end(&sum), uneven = even;
    assert_true(spread_is_skewed(&sum) && !spread_is_uneven(&even));
    spread_bootstrap(&uneven, &sum, values);
    print_message("one timeout in ten: Student %.3g to %.3g, bootstrap %.3g to %.3g\n", even.low, even.high, uneven.low,
                  uneven.high);
    assert_true(even.low < 0 && uneven.low >= 1 && uneven.high > even.high && uneven.high <= 100);
    assert_true(spread_is_uneven(&uneven));
    double student = error_rate(draw_timeouts, 20.8, 10, false, false),
           bootstrap = error_rate(draw_timeouts, 20.8, 10, false, true);
    print_message("rare timeouts, ten seeds: Student %.3f, bootstrap %.3f leave the mean out\n", student, bootstrap);
    assert_true(bootstrap <= student + 0.01);
    assert_true(error_rate(draw_even, 0, 10, false, true) < 0.08);
}

/* From printed tables; between table and expansion there is no step. */
static void spread_student__known_quantiles(void **state)
{
    static const struct {
        uint32_t freedom;
        double expected;
    } cases[] = {{1, 12.7062},   {4, 2.776445},  {9, 2.262157},   {30, 2.042272},   {31, 2.039513},
                 {40, 2.021075}, {60, 2.000298}, {100, 1.983972}, {1000, 1.962339}, {1000000, 1.959966}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (fabs(spread_student(cases[i].freedom) - cases[i].expected) > 5e-6 + (cases[i].freedom == 1 ? 1e-4 : 0))
            fail_msg("t(%u) = %.9f", cases[i].freedom, spread_student(cases[i].freedom));
    for (uint32_t freedom = 1; freedom < 200; freedom++)
        assert_true(spread_student(freedom) > spread_student(freedom + 1));
    assert_true(isnan(spread_student(0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluate__operators),
        cmocka_unit_test(evaluate__functions),
        cmocka_unit_test(evaluate__all_seeds),
        cmocka_unit_test(evaluate_free_axes__bits),
        cmocka_unit_test(evaluate_unit__follows),
        cmocka_unit_test(evaluate__what_it_needs),
        cmocka_unit_test(evaluate_spread__over_seeds),
        cmocka_unit_test(spread_of__known_values),
        cmocka_unit_test(spread_end_anytime__holds_at_every_look),
        cmocka_unit_test(spread_bootstrap__fits_what_is_skewed),
        cmocka_unit_test(spread_student__known_quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
