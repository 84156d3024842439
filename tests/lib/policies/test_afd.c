/*
 * test_afd.c - approximate fair dropping: the share of a queue moves with its length, and flows above it lose the rest.
 */
#include "tests/support/fixture.h"

#define PERIOD WEIR_PS_PER_US /* 1250 bytes at 10 Gb/s */

static void afd_build(struct fixture *f, const char *settings)
{
    fixture_config(f, 2, 1, 1000000);
    f->config.gives = WEIR_GIVES_FLOWS;
    fixture_build(f, "afd", settings);
}

/* Packets of 100 bytes of a flow that enter of `count`. */
static uint32_t afd_accepted(struct fixture *f, uint64_t flow, uint32_t count, weir_ps now)
{
    uint32_t accepted = 0;
    f->flow = (struct weir_flow){.hash = flow, .bytes = WEIR_FLOW_UNKNOWN};
    for (uint32_t i = 0; i < count; i++)
        accepted += fixture_accepts(f, 0, 0, 100, now);
    return accepted;
}

static void afd_admit__keeps_the_share_of_a_flow(void **unused)
{
    struct fixture f;
    (void)unused;
    /* gain 1, old_gain 0: after the first period M = 1250 - (q - 1000). */
    afd_build(&f, "reference=1000B:gain=1:old_gain=0:period=1us");
    assert_int_equal(afd_accepted(&f, 7, 16, 0), 16);                    /* no share has been passed yet */
    assert_int_equal(afd_accepted(&f, 8, 2, PERIOD), 2);                 /* M = 1250 - 600 = 650; the flow is new */
    uint32_t kept = afd_accepted(&f, 7, 400, PERIOD);                    /* brought 1600 in the period before */
    assert_in_range(kept, 400 * 650 / 1600 - 40, 400 * 650 / 1600 + 40); /* 162; four standard deviations */
    fixture_free(&f);
}

static void afd_admit__loses_nothing_below_the_reference(void **unused)
{
    struct fixture f;
    (void)unused;
    afd_build(&f, "reference=100KB:gain=64:old_gain=64:period=1us");
    assert_int_equal(afd_accepted(&f, 7, 50, 0), 50);
    assert_int_equal(afd_accepted(&f, 7, 50, PERIOD), 50);
    fixture_free(&f);
}

static void afd_admit__threshold_is_that_of_dt(void **unused)
{
    struct fixture f;
    (void)unused;
    afd_build(&f, "alpha=0.5");
    assert_int_equal(fixture_threshold(&f, 0, 0), 500000);
    assert_int_equal(fixture_offer(&f, 0, 0, 500001, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 0, 500000, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

/* A flow that takes no share of an idle queue gets all of it back, and no more. */
static void afd_on_tick__periods_that_nobody_looked_at(void **unused)
{
    struct fixture one, many;
    (void)unused;
    afd_build(&one, "reference=1000B:gain=1.8:old_gain=1.7:period=1us");
    afd_build(&many, "reference=1000B:gain=1.8:old_gain=1.7:period=1us");
    assert_int_equal(afd_accepted(&one, 7, 30, 0), 30);
    assert_int_equal(afd_accepted(&many, 7, 30, 0), 30);
    for (weir_ps now = PERIOD / 2; now < 100 * PERIOD; now += PERIOD / 2)
        weir_mmu_advance(many.mmu, now);
    assert_int_equal(afd_accepted(&one, 7, 60, 100 * PERIOD), afd_accepted(&many, 7, 60, 100 * PERIOD));
    assert_int_equal(afd_accepted(&one, 7, 60, 101 * PERIOD), afd_accepted(&many, 7, 60, 101 * PERIOD));
    fixture_free(&one);
    fixture_free(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(afd_admit__keeps_the_share_of_a_flow),
        cmocka_unit_test(afd_admit__loses_nothing_below_the_reference),
        cmocka_unit_test(afd_admit__threshold_is_that_of_dt),
        cmocka_unit_test(afd_on_tick__periods_that_nobody_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
