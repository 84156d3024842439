/*
 * test_unfinished.c - which numbers of a table are lower bounds, which leave unfinished queries out, what expressions
 * and claims make of them, and the three treatments.
 *
 * Runs are policy * 6 + size * 2 + seed. Of the policies, DT has queries that did not finish in its first seed, so that
 * a mean over its seeds is made of both. At size 300 KB nothing finished in that seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/store/claims.h"
#include "tests/support/error_line.h"
#include "tests/support/results_table.h"

enum { BOUND_MEAN, KNOWN, MEAN, P50, P99, FINISHED_MEAN, FINISHED_P99, LOST, MEASURES };

static const struct table_measure measures[MEASURES] = {
    {"q.qct.bound_mean", "s"}, {"q.qct.known", "1"},         {"q.qct.mean", "s"},         {"q.qct.p50", "s"},
    {"q.qct.p99", "s"},        {"q.qct_finished.mean", "s"}, {"q.qct_finished.p99", "s"}, {"unfinished_queries", "1"},
};

static double value_of_run(uint32_t run, uint32_t measure)
{
    static const double cut[MEASURES] = {6, 0.9, 4, 3, 20, 4, 8, 2}, whole[MEASURES] = {NAN, NAN, 5, 4, 9, NAN, NAN, 0};
    bool unfinished = run < 6 && run % 2 == 0, nothing = unfinished && run / 2 == 1;
    if (nothing)
        return measure == KNOWN ? 0 : measure == LOST ? 1 : NAN;
    return unfinished ? cut[measure] : whole[measure];
}

#define CLAIM(id, rest) "- {id: " id ", text: t, " rest "}\n"
#define CLAIMS                                                                                                         \
    "claims:\n" CLAIM("p99", "rule: at-most, paper: 100s, value: q.qct.p99, where: {size: 100KB}")                     \
        CLAIM("p50", "rule: at-most, paper: 100s, value: q.qct.p50, where: {size: 100KB}")                             \
            CLAIM("all", "rule: holds, value: q.qct.p99 > 0")                                                          \
                CLAIM("out", "rule: at-most, paper: 100s, value: q.qct.p99, unfinished: leave-out")                    \
                    CLAIM("one", "rule: at-most, paper: 100s, value: \"q.qct.p99[policy=DT, size=100KB]\"")

static void make(struct table *table)
{
    results_table_make(table, RESULTS_SWEEP CLAIMS, measures, MEASURES, value_of_run);
}

static const struct expression *read_expression(struct table *table, const char *text)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const struct expression_axes axes = {table->experiment.axes, table->experiment.axis_count, true};
    const struct expression *expression = expression_read(&table->arena, &axes, (struct mark){"t", 1, 1}, text, &error);
    if (expression == NULL)
        fail_msg("%s: %s", text, ERROR_LINE(&error));
    return expression;
}

static void evaluate_censoring__of_expressions(void **state)
{
    static const struct {
        const char *text;
        enum censoring expected;
    } cases[] = {
        {"q.qct.p50", CENSORING_NONE},
        {"q.qct.p99", CENSORING_BOUND},
        {"q.qct.mean", CENSORING_PARTIAL},
        {"q.qct.known", CENSORING_NONE},
        {"q.qct.p99[policy=Pushout]", CENSORING_NONE},
        {"q.qct.p99[size=300KB]", CENSORING_PARTIAL}, /* a seed is missing in it */
        {"2 * q.qct.p99 / 3", CENSORING_BOUND},
        {"q.qct.p99 * q.qct.p50", CENSORING_BOUND},
        {"q.qct.p99 - 1", CENSORING_BOUND},
        {"1 - q.qct.p99", CENSORING_PARTIAL},
        {"-1 * q.qct.p99", CENSORING_PARTIAL},
        {"1 / q.qct.p99", CENSORING_PARTIAL},
        {"q.qct.p99 / q.qct.p99[policy=Pushout]", CENSORING_BOUND},
        {"q.qct.p99[policy=Pushout] / q.qct.p99", CENSORING_PARTIAL},
        {"q.qct.p99 + q.qct.mean", CENSORING_PARTIAL},
        {"max(q.qct.p99, q.qct.p50)", CENSORING_BOUND},
        {"max(policy, q.qct.p99)", CENSORING_BOUND},
        {"count(policy, q.qct.p99)", CENSORING_PARTIAL},
        {"q.qct.p99 > 1", CENSORING_PARTIAL},
        {"q.qct.p50 > 1", CENSORING_NONE},
        {"size", CENSORING_NONE},
    };
    struct table table;
    (void)state;
    make(&table);
    const struct position position = {.seed = EVALUATE_ALL_SEEDS}; /* DT at 100 KB */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum censoring is = evaluate_censoring(&table, read_expression(&table, cases[i].text), &position);
        if (is != cases[i].expected)
            fail_msg("%s is %d (expected %d)", cases[i].text, (int)is, (int)cases[i].expected);
    }
    table_free(&table);
}

static void evaluate__treatments(void **state)
{
    static const struct {
        const char *text;
        enum unfinished unfinished;
        double expected;
        enum censoring censoring;
    } cases[] = {
        {"q.qct.p99", UNFINISHED_MARK, (20 + 9) / 2.0, CENSORING_BOUND},
        {"q.qct.p99", UNFINISHED_AS_BOUND, (20 + 9) / 2.0, CENSORING_BOUND},
        {"q.qct.p99", UNFINISHED_LEAVE_OUT, (8 + 9) / 2.0, CENSORING_NONE},
        {"q.qct.mean", UNFINISHED_MARK, (4 + 5) / 2.0, CENSORING_PARTIAL},
        {"q.qct.mean", UNFINISHED_AS_BOUND, (6 + 5) / 2.0, CENSORING_BOUND},
        {"q.qct.mean", UNFINISHED_LEAVE_OUT, (4 + 5) / 2.0, CENSORING_NONE},
    };
    struct table table;
    (void)state;
    make(&table);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct expression *expression = read_expression(&table, cases[i].text);
        const struct position position = {.seed = EVALUATE_ALL_SEEDS, .unfinished = cases[i].unfinished};
        assert_true(evaluate(&table, expression, &position) == cases[i].expected);
        assert_int_equal(evaluate_censoring(&table, expression, &position), cases[i].censoring);
    }
    table_free(&table);
}

static void claim_judge__says_what_is_censored(void **state)
{
    static const struct {
        enum censoring censoring;
        uint32_t censored;
        const char *text;
    } expected[] = {{CENSORING_BOUND, 1, "censored at 1 of 2 points"},
                    {CENSORING_NONE, 0, ""},
                    {CENSORING_PARTIAL, 3, "censored at 3 of 6 points"},
                    {CENSORING_NONE, 0, ""},
                    {CENSORING_BOUND, 1, "censored"}};
    struct table table;
    (void)state;
    make(&table);
    assert_int_equal(table.experiment.claim_count, 5);
    for (uint32_t i = 0; i < table.experiment.claim_count; i++) {
        struct judgement judgement;
        char text[JUDGEMENT_CENSORED_MAX];
        claim_judge(&table, &table.experiment.claims[i], &judgement);
        assert_int_not_equal(judgement.verdict, VERDICT_NO_DATA);
        assert_int_equal(judgement.censoring, expected[i].censoring);
        assert_int_equal(judgement.censored, expected[i].censored);
        assert_string_equal(judgement_censored(&judgement, text), expected[i].text);
    }
    table_free(&table);
}

static void texts__with_signs(void **state)
{
    struct table table;
    char text[CENSORING_TEXT_MAX], count[UNFINISHED_TEXT_MAX];
    (void)state;
    make(&table);
    assert_string_equal(censoring_text(CENSORING_NONE, "5 ms", text), "5 ms");
    assert_string_equal(censoring_text(CENSORING_BOUND, "5 ms", text), "\u2265 5 ms");
    assert_string_equal(censoring_text(CENSORING_PARTIAL, "5 ms", text), "5 ms \u2020");
    assert_null(censoring_legend(CENSORING_NONE));
    assert_string_equal(unfinished_text(&table, count), "0 flows and 5 queries in 3 of 12 runs did not finish");
    table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluate_censoring__of_expressions),
        cmocka_unit_test(evaluate__treatments),
        cmocka_unit_test(claim_judge__says_what_is_censored),
        cmocka_unit_test(texts__with_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
