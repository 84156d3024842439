/*
 * test_records.c - records are kept as they come, and sorted by id at the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/net/records.h"

static void add__keeps_every_record(void **state)
{
    struct records records = {0};
    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(records_add(&records, &(struct flow_record){.id = i * 7, .bytes = -(int64_t)i}));
    assert_int_equal(records.count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(records.at[i].id, i * 7);
        assert_int_equal(records.at[i].bytes, -(int64_t)i);
    }
    records_free(&records);
    assert_null(records.at);
    assert_int_equal(records.count + records.room, 0);
}

/* 7919 and 1000 have no common divisor, so every id comes once; the largest ones are beyond a signed number. */
static void sort__is_by_id(void **state)
{
    struct records records = {0};
    (void)state;
    records_sort(&records);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t id = UINT32_MAX - 7919 * i % 1000 * 4000000;
        assert_true(records_add(&records, &(struct flow_record){.id = id, .source = id ^ 5}));
    }
    records_sort(&records);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(records.at[i].id, UINT32_MAX - (999 - i) * 4000000);
        assert_int_equal(records.at[i].source, records.at[i].id ^ 5);
    }
    records_free(&records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__keeps_every_record),
        cmocka_unit_test(sort__is_by_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
