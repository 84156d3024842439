/* test_marking.c - step and RED marks, against the formula and against counted frequencies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "weir/marking.h"
#include "weir/random.h"

static uint32_t count_marks(const struct weir_marking *marking, weir_cells queue_cells, uint32_t draws)
{
    uint32_t marked = 0;
    for (uint32_t index = 0; index < draws; index++)
        marked += weir_marking_decide(marking, queue_cells, 7, index);
    return marked;
}

static void weir_marking_decide__none_never_marks(void **unused)
{
    struct weir_marking marking = {.kind = WEIR_MARK_NONE};
    (void)unused;
    assert_int_equal(count_marks(&marking, 0, 10), 0);
    assert_int_equal(count_marks(&marking, INT32_MAX, 10), 0);
}

static void weir_marking_decide__step_marks_from_its_level(void **unused)
{
    struct weir_marking marking = {.kind = WEIR_MARK_STEP, .low_cells = 65};
    (void)unused;
    assert_int_equal(count_marks(&marking, 64, 10), 0);
    assert_int_equal(count_marks(&marking, 65, 10), 10);
    assert_int_equal(count_marks(&marking, 66, 10), 10);
}

static void weir_marking_decide__red_is_certain_outside_its_ramp(void **unused)
{
    struct weir_marking marking = {WEIR_MARK_RED, 100, 200, WEIR_Q16_ONE};
    (void)unused;
    assert_int_equal(count_marks(&marking, 99, 1000), 0);
    assert_int_equal(count_marks(&marking, 100, 1000), 0); /* the ramp starts at probability 0 */
    assert_int_equal(count_marks(&marking, 200, 1000), 1000);
    assert_int_equal(count_marks(&marking, 201, 1000), 1000);
    marking.high_chance = 0;
    assert_int_equal(count_marks(&marking, 200, 1000), 0);
    assert_int_equal(count_marks(&marking, 201, 1000), 1000);
}

/* The draw is the top of the hash: the ramp, written out with a division, must agree for every length. */
static void weir_marking_decide__red_follows_the_ramp(void **unused)
{
    struct weir_marking marking = {WEIR_MARK_RED, 1000, 5000, WEIR_Q16_ONE / 5};
    (void)unused;
    for (weir_cells queue = 1000; queue <= 5000; queue += 37) {
        for (uint64_t index = 0; index < 50; index++) {
            int64_t draw = (int64_t)(weir_hash(42, index) >> 48);
            bool expected = draw < marking.high_chance * (queue - 1000) / 4000;
            assert_int_equal(weir_marking_decide(&marking, queue, 42, index), expected);
        }
    }
}

/* Half of the ramp to 1/5 is 1/10: 40000 draws, four standard deviations are 240. */
static void weir_marking_decide__red_frequency(void **unused)
{
    struct weir_marking marking = {WEIR_MARK_RED, 1000, 5000, WEIR_Q16_ONE / 5};
    (void)unused;
    assert_in_range(count_marks(&marking, 3000, 40000), 4000 - 240, 4000 + 240);
}

static void weir_marking_decide__red_with_no_ramp(void **unused)
{
    struct weir_marking marking = {WEIR_MARK_RED, 100, 100, WEIR_Q16_ONE / 2};
    (void)unused;
    assert_int_equal(count_marks(&marking, 99, 1000), 0);
    assert_in_range(count_marks(&marking, 100, 10000), 4800, 5200);
    assert_int_equal(count_marks(&marking, 101, 1000), 1000);
}

static void weir_marking_decide__red_depends_on_seed_and_index(void **unused)
{
    struct weir_marking marking = {WEIR_MARK_RED, 0, 100, WEIR_Q16_ONE};
    uint32_t differ = 0;
    (void)unused;
    for (uint64_t index = 0; index < 64; index++)
        differ += weir_marking_decide(&marking, 50, 1, index) != weir_marking_decide(&marking, 50, 2, index);
    assert_in_range(differ, 1, 63);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weir_marking_decide__none_never_marks),
        cmocka_unit_test(weir_marking_decide__step_marks_from_its_level),
        cmocka_unit_test(weir_marking_decide__red_is_certain_outside_its_ramp),
        cmocka_unit_test(weir_marking_decide__red_follows_the_ramp),
        cmocka_unit_test(weir_marking_decide__red_frequency),
        cmocka_unit_test(weir_marking_decide__red_with_no_ramp),
        cmocka_unit_test(weir_marking_decide__red_depends_on_seed_and_index),
    };
    return cmocka_run_group_tests_name("marking", tests, NULL, NULL);
}
