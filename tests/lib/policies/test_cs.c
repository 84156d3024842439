/*
 * test_cs.c - Complete Sharing: room is the only limit.
 */
#include "tests/support/fixture.h"

static void cs_admit__one_account_takes_everything(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 4, 2, 1000);
    fixture_build(&f, "cs", NULL);
    fixture_fill(&f, 2, 1, 999, 0);
    assert_int_equal(fixture_offer(&f, 0, 0, 2, 0), WEIR_REASON_NO_ROOM);
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 2, 1, 1, 0), WEIR_REASON_NO_ROOM);
    assert_int_equal(fixture_free_cells(&f), 0);
    fixture_free(&f);
}

static void cs_admit__room_comes_back_with_a_departure(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 100);
    fixture_build(&f, "cs", NULL);
    fixture_fill(&f, 0, 0, 40, 0);
    fixture_fill(&f, 0, 0, 60, 0);
    assert_false(fixture_accepts(&f, 1, 0, 1, 0));
    fixture_drain(&f, 0, 1, 1);
    assert_false(fixture_accepts(&f, 1, 0, 41, 1));
    assert_true(fixture_accepts(&f, 1, 0, 40, 1));
    fixture_free(&f);
}

static void cs_admit__private_minimum_is_on_top(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 100);
    f.config.private_cells[0] = 10;
    fixture_build(&f, "cs", NULL);
    fixture_fill(&f, 0, 0, 90, 0); /* its own 10 and all 80 of the shared pool */
    assert_false(fixture_accepts(&f, 0, 0, 1, 0));
    assert_false(fixture_accepts(&f, 1, 0, 11, 0));
    assert_true(fixture_accepts(&f, 1, 0, 10, 0));
    fixture_free(&f);
}

static void cs_threshold__has_none_and_takes_no_values(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 100);
    fixture_build(&f, "cs", NULL);
    assert_int_equal(fixture_threshold(&f, 0, 0), 0);
    assert_null(weir_mmu_change(f.mmu, false, &f.values, 0));
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cs_admit__one_account_takes_everything),
        cmocka_unit_test(cs_admit__room_comes_back_with_a_departure),
        cmocka_unit_test(cs_admit__private_minimum_is_on_top),
        cmocka_unit_test(cs_threshold__has_none_and_takes_no_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
