/*
 * test_values.c - lists of measures, and their way through a pipe: whole, cut, changed and made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/measures/row.h"
#include "run/measures/values.h"
#include "tests/support/failing_alloc.h"
#include "weir/random.h"

static void fill(struct measures *measures, uint32_t count)
{
    measures->digest = UINT64_C(0xfedcba9876543210);
    measures->hops = 77;
    for (uint32_t i = 0; i < count; i++)
        measures_add(measures, i % 2 == 0 ? "s" : "bit/s", i * 0.1, "tag%u.fct.mean", i);
    measures_add_curve(measures, "s", "B", "empty");
    measures_add_curve(measures, "s", "1", "tag.%s", "cdf");
    for (uint32_t i = 0; i < count; i++)
        measures_add_point(measures, i, i == 3 ? NAN : i / 2.0);
}

static void measures_add__texts_and_numbers(void **state)
{
    struct measures m = {.failed = false};
    (void)state;
    measures_add(&m, "s", 1.5, "query.qct.p%d", 99);
    measures_add(&m, "B", NAN, "none");
    measures_add(&m, "B", INFINITY, "none");
    measures_add(&m, "1", -0.0, "zero");
    assert_false(m.failed);
    assert_int_equal(m.value_count, 2);
    assert_string_equal(m.values[0].name, "query.qct.p99");
    assert_string_equal(m.values[0].unit, "s");
    assert_true(m.values[0].value == 1.5);
    assert_false(signbit(m.values[1].value));
    measures_free(&m);
    assert_int_equal(m.value_count, 0);
    measures_free(&m);
}

static void measures_add_point__keeps_all(void **state)
{
    struct measures m = {.failed = false};
    (void)state;
    fill(&m, 1000);
    assert_int_equal(m.curve_count, 2);
    assert_int_equal(m.curves[0].count, 0);
    assert_int_equal(m.curves[1].count, 1000);
    assert_string_equal(m.curves[1].name, "tag.cdf");
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(m.curves[1].points[2 * i] == i);
        assert_true(i == 3 ? isnan(m.curves[1].points[7]) : m.curves[1].points[2 * i + 1] == i / 2.0);
    }
    measures_free(&m);
}

static void assert_same(const struct measures *a, const struct measures *b)
{
    assert_true(a->digest == b->digest && a->hops == b->hops);
    assert_int_equal(a->value_count, b->value_count);
    assert_int_equal(a->curve_count, b->curve_count);
    for (uint32_t i = 0; i < a->value_count; i++) {
        assert_string_equal(a->values[i].name, b->values[i].name);
        assert_ptr_equal(a->values[i].unit, b->values[i].unit);
        assert_true(a->values[i].value == b->values[i].value);
    }
    for (uint32_t i = 0; i < a->curve_count; i++) {
        assert_string_equal(a->curves[i].name, b->curves[i].name);
        assert_ptr_equal(a->curves[i].x_unit, b->curves[i].x_unit);
        assert_ptr_equal(a->curves[i].y_unit, b->curves[i].y_unit);
        assert_int_equal(a->curves[i].count, b->curves[i].count);
        if (a->curves[i].count > 0)
            assert_memory_equal(a->curves[i].points, b->curves[i].points, 16 * (size_t)a->curves[i].count);
    }
}

static void measures_pack__there_and_back(void **state)
{
    (void)state;
    for (uint32_t count = 0; count < 40; count += 13) {
        struct measures m = {.failed = false}, back;
        size_t size;
        fill(&m, count);
        uint8_t *bytes = measures_pack(&m, &size);
        assert_non_null(bytes);
        assert_true(measures_unpack(&back, bytes, size));
        assert_same(&m, &back);
        measures_add(&back, "s", 1, "one more");
        for (uint32_t i = 0; i < 20; i++)
            measures_add_point(&back, 1, 2);
        assert_int_equal(back.curves[1].count, count + 20);
        measures_free(&back);
        measures_free(&m);
        free(bytes);
    }
}

static void measures_pack__failed(void **state)
{
    struct measures m = {.failed = true};
    size_t size;
    (void)state;
    assert_null(measures_pack(&m, &size));
}

static void measures_unpack__cut(void **state)
{
    struct measures m = {.failed = false}, back;
    size_t size;
    (void)state;
    fill(&m, 20);
    uint8_t *bytes = measures_pack(&m, &size);
    assert_non_null(bytes);
    for (size_t length = 0; length < size; length++) {
        uint8_t *part = malloc(length + 1); /* so that a sanitizer sees reads behind it */
        assert_non_null(part);
        memcpy(part, bytes, length);
        assert_false(measures_unpack(&back, part, length));
        assert_int_equal(back.value_count, 0);
        assert_null(back.values);
        free(part);
    }
    bytes = realloc(bytes, size + 1);
    assert_non_null(bytes);
    assert_false(measures_unpack(&back, bytes, size + 1));
    free(bytes);
    measures_free(&m);
}

static void measures_unpack__changed(void **state)
{
    struct measures m = {.failed = false}, back;
    size_t size;
    uint32_t taken = 0;
    (void)state;
    fill(&m, 20);
    uint8_t *bytes = measures_pack(&m, &size);
    uint8_t *copy = malloc(size);
    assert_true(bytes != NULL && copy != NULL);
    for (uint64_t seed = 0; seed < 20000; seed++) {
        memcpy(copy, bytes, size);
        uint32_t changes = 1 + weir_hash(seed, 0) % 4;
        for (uint32_t i = 1; i <= changes; i++) {
            uint64_t draw = weir_hash(seed, i);
            size_t at = draw % 3 == 0 ? (draw >> 8) % 40 : (draw >> 8) % size;
            copy[at] = draw % 5 == 0 ? 0xff : (uint8_t)(draw >> 40);
        }
        failing_alloc_start(0);
        if (measures_unpack(&back, copy, size)) {
            taken++;
            measures_free(&back);
        }
        if (failing_alloc_held() != 0)
            fail_msg("seed %llu: %lld blocks are left", (unsigned long long)seed, (long long)failing_alloc_held());
    }
    assert_true(taken > 0 && taken < 20000);
    free(copy);
    free(bytes);
    measures_free(&m);
}

/* Lengths that the bytes do not have are refused before memory is taken for them; `asked` counts what is taken. */
static void measures_unpack__lengths(void **state)
{
    struct measures m = {.failed = false}, back;
    size_t size;
    const uint32_t huge = 0x7fffffff;
    (void)state;
    measures_add(&m, "s", 1, "name");
    measures_add_curve(&m, "s", "B", "c");
    measures_add_point(&m, 1, 2);
    uint8_t *bytes = measures_pack(&m, &size);
    assert_non_null(bytes);
    const struct {
        size_t at; /* of the length */
        uint64_t taken;
    } cases[] = {{32, 0}, {36, 0}, {41, 2}, {size - 16 - 4, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t kept;
        memcpy(&kept, bytes + cases[i].at, sizeof kept);
        memcpy(bytes + cases[i].at, &huge, sizeof huge);
        failing_alloc_start(0);
        assert_false(measures_unpack(&back, bytes, size));
        if (failing_alloc.asked != cases[i].taken)
            fail_msg("length at %zu: %llu allocations", cases[i].at, (unsigned long long)failing_alloc.asked);
        memcpy(bytes + cases[i].at, &kept, sizeof kept);
    }
    bytes = realloc(bytes, size + 1);
    assert_non_null(bytes);
    bytes[size] = 0;
    const uint64_t longer = size + 1; /* says so, but nothing explains the last byte */
    memcpy(bytes + 8, &longer, sizeof longer);
    assert_false(measures_unpack(&back, bytes, size + 1));
    free(bytes);
    measures_free(&m);
}

static void measures_unpack__garbage(void **state)
{
    struct measures back;
    uint8_t bytes[200];
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        for (uint32_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)weir_hash(seed, i);
        assert_false(measures_unpack(&back, bytes, weir_hash(seed, 999) % sizeof bytes));
    }
}

/* Every allocation fails in turn: adding says so in `failed`, packing by null, unpacking by false; nothing is kept. */
static bool work(void)
{
    struct measures m = {.failed = false}, back = {.failed = false};
    size_t size = 0;
    fill(&m, 20);
    uint8_t *bytes = measures_pack(&m, &size);
    bool good = !m.failed && bytes != NULL && measures_unpack(&back, bytes, size);
    free(bytes);
    measures_free(&m);
    measures_free(&back);
    return good;
}

static void measures__memory(void **state)
{
    bool failed = true;
    (void)state;
    for (uint64_t n = 1; failed; n++) {
        failing_alloc_start(n);
        bool good = work();
        failed = failing_alloc_stop();
        if (good == failed || failing_alloc_held() != 0)
            fail_msg("allocation %llu: good %d, held %lld", (unsigned long long)n, good,
                     (long long)failing_alloc_held());
    }
}

/* The byte of a unit is one of those that there are. */
static void measures_unpack__units(void **state)
{
    struct measures m = {.failed = false}, back;
    size_t size;
    (void)state;
    measures_add(&m, "B", 1, "name");
    measures_add_curve(&m, "bit/s", "1", "c");
    uint8_t *bytes = measures_pack(&m, &size);
    assert_non_null(bytes);
    const size_t unit = 4 * sizeof(uint64_t) + 2 * sizeof(uint32_t), curve = size - 2 - 2 * sizeof(uint32_t) - 1;
    assert_true(measures_unpack(&back, bytes, size));
    assert_string_equal(back.values[0].unit, "B");
    assert_string_equal(back.curves[0].x_unit, "bit/s");
    assert_string_equal(back.curves[0].y_unit, "1");
    measures_free(&back);
    for (uint32_t code = 0; code <= UINT8_MAX; code++)
        for (uint32_t place = 0; place < 3; place++) {
            size_t at = place == 0 ? unit : curve + place - 1;
            uint8_t kept = bytes[at];
            bytes[at] = (uint8_t)code;
            bool taken = measures_unpack(&back, bytes, size);
            assert_int_equal(taken, code < UNITS_COUNT);
            if (taken) {
                const char *name = place == 0   ? back.values[0].unit
                                   : place == 1 ? back.curves[0].x_unit
                                                : back.curves[0].y_unit;
                assert_ptr_equal(name, units_name(code));
                measures_free(&back);
            }
            bytes[at] = kept;
        }
    free(bytes);
    measures_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_unpack__units),        cmocka_unit_test(measures_add__texts_and_numbers),
        cmocka_unit_test(measures_add_point__keeps_all), cmocka_unit_test(measures_pack__there_and_back),
        cmocka_unit_test(measures_pack__failed),         cmocka_unit_test(measures_unpack__cut),
        cmocka_unit_test(measures_unpack__changed),      cmocka_unit_test(measures_unpack__lengths),
        cmocka_unit_test(measures_unpack__garbage),      cmocka_unit_test(measures__memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
