/*
 * test_dt_predicted.c - the threshold without an oracle's word, and what passes it with one.
 */
#include "tests/support/slots.h"
#include "weir/oracle.h"

/* An oracle of one answer that counts its questions. */
struct fixed_oracle {
    struct weir_oracle base;
    bool lost;
    uint32_t *asked;
};

static bool fixed_predict(const struct weir_oracle *oracle, uint64_t index, const int64_t feature[WEIR_FEATURE_COUNT])
{
    const struct fixed_oracle *fixed = (const struct fixed_oracle *)oracle;
    (void)index;
    (void)feature;
    (*fixed->asked)++;
    return fixed->lost;
}

/* 2 ports, 1000 cells, alpha 1/2: one account may hold a third, more only with the oracle's word, and never more than
 * there is. */
static void admit__predicted_kept_passes_the_threshold(void **state)
{
    (void)state;
    uint32_t asked = 0;
    struct fixed_oracle oracle = {{.predict = fixed_predict}, true, &asked};
    struct fixture f;
    fixture_config(&f, 2, 1, 1000);
    f.config.oracle = &oracle.base;
    fixture_build(&f, "dt-predicted", "alpha=0.5");
    assert_int_equal(fixture_threshold(&f, 0, 0), 500);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(fixture_offer(&f, 0, 0, 111, 0), WEIR_REASON_NONE);
    assert_int_equal(asked, 0);
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_PREDICTED); /* 334 of 1/2 * 667 */
    assert_int_equal(asked, 1);
    oracle.lost = false;
    assert_int_equal(fixture_offer(&f, 0, 0, 567, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 0, 0, 101, 0), WEIR_REASON_NO_ROOM);
    assert_int_equal(asked, 2);
    assert_int_equal(fixture_offer(&f, 1, 0, 100, 0), WEIR_REASON_NONE);
    assert_int_equal(asked, 3);
    fixture_free(&f);
}

/* Runs two policies over the sequence; the first arrival that they treat differently, or the number of arrivals. */
static uint32_t first_difference(const struct slots *s, const struct weir_oracle *oracle, const char *like,
                                 const char *settings)
{
    struct fixture f, other;
    uint32_t i = 0;
    bool same = true;
    slots_config(&f, s);
    f.config.oracle = oracle;
    fixture_build(&f, "dt-predicted", "alpha=0.5");
    slots_config(&other, s);
    fixture_build(&other, like, settings);
    for (uint32_t slot = 0; same && slot < s->slots; slot++) {
        for (; same && i < s->end[slot]; i += same)
            same = slots_send(&f, s, i, slot * SLOT_PS)->accepted == slots_send(&other, s, i, slot * SLOT_PS)->accepted;
        slots_depart(&f, s, slot * SLOT_PS);
        slots_depart(&other, s, slot * SLOT_PS);
    }
    fixture_free(&f);
    fixture_free(&other);
    return i;
}

/* Who hears "lost" of everything is DT, and who hears "kept" complete sharing: wrong answers cannot cost more. */
static void admit__lies_between_dt_and_complete_sharing(void **state)
{
    (void)state;
    static struct slots s;
    uint32_t asked = 0;
    struct fixed_oracle lost = {{.predict = fixed_predict}, true, &asked};
    struct fixed_oracle kept = {{.predict = fixed_predict}, false, &asked};
    for (uint64_t seed = 1; seed <= slots_rounds(300); seed++) {
        struct weir_random r = {seed, UINT64_C(1) << 32};
        s.ports = 1 + weir_random_below(&r, 8);
        s.buffer = s.ports + weir_random_below(&r, 40);
        slots_make(&s, seed % SLOTS_SHAPES, 24, seed);
        if (first_difference(&s, &lost.base, "dt", "alpha=0.5") != s.arrivals)
            fail_msg("seed %llu: not DT", (unsigned long long)seed);
        if (first_difference(&s, &kept.base, "cs", NULL) != s.arrivals)
            fail_msg("seed %llu: not complete sharing", (unsigned long long)seed);
    }
    assert_true(asked > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admit__predicted_kept_passes_the_threshold),
        cmocka_unit_test(admit__lies_between_dt_and_complete_sharing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
