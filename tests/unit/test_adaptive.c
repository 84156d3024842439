/* test_adaptive.c - headroom by the measured delay of each link; the rest is sih's. */
#include "lossless.h"

/* 8 Gb/s: a byte per nanosecond. Equation 1 for MTU 100: 2 D + 200 + 3840 bytes. */
static const struct weir_uplink uplinks[4] = {{0, 0, 100}, {0, 1000000, 100}, {0, 1000, 1500}, {0, 2000000, 100}};

static void reserve__equation_of_each_link(void **unused)
{
    struct lossless l;
    (void)unused;
    lossless_config(&l, 100000, 0);
    l.f.config.uplinks = uplinks;
    lossless_build(&l, "adaptive", NULL);
    assert_int_equal(l.f.config.headroom_cells, 3 * (4040 + 6040 + 6842 + 8040));
    lossless_free(&l);
    lossless_config(&l, 100000, 0);
    l.f.config.uplinks = uplinks;
    lossless_build(&l, "adaptive", "terms=safe");
    assert_int_equal(l.f.config.headroom_cells, 3 * (4204 + 6204 + 8406 + 8204));
    lossless_free(&l);
}

static void reserve__in_cells(void **unused)
{
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000, 0);
    l.f.config.cell_bytes = 208;
    l.f.config.uplinks = uplinks;
    lossless_build(&l, "adaptive", NULL);
    assert_int_equal(l.f.config.headroom_cells, 3 * (20 + 30 + 33 + 39)); /* each rounded up */
    lossless_free(&l);
}

static void admit__by_the_limit_of_its_link(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 3, 1000, 1, 0, 0}, /* a lossy class has the pool */
        {0, 0, 4040, HEADROOM, 1, 0}, {0, 0, 1, REFUSED, 1, 0},    {1, 0, 6040, HEADROOM, 1, 0},
        {1, 0, 1, REFUSED, 1, 0},     {3, 2, 8041, REFUSED, 0, 0}, {3, 2, 8040, HEADROOM, 4, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + 3 * (4040 + 6040 + 6842 + 8040), 0);
    l.f.config.uplinks = uplinks;
    lossless_build(&l, "adaptive", NULL);
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reserve__equation_of_each_link),
        cmocka_unit_test(reserve__in_cells),
        cmocka_unit_test(admit__by_the_limit_of_its_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
