/*
 * test_lqd_predicted.c - push-out that refuses what is predicted lost, against LQD with right and with no predictions.
 */
#include "tests/support/slots.h"
#include "weir/oracle.h"

/* What a run over the sequence lost of what it should have kept, and how many packets it took out again. */
struct outcome {
    uint32_t differs; /* the first arrival whose fate differs from LQD's; the number of arrivals: none */
    uint32_t pushed_out;
};

static struct outcome run(const struct slots *s, const struct weir_oracle *oracle)
{
    static bool lost[SLOTS_ARRIVALS_MAX];
    struct fixture f;
    struct outcome outcome = {0, 0};
    slots_config(&f, s);
    f.config.oracle = oracle;
    fixture_build(&f, "lqd-predicted", NULL);
    for (uint32_t slot = 0, i = 0; slot < s->slots; slot++) {
        for (; i < s->end[slot]; i++) {
            const struct weir_effects *effects = slots_send(&f, s, i, slot * SLOT_PS);
            lost[i] = !effects->accepted;
            outcome.pushed_out += effects->lost_count;
            for (uint32_t k = 0; k < effects->lost_count; k++)
                lost[effects->lost[k].handle - 1] = true;
        }
        slots_depart(&f, s, slot * SLOT_PS);
    }
    fixture_free(&f);
    while (outcome.differs < s->arrivals && lost[outcome.differs] == slots_is_lost(s, outcome.differs))
        outcome.differs++;
    return outcome;
}

static void make(struct slots *s, uint64_t seed)
{
    struct weir_random r = {seed, UINT64_C(1) << 32};
    s->ports = 1 + weir_random_below(&r, 8);
    s->buffer = s->ports * (1 + weir_random_below(&r, 6));
    slots_make(s, seed % SLOTS_SHAPES, 24, seed);
    slots_run_lqd(s, "remove=tail");
}

/* Unit packets and ports that divide the buffer: LQD's fates, and nothing was written in vain. */
static void admit__right_oracle_keeps_what_lqd_keeps_and_pushes_nothing_out(void **state)
{
    (void)state;
    static struct slots s;
    for (uint64_t seed = 1; seed <= slots_rounds(1000); seed++) {
        struct weir_table_oracle oracle;
        make(&s, seed);
        weir_table_oracle_init(&oracle, s.lost, s.arrivals, 0, 0);
        struct outcome outcome = run(&s, &oracle.base);
        if (outcome.differs != s.arrivals || outcome.pushed_out != 0)
            fail_msg("seed %llu: arrival %u differs, %u pushed out", (unsigned long long)seed, outcome.differs,
                     outcome.pushed_out);
    }
}

/* An oracle that foresees no loss leaves LQD as it is. */
static void victim__is_lqd_where_nothing_is_predicted(void **state)
{
    (void)state;
    static struct slots s;
    uint32_t pushed_out = 0;
    struct weir_table_oracle oracle;
    weir_table_oracle_init(&oracle, NULL, 0, 0, 0);
    for (uint64_t seed = 1; seed <= slots_rounds(1000); seed++) {
        make(&s, seed);
        struct outcome outcome = run(&s, &oracle.base);
        if (outcome.differs != s.arrivals)
            fail_msg("seed %llu: arrival %u differs", (unsigned long long)seed, outcome.differs);
        pushed_out += outcome.pushed_out;
    }
    assert_true(pushed_out > 1000);
}

/* 2 ports, 4 packets; everything is predicted lost. Up to a share nobody asks. */
static void admit__safeguard_comes_before_the_oracle(void **state)
{
    (void)state;
    static const uint8_t all = 0xff;
    const struct slots shape = {.ports = 2, .buffer = 4};
    struct weir_table_oracle oracle;
    struct fixture f;
    weir_table_oracle_init(&oracle, &all, 8, 0, 0);
    slots_config(&f, &shape);
    f.config.oracle = &oracle.base;
    fixture_build(&f, "lqd-predicted", NULL);
    assert_int_equal(fixture_offer(&f, 0, 0, SLOT_BYTES, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 0, 0, SLOT_BYTES, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 0, 0, SLOT_BYTES, 0), WEIR_REASON_PREDICTED);
    assert_int_equal(fixture_offer(&f, 1, 0, SLOT_BYTES, 0), WEIR_REASON_PREDICTED);
    fixture_drain(&f, 0, 1, 0);
    assert_int_equal(fixture_offer(&f, 1, 0, SLOT_BYTES, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admit__right_oracle_keeps_what_lqd_keeps_and_pushes_nothing_out),
        cmocka_unit_test(victim__is_lqd_where_nothing_is_predicted),
        cmocka_unit_test(admit__safeguard_comes_before_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
