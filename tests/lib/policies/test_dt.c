/*
 * test_dt.c - Dynamic Threshold: the boundary of the rule, the paper's steady state, alpha per class.
 */
#include "tests/support/fixture.h"

static void dt_admit__at_the_threshold_and_above(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 4, 1, 1000);
    fixture_build(&f, "dt", NULL);
    fixture_fill(&f, 0, 0, 400, 0); /* 600 free */
    assert_int_equal(fixture_threshold(&f, 1, 0), 600);
    assert_int_equal(fixture_offer(&f, 0, 0, 201, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 0, 200, 0), WEIR_REASON_NONE); /* 400 + 200 = 1 * 600 */
    assert_int_equal(fixture_offer(&f, 1, 0, 401, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 1, 0, 400, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

static void dt_admit__threshold_rounds_down(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 7);
    fixture_build(&f, "dt", "alpha=0.5");
    assert_int_equal(fixture_threshold(&f, 0, 0), 3);
    assert_false(fixture_accepts(&f, 0, 0, 4, 0));
    assert_true(fixture_accepts(&f, 0, 0, 3, 0));
    fixture_free(&f);
}

static void dt_admit__large_alpha_leaves_only_room(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 100);
    fixture_build(&f, "dt", "alpha=64");
    fixture_fill(&f, 0, 0, 95, 0);
    assert_int_equal(fixture_offer(&f, 1, 0, 6, 0), WEIR_REASON_NO_ROOM);
    assert_int_equal(fixture_offer(&f, 1, 0, 5, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 1, 0, 1, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_free(&f);
}

/* n saturated accounts hold alpha B / (1 + alpha n) each; one-cell arrivals in turn leave less than a cell of error. */
static void dt_admit__steady_state_of_the_paper(void **unused)
{
    static const struct {
        const char *alpha;
        uint32_t saturated;
        weir_cells each;
    } table[] = {
        {"alpha=1", 1, 600},    /* B / 2 */
        {"alpha=1", 2, 400},    /* B / 3 */
        {"alpha=0.5", 2, 300},  /* B / 4 */
        {"alpha=2", 1, 800},    /* 2 B / 3 */
        {"alpha=8", 4, 290},    /* 8 B / 33 = 290.9 */
        {"alpha=0.25", 8, 100}, /* B / 12 */
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct fixture f;
        fixture_config(&f, 8, 1, 1200);
        f.config.packets_max = 1200;
        fixture_build(&f, "dt", table[i].alpha);
        for (uint32_t round = 0; round < 1200; round++)
            for (uint32_t port = 0; port < table[i].saturated; port++)
                fixture_send(&f, port, 0, 1, 0);
        for (uint32_t port = 0; port < table[i].saturated; port++)
            assert_in_range(fixture_cells(&f, port, 0), table[i].each - 1, table[i].each + 1);
        fixture_free(&f);
    }
}

static void dt_admit__alpha_per_class(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 3, 1000);
    fixture_build(&f, "dt", "alpha=0.5,8"); /* the last one repeats */
    assert_int_equal(fixture_threshold(&f, 0, 0), 500);
    assert_int_equal(fixture_threshold(&f, 0, 1), 8000);
    assert_int_equal(fixture_threshold(&f, 0, 2), 8000);
    assert_false(fixture_accepts(&f, 0, 0, 501, 0));
    assert_true(fixture_accepts(&f, 0, 2, 501, 0));
    fixture_free(&f);
}

static void dt_admit__private_minimum_is_never_refused(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 2, 140);
    f.config.private_cells[1] = 20; /* 100 shared */
    fixture_build(&f, "dt", "alpha=1,0.01");
    fixture_fill(&f, 0, 0, 50, 0);
    assert_int_equal(fixture_threshold(&f, 0, 1), 0);
    assert_false(fixture_accepts(&f, 0, 1, 21, 0)); /* one cell more than its own */
    assert_true(fixture_accepts(&f, 0, 1, 20, 0));
    assert_int_equal(fixture_free_cells(&f), 50);
    fixture_free(&f);
}

static void dt_change__new_alpha_for_the_queue_at_hand(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 1000);
    fixture_build(&f, "dt", "alpha=1");
    fixture_fill(&f, 0, 0, 500, 0);
    assert_false(fixture_accepts(&f, 0, 0, 1, 0));
    fixture_change(&f, "alpha=2");
    assert_int_equal(fixture_threshold(&f, 0, 0), 1000);
    assert_true(fixture_accepts(&f, 0, 0, 500, 0));
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dt_admit__at_the_threshold_and_above),
        cmocka_unit_test(dt_admit__threshold_rounds_down),
        cmocka_unit_test(dt_admit__large_alpha_leaves_only_room),
        cmocka_unit_test(dt_admit__steady_state_of_the_paper),
        cmocka_unit_test(dt_admit__alpha_per_class),
        cmocka_unit_test(dt_admit__private_minimum_is_never_refused),
        cmocka_unit_test(dt_change__new_alpha_for_the_queue_at_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
