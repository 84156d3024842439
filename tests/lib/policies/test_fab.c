/*
 * test_fab.c - flow-aware buffer: which packets are short by the table, the sender and the flag, and what they may
 * take.
 */
#include "tests/support/fixture.h"

#define SHORT_OF "alpha=0.5:short_alpha=8:short=300B:"

static void fab_build(struct fixture *f, const char *settings)
{
    fixture_config(f, 4, 1, 1000);
    f->config.gives = WEIR_GIVES_FLOWS | WEIR_GIVES_FLOW_BYTES;
    fixture_build(f, "fab", settings);
}

static enum weir_reason fab_offer(struct fixture *f, uint64_t flow, int64_t bytes, uint32_t packet, weir_ps now)
{
    f->flow = (struct weir_flow){.hash = flow, .bytes = bytes};
    return fixture_offer(f, 0, 0, packet, now);
}

static void fab_admit__a_flow_is_short_below_its_limit(void **unused)
{
    struct fixture f;
    (void)unused;
    fab_build(&f, SHORT_OF "entries=16");
    assert_int_equal(fab_offer(&f, 7, -1, 299, 0), WEIR_REASON_NONE);           /* 299 < 300 */
    assert_int_equal(fab_offer(&f, 7, -1, 51, 0), WEIR_REASON_NONE);            /* long: 350 <= 701 / 2 */
    assert_int_equal(fab_offer(&f, 7, -1, 1, 0), WEIR_REASON_OVER_THRESHOLD);   /* long: 351 > 325 */
    assert_int_equal(fab_offer(&f, 8, -1, 299, 0), WEIR_REASON_NONE);           /* another flow is short: 649 <= 5200 */
    assert_int_equal(fab_offer(&f, 9, -1, 300, 0), WEIR_REASON_OVER_THRESHOLD); /* never short */
    assert_int_equal(fixture_threshold(&f, 0, 0), 175);
    fixture_free(&f);
}

static void fab_admit__a_refused_packet_counts(void **unused)
{
    struct fixture f;
    (void)unused;
    fab_build(&f, "alpha=0.001:short_alpha=0.001:short=300B:entries=16");
    assert_int_equal(fab_offer(&f, 7, -1, 250, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_free(&f);
    fab_build(&f, "alpha=0.0001:short_alpha=8:short=300B:entries=16");
    assert_int_equal(fab_offer(&f, 7, -1, 950, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fab_offer(&f, 7, -1, 1, 0), WEIR_REASON_OVER_THRESHOLD); /* 951 sent: long */
    fixture_free(&f);
}

static void fab_admit__a_quiet_flow_is_short_again(void **unused)
{
    struct fixture f;
    (void)unused;
    fab_build(&f, "alpha=0.001:short_alpha=8:short=300B:entries=16:window=1us");
    assert_int_equal(fab_offer(&f, 7, -1, 200, 0), WEIR_REASON_NONE);
    assert_int_equal(fab_offer(&f, 7, -1, 200, WEIR_PS_PER_US), WEIR_REASON_OVER_THRESHOLD); /* just in the window */
    assert_int_equal(fab_offer(&f, 7, -1, 200, 2 * WEIR_PS_PER_US + 1), WEIR_REASON_NONE);
    fixture_free(&f);
}

static void fab_admit__without_a_table_as_the_sender_says(void **unused)
{
    struct fixture f;
    (void)unused;
    fab_build(&f, "alpha=0.001:short_alpha=8:short=300B:entries=0");
    assert_int_equal(fab_offer(&f, 7, 199, 100, 0), WEIR_REASON_NONE);
    assert_int_equal(fab_offer(&f, 7, 200, 100, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fab_offer(&f, 7, WEIR_FLOW_UNKNOWN, 100, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_free(&f);
}

static void fab_admit__by_the_flag(void **unused)
{
    struct fixture f;
    (void)unused;
    fab_build(&f, "alpha=0.001:short_alpha=8:short=300B:identify=flag");
    assert_int_equal(fab_offer(&f, 7, 0, 100, 0), WEIR_REASON_OVER_THRESHOLD);
    f.flags = WEIR_FLAG_UNSCHEDULED;
    assert_int_equal(fab_offer(&f, 7, 100000, 100, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

static void fab_admit__a_flow_without_an_entry_is_long(void **unused)
{
    struct fixture f;
    (void)unused;
    fab_build(&f, "alpha=0.001:short_alpha=8:short=300B:entries=1:ways=1:evict=none");
    assert_int_equal(fab_offer(&f, 7, -1, 100, 0), WEIR_REASON_NONE);
    assert_int_equal(fab_offer(&f, UINT64_C(7) << 60, -1, 100, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fab_admit__a_flow_is_short_below_its_limit),
        cmocka_unit_test(fab_admit__a_refused_packet_counts),
        cmocka_unit_test(fab_admit__a_quiet_flow_is_short_again),
        cmocka_unit_test(fab_admit__without_a_table_as_the_sender_says),
        cmocka_unit_test(fab_admit__by_the_flag),
        cmocka_unit_test(fab_admit__a_flow_without_an_entry_is_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
