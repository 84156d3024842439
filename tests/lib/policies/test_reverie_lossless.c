/*
 * test_reverie_lossless.c - Reverie's lossless side: paused when headroom begins to fill, by a filtered length.
 */
#include "tests/support/lossless.h"

#define HEADROOM_POOL (4 * 3 * 100) /* ports, lossless classes, headroom of a queue */

/* Nothing has left yet, so the filtered length is 0: a burst fills the pool before it is paused. */
static void reverie_lossless_admit__a_burst_takes_the_pool_first(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 600, SHARED, 0, 0},  {0, 0, 400, SHARED, 0, 0}, {0, 0, 1, HEADROOM, 1, 0},
        {0, 0, 99, HEADROOM, 1, 0}, {0, 0, 1, REFUSED, 1, 0},  {1, 0, 60, HEADROOM, 1, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "reverie-lossless", "alpha=0.5");
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

/* filter=1: the length itself, after each departure. */
static void reverie_lossless_pause__by_the_filtered_length(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 300, SHARED, 0, 0},  {0, 0, 400, SHARED, 0, 0}, {0, 0, 300, LEAVES, 0, 0}, /* 400; T = 300 */
        {0, 0, 50, HEADROOM, 1, 0},                                                       /* filtered 400 > T */
        {0, 0, 60, REFUSED, 1, 0},  {0, 0, 400, LEAVES, 1, 0}, /* 50 left, of them 0 in headroom; T = 475 */
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "reverie-lossless", "alpha=0.5:filter=1:congested=100000B");
    lossless_expect(&l, steps, 5);
    lossless_free(&l);
}

static void reverie_lossless_reserve__one_headroom_per_queue(void **unused)
{
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "reverie-lossless", NULL);
    assert_int_equal(l.f.config.headroom_cells, HEADROOM_POOL);
    lossless_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reverie_lossless_admit__a_burst_takes_the_pool_first),
        cmocka_unit_test(reverie_lossless_pause__by_the_filtered_length),
        cmocka_unit_test(reverie_lossless_reserve__one_headroom_per_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
