/*
 * test_smxq.c - Sharing with a Maximum Queue: a fixed limit per class, the square-root rule, private minimums.
 */
#include "tests/support/fixture.h"

static void smxq_admit__at_the_limit_and_above(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 2, 1000);
    fixture_build(&f, "smxq", "limit=300B,50B");
    assert_int_equal(fixture_offer(&f, 0, 0, 301, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_fill(&f, 0, 0, 299, 0);
    assert_int_equal(fixture_offer(&f, 0, 0, 2, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 1, 1, 51, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 1, 1, 50, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_threshold(&f, 0, 0), 300);
    assert_int_equal(fixture_threshold(&f, 0, 1), 50);
    fixture_free(&f);
}

static void smxq_admit__limits_may_exceed_the_buffer(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 100);
    fixture_build(&f, "smxq", "limit=80B");
    fixture_fill(&f, 0, 0, 80, 0);
    assert_int_equal(fixture_offer(&f, 1, 0, 21, 0), WEIR_REASON_NO_ROOM);
    assert_int_equal(fixture_offer(&f, 1, 0, 20, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

static void smxq_init__square_root_rule(void **unused)
{
    static const struct {
        uint32_t ports, classes;
        weir_cells buffer, limit;
    } table[] = {
        {1, 1, 1000, 1000},           /* alone: everything */
        {4, 1, 1000, 500},            /* B / 2 */
        {2, 2, 1000, 500},            /* accounts count, not ports */
        {2, 1, 1000, 707},            /* 707.1 */
        {3, 1, 1000, 577},            /* 577.35 */
        {16, 8, 4194304, 370727},     /* 4 MiB over 128 accounts: 370727.6 */
        {1, 1, INT32_MAX, INT32_MAX}, /* the largest square */
        {65535, 1, 1, 0},             /* less than a cell each */
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct fixture f;
        fixture_config(&f, table[i].ports, table[i].classes, table[i].buffer);
        fixture_build(&f, "smxq", NULL);
        assert_int_equal(fixture_threshold(&f, 0, 0), table[i].limit);
        fixture_free(&f);
    }
}

static void smxq_init__auto_beside_a_set_class(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 2, 1000);
    fixture_build(&f, "smxq", "limit=auto,7B");
    assert_int_equal(fixture_threshold(&f, 1, 0), 500);
    assert_int_equal(fixture_threshold(&f, 1, 1), 7);
    fixture_free(&f);
}

static void smxq_init__bytes_round_up_to_cells(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 100);
    f.config.cell_bytes = 208;
    fixture_build(&f, "smxq", "limit=1500B"); /* 7.2 cells */
    assert_int_equal(fixture_threshold(&f, 0, 0), 8);
    fixture_free(&f);
}

static void smxq_admit__private_minimum_is_on_top(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 100);
    f.config.private_cells[0] = 10;
    fixture_build(&f, "smxq", "limit=20B");
    assert_false(fixture_accepts(&f, 0, 0, 31, 0));
    assert_true(fixture_accepts(&f, 0, 0, 30, 0));
    assert_int_equal(fixture_shared(&f, 0, 0), 20);
    assert_false(fixture_accepts(&f, 0, 0, 1, 0));
    assert_true(fixture_accepts(&f, 1, 0, 10, 0));
    assert_int_equal(fixture_shared(&f, 1, 0), 0);
    fixture_free(&f);
}

static void smxq_change__lower_limit_spares_what_is_queued(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 100);
    fixture_build(&f, "smxq", "limit=50B");
    fixture_fill(&f, 0, 0, 20, 0);
    fixture_fill(&f, 0, 0, 30, 0);
    fixture_change(&f, "limit=40B");
    assert_int_equal(fixture_cells(&f, 0, 0), 50);
    assert_false(fixture_accepts(&f, 0, 0, 1, 0));
    fixture_drain(&f, 0, 1, 1);
    assert_false(fixture_accepts(&f, 0, 0, 11, 1));
    assert_true(fixture_accepts(&f, 0, 0, 10, 1));
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smxq_admit__at_the_limit_and_above),
        cmocka_unit_test(smxq_admit__limits_may_exceed_the_buffer),
        cmocka_unit_test(smxq_init__square_root_rule),
        cmocka_unit_test(smxq_init__auto_beside_a_set_class),
        cmocka_unit_test(smxq_init__bytes_round_up_to_cells),
        cmocka_unit_test(smxq_admit__private_minimum_is_on_top),
        cmocka_unit_test(smxq_change__lower_limit_spares_what_is_queued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
