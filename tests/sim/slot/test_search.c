/*
 * test_search.c - the searches for a worst case find the ones that are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "search.h"

static void slot_search_tiny__finds_known_worst_cases(void **state)
{
    static const struct {
        const char *policy, *param, *value;
        struct slot_tiny tiny;
        uint64_t optimum, sent;
    } cases[] = {
        {"cs", NULL, NULL, {2, 2, 1, 4}, 1, 1},        /* one slot: a full buffer is a full buffer */
        {"cs", NULL, NULL, {2, 2, 2, 3}, 4, 3},        /* 0 0 1 | 0 1: the second port comes too late */
        {"dt", "alpha", "1", {2, 4, 1, 4}, 4, 2},      /* a burst to an empty switch: 1 + 1 / alpha */
        {"lqd", "remove", "tail", {2, 2, 3, 3}, 1, 1}, /* with two cells LQD is optimal */
        {"lqd", "remove", "tail", {2, 3, 3, 4}, 7, 6},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct slot_algorithm a = slot_algorithm_make("", cases[i].policy, cases[i].param, cases[i].value, 0);
        struct slot_worst worst = {0};
        assert_int_equal(slot_search_tiny(&cases[i].tiny, &a, 1, &worst), WEIR_ERROR_NONE);
        if (worst.optimum * cases[i].sent != worst.sent * cases[i].optimum)
            print_message("%s: %llu:%llu by %s\n", cases[i].policy, (unsigned long long)worst.optimum,
                          (unsigned long long)worst.sent, worst.by);
        assert_int_equal(worst.optimum * cases[i].sent, worst.sent * cases[i].optimum);
        assert_int_equal(worst.ports, cases[i].tiny.ports);
        assert_int_equal(worst.buffer, cases[i].tiny.buffer);
    }
}

static void slot_search_tiny__shows_the_sequence(void **state)
{
    (void)state;
    struct slot_algorithm dt = slot_algorithm_make("", "dt", "alpha", "1", 0);
    struct slot_tiny tiny = {2, 4, 2, 4};
    struct slot_worst worst = {0};
    assert_int_equal(slot_search_tiny(&tiny, &dt, 1, &worst), WEIR_ERROR_NONE);
    assert_string_equal(worst.by, "|0 0 0 0|");
}

static void slot_search_climb__climbs(void **state)
{
    (void)state;
    struct slot_algorithm cs = slot_algorithm_make("", "cs", NULL, NULL, 0);
    struct slot_climb climb = {.ports = 3, .buffer = 6, .slots = 16, .width = 3, .starts = 2, .seed = 5};
    struct slot_worst start = {0}, top = {0}, again = {0};
    assert_int_equal(slot_search_climb(&climb, &cs, &start), WEIR_ERROR_NONE);
    climb.steps = 300;
    assert_int_equal(slot_search_climb(&climb, &cs, &top), WEIR_ERROR_NONE);
    assert_int_equal(slot_search_climb(&climb, &cs, &again), WEIR_ERROR_NONE);
    assert_true(top.ratio > start.ratio + 0.1);
    assert_true(top.ratio == again.ratio);
    assert_string_equal(top.by, again.by);
}

static void slot_worst_try__keeps_the_worst(void **state)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_algorithm dt = slot_algorithm_make("", "dt", "alpha", "0.5", 0);
    struct slot_algorithm cs = slot_algorithm_make("", "cs", NULL, NULL, 0);
    struct slot_worst worst = {0};
    struct slot_arrivals arrivals;
    struct slot_case c;
    (void)state;
    slot_arrivals_init(&arrivals, 2);
    for (uint32_t i = 0; i < 6; i++)
        slot_arrivals_add(&arrivals, 0);
    slot_arrivals_end_slot(&arrivals);
    assert_int_equal(slot_case_open(&c, &arrivals, 6, true, &error), WEIR_ERROR_NONE);
    assert_int_equal(slot_worst_try(&worst, &c, &dt, "a burst"), WEIR_ERROR_NONE);
    assert_int_equal(slot_worst_try(&worst, &c, &cs, "another"), WEIR_ERROR_NONE);
    assert_string_equal(worst.by, "a burst");
    assert_int_equal(worst.optimum, 6);
    assert_int_equal(worst.sent, 2);
    slot_case_close(&c);
    slot_arrivals_free(&arrivals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slot_search_tiny__finds_known_worst_cases),
        cmocka_unit_test(slot_search_tiny__shows_the_sequence),
        cmocka_unit_test(slot_search_climb__climbs),
        cmocka_unit_test(slot_worst_try__keeps_the_worst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
