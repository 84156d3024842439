/*
 * test_truth.c - conditions under noise: paired differences, logic of open answers, what must hold in every seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/store/truth.h"
#include "tests/support/results_table.h"

#define SEEDS 3u
#define TEXT                                                                                                           \
    "seeds: 3\nuntil: 1ms\ntopology: {kind: single, hosts: 4}\nswitch: {buffer: 100KB, policy: dt}\n"                  \
    "transports: {t: {kind: cubic}}\ntraffic: [{kind: long, transport: t, sources: h0-h1, destinations: h2}]\n"

static const struct table_measure measures[] = {{"a", "s"}, {"b", "s"}, {"gap", "1"}, {"lost", "1"}};

/* a and b swing together from seed to seed, by more than they differ. */
static double value(uint32_t run, uint32_t measure)
{
    static const double values[SEEDS][4] = {{1.0, 1.2, NAN, 0}, {5.0, 5.21, 1, 0}, {9.0, 9.19, NAN, 3}};
    return values[run][measure];
}

static struct truth ask(const char *condition)
{
    struct table table;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const struct position position = {.seed = EVALUATE_ALL_SEEDS};
    results_table_make(&table, TEXT, measures, 4, value);
    const struct expression_axes axes = {table.experiment.axes, table.experiment.axis_count, false};
    const struct expression *read = expression_read(&table.arena, &axes, (struct mark){"c", 1, 1}, condition, &error);
    assert_non_null(read);
    assert_int_equal(table.experiment.seed_count, SEEDS);
    struct truth truth = truth_of(&table, read, &position);
    table_free(&table);
    return truth;
}

static void truth_of__answers(void **state)
{
    static const struct {
        const char *condition;
        enum answer answer;
    } cases[] = {
        {"a < b", ANSWER_YES}, /* 0.2, 0.21, 0.19: paired; the intervals of a and b overlap widely */
        {"a <= b", ANSWER_YES},
        {"a > b", ANSWER_NO},
        {"a >= b", ANSWER_NO},
        {"a < 5", ANSWER_OPEN},
        {"a > 5", ANSWER_OPEN},
        {"a < 100", ANSWER_YES},
        {"a < a", ANSWER_NO},
        {"a <= a", ANSWER_YES},
        {"a == a", ANSWER_YES},
        {"lost == 0", ANSWER_NO}, /* one seed is enough */
        {"lost != 1", ANSWER_YES},
        {"lost", ANSWER_NO},
        {"a < b and a < 100", ANSWER_YES},
        {"a < b and a < 5", ANSWER_OPEN},
        {"a > b and a < 5", ANSWER_NO},
        {"a < b or a < 5", ANSWER_YES},
        {"a > b or a < 5", ANSWER_OPEN},
        {"a > b or a > 100", ANSWER_NO},
        {"gap > 0", ANSWER_YES}, /* of the seeds that have it */
        {"none > 0", ANSWER_NONE},
        {"none > 0 and a < b", ANSWER_NONE},
        {"none > 0 and a > b", ANSWER_NO},
        {"none > 0 or a < b", ANSWER_YES},
        {"none > 0 or a < 5", ANSWER_NONE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum answer answer = ask(cases[i].condition).answer;
        if (answer != cases[i].answer)
            fail_msg("%s: %d (expected %d)", cases[i].condition, answer, cases[i].answer);
    }
}

/* The margin is that of the comparison that decides. */
static void truth_of__margin(void **state)
{
    (void)state;
    struct truth truth = ask("a < b and a < 100");
    assert_int_equal(truth.margin.count, SEEDS);
    assert_true(truth.margin.mean > 0.199 && truth.margin.mean < 0.201); /* 8 half widths; the other has 9.6 */
    truth = ask("a < 5 and a < b");
    assert_true(truth.margin.mean == 0);
    truth = ask("a < b and lost == 3 or a < b");
    assert_int_equal(truth.answer, ANSWER_YES);
    assert_true(truth.margin.mean > 0.199 && truth.margin.mean < 0.201);
    assert_string_equal(truth.unit, "s");
    assert_int_equal(ask("lost == 0").margin.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_of__answers),
        cmocka_unit_test(truth_of__margin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
