/* test_oversubscribed.c - a part of the headroom, as a cap per queue or as a pool; the rest is sih's. */
#include "tests/support/lossless.h"

static void admit__cap_of_a_queue(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 3, 1000, PRIVATE, 0, 0}, /* a lossy class has the shared pool */
        {0, 0, 81, REFUSED, 0, 0},   {0, 0, 80, HEADROOM, 1, 0}, {0, 0, 1, REFUSED, 1, 0},
        {0, 1, 80, HEADROOM, 3, 0},  {1, 0, 80, HEADROOM, 1, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + 4 * 3 * 80, 100);
    lossless_build(&l, "oversubscribed", NULL);
    assert_int_equal(l.f.config.headroom_cells, 4 * 3 * 80);
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

static void admit__one_pool_for_all(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 3, 1000, PRIVATE, 0, 0}, {0, 0, 101, REFUSED, 0, 0},  {0, 0, 100, HEADROOM, 1, 0}, /* all of Phi */
        {0, 1, 100, HEADROOM, 3, 0}, {1, 0, 100, HEADROOM, 1, 0}, {1, 1, 100, HEADROOM, 3, 0},
        {2, 0, 100, HEADROOM, 1, 0}, {2, 1, 100, HEADROOM, 3, 0}, {3, 0, 1, REFUSED, 0, 0}, /* the pool is used up */
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + 4 * 3 * 50, 100);
    lossless_build(&l, "oversubscribed", "ratio=0.5:pool=yes");
    assert_int_equal(l.f.config.headroom_cells, 4 * 3 * 50);
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

static void init__default_is_what_80_percent_parses_to(void **unused)
{
    struct lossless l;
    weir_cells usual;
    (void)unused;
    lossless_config(&l, 10000000, 60000);
    lossless_build(&l, "oversubscribed", NULL);
    usual = l.f.config.headroom_cells;
    lossless_free(&l);
    lossless_config(&l, 10000000, 60000);
    lossless_build(&l, "oversubscribed", "ratio=80%");
    assert_int_equal(l.f.config.headroom_cells, usual);
    assert_int_equal(usual, 4 * 3 * 48000);
    lossless_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admit__cap_of_a_queue),
        cmocka_unit_test(admit__one_pool_for_all),
        cmocka_unit_test(init__default_is_what_80_percent_parses_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
