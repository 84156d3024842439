/*
 * test_es.c - Equal Split: the boundary of a port's or an account's part.
 */
#include "tests/support/fixture.h"

static void es_admit__port_up_to_its_part(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 3, 2, 100); /* 33 per port, one cell belongs to nobody */
    fixture_build(&f, "es", NULL);
    assert_int_equal(fixture_threshold(&f, 0, 0), 33);
    fixture_fill(&f, 0, 0, 20, 0);
    assert_int_equal(fixture_offer(&f, 0, 1, 14, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 1, 13, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_free(&f);
}

static void es_admit__nobody_is_hurt_by_the_others(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 3, 1, 100);
    fixture_build(&f, "es", "over=port");
    for (uint32_t port = 0; port < 3; port++) {
        fixture_fill(&f, port, 0, 33, 0);
        assert_false(fixture_accepts(&f, port, 0, 1, 0));
    }
    assert_int_equal(fixture_free_cells(&f), 1);
    fixture_drain(&f, 1, 1, 1);
    assert_false(fixture_accepts(&f, 0, 0, 1, 1));
    assert_true(fixture_accepts(&f, 1, 0, 33, 1));
    fixture_free(&f);
}

static void es_admit__account_up_to_its_part(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 3, 2, 100); /* 16 per account */
    fixture_build(&f, "es", "over=account");
    assert_int_equal(fixture_threshold(&f, 2, 1), 16);
    assert_int_equal(fixture_offer(&f, 0, 0, 17, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_fill(&f, 0, 0, 16, 0);
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_fill(&f, 0, 1, 16, 0); /* the other class of the same port has its own */
    fixture_free(&f);
}

static void es_admit__counts_cells_of_the_shared_pool(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 20);
    f.config.cell_bytes = 100;
    f.config.private_cells[0] = 4; /* 12 shared, 6 per port */
    fixture_build(&f, "es", NULL);
    assert_int_equal(fixture_threshold(&f, 0, 0), 6);
    assert_false(fixture_accepts(&f, 0, 0, 1001, 0)); /* 11 cells */
    assert_true(fixture_accepts(&f, 0, 0, 1000, 0));  /* 4 private and 6 shared */
    assert_int_equal(fixture_shared(&f, 0, 0), 6);
    assert_false(fixture_accepts(&f, 0, 0, 1, 0));
    fixture_free(&f);
}

static void es_change__holds_for_later_arrivals(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 2, 100);
    fixture_build(&f, "es", NULL);
    fixture_fill(&f, 0, 0, 50, 0);
    fixture_change(&f, "over=account");
    assert_int_equal(fixture_threshold(&f, 0, 0), 25);
    assert_false(fixture_accepts(&f, 0, 0, 1, 0));
    assert_true(fixture_accepts(&f, 0, 1, 25, 0));
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(es_admit__port_up_to_its_part),
        cmocka_unit_test(es_admit__nobody_is_hurt_by_the_others),
        cmocka_unit_test(es_admit__account_up_to_its_part),
        cmocka_unit_test(es_admit__counts_cells_of_the_shared_pool),
        cmocka_unit_test(es_change__holds_for_later_arrivals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
