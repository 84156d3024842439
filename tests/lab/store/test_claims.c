/*
 * test_claims.c - every rule at its bounds, at both sizes, and how numbers are shown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/store/claims.h"
#include "tests/support/results_table.h"

#define POINTS 10u
#define SWEEP RESULTS_BASE "sweep: {size: {switch.buffer: {from: 100KB, to: 1000KB, step: 100KB}}}\n"
#define QUICK "quick: {until: 0.5ms}\n"

static const struct table_measure measures[] = {{"m", "s"}, {"m.other", "s"}};

/* The value at each of ten points. */
struct points {
    double at[POINTS];
};

static double no_value(uint32_t run, uint32_t measure)
{
    (void)run;
    (void)measure;
    return NAN;
}

/* One claim on ten points, whose two seeds lie so far on either side of the value at the point that the interval has
 * this half width. */
static struct judgement judge_noisy(const char *claim, const struct points *points, bool quick, double half)
{
    struct table table;
    struct judgement out;
    char text[2048];
    double noise = half / spread_student(1);
    snprintf(text, sizeof text, "%s%sclaims: [{id: c, text: t, %s}]\n", SWEEP, quick ? QUICK : "", claim);
    results_table_make(&table, text, measures, 2, no_value);
    for (uint32_t run = 0; run < 2 * POINTS; run++) {
        table.values[2 * run] = points->at[run / 2] + (run % 2 == 0 ? noise : -noise);
        table.values[2 * run + 1] = 0;
    }
    assert_int_equal(table.experiment.claim_count, 1);
    claim_judge(&table, &table.experiment.claims[0], &out);
    table_free(&table);
    return out;
}

static struct judgement judge(const char *claim, const struct points *points, bool quick)
{
    return judge_noisy(claim, points, quick, 0);
}

/* `most` at all points but the last ones, which are `rest`. */
static struct points mixed(double most, uint32_t rest_count, double rest)
{
    struct points points;
    for (uint32_t i = 0; i < POINTS; i++)
        points.at[i] = i < POINTS - rest_count ? most : rest;
    return points;
}

static void claim_judge__rules(void **state)
{
    static const struct {
        const char *claim;
        double most;
        uint32_t rest_count;
        double rest;
        enum verdict full, quick;
        double shown;
    } cases[] = {
        {"rule: up-to, paper: 55%, value: m", 0.1, 1, 0.46, VERDICT_MET, VERDICT_HOLDS, 0.46},
        {"rule: up-to, paper: 55%, value: m", 0.1, 1, 0.45, VERDICT_MET, VERDICT_HOLDS, 0.45},
        {"rule: up-to, paper: 55%, value: m", 0.1, 1, 0.44, VERDICT_DIRECTION, VERDICT_HOLDS, 0.44},
        {"rule: up-to, paper: 55%, value: m", 0.1, 1, 0.649, VERDICT_MET, VERDICT_HOLDS, 0.649},
        {"rule: up-to, paper: 55%, value: m", 0.1, 1, 0.651, VERDICT_BEYOND, VERDICT_HOLDS, 0.651},
        {"rule: up-to, paper: 13%, value: m", 0.01, 1, 0.105, VERDICT_MET, VERDICT_HOLDS, 0.105},
        {"rule: up-to, paper: 13%, value: m", 0.01, 1, 0.103, VERDICT_DIRECTION, VERDICT_HOLDS, 0.103},
        {"rule: up-to, paper: 13%, value: m", 0.01, 1, 0.229, VERDICT_MET, VERDICT_HOLDS, 0.229},
        {"rule: up-to, paper: 13%, value: m", 0.01, 1, 0.231, VERDICT_BEYOND, VERDICT_HOLDS, 0.231},
        {"rule: up-to, paper: 8x, value: m", 1.5, 1, 8.79, VERDICT_MET, VERDICT_HOLDS, 8.79},
        {"rule: up-to, paper: 8x, value: m", 1.5, 1, 8.81, VERDICT_BEYOND, VERDICT_HOLDS, 8.81},
        {"rule: up-to, paper: 8x, value: m", 0.5, 1, 9, VERDICT_BEYOND, VERDICT_MISSED, 9},
        {"rule: up-to, paper: 55%, value: m", 0.1, 2, -0.2, VERDICT_DIRECTION, VERDICT_HOLDS, 0.1},
        {"rule: up-to, paper: 55%, value: m", 0.1, 3, -0.2, VERDICT_MISSED, VERDICT_MISSED, 0.1},
        {"rule: up-to, paper: 8x, value: m", 1.5, 1, 7.3, VERDICT_MET, VERDICT_HOLDS, 7.3},
        {"rule: up-to, paper: 8x, value: m", 1.5, 1, 7.1, VERDICT_DIRECTION, VERDICT_HOLDS, 7.1},
        {"rule: up-to, paper: 8x, value: m", 0.9, 1, 7.1, VERDICT_MISSED, VERDICT_MISSED, 7.1},
        {"rule: about, paper: 30%, value: m", 0.35, 2, 0.241, VERDICT_MET, VERDICT_HOLDS, 0.241},
        {"rule: about, paper: 30%, value: m", 0.35, 2, 0.239, VERDICT_DIRECTION, VERDICT_HOLDS, 0.239},
        {"rule: about, paper: 30%, value: m", 0.35, 3, 0.19, VERDICT_MISSED, VERDICT_HOLDS, 0.19},
        {"rule: about, paper: 30%, value: m", 0.35, 3, 0.7, VERDICT_MISSED, VERDICT_MISSED, 0.7},
        {"rule: about, paper: 4.96%, value: m", 0.05, 1, 0.0595, VERDICT_MET, VERDICT_HOLDS, 0.0595},
        {"rule: about, paper: 4.96%, value: m", 0.05, 3, 0.0596, VERDICT_MISSED, VERDICT_HOLDS, 0.0596},
        {"rule: about, paper: 50%, value: m", 0.5, 1, 0.4, VERDICT_MET, VERDICT_HOLDS, 0.4},
        {"rule: about, paper: 90%, value: m", 0.9, 1, 0.8, VERDICT_MET, VERDICT_HOLDS, 0.8},
        {"rule: about, paper: 90%, value: m", 0.9, 1, 0.799, VERDICT_DIRECTION, VERDICT_HOLDS, 0.799},
        {"rule: about, paper: 140%, value: m", 1.4, 1, 1.5, VERDICT_MET, VERDICT_HOLDS, 1.5},
        {"rule: about, paper: 140%, value: m", 1.4, 1, 1.501, VERDICT_DIRECTION, VERDICT_HOLDS, 1.501},
        {"rule: about, paper: 2, value: m", 2.1, 1, 1.81, VERDICT_MET, VERDICT_HOLDS, 1.81},
        {"rule: about, paper: 2, value: m", 2.1, 1, 1.7, VERDICT_DIRECTION, VERDICT_HOLDS, 1.7},
        {"rule: about, paper: 2, value: m", 3.9, 2, 4.1, VERDICT_MISSED, VERDICT_HOLDS, 4.1},
        {"rule: at-least, paper: 0.5, value: m", 0.5, 1, 0.6, VERDICT_MET, VERDICT_HOLDS, 0.5},
        {"rule: at-least, paper: 0.5, value: m", 0.5, 2, 0.4, VERDICT_DIRECTION, VERDICT_HOLDS, 0.4},
        {"rule: at-least, paper: 0.5, value: m", 0.5, 3, 0.4, VERDICT_MISSED, VERDICT_MISSED, 0.4},
        {"rule: at-most, paper: 0.5, value: m", 0.5, 1, 0.4, VERDICT_MET, VERDICT_HOLDS, 0.5},
        {"rule: at-most, paper: 0.5, value: m", 0.4, 2, 0.6, VERDICT_DIRECTION, VERDICT_HOLDS, 0.6},
        {"rule: at-most, paper: 0.5, value: m", 0.4, 3, 0.6, VERDICT_MISSED, VERDICT_MISSED, 0.6},
        {"rule: holds, value: m > 1", 2, 0, 0, VERDICT_MET, VERDICT_HOLDS, 1},
        {"rule: holds, value: m > 1", 2, 2, 0, VERDICT_DIRECTION, VERDICT_HOLDS, 0.8},
        {"rule: holds, value: m > 1", 2, 3, 0, VERDICT_MISSED, VERDICT_MISSED, 0.7},
        {"rule: holds, value: m >= 1", 1, 0, 0, VERDICT_MET, VERDICT_HOLDS, 1}, /* of the mean over seeds */
        {"rule: holds, value: m >= 1", 0.9995, 0, 0, VERDICT_MISSED, VERDICT_MISSED, 0},
        /* Without a value a point agrees with nothing. */
        {"rule: at-most, paper: 0.5, value: m", 0.4, 1, NAN, VERDICT_DIRECTION, VERDICT_HOLDS, 0.4},
        {"rule: at-most, paper: 0.5, value: m", 0.4, 3, NAN, VERDICT_MISSED, VERDICT_MISSED, 0.4},
        {"rule: up-to, paper: 50%, value: m", 0.6, 3, NAN, VERDICT_MET, VERDICT_MISSED, 0.6},
        /* Of an invariant every point counts. */
        {"rule: invariant, value: m == 1", 1, 0, 0, VERDICT_MET, VERDICT_HOLDS, 1},
        {"rule: invariant, value: m == 1", 1, 1, 0, VERDICT_MISSED, VERDICT_MISSED, 0.9},
        {"rule: invariant, value: m == 1", 1, 1, NAN, VERDICT_MISSED, VERDICT_MISSED, 0.9},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct points points = mixed(cases[i].most, cases[i].rest_count, cases[i].rest);
        struct judgement full = judge(cases[i].claim, &points, false), quick = judge(cases[i].claim, &points, true);
        if (full.verdict != cases[i].full || quick.verdict != cases[i].quick ||
            fabs(full.ours.mean - cases[i].shown) > 1e-9)
            fail_msg("case %zu: %s: %s, quick %s, shown %g", i, cases[i].claim, verdict_name(full.verdict),
                     verdict_name(quick.verdict), full.ours.mean);
    }
}

/* Both ends of the interval give the verdict, or there is none. */
static void claim_judge__intervals(void **state)
{
    static const struct {
        const char *claim;
        double most;
        uint32_t rest_count;
        double rest, half;
        enum verdict verdict;
        uint32_t agreeing, open;
    } cases[] = {
        {"rule: at-least, paper: 0.5, value: m", 0.6, 0, 0, 0.09, VERDICT_MET, 10, 0},
        {"rule: at-least, paper: 0.5, value: m", 0.6, 0, 0, 0.11, VERDICT_UNDECIDED, 0, 10},
        {"rule: at-least, paper: 0.5, value: m", 0.4, 0, 0, 0.11, VERDICT_UNDECIDED, 0, 10},
        {"rule: at-least, paper: 0.5, value: m", 0.4, 0, 0, 0.09, VERDICT_MISSED, 0, 0},
        {"rule: at-most, paper: 0.5, value: m", 0.4, 0, 0, 0.09, VERDICT_MET, 10, 0},
        {"rule: at-most, paper: 0.5, value: m", 0.4, 0, 0, 0.11, VERDICT_UNDECIDED, 0, 10},
        {"rule: at-most, paper: 0.5, value: m", 0.6, 0, 0, 0.09, VERDICT_MISSED, 0, 0},
        /* One open point keeps it from being met; two that break it leave the direction, whatever the third is. */
        {"rule: at-most, paper: 0.5, value: m", 0.2, 1, 0.45, 0.1, VERDICT_UNDECIDED, 9, 1},
        {"rule: at-most, paper: 0.5, value: m", 0.2, 2, 0.7, 0.1, VERDICT_DIRECTION, 8, 0},
        {"rule: about, paper: 2, value: m", 2, 0, 0, 0.19, VERDICT_MET, 10, 0},
        {"rule: about, paper: 2, value: m", 2, 0, 0, 0.21, VERDICT_UNDECIDED, 0, 10}, /* wider than the tolerance */
        {"rule: about, paper: 2, value: m", 2.5, 0, 0, 0.29, VERDICT_MISSED, 0, 0},
        {"rule: about, paper: 2, value: m", 2.5, 0, 0, 0.31, VERDICT_UNDECIDED, 0, 10},
        {"rule: up-to, paper: 55%, value: m", 0.3, 1, 0.55, 0.09, VERDICT_MET, 10, 0},
        {"rule: up-to, paper: 55%, value: m", 0.3, 1, 0.55, 0.11, VERDICT_UNDECIDED, 10, 0},
        {"rule: up-to, paper: 55%, value: m", 0.3, 1, 0.75, 0.09, VERDICT_BEYOND, 10, 0},
        {"rule: up-to, paper: 55%, value: m", 0.3, 1, 0.75, 0.11, VERDICT_BEYOND, 10, 0}, /* reached at both ends */
        {"rule: up-to, paper: 55%, value: m", 0.3, 1, 0.62, 0.09, VERDICT_MET, 10, 0},
        {"rule: up-to, paper: 55%, value: m", 0.3, 1, 0.62, 0.18, VERDICT_UNDECIDED, 10, 0},
        {"rule: up-to, paper: 55%, value: m", 0.2, 1, 0.3, 0.1, VERDICT_DIRECTION, 10, 0},
        {"rule: up-to, paper: 55%, value: m", 0.05, 1, 0.3, 0.1, VERDICT_UNDECIDED, 1, 9}, /* is it positive? */
        {"rule: up-to, paper: 55%, value: m", -0.2, 1, 0.3, 0.1, VERDICT_MISSED, 1, 0},
        {"rule: holds, value: m > 1", 1.2, 0, 0, 0.19, VERDICT_MET, 10, 0},
        {"rule: holds, value: m > 1", 1.2, 0, 0, 0.21, VERDICT_UNDECIDED, 0, 10},
        {"rule: holds, value: m > 1", 0.8, 0, 0, 0.21, VERDICT_UNDECIDED, 0, 10},
        {"rule: holds, value: m > 1", 0.8, 0, 0, 0.19, VERDICT_MISSED, 0, 0},
        {"rule: holds, value: m > 1", 1.2, 2, 0.5, 0.1, VERDICT_DIRECTION, 8, 0},
        {"rule: invariant, value: m > 1", 1.2, 0, 0, 2, VERDICT_MET, 10, 0}, /* each seed by itself: 1.04 and 1.36 */
        {"rule: invariant, value: m > 1", 1.2, 0, 0, 3, VERDICT_MISSED, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct points points = mixed(cases[i].most, cases[i].rest_count, cases[i].rest);
        struct judgement out = judge_noisy(cases[i].claim, &points, false, cases[i].half);
        if (out.verdict != cases[i].verdict || out.agreeing != cases[i].agreeing || out.open != cases[i].open)
            fail_msg("case %zu: %s: %s, %u agree, %u open", i, cases[i].claim, verdict_name(out.verdict), out.agreeing,
                     out.open);
    }
}

/* The point that is shown is one that keeps the claim from being met. */
static void claim_judge__shows_what_is_open(void **state)
{
    struct points points = mixed(0.2, 0, 0);
    (void)state;
    points.at[4] = 0.45;
    struct judgement out = judge_noisy("rule: at-most, paper: 0.5, value: m", &points, false, 0.1);
    assert_int_equal(out.where.at[0], 4);
    out = judge_noisy("rule: holds, value: m < 0.5", &points, false, 0.1);
    assert_int_equal(out.where.at[0], 4);
    assert_int_equal(out.verdict, VERDICT_UNDECIDED);
    assert_true(fabs(out.truth.margin.mean - 0.05) < 1e-9 && fabs(out.truth.margin.half - 0.1) < 1e-9);
    assert_string_equal(out.truth.unit, "s");
    out = judge_noisy("rule: holds, value: m < 0.5", &points, false, 0.01); /* all agree: the least sure */
    assert_int_equal(out.where.at[0], 4);
    assert_int_equal(out.verdict, VERDICT_MET);
}

/* What was kept gives the verdict again. */
static void claim_verdict__from_numbers(void **state)
{
    const struct points points = mixed(0.3, 1, 0.75);
    const char *text = "rule: up-to, paper: 55%, value: m";
    struct claim claim = {.rule = CLAIM_UP_TO, .paper = 0.55, .paper_text = "55%"};
    (void)state;
    struct judgement out = judge_noisy(text, &points, false, 0.09);
    struct spread kept = spread_even(out.ours.mean, out.ours.half);
    const struct claim_points all = {out.points, out.agreeing, out.open};
    assert_int_equal(claim_verdict(&claim, &kept, &all), VERDICT_BEYOND);
    kept = spread_even(out.ours.mean, NAN); /* one seed */
    assert_int_equal(claim_verdict(&claim, &kept, &all), VERDICT_BEYOND);
    kept = spread_even(out.ours.mean, 0.2);
    assert_int_equal(claim_verdict(&claim, &kept, &all), VERDICT_BEYOND);
    kept = spread_even(out.ours.mean, 0.32); /* its low end is near no 55 % */
    assert_int_equal(claim_verdict(&claim, &kept, &all), VERDICT_UNDECIDED);
    claim.rule = CLAIM_AT_MOST; /* one point, which an earlier rule counted by its mean */
    kept = spread_even(0.57, 0.03);
    assert_int_equal(claim_verdict(&claim, &kept, &(struct claim_points){1, 0, 0}), VERDICT_UNDECIDED);
    kept = spread_even(0.57, 0.01);
    assert_int_equal(claim_verdict(&claim, &kept, &(struct claim_points){1, 1, 0}), VERDICT_MISSED);
    claim.rule = CLAIM_ABOUT;
    claim.fitted = "A parameter was.";
    assert_int_equal(claim_verdict(&claim, &kept, &(struct claim_points){1, 1, 0}), VERDICT_FITTED);
    kept = spread_even(0.27, 0.01); /* not even so */
    assert_int_equal(claim_verdict(&claim, &kept, &(struct claim_points){1, 1, 0}), VERDICT_MISSED);
    kept = spread_even(0.57, 0.3); /* an uneven interval decides by its ends */
    kept.low = 0.5;
    kept.high = 0.6;
    assert_int_equal(claim_verdict(&claim, &kept, &(struct claim_points){1, 1, 0}), VERDICT_FITTED);
}

/* Points that `where` leaves out, or at which the baseline shows nothing, are no points. */
static void claim_judge__points_that_count(void **state)
{
    static const struct {
        const char *claim;
        enum verdict verdict;
        uint32_t points, agreeing;
    } cases[] = {
        {"rule: at-least, paper: 0.5, value: m", VERDICT_DIRECTION, 10, 8},
        {"rule: at-least, paper: 0.5, value: m, where: {size: 100KB}", VERDICT_MET, 1, 1},
        {"rule: at-least, paper: 0.5, value: m, where: {size: [300KB, 100KB, 200KB]}", VERDICT_MET, 3, 3},
        {"rule: at-least, paper: 0.5, value: m, where: {size: {from: 700KB}}", VERDICT_MISSED, 4, 2},
        {"rule: at-least, paper: 0.5, value: m, where: {size: {from: 200KB, to: 0.9MB}}", VERDICT_DIRECTION, 8, 7},
        {"rule: holds, value: m > 0.5, where: {size: [900KB, 1000KB]}", VERDICT_MISSED, 2, 0},
        {"rule: at-least, paper: 0.5, value: m, needs: m > 0.5", VERDICT_MET, 8, 8},
        {"rule: at-least, paper: 0.5, value: m, needs: m > 7", VERDICT_VACUOUS, 0, 0},
        {"rule: invariant, value: m < 7, needs: m > 7", VERDICT_VACUOUS, 0, 0},
        {"rule: about, paper: 0.6, value: m, where: {size: 100KB}, fitted: By the size.", VERDICT_FITTED, 1, 1},
    };
    const struct points points = mixed(0.6, 2, 0.4);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct judgement out = judge(cases[i].claim, &points, false);
        assert_int_equal(out.verdict, cases[i].verdict);
        assert_int_equal(out.points, cases[i].points);
        assert_int_equal(out.agreeing, cases[i].agreeing);
    }
    assert_int_equal(judge(cases[8].claim, &points, true).verdict, VERDICT_VACUOUS);
}

static void margin_text__names_and_units(void **state)
{
    const struct expression one = {.kind = EXPRESSION_MEASURE, .name = "a.p95"},
                            two = {.kind = EXPRESSION_MEASURE, .name = "b.mean"};
    const struct expression ratio = {.kind = EXPRESSION_DIVIDE, .left = &one, .right = &one};
    const struct expression same = {.kind = EXPRESSION_LESS, .left = &one, .right = &one},
                            other = {.kind = EXPRESSION_LESS, .left = &ratio, .right = &two};
    struct claim claim = {.rule = CLAIM_HOLDS, .value = &same};
    struct spread margin = spread_even(0.002, 0.001);
    char text[MARGIN_TEXT_MAX];
    (void)state;
    margin_text(&claim, &margin, "s", text);
    assert_string_equal(text, "margin 2 ms \u00b1 1 ms of a.p95");
    claim.value = &other;
    margin_text(&claim, &margin, "1", text);
    assert_string_equal(text, "margin 0.002 \u00b1 0.001 of the ratio of a.p95, b.mean");
}

static void interval_text__even_and_uneven(void **state)
{
    struct spread spread = spread_even(0.5, 0.25);
    const struct claim claim = {.rule = CLAIM_ABOUT, .paper_text = "50%"};
    char text[160];
    (void)state;
    interval_text(&claim, &spread, "1", text);
    assert_string_equal(text, " \u00b1 25 %");
    spread.low = 0.4;
    interval_text(&claim, &spread, "1", text);
    assert_string_equal(text, " (40 % to 75 %)");
    value_interval_text(&spread, "s", text);
    assert_string_equal(text, " (400 ms to 750 ms)");
    spread = spread_even(0.5, 0);
    interval_text(&claim, &spread, "1", text);
    assert_string_equal(text, "");
    spread = spread_even(0.5, INFINITY);
    interval_text(&claim, &spread, "1", text);
    assert_string_equal(text, " \u00b1 ?");
}

/* What is said to decide decides, and one seed less does not. */
static void claim_seeds_more__decides(void **state)
{
    const struct claim claim = {.rule = CLAIM_AT_LEAST, .paper = 1};
    struct spread_sum sum = {.count = 0};
    (void)state;
    for (uint32_t i = 0; i < 10; i++)
        spread_add(&sum, i % 2 == 0 ? 0.6 : 1.6);
    struct spread now = spread_end(&sum);
    double more = claim_seeds_more(&claim, &now, &now, false);
    double deviation = now.half / spread_student(9) * sqrt(10), all = 10 + more;
    assert_true(more > 20 && more < 200);
    assert_true(spread_student((uint32_t)all - 1) * deviation / sqrt(all) < 0.1);
    assert_true(spread_student((uint32_t)all - 2) * deviation / sqrt(all - 1) >= 0.1);
    now.mean = 1;
    assert_true(isinf(claim_seeds_more(&claim, &now, &now, false)));
    now.half = 0;
    assert_true(claim_seeds_more(&claim, &now, &now, false) == 0);
}

static void claim_judge__point_that_decides(void **state)
{
    struct points points = mixed(0.1, 0, 0);
    (void)state;
    points.at[6] = 0.4;
    points.at[8] = -0.3;
    struct judgement out = judge_noisy("rule: up-to, paper: 55%, value: m", &points, false, 0.01);
    assert_int_equal(out.where.at[0], 6);
    assert_int_equal(out.free_axes, 1);
    assert_int_equal(out.points, 10);
    assert_int_equal(out.agreeing, 9);
    assert_int_equal(out.ours.count, 2);
    assert_true(out.ours.half > 0);
    assert_string_equal(out.message, "");
    out = judge("rule: holds, value: m > 0", &points, false);
    assert_int_equal(out.where.at[0], 8);
    out = judge("rule: at-least, paper: 0, value: m", &points, false);
    assert_int_equal(out.where.at[0], 8);
    out = judge("rule: about, paper: 10%, value: m", &points, false);
    assert_int_equal(out.where.at[0], 8);
    out = judge("rule: about, paper: 10%, value: m, where: {size: 700KB}", &points, false);
    assert_int_equal(out.points, 1);
    assert_int_equal(out.free_axes, 0);
    assert_true(fabs(out.ours.mean - 0.4) < 1e-9);
    out = judge("rule: about, paper: 10%, value: 'max(size, m)'", &points, false);
    assert_int_equal(out.points, 1);
    assert_int_equal(out.verdict, VERDICT_MISSED);
}

/* A point without a value counts, does not agree, and decides an ordering that it is the first to break. */
static void claim_judge__point_without_value(void **state)
{
    struct points points = mixed(0.4, 0, 0);
    (void)state;
    points.at[3] = NAN;
    points.at[7] = -1;
    struct judgement out = judge("rule: holds, value: m > 0", &points, false);
    assert_int_equal(out.points, 10);
    assert_int_equal(out.agreeing, 8);
    assert_int_equal(out.where.at[0], 3);
    assert_int_equal(out.verdict, VERDICT_DIRECTION);
    points.at[0] = NAN;
    assert_int_equal(judge("rule: holds, value: m > 0", &points, false).where.at[0], 0);
    assert_int_equal(judge("rule: up-to, paper: 50%, value: m", &points, false).points, 10);
}

static void claim_judge__not_here(void **state)
{
    const struct points points = mixed(1, 0, 0);
    (void)state;
    assert_int_equal(judge("rule: holds, value: m > 0, quick: no", &points, true).verdict, VERDICT_NOT_HERE);
    assert_int_equal(judge("rule: holds, value: m > 0, quick: no", &points, false).verdict, VERDICT_MET);
}

/* The sweep of the quick size does not have what the claim is about. */
static void claim_judge__label_of_the_other_size(void **state)
{
    static const char *const claims[] = {"value: 'm[size=300KB] > 0'", "value: m > 0, where: {size: 300KB}"};
    struct table table;
    struct judgement out;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "%squick: {sweep.size: {switch.buffer: [100KB]}}\nclaims: [{id: c, text: t, rule: holds, %s}]\n",
                 SWEEP, claims[i]);
        results_table_make(&table, text, measures, 2, no_value);
        claim_judge(&table, &table.experiment.claims[0], &out);
        assert_int_equal(out.verdict, VERDICT_NOT_HERE);
        table_free(&table);
    }
}

static void claim_judge__no_data(void **state)
{
    struct table table;
    struct judgement out;
    const struct points points = mixed(1, 0, 0);
    (void)state;
    out = judge("rule: holds, value: m.othr > 0", &points, false);
    assert_int_equal(out.verdict, VERDICT_NO_DATA);
    assert_string_equal(out.message, "no run has the measure 'm.othr' (did you mean 'm.other'?)");
    out = judge("rule: at-most, paper: 1, value: m / m.other", &points, false);
    assert_int_equal(out.verdict, VERDICT_NO_DATA);
    assert_string_equal(out.message, "the expression has no value at any point");
    results_table_make(&table,
                       SWEEP
                       "claims: [{id: a, text: t, rule: holds, value: m > 0}, {id: b, text: t, rule: holds, value: "
                       "m > 0, where: {size: 100KB}}]\n",
                       measures, 2, no_value);
    for (uint32_t run = 0; run < 2 * POINTS; run++)
        table.values[2 * run] = 1;
    table.runs[7].finished = false;
    table.runs[7].failure = "took too long";
    claim_judge(&table, &table.experiment.claims[0], &out);
    assert_int_equal(out.verdict, VERDICT_NO_DATA);
    assert_string_equal(out.message, "not finished: size=400KB, seed 4: took too long");
    claim_judge(&table, &table.experiment.claims[1], &out);
    assert_int_equal(out.verdict, VERDICT_MET);
    table_free(&table);
}

static void value_text__four_digits(void **state)
{
    static const struct {
        double value;
        const char *unit, *text;
    } cases[] = {
        {12.3456e-6, "s", "12.35 us"},
        {0.00531234, "s", "5.312 ms"},
        {0, "s", "0 s"},
        {-0.0, "B", "0 B"},
        {999.96e-6, "s", "1 ms"},
        {999.94e-6, "s", "999.9 us"},
        {1234.5, "s", "1234 s"},
        {123456, "s", "123456 s"},
        {1e-12, "s", "1 ps"},
        {3e-14, "s", "0.03 ps"},
        {-2.5e-3, "s", "-2.5 ms"},
        {41200, "B", "41.2 KB"},
        {1.5e6, "B", "1.5 MB"},
        {512, "B", "512 B"},
        {9.81e9, "bit/s", "9.81 Gbit/s"},
        {0.5, "bit/s", "0.5 bit/s"},
        {1, "1", "1"},
        {123456, "1", "123456"},
        {12345.678, "1", "12346"},
        {1234.567, "1", "1235"},
        {0.98765432, "1", "0.9877"},
        {1.5e-7, "1", "1.5e-07"},
        {NAN, "s", "-"},
        {INFINITY, "1", "inf"},
        {4e15, "B", "4000 TB"},
        {5e17, "B", "500000 TB"},
        {1e300, "1", "1e+300"},
    };
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        value_text(cases[i].value, cases[i].unit, text);
        if (strcmp(text, cases[i].text) != 0)
            fail_msg("%g %s is '%s' (expected '%s')", cases[i].value, cases[i].unit, text, cases[i].text);
    }
    value_text(1.7e308, "s", text);
    assert_string_equal(text, "1.7e+308 s");
}

static void claim_text__as_the_paper_writes(void **state)
{
    char text[64];
    struct claim claim = {.rule = CLAIM_UP_TO, .paper = 0.55, .paper_text = "55%"};
    (void)state;
    claim_text(&claim, 0.5512345, "1", text);
    assert_string_equal(text, "55.12 %");
    claim_text(&claim, 1e-17, "1", text);
    assert_string_equal(text, "0 %");
    claim_text(&claim, NAN, "1", text);
    assert_string_equal(text, "-");
    claim = (struct claim){.rule = CLAIM_UP_TO, .paper = 8, .paper_text = "8x", .times = true};
    claim_text(&claim, 8.1, "1", text);
    assert_string_equal(text, "8.1x");
    claim = (struct claim){.rule = CLAIM_ABOUT, .paper = 222e-6, .paper_text = "222us"};
    claim_text(&claim, 2.2e-4, "s", text);
    assert_string_equal(text, "220 us");
    claim = (struct claim){.rule = CLAIM_HOLDS, .paper = NAN};
    claim_text(&claim, 0.8, "1", text);
    assert_string_equal(text, "80 % of points");
    claim_text(&claim, 1, "1", text);
    assert_string_equal(text, "everywhere");
    claim_text(&claim, 0, "1", text);
    assert_string_equal(text, "confirmed nowhere");
    assert_string_equal(claim_rule_name(CLAIM_UP_TO), "up-to");
    assert_string_equal(claim_rule_name(CLAIM_HOLDS), "holds");
    assert_string_equal(claim_rule_name(CLAIM_INVARIANT), "invariant");
    assert_string_equal(verdict_name(VERDICT_MET), "met");
    assert_string_equal(verdict_name(VERDICT_BEYOND), "beyond");
    assert_string_equal(verdict_name(VERDICT_UNDECIDED), "undecided");
    assert_string_equal(verdict_name(VERDICT_DIRECTION), "direction");
    assert_string_equal(verdict_name(VERDICT_MISSED), "missed");
    assert_string_equal(verdict_name(VERDICT_FITTED), "fitted");
    assert_string_equal(verdict_name(VERDICT_VACUOUS), "vacuous");
    assert_string_equal(verdict_name(VERDICT_HOLDS), "holds");
    assert_string_equal(verdict_name(VERDICT_NOT_HERE), "not at this size");
    assert_string_equal(verdict_name(VERDICT_NO_DATA), "no data");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claim_judge__rules),
        cmocka_unit_test(claim_judge__intervals),
        cmocka_unit_test(claim_judge__shows_what_is_open),
        cmocka_unit_test(claim_verdict__from_numbers),
        cmocka_unit_test(claim_judge__points_that_count),
        cmocka_unit_test(margin_text__names_and_units),
        cmocka_unit_test(interval_text__even_and_uneven),
        cmocka_unit_test(claim_seeds_more__decides),
        cmocka_unit_test(claim_judge__point_that_decides),
        cmocka_unit_test(claim_judge__point_without_value),
        cmocka_unit_test(claim_judge__not_here),
        cmocka_unit_test(claim_judge__label_of_the_other_size),
        cmocka_unit_test(claim_judge__no_data),
        cmocka_unit_test(value_text__four_digits),
        cmocka_unit_test(claim_text__as_the_paper_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
