/*
 * test_reverie.c - Reverie's lossy side: what the filter does to a length, and how congested queues divide the rest.
 */
#include "tests/support/fixture.h"

static void reverie_build(struct fixture *f, const char *settings)
{
    fixture_config(f, 4, 1, 10000);
    fixture_build(f, "reverie", settings);
}

static void reverie_depart(struct fixture *f, uint32_t port, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_true(weir_mmu_depart(f->mmu, (weir_port){port}, 0)->departed);
}

/* Arrivals do not move the filtered length: a burst is admitted by what the queue was. */
static void reverie_admit__a_burst_enters_as_into_an_empty_queue(void **unused)
{
    struct fixture f;
    (void)unused;
    reverie_build(&f, "alpha=0.125:filter=10");
    for (uint32_t i = 0; i < 9; i++) /* 1000 <= (10000 - 1000 i) / 8 only up to i = 2 */
        assert_int_equal(fixture_offer(&f, 0, 0, 1000, 0), i <= 2 ? WEIR_REASON_NONE : WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 0, 875, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

/* 10 packets of 100: after one leaves the length is 900, filtered 90; after the next 80 + .1 (800 - 90) = 161. */
static void reverie_admit__the_filter_follows_departures(void **unused)
{
    struct fixture f;
    (void)unused;
    reverie_build(&f, "alpha=0.0625:filter=10:congested=100000B");
    for (uint32_t i = 0; i < 5; i++)
        assert_true(fixture_accepts(&f, 0, 0, 100, 0));
    reverie_depart(&f, 0, 1); /* 400, filtered 40 */
    assert_int_equal(fixture_threshold(&f, 0, 0), 600);
    assert_int_equal(fixture_offer(&f, 0, 0, 561, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 0, 560, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

static void reverie_admit__the_filtered_length_is_never_above_the_queue(void **unused)
{
    struct fixture f;
    (void)unused;
    reverie_build(&f, "alpha=0.0625:filter=1:congested=100000B");
    for (uint32_t i = 0; i < 5; i++)
        assert_true(fixture_accepts(&f, 0, 0, 100, 0));
    reverie_depart(&f, 0, 5);
    assert_int_equal(fixture_offer(&f, 0, 0, 625, 0), WEIR_REASON_NONE); /* all of 10000 / 16 */
    fixture_free(&f);
}

/* Two queues of 200 or more count as two, one of 100 as a half. */
static void reverie_threshold__divided_by_congested_queues(void **unused)
{
    struct fixture f;
    (void)unused;
    reverie_build(&f, "alpha=1:filter=1:congested=200B");
    for (uint32_t port = 0; port < 3; port++)
        for (uint32_t i = 0; i < (port < 2 ? 3 : 2); i++)
            assert_true(fixture_accepts(&f, port, 0, 100, 0));
    for (uint32_t port = 0; port < 3; port++)
        reverie_depart(&f, port, 1);
    assert_int_equal(fixture_threshold(&f, 3, 0), 9500 * 2 / 5); /* n = 1 + 1 + 0.5 */
    fixture_free(&f);
}

static void reverie_admit__unscheduled_packets_need_only_room(void **unused)
{
    struct fixture f;
    (void)unused;
    reverie_build(&f, "alpha=0.001");
    assert_int_equal(fixture_offer(&f, 0, 0, 500, 0), WEIR_REASON_OVER_THRESHOLD);
    f.flags = WEIR_FLAG_UNSCHEDULED;
    assert_int_equal(fixture_offer(&f, 0, 0, 500, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reverie_admit__a_burst_enters_as_into_an_empty_queue),
        cmocka_unit_test(reverie_admit__the_filter_follows_departures),
        cmocka_unit_test(reverie_admit__the_filtered_length_is_never_above_the_queue),
        cmocka_unit_test(reverie_threshold__divided_by_congested_queues),
        cmocka_unit_test(reverie_admit__unscheduled_packets_need_only_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
