/*
 * test_experiment_run.c - runs of an experiment: their order, their documents, their ids, and where errors are
 * said to be.
 */
#include "tests/support/error_line.h"
#include "tests/support/experiment_text.h"

/* The last axis changes fastest, and the seed faster still. */
static void experiment_run__order(void **state)
{
    static const char *const policies[] = {"dt", "occamy", "lqd"};
    struct experiment e;
    (void)state;
    read_good(&e, BASE SWEEP, false);
    for (uint32_t run = 0; run < 36; run++) {
        struct scenario s;
        uint32_t point = run / 3;
        build_run(&e, run, &s);
        assert_string_equal(s.config.tiers[0].mmu.egress->name, policies[point / 4]);
        assert_int_equal(s.config.traffic[1].bytes, (point % 4 + 1) * 10000);
        assert_int_equal(s.config.traffic[0].concurrency, point % 4 + 1);
        assert_int_equal(s.config.seed, 7 + run % 3);
        assert_int_equal(experiment_value_at(&e, point, 0), point / 4);
        assert_int_equal(experiment_value_at(&e, point, 1), point % 4);
        scenario_free(&s);
    }
    experiment_free(&e);
}

/* A later axis may set a part of what an earlier one put there. */
static void experiment_run__paths(void **state)
{
    struct experiment e;
    struct scenario s;
    (void)state;
    read_good(&e,
              BASE "sweep:\n"
                   "  policy: {switch.policy: [tdt, {name: occamy, select: longest}]}\n"
                   "  alpha: {switch.policy.alpha: [1, 8]}\n"
                   "  probe: {measure.goodput_interval: [10us], until: [2ms]}\n",
              false);
    assert_string_equal(e.axes[0].values[1].label, "occamy:select=longest");
    build_run(&e, 3, &s);
    assert_string_equal(s.config.tiers[0].mmu.egress->name, "occamy");
    assert_int_equal(s.config.tiers[0].mmu.egress_values->of[0][0], 8 * WEIR_Q16_ONE);
    assert_int_equal(s.config.goodput_interval_ps, 10 * WEIR_PS_PER_US);
    assert_int_equal(s.config.until_ps, 2 * WEIR_PS_PER_MS);
    scenario_free(&s);
    experiment_free(&e);
}

static void experiment_run_id__what_it_sees(void **state)
{
    static const struct {
        const char *text;
        bool same;
    } cases[] = {
        {BASE "name: other\ntitle: Another\n", true}, {BASE "routing: {ecmp: flow}\n", true},
        {BASE "seeds: 5\nclaims: []\n", true},        {BASE "seed: 2\n", false},
        {BASE "routing: {ecmp: packet}\n", false},    {BASE "sweep: {p: {until: [1ms]}}\n", true},
        {BASE "sweep: {p: {until: [2ms]}}\n", false},
    };
    char first[EXPERIMENT_ID_MAX], id[EXPERIMENT_ID_MAX];
    struct experiment e;
    struct scenario s;
    (void)state;
    read_good(&e, BASE, false);
    build_run(&e, 0, &s);
    assert_true(experiment_run_id(&s, "1", first));
    assert_int_equal(strspn(first, "0123456789abcdef"), 16);
    assert_true(experiment_run_id(&s, "2", id));
    assert_string_not_equal(first, id);
    scenario_free(&s);
    experiment_free(&e);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        read_good(&e, cases[i].text, false);
        build_run(&e, 0, &s);
        assert_true(experiment_run_id(&s, "1", id));
        assert_int_equal(strcmp(first, id) == 0, cases[i].same);
        scenario_free(&s);
        experiment_free(&e);
    }
}

/* An error within a value of the sweep stands where that value is written. */
static void experiment_run__errors_name_the_value(void **state)
{
    static const struct {
        const char *text, *message;
        uint32_t run;
    } cases[] = {
        {BASE "sweep: {policy: {switch.policy: [dt, dtt]}}\n",
         "runs/f.yaml:6:38: unknown policy 'dtt' (did you mean 'dt'?)", 1},
        {BASE "sweep: {p: {switch.policy: [dt, {name: abm, alfa: 1}]}}\n",
         "runs/f.yaml:6:45: unknown key 'alfa' in policy abm (did you mean 'alpha'?)", 1},
        {BASE "sweep: {p: {switch.polici: [dt, lqd]}}\n",
         "runs/f.yaml:6:13: unknown key 'polici' in switch (did you mean 'policy'?)", 0},
        {BASE "sweep: {p: {traffic.query.bytes: {from: 1us, to: 3us, step: 1us}}}\n",
         "runs/f.yaml:6:34: bytes: '1us' has an unknown unit (expected: B, KB, KiB, MB, MiB, GB, GiB, pkt, % buffer)",
         0},
        {BASE "sweep: {p: {switch.policy: [dt, lqd]}, a: {switch.policy.alpha: [1]}}\n",
         "runs/f.yaml:6:44: unknown key 'alpha' in policy lqd (expected name, remove, priority)", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct experiment e;
        struct document document;
        struct scenario s;
        struct weir_error error;
        read_good(&e, cases[i].text, false);
        assert_true(experiment_run(&e, cases[i].run, &document, &error));
        assert_false(scenario_build(&s, &document, NULL, &error));
        assert_string_equal(ERROR_LINE(&error), cases[i].message);
        scenario_free(&s);
        document_free(&document);
        experiment_free(&e);
    }
}

/* scenario_build alone leaves the parts of an experiment aside. */
static void scenario_build__ignores_parts(void **state)
{
    static const char text[] = BASE SWEEP CLAIMS QUICK;
    struct document document;
    struct scenario s;
    struct weir_error error;
    (void)state;
    assert_true(document_read(&document, "f", text, strlen(text), &error));
    assert_true(scenario_build(&s, &document, NULL, &error));
    char *shown = node_text(s.effective);
    assert_null(strstr(shown, "sweep"));
    assert_null(strstr(shown, "claims"));
    free(shown);
    scenario_free(&s);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(experiment_run__order),           cmocka_unit_test(experiment_run__paths),
        cmocka_unit_test(experiment_run_id__what_it_sees), cmocka_unit_test(experiment_run__errors_name_the_value),
        cmocka_unit_test(scenario_build__ignores_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
