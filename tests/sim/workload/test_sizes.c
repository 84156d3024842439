/*
 * test_sizes.c - the published tables have the means that are published with them, draws follow the table, and a bad
 * table is named.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/workload/sizes.h"
#include "tests/support/error_line.h"

static const struct {
    const char *name;
    uint32_t points;
    double mean_bytes; /* as published with the table, to half a byte or better */
} published[] = {
    {"websearch", 12, 1711250.00},   {"websearch-16", 16, 1711222.50},
    {"datamining", 13, 12658198.60}, {"hadoop", 20, 120420.75},
    {"cache", 40, 609882.96},        {"storage", 9, 40869.80},
    {"webserver", 35, 91342.98},     {"rpc", 843, 2891.62},
};

static void size_table_find__knows_the_published_tables(void **state)
{
    (void)state;
    assert_int_equal(size_table_count(), sizeof published / sizeof published[0]);
    for (uint32_t i = 0; i < size_table_count(); i++) {
        const struct size_table *table = size_table_find(published[i].name);
        assert_non_null(table);
        assert_ptr_equal(table, size_table_at(i));
        assert_int_equal(table->count, published[i].points);
        assert_float_equal(table->mean_bytes, published[i].mean_bytes, 0.0051);
        assert_non_null(strstr(table->source, "github.com/"));
    }
    assert_null(size_table_find("web"));
    assert_null(size_table_find(""));
}

static void size_table_check__computes_the_stored_mean(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < size_table_count(); i++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct size_table copy = *size_table_at(i);
        copy.mean_bytes = 0;
        assert_true(size_table_check(&copy, &error));
        assert_true(copy.mean_bytes == size_table_at(i)->mean_bytes);
    }
}

static void size_table_check__refuses_bad_tables(void **state)
{
    (void)state;
    static const struct {
        struct size_point points[3];
        uint32_t count;
        const char *expected; /* null: accepted */
    } cases[] = {
        {{{0, 0}, {10, 0.5}, {20, 1}}, 3, NULL},
        {{{100, 1}}, 1, NULL},
        {{{10, 0}, {10, 1}}, 2, NULL},
        {{{0, 0}}, 0, "no points"},
        {{{0, 0}, {10, 0.5}}, 2, "point 2 (10 bytes, 0.5): the last cumulative probability is 1"},
        {{{0, 0}, {10, 0.5}, {9, 1}}, 3, "point 3 (9 bytes, 1): bytes never become smaller"},
        {{{0, 0.5}, {10, 0.4}, {20, 1}}, 3, "point 2 (10 bytes, 0.4): the cumulative"},
        {{{-1, 0}, {10, 1}}, 2, "point 1 (-1 bytes, 0): bytes are between"},
        {{{0, 0}, {1e16, 1}}, 2, "bytes are between"},
        {{{0, 0}, {10, 1.5}}, 2, "between 0 and 1"},
        {{{0, 0}, {0, 1}}, 2, "its mean is 0 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct size_table table = {.name = "t", .points = cases[i].points, .count = cases[i].count};
        bool good = size_table_check(&table, &error);
        if (good != !cases[i].expected || (!good && !strstr(ERROR_LINE(&error), cases[i].expected)))
            fail_msg("case %zu: %s", i, ERROR_LINE(&error));
    }
}

/* Probability of a draw of at most the bytes of a point: draws are rounded, so half a byte more counts too. */
static double share_at(const struct size_table *table, uint32_t p)
{
    const struct size_point *point = &table->points[p];
    if (p + 1 == table->count)
        return 1;
    return point->cumulative + 0.5 * (point[1].cumulative - point->cumulative) / (point[1].bytes - point->bytes);
}

/* The share of draws at or below each point of the table is as the table says, within 4.5 standard errors. */
static void size_table_draw__follows_the_table(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    for (uint32_t i = 0; i < size_table_count(); i++) {
        const struct size_table *table = size_table_at(i);
        uint32_t step = table->count / 20 + 1;
        uint32_t *below = calloc(table->count, sizeof *below);
        struct weir_random random = weir_random_stream(7, table->name);
        for (uint32_t d = 0; d < DRAWS; d++) {
            int64_t bytes = size_table_draw(table, &random);
            assert_in_range(bytes, 1, (int64_t)table->points[table->count - 1].bytes);
            for (uint32_t p = 1; p < table->count; p += step)
                below[p] += (double)bytes <= table->points[p].bytes;
        }
        for (uint32_t p = 1; p < table->count; p += step) {
            double expected = share_at(table, p), error = (double)below[p] / DRAWS - expected;
            if (error * error * DRAWS > 4.5 * 4.5 * expected * (1 - expected) + 1e-12)
                fail_msg("%s: %u of %d draws are at most %g bytes, expected %g of them", table->name, below[p],
                         (int)DRAWS, table->points[p].bytes, expected);
        }
        free(below);
    }
}

static void size_table_draw__interpolates(void **state)
{
    (void)state;
    static const struct size_point points[] = {{100, 0.25}, {100, 0.25}, {200, 0.5}, {200, 0.75}, {1000, 1}};
    struct size_table table = {.name = "t", .points = points, .count = 5};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    assert_true(size_table_check(&table, &error));
    assert_float_equal(table.mean_bytes, 25 + 150 * 0.25 + 200 * 0.25 + 600 * 0.25, 1e-9);
    struct weir_random random = {99, 0}, same = random;
    for (uint32_t i = 0; i < 10000; i++) {
        double u = weir_random_unit(&same);
        double expected = u <= 0.25   ? 100
                          : u <= 0.5  ? 100 + 400 * (u - 0.25)
                          : u <= 0.75 ? 200
                                      : 200 + 3200 * (u - 0.75);
        int64_t bytes = size_table_draw(&table, &random);
        assert_float_equal((double)bytes, expected, 0.5 + 1e-6);
    }
}

static void size_table_draw__is_at_least_one_byte(void **state)
{
    (void)state;
    static const struct size_point points[] = {{0, 0.5}, {0.4, 0.9}, {1000, 1}};
    struct size_table table = {.name = "t", .points = points, .count = 3};
    struct weir_random random = {5, 0};
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(size_table_draw(&table, &random) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_table_find__knows_the_published_tables),
        cmocka_unit_test(size_table_check__computes_the_stored_mean),
        cmocka_unit_test(size_table_check__refuses_bad_tables),
        cmocka_unit_test(size_table_draw__follows_the_table),
        cmocka_unit_test(size_table_draw__interpolates),
        cmocka_unit_test(size_table_draw__is_at_least_one_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
