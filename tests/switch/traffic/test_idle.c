/*
 * test_idle.c - connections that wait: the last one first, each at its place, and gone when closed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "switch/traffic/idle.h"

static void idle_take__last_first(void **state)
{
    struct idle idle;
    struct idle_link links[4];
    (void)state;
    assert_true(idle_init(&idle, 3));
    assert_null(idle_take(&idle, 0));
    for (size_t i = 0; i < 3; i++)
        idle_put(&idle, 1, &links[i]);
    idle_put(&idle, 2, &links[3]);
    assert_ptr_equal(idle_take(&idle, 1), &links[2]);
    assert_int_equal(links[2].place, IDLE_NOWHERE);
    assert_ptr_equal(idle_take(&idle, 1), &links[1]);
    idle_put(&idle, 1, &links[1]);
    assert_ptr_equal(idle_take(&idle, 1), &links[1]);
    assert_ptr_equal(idle_take(&idle, 1), &links[0]);
    assert_null(idle_take(&idle, 1));
    assert_ptr_equal(idle_take(&idle, 2), &links[3]);
    idle_free(&idle);
}

/* Each of three removed in turn: the other two are still taken, in their order. */
static void idle_remove__anywhere(void **state)
{
    (void)state;
    for (size_t removed = 0; removed < 3; removed++) {
        struct idle idle;
        struct idle_link links[3];
        assert_true(idle_init(&idle, 1));
        for (size_t i = 0; i < 3; i++)
            idle_put(&idle, 0, &links[i]);
        idle_remove(&idle, &links[removed]);
        idle_remove(&idle, &links[removed]); /* it waits no more: nothing happens */
        for (size_t i = 3; i-- > 0;)
            if (i != removed)
                assert_ptr_equal(idle_take(&idle, 0), &links[i]);
        assert_null(idle_take(&idle, 0));
        idle_free(&idle);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(idle_take__last_first),
                                       cmocka_unit_test(idle_remove__anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
