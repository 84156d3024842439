/*
 * test_evolve.c - evolved inputs: the same whoever evolves them, bad for those that have bad inputs, and never beyond
 * what is proven.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/slot/evolve.h"

static const struct slot_evolution small = {.ports = 4, .buffer = 16, .slots = 60, .generations = 300, .seed = 1};

static struct slot_island island_of(const char *policy, const char *param, const char *value, uint32_t number)
{
    struct slot_algorithm algorithm = slot_algorithm_make(policy, policy, param, value, 0);
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_island island;
    assert_int_equal(slot_evolve(&small, &algorithm, number, &island, &error), WEIR_ERROR_NONE);
    return island;
}

static void slot_evolve__depends_on_its_number_alone(void **state)
{
    struct slot_island two = island_of("dt", NULL, NULL, 2), one = island_of("dt", NULL, NULL, 1);
    struct slot_island again = island_of("dt", NULL, NULL, 2);
    (void)state;
    assert_memory_equal(&two, &again, sizeof two);
    assert_true(one.optimum != two.optimum || one.sent != two.sent);
}

/* What an island says of its genome is what a run of it says. */
static void slot_genome_write__is_what_was_judged(void **state)
{
    struct slot_algorithm algorithm = slot_algorithm_make("dt", "dt", NULL, NULL, 0);
    struct slot_island island = island_of("dt", NULL, NULL, 3);
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_arrivals arrivals;
    struct slot_case c;
    uint64_t sent;
    (void)state;
    slot_arrivals_init(&arrivals, small.ports);
    slot_genome_write(&small, &island.genome, &arrivals);
    assert_true(arrivals.slots > 0 && arrivals.slots <= small.slots);
    assert_int_equal(slot_case_open(&c, &arrivals, small.buffer, true, &error), WEIR_ERROR_NONE);
    assert_int_equal(slot_case_sent(&c, &algorithm, &sent, &error), WEIR_ERROR_NONE);
    assert_int_equal(c.optimum, island.optimum);
    assert_int_equal(sent, island.sent);
    slot_case_close(&c);
    slot_arrivals_free(&arrivals);
}

/* A burst to an empty switch costs DT of alpha 1/2 nearly 1 + 1 / alpha; nothing costs LQD more than 1.6918. */
static void slot_evolve__finds_what_is_known(void **state)
{
    double dt = 0, lqd = 0;
    (void)state;
    for (uint32_t number = 0; number < 3; number++) {
        struct slot_island of_dt = island_of("dt", "alpha", "0.5", number);
        struct slot_island of_lqd = island_of("lqd", "remove", "tail", number);
        double ratio = slot_ratio(of_dt.optimum, of_dt.sent), least = slot_ratio(of_lqd.optimum, of_lqd.sent);
        dt = ratio > dt ? ratio : dt;
        lqd = least > lqd ? least : lqd;
    }
    assert_true(dt > 2.5);
    assert_true(lqd >= 1 && lqd <= 1.6918);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slot_evolve__depends_on_its_number_alone),
        cmocka_unit_test(slot_genome_write__is_what_was_judged),
        cmocka_unit_test(slot_evolve__finds_what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
