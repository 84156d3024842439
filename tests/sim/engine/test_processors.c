/*
 * test_processors.c - the processors of a run's threads: each has some, no two have the same, and afterwards the caller
 * has what it had.
 */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>

#include "sim/engine/processors.h"

static cpu_set_t allowed(void)
{
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    return set;
}

static void processors_use__parts_of_all(void **state)
{
    const cpu_set_t before = allowed();
    const uint32_t count = processors_count();
    (void)state;
    assert_int_equal(count, CPU_COUNT(&before));
    for (uint32_t threads = count / 2 + 1 > 2 ? count / 2 + 1 : 2; threads <= count; threads++) {
        struct processors all = processors_divide(threads);
        cpu_set_t seen;
        CPU_ZERO(&seen);
        assert_int_equal(all.threads, threads);
        for (uint32_t thread = 0; thread < threads; thread++) {
            cpu_set_t part, both;
            processors_use(&all, thread);
            part = allowed();
            CPU_AND(&both, &part, &seen);
            assert_int_equal(CPU_COUNT(&both), 0);
            assert_in_range(CPU_COUNT(&part), count / threads, count / threads + 1);
            CPU_OR(&seen, &seen, &part);
        }
        assert_true(CPU_EQUAL(&seen, &before));
        processors_use_all(&all);
        cpu_set_t after = allowed();
        assert_true(CPU_EQUAL(&after, &before));
    }
}

static void processors_divide__too_few_or_enough(void **state)
{
    const cpu_set_t before = allowed();
    (void)state;
    const uint32_t threads[] = {0, 1, processors_count() + 1, processors_count() / 2};
    for (uint32_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        struct processors none = processors_divide(threads[i]);
        assert_int_equal(none.threads, 0);
        processors_use(&none, 0);
        processors_use_all(&none);
        cpu_set_t after = allowed();
        assert_true(CPU_EQUAL(&after, &before));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_use__parts_of_all),
        cmocka_unit_test(processors_divide__too_few_or_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
