/*
 * test_cells.c - the model of descriptors, cell pointers and the free list.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/hw/rtl/cells.h"

static void take__cells_in_order_and_joins_with_the_last(void **state)
{
    (void)state;
    struct naive_cells *m = naive_cells_new(2, 8, 4, 2);
    naive_cells_arrive(m, 1, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(naive_cells_packets(m, 1), 0);
        assert_int_equal(naive_cells_take(m), i);
    }
    assert_int_equal(naive_cells_packets(m, 1), 1);
    assert_int_equal(naive_cells_take(m), NAIVE_CELLS_NONE);
    assert_null(naive_cells_check(m));
    naive_cells_delete(m);
}

static void free__sublists_give_the_cells_in_order(void **state)
{
    (void)state;
    for (uint32_t lanes = 1; lanes <= 4; lanes++) {
        struct naive_cells *m = naive_cells_new(1, 8, 4, lanes);
        naive_cells_arrive(m, 0, 7);
        for (uint32_t i = 0; i < 7; i++)
            naive_cells_take(m);
        assert_int_equal(naive_cells_leave(m, 0, true), 7);
        for (uint32_t i = 0; i < 7; i++) {
            assert_int_equal(naive_cells_left(m, true), 7 - i);
            assert_int_equal(naive_cells_free(m, true), i);
            assert_null(naive_cells_check(m));
        }
        assert_int_equal(naive_cells_free(m, true), NAIVE_CELLS_NONE);
        naive_cells_delete(m);
    }
}

static void take__returned_cells_come_last(void **state)
{
    (void)state;
    struct naive_cells *m = naive_cells_new(1, 3, 4, 1);
    naive_cells_arrive(m, 0, 1);
    naive_cells_arrive(m, 0, 1);
    naive_cells_take(m);
    naive_cells_take(m);
    naive_cells_leave(m, 0, false);
    naive_cells_free(m, false);
    naive_cells_arrive(m, 0, 2);
    assert_int_equal(naive_cells_take(m), 2);
    assert_int_equal(naive_cells_take(m), 0);
    assert_null(naive_cells_check(m));
    naive_cells_delete(m);
}

static void leave__waits_for_the_packet_before(void **state)
{
    (void)state;
    struct naive_cells *m = naive_cells_new(1, 8, 4, 1);
    assert_int_equal(naive_cells_leave(m, 0, true), 0);
    for (uint32_t i = 0; i < 2; i++) {
        naive_cells_arrive(m, 0, 1);
        naive_cells_take(m);
    }
    assert_int_equal(naive_cells_leave(m, 0, true), 1);
    assert_int_equal(naive_cells_leave(m, 0, true), 0);
    assert_int_equal(naive_cells_leave(m, 0, false), 1);
    naive_cells_free(m, true);
    assert_int_equal(naive_cells_leave(m, 0, true), 0);
    naive_cells_delete(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take__cells_in_order_and_joins_with_the_last),
        cmocka_unit_test(free__sublists_give_the_cells_in_order),
        cmocka_unit_test(take__returned_cells_come_last),
        cmocka_unit_test(leave__waits_for_the_packet_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
