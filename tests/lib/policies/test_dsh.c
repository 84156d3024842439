/* test_dsh.c - two levels of flow control, where packets go, the margin below the threshold, and each part taken away.
 * The estimate has its own tests. */
#include "tests/support/lossless.h"

#define PORT LOSSLESS_PORT_LEVEL
#define POOL 1000
#define INSURANCE (4 * 100) /* ports, Phi */

/* All at one moment: every estimate stays 0, and so does tau. */
static const struct lossless_step congestion[] = {
    {0, 0, 100, SHARED, 0, 0},           /* T = 112 */
    {0, 0, 50, SHARED, 1, 0},            /* 150, T = 106: the queue is paused */
    {0, 0, 60, SHARED, 1, 0},            /* and goes on in the shared pool: 210 of 3 T = 294 */
    {0, 1, 60, SHARED, 1, 0},            /* 270 of 273 */
    {0, 1, 30, SHARED, 1 | 2 | PORT, 0}, /* 90, T = 87, and 300 of 261 */
};

static void pause_mask__queue_then_port_and_back(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 2, 40, HEADROOM, 1 | 2 | PORT, 0},
        {0, 0, 60, HEADROOM, 1 | 2 | PORT, 0},
        {0, 2, 1, REFUSED, 1 | 2 | PORT, 0},  /* one insurance for all queues of the port */
        {1, 0, 50, SHARED, 0, 0},             /* another port is on its own */
        {0, 0, 100, LEAVES, 1 | 2 | PORT, 0}, /* class 0 gives back 60 of insurance first; T = 86 */
        {0, 0, 50, LEAVES, 1 | PORT, 0},      /* T = 92: class 1 holds 90 */
        {0, 0, 60, LEAVES, PORT, 0},          /* class 0 holds 60 */
        {0, 0, 60, LEAVES, PORT, 0},
        {0, 0, 30, LEAVES, PORT, 0}, /* far below 3 T, but 40 of insurance are in use */
        {0, 0, 40, LEAVES, 0, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, POOL + INSURANCE, 100);
    lossless_build(&l, "dsh", "alpha=0.125");
    LOSSLESS_EXPECT(&l, congestion);
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

static void pause_mask__deltas(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 100, LEAVES, 1 | 2 | PORT, 0}, /* T = 100: 110 and 90 > 70, 200 > 130 */
        {0, 0, 50, LEAVES, 2 | PORT, 0},      /* T = 106: 60 <= 76, 90 > 76, 150 > 148 */
        {0, 0, 60, LEAVES, 2, 0},             /* T = 113: 90 > 83, 90 <= 169 */
        {0, 0, 60, LEAVES, 0, 0},             /* T = 121: 30 <= 91 */
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, POOL + INSURANCE, 100);
    lossless_build(&l, "dsh", "alpha=0.125:delta_queue=30B:delta_port=170B");
    LOSSLESS_EXPECT(&l, congestion);
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

static void pause_mask__estimate_lowers_the_threshold(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 10, SHARED, 0, 0},
        {0, 0, 10, SHARED, 0, 20000}, /* half the line rate: 0.125 + 4 * 0.125 of Phi; 20 < 122 - 62 */
        {0, 0, 10, SHARED, 1, 40000}, /* 0.21875 + 4 * 0.1875: 30 >= 121 - 96 */
    };
    static const struct lossless_step without[] = {
        {0, 0, 10, SHARED, 0, 0}, {0, 0, 10, SHARED, 0, 20000}, {0, 0, 10, SHARED, 0, 40000}};
    struct lossless l;
    (void)unused;
    lossless_config(&l, POOL + INSURANCE, 100);
    lossless_build(&l, "dsh", "alpha=0.125");
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
    lossless_config(&l, POOL + INSURANCE, 100);
    lossless_build(&l, "dsh", "alpha=0.125:shared_headroom=no");
    LOSSLESS_EXPECT(&l, without);
    lossless_free(&l);
}

static void pause_mask__no_margin_for_a_single_queue(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 10, SHARED, 0, 0},     {0, 3, 5, PRIVATE, 0, 10000}, /* lossy: does not count */
        {0, 0, 10, SHARED, 0, 20000}, {0, 0, 10, SHARED, 0, 40000}, /* would be paused with a margin */
        {0, 1, 10, SHARED, 0, 50000},                               /* two queues again */
        {0, 0, 10, SHARED, 1, 60000},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, POOL + INSURANCE, 100);
    lossless_build(&l, "dsh", "alpha=0.125:window=30ns");
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

static void pause_mask__margin_above_the_threshold(void **unused)
{
    static const struct lossless_step steps[] = {
        {1, 3, 900, PRIVATE, 0, 0},                             /* T = 12 */
        {0, 0, 2, SHARED, 0, 0},    {0, 0, 2, SHARED, 1, 4000}, /* tau = 62: whoever holds anything is paused, */
        {0, 0, 2, LEAVES, 1, 4000}, {0, 0, 2, LEAVES, 0, 4000}, /* and who holds nothing is not */
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, POOL + INSURANCE, 100);
    lossless_build(&l, "dsh", "alpha=0.125");
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

static void admit__without_shared_headroom(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 100, SHARED, 0, 0},         {0, 0, 50, SHARED, 1, 0},
        {0, 0, 10, HEADROOM, 1 | PORT, 0}, /* what passes T takes insurance at once */
        {0, 1, 20, SHARED, 1 | PORT, 0},   {0, 0, 90, HEADROOM, 1 | PORT, 0},
        {0, 0, 1, REFUSED, 1 | PORT, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, POOL + INSURANCE, 100);
    lossless_build(&l, "dsh", "alpha=0.125:shared_headroom=no");
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

static void admit__without_insurance(void **unused)
{
    static const struct lossless_step refused[] = {{0, 2, 40, REFUSED, 1 | 2 | PORT, 0}};
    struct lossless l;
    (void)unused;
    lossless_config(&l, POOL, 100);
    lossless_build(&l, "dsh", "alpha=0.125:insurance=no");
    assert_int_equal(l.f.config.headroom_cells, 0);
    LOSSLESS_EXPECT(&l, congestion);
    LOSSLESS_EXPECT(&l, refused);
    l.f.input.i = 0;
    assert_int_equal(fixture_offer(&l.f, 0, 2, 40, 0), WEIR_REASON_NO_ROOM);
    lossless_free(&l);
}

static void admit__full_pool_takes_insurance(void **unused)
{
    static const struct lossless_step steps[] = {
        {1, 3, 1000, PRIVATE, 0, 0}, {0, 0, 40, HEADROOM, PORT, 0},  {0, 1, 60, HEADROOM, PORT, 0},
        {0, 0, 1, REFUSED, PORT, 0}, {2, 1, 100, HEADROOM, PORT, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, POOL + INSURANCE, 100);
    lossless_build(&l, "dsh", NULL);
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

static void reserve__phi_of_each_port(void **unused)
{
    static const struct weir_uplink uplinks[4] = {
        {10, 0, 100, 0, 0, 0}, {20, 0, 100, 0, 0, 0}, {30, 0, 100, 0, 0, 0}, {40, 0, 100, 0, 0, 0}};
    struct lossless l;
    (void)unused;
    lossless_config(&l, POOL, 100);
    l.f.config.uplinks = uplinks;
    lossless_build(&l, "dsh", NULL);
    assert_int_equal(l.f.config.headroom_cells, 100);
    lossless_free(&l);
}

static void change__keeps_what_has_evolved(void **unused)
{
    static const struct lossless_step before[] = {{0, 0, 10, SHARED, 0, 0}, {0, 0, 10, SHARED, 0, 20000}};
    struct lossless l;
    (void)unused;
    lossless_config(&l, POOL + INSURANCE, 100);
    lossless_build(&l, "dsh", "alpha=0.125");
    LOSSLESS_EXPECT(&l, before);
    fixture_values(&l.values, l.f.config.ingress, "alpha=0.0625"); /* T = 61, tau = 62 */
    assert_int_equal(weir_mmu_change(l.f.mmu, true, &l.values, 20000)->edge_count, 1);
    assert_int_equal(lossless_paused(&l, 0), 1);
    lossless_free(&l);
}

static void resume_level__of_the_largest_pool(void **unused)
{
    (void)unused;
    lossless_expect_late_resume("dsh", "alpha=4:delta_queue=1GiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pause_mask__queue_then_port_and_back),
        cmocka_unit_test(pause_mask__deltas),
        cmocka_unit_test(pause_mask__estimate_lowers_the_threshold),
        cmocka_unit_test(pause_mask__no_margin_for_a_single_queue),
        cmocka_unit_test(pause_mask__margin_above_the_threshold),
        cmocka_unit_test(admit__without_shared_headroom),
        cmocka_unit_test(admit__without_insurance),
        cmocka_unit_test(admit__full_pool_takes_insurance),
        cmocka_unit_test(reserve__phi_of_each_port),
        cmocka_unit_test(change__keeps_what_has_evolved),
        cmocka_unit_test(resume_level__of_the_largest_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
