/*
 * test_train.c - trees against a naive search for the best split, and what must not change a forest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "forest_rows.h"
#include "lib/forest/score.h"
#include "lib/forest/train.h"
#include "tests/support/error_line.h"
#include "tests/support/failing_alloc.h"

/* Gini impurity times rows of the side of "feature <= limit" that `first` names. */
static double side_impurity(const struct forest_rows *rows, uint32_t f, int64_t limit, bool first)
{
    double of[2] = {0, 0};
    for (uint64_t i = 0; i < rows->count; i++)
        if ((rows->feature[f][i] <= limit) == first)
            of[rows->lost[i]] += 1;
    double all = of[0] + of[1];
    return all > 0 ? all - (of[0] * of[0] + of[1] * of[1]) / all : 0;
}

static double best_impurity(const struct forest_rows *rows)
{
    double best = 1e300;
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
        for (uint64_t i = 0; i < rows->count; i++) {
            int64_t limit = rows->feature[f][i];
            double impurity = side_impurity(rows, f, limit, true) + side_impurity(rows, f, limit, false);
            best = impurity < best ? impurity : best;
        }
    return best;
}

static void train__finds_the_best_split(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct forest_rows rows = noisy_rows(200, 0.2, seed);
        struct forest_settings settings;
        forest_settings_init(&settings);
        settings.trees = 1;
        settings.depth = 1;
        settings.features = WEIR_FEATURE_COUNT;
        settings.bootstrap = false;
        struct weir_error error = {0};
        struct forest *forest = forest_train(&rows, &settings, NULL, NULL, &error);
        assert_non_null(forest);
        assert_int_equal(forest->nodes, 3);
        const struct forest_node *root = &forest->node[0];
        double ours = side_impurity(&rows, root->feature, root->limit, true) +
                      side_impurity(&rows, root->feature, root->limit, false);
        assert_true(ours <= best_impurity(&rows) + 1e-9);
        forest_free(forest);
        forest_rows_free(&rows);
    }
}

/* Without bootstrap, noise and limits a tree learns its rows by heart. */
static void train__a_full_tree_knows_its_rows(void **state)
{
    (void)state;
    struct forest_rows rows = noisy_rows(500, 0.3, 3);
    struct forest_settings settings;
    forest_settings_init(&settings);
    settings.trees = 1;
    settings.depth = FOREST_DEPTH_MAX;
    settings.bootstrap = false;
    struct forest *forest = forest_train(&rows, &settings, NULL, NULL, NULL);
    struct forest_quality quality;
    assert_non_null(forest);
    assert_true(forest_judge(forest, &rows, &quality, NULL));
    assert_true(quality.score.accuracy == 1);
    forest_free(forest);
    forest_rows_free(&rows);
}

static uint64_t digest_of(const struct forest_rows *rows, const struct forest_settings *settings)
{
    struct forest *forest = forest_train(rows, settings, NULL, NULL, NULL);
    assert_non_null(forest);
    uint64_t digest = forest_digest(forest);
    forest_free(forest);
    return digest;
}

static void train__is_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    struct forest_rows rows = noisy_rows(5000, 0.1, 4);
    struct forest_settings settings;
    forest_settings_init(&settings);
    settings.trees = 9;
    settings.depth = 7;
    uint64_t digest = digest_of(&rows, &settings);
    for (uint32_t threads = 2; threads <= 12; threads += 5) {
        settings.threads = threads;
        assert_true(digest_of(&rows, &settings) == digest);
    }
    settings.seed++;
    assert_true(digest_of(&rows, &settings) != digest);
    forest_rows_free(&rows);
}

static void train__learns_the_pattern_through_noise(void **state)
{
    (void)state;
    struct forest_rows rows = noisy_rows(20000, 0.05, 5);
    struct forest_rows train, test;
    struct forest_settings settings;
    struct forest_importance importance;
    forest_settings_init(&settings);
    settings.features = WEIR_FEATURE_COUNT;
    assert_true(forest_rows_split(&rows, 0.4, 1, &train, &test, NULL));
    assert_in_range(train.count, 7500, 8500);
    struct forest *forest = forest_train(&train, &settings, &importance, NULL, NULL);
    struct forest_quality quality;
    assert_non_null(forest);
    assert_true(forest_judge(forest, &test, &quality, NULL));
    assert_true(quality.score.accuracy > 0.94); /* 0.95 is all that can be known */
    assert_true(importance.of[WEIR_FEATURE_QUEUE] + importance.of[WEIR_FEATURE_BUFFER] > 0.95);
    forest_free(forest);
    forest_rows_free(&rows);
    forest_rows_free(&train);
    forest_rows_free(&test);
}

/* A weight moves the border: the heavier a lost row, the more is predicted lost. */
static void train__weight_trades_precision_for_recall(void **state)
{
    (void)state;
    struct forest_rows rows = noisy_rows(5000, 0.3, 6);
    struct forest_settings settings;
    double recall = -1;
    forest_settings_init(&settings);
    for (double weight = 0.5; weight < 10; weight *= 2) {
        struct forest_quality quality;
        settings.weight = weight;
        struct forest *forest = forest_train(&rows, &settings, NULL, NULL, NULL);
        assert_non_null(forest);
        assert_true(forest_judge(forest, &rows, &quality, NULL));
        assert_true(quality.score.recall >= recall);
        recall = quality.score.recall;
        forest_free(forest);
    }
    assert_true(recall > 0.9);
    forest_rows_free(&rows);
}

static void train__refuses_settings_and_empty_rows(void **state)
{
    (void)state;
    struct forest_rows none = {0};
    struct forest_settings settings;
    struct weir_error error = {0};
    forest_settings_init(&settings);
    assert_null(forest_train(&none, &settings, NULL, NULL, &error));
    assert_string_equal(ERROR_LINE(&error), "there are no rows to learn from");
    settings.trees = 257;
    assert_null(forest_train(&none, &settings, NULL, NULL, &error));
    assert_string_equal(ERROR_LINE(&error), "trees: 1 to 256 expected");
}

static void train__stops_when_told(void **state)
{
    (void)state;
    struct forest_rows rows = noisy_rows(100, 0.3, 7);
    struct forest_settings settings;
    struct forest_progress progress = {.stop = true};
    struct weir_error error = {0};
    forest_settings_init(&settings);
    assert_null(forest_train(&rows, &settings, NULL, &progress, &error));
    assert_string_equal(ERROR_LINE(&error), "training was stopped");
    forest_rows_free(&rows);
}

static void train__memory_runs_short(void **state)
{
    (void)state;
    struct forest_rows rows = noisy_rows(3000, 0.3, 9);
    struct forest_settings settings;
    bool failed = true;
    forest_settings_init(&settings);
    settings.trees = 1;
    settings.depth = FOREST_DEPTH_MAX;
    for (uint64_t n = 1; failed; n++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        failing_alloc_start(n);
        struct forest *forest = forest_train(&rows, &settings, NULL, NULL, &error);
        failed = failing_alloc_stop();
        if ((forest == NULL) != failed || (failed && error.code != WEIR_ERROR_MEMORY))
            fail_msg("allocation %u: %s", (unsigned)n, forest == NULL ? ERROR_LINE(&error) : "was not missed");
        forest_free(forest);
        assert_int_equal(failing_alloc_held(), 0);
    }
    forest_rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(train__memory_runs_short),
        cmocka_unit_test(train__finds_the_best_split),
        cmocka_unit_test(train__a_full_tree_knows_its_rows),
        cmocka_unit_test(train__is_the_same_on_any_number_of_threads),
        cmocka_unit_test(train__learns_the_pattern_through_noise),
        cmocka_unit_test(train__weight_trades_precision_for_recall),
        cmocka_unit_test(train__refuses_settings_and_empty_rows),
        cmocka_unit_test(train__stops_when_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
