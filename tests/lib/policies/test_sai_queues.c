/* test_sai_queues.c - queues with pools and profiles: thresholds by class and port, pools apart, queues of lossless
 * classes. */
#include "tests/support/lossless.h"

static void admit__dynamic_static_and_pools(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 3, 1000);
    fixture_build(&f, "sai-queues", "alpha=1,0.5,1:limit=auto,auto,90B:pool=0,0,1:size=600B,200B");
    assert_int_equal(fixture_offer(&f, 0, 0, 301, 0), WEIR_REASON_NONE); /* T = 600 before it */
    assert_int_equal(fixture_offer(&f, 0, 1, 150, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 1, 149, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 0, 2, 91, 0), WEIR_REASON_OVER_THRESHOLD); /* of the other pool */
    assert_int_equal(fixture_offer(&f, 0, 2, 90, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 1, 2, 90, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_threshold(&f, 0, 0), 150);
    assert_int_equal(fixture_threshold(&f, 0, 2), 90);
    fixture_drain(&f, 0, 3, 0);
    assert_int_equal(fixture_threshold(&f, 0, 0), 600);
    fixture_free(&f);
}

/* RED loses what cannot be marked: nothing below low, all above high, and between them by chance. */
static void admit__wred(void **unused)
{
    struct fixture f;
    uint32_t lost = 0;
    (void)unused;
    fixture_config(&f, 2, 3, 10000);
    fixture_build(&f, "sai-queues", "alpha=8:wred_low=100B,100B,auto:wred_high=200B:wred_chance=0:wred_all=0,1,0");
    fixture_fill(&f, 0, 0, 200, 0);
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 1, 0, 201, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 2, 300, 0), WEIR_REASON_NONE); /* has none */
    f.flags = WEIR_FLAG_ECN;
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 0, 1, 201, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_free(&f);
    fixture_config(&f, 2, 1, 10000);
    fixture_build(&f, "sai-queues", "alpha=8:wred_low=0B:wred_high=100B:wred_chance=0.5");
    f.flags = WEIR_FLAG_ECN;
    for (uint32_t i = 0; i < 49; i++)
        fixture_fill(&f, 0, 0, 1, 0);
    f.flags = 0;
    for (uint32_t i = 0; i < 1000; i++) { /* a packet that makes it 50: a chance of 1/4 */
        bool entered = fixture_offer(&f, 0, 0, 1, 0) == WEIR_REASON_NONE;
        fixture_drain(&f, 0, entered, 0);
        lost += !entered;
    }
    assert_in_range(lost, 150, 350);
    fixture_free(&f);
}

static void admit__pool_without_room(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 1000);
    fixture_build(&f, "sai-queues", "limit=90B:size=100B");
    fixture_fill(&f, 0, 0, 90, 0);
    assert_int_equal(fixture_offer(&f, 1, 0, 11, 0), WEIR_REASON_NO_ROOM);
    assert_int_equal(fixture_offer(&f, 1, 0, 10, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

static void admit__minimum_and_port(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 2, 1000 + 2 * 2 * 20);
    f.config.private_cells[0] = f.config.private_cells[1] = 20;
    fixture_build(&f, "sai-queues", "alpha=8:port_alpha=0.25");
    fixture_fill(&f, 0, 0, 220, 0); /* 200 of the pool, and T_p = 250 before it */
    assert_int_equal(fixture_offer(&f, 0, 1, 21, 0), WEIR_REASON_OVER_THRESHOLD); /* 201 > 200 */
    assert_int_equal(fixture_offer(&f, 0, 1, 20, 0), WEIR_REASON_NONE);           /* its minimum */
    assert_int_equal(fixture_offer(&f, 1, 1, 200, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

/* A lossless queue is held to its profile, with its own minimum, and the naive model agrees. */
static void admit__lossless_queue(void **unused)
{
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + 4 * 3 * 100, 100);
    l.f.config.ingress = weir_policy_find("sih");
    fixture_values(&l.values, l.f.config.ingress, "alpha=8");
    l.f.config.ingress_values = &l.values;
    l.f.config.headroom_cells = weir_mmu_headroom_cells(&l.f.config);
    fixture_build(&l.f, "sai-queues", "limit=60B,auto:minimum=40B,0B:size=500B");
    l.naive = weir_naive_new(&l.f.config);
    assert_non_null(l.naive);
    lossless_expect(&l, &(struct lossless_step){0, 0, 100, SHARED, 0, 0}, 1);
    lossless_expect(&l, &(struct lossless_step){0, 0, 1, REFUSED, 0, 0}, 1);
    lossless_expect(&l, &(struct lossless_step){1, 1, 220, SHARED, 0, 0}, 1); /* T = 440 before it */
    lossless_expect(&l, &(struct lossless_step){1, 1, 1, REFUSED, 0, 0}, 1);
    lossless_expect(&l, &(struct lossless_step){0, 0, 100, LEAVES, 0, 0}, 1);
    lossless_expect(&l, &(struct lossless_step){1, 1, 30, SHARED, 0, 0}, 1); /* 250 <= 280 */
    lossless_free(&l);
}

/* A flush loses packets of both sides; the pools follow. */
static void on_drop__pools_follow(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 1000);
    fixture_build(&f, "sai-queues", NULL);
    fixture_fill(&f, 0, 0, 100, 0);
    fixture_fill(&f, 0, 0, 100, 0);
    assert_int_equal(fixture_threshold(&f, 1, 0), 800);
    weir_mmu_flush(f.mmu, (weir_port){0}, 0);
    assert_int_equal(fixture_threshold(&f, 1, 0), 1000);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admit__dynamic_static_and_pools),
        cmocka_unit_test(admit__pool_without_room),
        cmocka_unit_test(admit__wred),
        cmocka_unit_test(admit__minimum_and_port),
        cmocka_unit_test(admit__lossless_queue),
        cmocka_unit_test(on_drop__pools_follow),
    };
    return cmocka_run_group_tests_name("sai-queues", tests, NULL, NULL);
}
