/* test_sih.c - where packets go, when queues pause and resume, and how much is set aside: sih, and with it the part
 * that adaptive and oversubscribed share. */
#include "tests/support/lossless.h"

#define HEADROOM_POOL (4 * 3 * 100) /* ports, lossless classes, Phi */

static void admit__shared_then_headroom_then_refused(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 300, SHARED, 0, 0},                            /* pool 1000, T = 350 */
        {0, 0, 100, SHARED, 1, 0},                            /* 400, T = 300: the packet that crosses is footroom's */
        {0, 0, 60, HEADROOM, 1, 0}, {0, 1, 60, SHARED, 1, 0}, /* another queue of the port is on its own */
        {0, 0, 41, REFUSED, 1, 0},  {0, 0, 40, HEADROOM, 1, 0},
        {0, 0, 1, REFUSED, 1, 0},   {1, 0, 50, SHARED, 0, 0}, /* so is another port */
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sih", "alpha=0.5");
    LOSSLESS_EXPECT(&l, steps);
    assert_int_equal(weir_mmu_view(l.f.mmu)->pools->headroom_cells, 100);
    lossless_free(&l);
}

static void threshold__is_where_a_queue_is_paused(void **unused)
{
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sih", "alpha=0.5");
    assert_true(fixture_accepts(&l.f, 0, 0, 300, 0));
    assert_int_equal(weir_mmu_ingress_threshold(l.f.mmu, (weir_account){0}), 350);
    assert_int_equal(lossless_paused(&l, 0), 0);
    assert_true(fixture_accepts(&l.f, 0, 0, 34, 0));
    assert_int_equal(weir_mmu_ingress_threshold(l.f.mmu, (weir_account){0}), 333);
    assert_int_equal(lossless_paused(&l, 0), 1);
    assert_int_equal(weir_mmu_ingress_threshold(l.f.mmu, (weir_account){9999}), 0);
    lossless_free(&l);
}

static void admit__full_headroom_is_no_room(void **unused)
{
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sih", "alpha=0.0625");
    assert_true(fixture_accepts(&l.f, 0, 0, 60, 0));
    assert_int_equal(lossless_paused(&l, 0), 1); /* 60 >= 58 */
    assert_true(fixture_accepts(&l.f, 0, 0, 100, 0));
    assert_int_equal(fixture_offer(&l.f, 0, 0, 1, 0), WEIR_REASON_NO_ROOM);
    lossless_free(&l);
}

static void admit__private_minimum_first(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 15, PRIVATE, 0, 0},
        {0, 0, 10, PRIVATE | SHARED, 1, 0}, /* 5 private, 5 of the pool >= T = 4 */
        {0, 0, 10, HEADROOM, 1, 0},         /* as a whole */
        {0, 0, 10, LEAVES, 1, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 80 + 4 * 3 * 20 + HEADROOM_POOL, 100);
    for (uint32_t tc = 0; tc < 3; tc++)
        l.f.config.ingress_private_cells[tc] = 20;
    lossless_build(&l, "sih", "alpha=0.0625");
    lossless_expect(&l, steps, 3);
    assert_int_equal(fixture_depart(&l.f, 0, 0), 15); /* gives back headroom first */
    assert_int_equal(lossless_queue(&l, 0, 0).headroom_cells, 0);
    assert_int_equal(lossless_queue(&l, 0, 0).shared_cells, 0);
    assert_int_equal(lossless_paused(&l, 0), 0); /* nothing of either pool: resumed, whatever T */
    lossless_free(&l);
}

static void admit__threshold_fallen_below_a_queue(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 200, SHARED, 0, 0}, /* T = 400 */
        {1, 0, 350, SHARED, 1, 0}, /* T = 225, and input 1 is paused */
        {2, 3, 200, 1, 0, 0},      /* lossy cells count too: T = 125, below input 0, which is not asked */
        {0, 1, 10, SHARED, 0, 0},   {0, 0, 50, SHARED, 1, 0}, /* nobody has told its sender to stop: still footroom's */
        {0, 0, 50, HEADROOM, 1, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sih", "alpha=0.5");
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

static void admit__full_pool_goes_to_headroom_at_once(void **unused)
{
    static const struct lossless_step steps[] = {
        {2, 3, 1000, 1, 0, 0}, /* a lossy class has it all */
        {0, 0, 50, HEADROOM, 1, 0},
        {0, 1, 50, HEADROOM, 3, 0},
        {0, 1, 51, REFUSED, 3, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sih", "alpha=1");
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

static void pause_mask__resumes_delta_below(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 100, SHARED, 0, 0},
        {0, 0, 100, SHARED, 0, 0}, /* T = 400 */
        {0, 0, 100, SHARED, 0, 0}, /* T = 350 */
        {0, 0, 100, SHARED, 1, 0}, /* 400 >= 300 */
        {0, 0, 30, HEADROOM, 1, 0},
        {0, 0, 100, LEAVES, 1, 0}, /* 30 of headroom and 70: 330 of T = 335, but 300 is wanted */
        {0, 0, 100, LEAVES, 0, 0}, /* 230 of T = 385 */
    };
    static const struct lossless_step without[] = {
        {0, 0, 100, SHARED, 0, 0}, {0, 0, 100, SHARED, 0, 0},  {0, 0, 100, SHARED, 0, 0},
        {0, 0, 100, SHARED, 1, 0}, {0, 0, 30, HEADROOM, 1, 0}, {0, 0, 100, LEAVES, 0, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sih", "alpha=0.5:delta=35B");
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sih", "alpha=0.5");
    LOSSLESS_EXPECT(&l, without);
    lossless_free(&l);
}

static void pause_mask__resumed_by_others_leaving(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 200, SHARED, 0, 0},
        {1, 0, 350, SHARED, 1, 0}, /* T = 225 */
        {0, 0, 50, SHARED, 1, 0},  /* 250 >= 200 */
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sih", "alpha=0.5");
    LOSSLESS_EXPECT(&l, steps);
    const struct weir_effects *fx = weir_mmu_depart(l.f.mmu, (weir_port){1}, 0); /* T = 375 */
    assert_int_equal(fx->edge_count, 2);
    assert_int_equal(lossless_paused(&l, 0) | lossless_paused(&l, 1), 0);
    lossless_free(&l);
}

static void reserve__queues_times_phi(void **unused)
{
    static const struct weir_uplink uplinks[4] = {
        {10, 0, 100, 0, 0, 0}, {20, 0, 100, 0, 0, 0}, {30, 0, 100, 0, 0, 0}, {40, 0, 100, 0, 0, 0}};
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000, 100);
    l.f.config.uplinks = uplinks;
    lossless_build(&l, "sih", NULL);
    assert_int_equal(l.f.config.headroom_cells, 3 * (10 + 20 + 30 + 40));
    lossless_free(&l);
}

static void change__moves_the_threshold(void **unused)
{
    static const struct lossless_step steps[] = {{0, 0, 200, SHARED, 0, 0}};
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sih", "alpha=0.5");
    LOSSLESS_EXPECT(&l, steps);
    fixture_values(&l.values, l.f.config.ingress, "alpha=0.1");
    assert_int_equal(weir_mmu_change(l.f.mmu, true, &l.values, 0)->edge_count, 1);
    assert_int_equal(lossless_paused(&l, 0), 1);
    lossless_free(&l);
}

static void resume_level__of_the_largest_pool(void **unused)
{
    (void)unused;
    lossless_expect_late_resume("sih", "alpha=4:delta=1GiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admit__shared_then_headroom_then_refused),
        cmocka_unit_test(admit__full_headroom_is_no_room),
        cmocka_unit_test(admit__private_minimum_first),
        cmocka_unit_test(threshold__is_where_a_queue_is_paused),
        cmocka_unit_test(admit__threshold_fallen_below_a_queue),
        cmocka_unit_test(admit__full_pool_goes_to_headroom_at_once),
        cmocka_unit_test(pause_mask__resumes_delta_below),
        cmocka_unit_test(pause_mask__resumed_by_others_leaving),
        cmocka_unit_test(reserve__queues_times_phi),
        cmocka_unit_test(change__moves_the_threshold),
        cmocka_unit_test(resume_level__of_the_largest_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
