/*
 * test_row.c - what rows say at the edges of their samples: of none, of one, of what has no end.
 */
#include <math.h>

#include "run/measures/row.h"
#include "tests/support/measured_run.h"

static const struct measure_row *row_of(const char *name)
{
    for (uint32_t i = 0; i < measure_row_count; i++)
        if (strcmp(measure_rows[i].name, name) == 0)
            return &measure_rows[i];
    fail_msg("there is no row %s", name);
    return NULL;
}

static void expect(const struct measure_at *at, const char *name, double expected)
{
    double value = row_of(name)->value(at);
    if (isnan(expected) ? !isnan(value) : !(fabs(value - expected) <= 1e-12))
        fail_msg("%s is %.17g, not %.17g", name, value, expected);
}

static struct run_result result; /* of a run that is nothing but what a test puts in */

static void tags__of_none_and_of_one(void **state)
{
    static struct run_tag tag;
    struct summary_flows flows = {.flows = 0};
    struct summary_groups groups = {.groups = 0};
    struct measure_at at = {.run = &result, .tag = &tag, .bin = MEASURE_ALL_SIZES, .flows = &flows, .groups = &groups};
    (void)state;
    result.sim = (const void *)&result; /* simulated, whatever it was */
    expect(&at, "T.[BIN.]lossless", NAN);
    expect(&at, "T.[BIN.]lossless_bytes", NAN);
    flows = (struct summary_flows){.flows = 1, .lossless = 1, .lossless_bytes = 7};
    expect(&at, "T.[BIN.]lossless", 1);
    expect(&at, "T.[BIN.]lossless_bytes", 7);
    tag.groups.groups = 1; /* then of queries */
    expect(&at, "T.[BIN.]lossless", NAN);
    groups = (struct summary_groups){.groups = 1, .lossless = 0, .lossless_bytes = 5};
    expect(&at, "T.[BIN.]lossless", 0);
    expect(&at, "T.[BIN.]lossless_bytes", 5);
    tag.lost = 0;
    tag.first_loss_ps = WEIR_PS_PER_S;
    expect(&at, "T.first_loss", NAN);
    tag.lost = 1;
    expect(&at, "T.first_loss", 1);
    result.sim = NULL;
    expect(&at, "T.[BIN.]lossless", NAN);
    flows.slowdown = (struct statistics){.count = 1, .known = 1, .bound_mean = 3};
    expect(&at, "T.[BIN.]slowdown.known", NAN); /* all are */
    expect(&at, "T.[BIN.]slowdown.bound_mean", NAN);
    flows.slowdown.unfinished = 1;
    expect(&at, "T.[BIN.]slowdown.known", 0.5);
    expect(&at, "T.[BIN.]slowdown.bound_mean", 3);
    flows.slowdown.count = 0;
    expect(&at, "T.[BIN.]slowdown.bound_mean", NAN);
    for (uint64_t unfinished = 0; unfinished < 2; unfinished++) {
        struct measure_sample sample;
        flows.slowdown.unfinished = unfinished;
        flows.slowdown_finished.count = 9;
        row_of("T.[BIN.]slowdown_finished")->sample(&at, &sample);
        assert_int_equal(sample.statistics.count, 9 * unfinished);
    }
}

static void slot__ratios(void **state)
{
    static const struct {
        uint64_t lqd, sent;
        double ratio;
    } cases[] = {{0, 0, 1}, {1, 0, NAN}, {2, 0, NAN}, {0, 1, 0}, {1, 1, 1}, {3, 2, 1.5}};
    const struct measure_at at = {.run = &result};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        result.slot.lqd = cases[i].lqd;
        result.slot.sent = cases[i].sent;
        expect(&at, "slot.lqd_ratio", cases[i].ratio);
    }
    result.slot.broken_theorem1 = 2;
    expect(&at, "slot.theorem1.broken", NAN);
    result.slot.predicted = true;
    expect(&at, "slot.theorem1.broken", 2);
}

static void rows__of_all_four_kinds(void **state)
{
    static struct scenario scenario;
    const struct measure_at at = {.run = &result};
    (void)state;
    scenario.rows.judged =
        (struct forest_confusion){.true_positive = 1, .false_positive = 2, .true_negative = 4, .false_negative = 9};
    result.scenario = &scenario;
    expect(&at, "rows.count", 16);
    expect(&at, "rows.lost", 10.0 / 16);
    result.scenario = NULL;
}

static void memory__first_and_last(void **state)
{
    struct run_memory memories[] = {{0, 0, 300, 400}, {1, 0, 100, 200}};
    const struct measure_at at = {.run = &result};
    (void)state;
    expect(&at, "memory.peak", 0);
    result.memories = memories;
    result.memory_count = 2;
    expect(&at, "memory.peak", 0.75);
    memories[1].peak_bytes = 200;
    expect(&at, "memory.peak", 1);
    result.memory_count = 0;
    expect(&at, "memory.use.p9999", NAN);
    for (uint32_t bin = 0; bin < MEASURE_BINS; bin += MEASURE_BINS - 1) {
        result.buffer_in_use[bin] = 1;
        expect(&at, "memory.use.p9999", bin / (MEASURE_BINS - 1.0));
        result.buffer_in_use[bin] = 0;
    }
}

static void pauses__halves_and_deadlocks(void **state)
{
    static struct pfc_measure pfc;
    struct run run_of;
    double xy[2];
    (void)state;
    run(&run_of, NETWORK TWO_SENDERS);
    const struct measure_at at = {.run = run_of.result};
    struct measure *measure = (struct measure *)(uintptr_t)sim_measure(run_of.sim);
    struct pfc_measure *before = measure->sw[0].pfc;
    expect(&at, "headroom.below_half", NAN);
    measure->sw[0].pfc = &pfc;
    pfc.queues[MEASURE_BINS / 2] = 1; /* a half is not below it */
    expect(&at, "headroom.below_half", 0);
    pfc.queues[MEASURE_BINS / 2 - 1] = 2;
    pfc.queues[0] = 3;
    pfc.queues[MEASURE_BINS - 1] = 4;
    expect(&at, "headroom.below_half", 0.5);
    measure->sw[0].pfc = before;

    measure->deadlock = (struct measure_deadlock){.onset_ps = WEIR_PS_PER_S, .ended_ps = WEIR_NEVER};
    expect(&at, "deadlock.found", 0);
    expect(&at, "deadlock.onset", NAN);
    row_of("deadlock.by")->point(&at, 0, xy);
    assert_true(xy[0] == (double)run_of.result->totals.now / (double)WEIR_PS_PER_S && xy[1] == 0);
    measure->deadlock.found = 1;
    expect(&at, "deadlock.found", 1);
    expect(&at, "deadlock.onset", 1);
    expect(&at, "deadlock.end", NAN);
    row_of("deadlock.by")->point(&at, 0, xy);
    assert_true(xy[0] == 1 && xy[1] == 1);
    done(&run_of);
}

static void names__first_and_last(void **state)
{
    static const struct {
        enum measure_placeholder placeholder;
        uint32_t count;
    } cases[] = {{MEASURE_RUN, 0},
                 {MEASURE_T, 0},
                 {MEASURE_REASON, WEIR_REASON_COUNT - WEIR_REASON_NONE - 1},
                 {MEASURE_CAUSE, WEIR_CAUSE_COUNT - WEIR_CAUSE_REFUSED - 1},
                 {MEASURE_PLACE, 0},
                 {MEASURE_BIN, 3 + RUN_BINS_MAX},
                 {MEASURE_STAT, STATISTIC_COUNT}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t k = 0; k <= cases[i].count; k++)
            assert_int_equal(measure_placeholder_text(cases[i].placeholder, k) != NULL, k < cases[i].count);
    assert_string_equal(measure_placeholder_text(MEASURE_REASON, 0),
                        weir_reason_name((enum weir_reason)(WEIR_REASON_NONE + 1)));
    assert_string_equal(measure_bin_name(2, 0), "short");
    assert_string_equal(measure_bin_name(2, 1), "long");
    assert_string_equal(measure_bin_name(3, 1), "middle");
    assert_string_equal(measure_bin_name(3, 2), "long");
    assert_string_equal(measure_bin_name(4, 0), "bin1");
    assert_string_equal(measure_bin_name(RUN_BINS_MAX, RUN_BINS_MAX - 1), "bin9");
    assert_string_equal(units_name(UNITS_COUNT - 1), "bit/s");
    assert_string_equal(units_name(UNITS_COUNT), "1");
    assert_int_equal(units_find("bit/s"), UNITS_COUNT - 1);
    assert_int_equal(units_find("bits"), UNITS_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags__of_none_and_of_one),     cmocka_unit_test(slot__ratios),
        cmocka_unit_test(rows__of_all_four_kinds),      cmocka_unit_test(memory__first_and_last),
        cmocka_unit_test(pauses__halves_and_deadlocks), cmocka_unit_test(names__first_and_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
