/*
 * test_progress.c - how long a sweep still takes, by the runs that have ended and by what was planned, and one run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/spread/progress.h"

/* Runs in the testbed: ten, one after the other, of 14 s as planned, and of 10 s as it turns out. */
static void sweep_progress_left__planned(void **state)
{
    static const struct {
        double now;
        uint32_t done;
        double left;
    } steps[] = {{0, 0, 140}, {5, 0, 135}, {10, 1, 90}, {15, 1, 85}, {19, 1, 81},
                 {20, 2, 80}, {90, 9, 10}, {95, 9, 5},  {101, 9, 0}, {102, 10, 0}};
    struct sweep_progress p = {.total = 12, .there = 2, .part = 10, .planned_s = 140};
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        p.done = steps[i].done;
        double left = sweep_progress_left(&p, steps[i].now);
        if (!(left > steps[i].left - 1e-9 && left < steps[i].left + 1e-9))
            fail_msg("at %g s: %g s left (expected %g)", steps[i].now, left, steps[i].left);
    }
}

/* Simulations: nothing is known before the first has ended; failed ones have ended too. */
static void sweep_progress_left__unplanned(void **state)
{
    struct sweep_progress p = {.total = 8, .part = 4, .done = 3, .failed = 1, .before = 4, .ended = 4};
    (void)state;
    assert_true(sweep_progress_left(&p, 7) < 0);
    p.failed++;
    assert_true(sweep_progress_left(&p, 8) == 24);
    assert_true(sweep_progress_left(&p, 12) == 20);
    p.done += 3;
    assert_true(sweep_progress_left(&p, 13) == 0);
}

static void progress_left__of_one_run(void **state)
{
    (void)state;
    assert_true(progress_left(10, 0, 100) == 0);
    assert_true(progress_left(10, 20, 100) == 40);
    assert_true(progress_left(50, 100, 100) == 0);
    assert_true(progress_left(50, 101, 100) == 0); /* the last window may end later */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweep_progress_left__planned),
        cmocka_unit_test(sweep_progress_left__unplanned),
        cmocka_unit_test(progress_left__of_one_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
