/*
 * test_score.c - scores of small confusion matrices by hand, and the area under the curve by counting pairs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "forest_rows.h"
#include "lib/forest/score.h"
#include "lib/forest/train.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-12)

static void score__by_hand(void **state)
{
    (void)state;
    struct forest_confusion confusion = {
        .true_positive = 30, .false_positive = 10, .true_negative = 900, .false_negative = 60};
    struct forest_score score = forest_score_of(&confusion);
    NEAR(score.accuracy, 0.93);
    NEAR(score.precision, 0.75);
    NEAR(score.recall, 1.0 / 3);
    NEAR(score.f1, 60.0 / 130);
    NEAR(forest_error_score(&confusion, 11), (900.0 - 600) / 910);
    NEAR(forest_error_score(&confusion, 21), 0);
}

static void score__nothing_predicted_has_no_precision(void **state)
{
    (void)state;
    struct forest_confusion confusion = {.true_negative = 5};
    struct forest_score score = forest_score_of(&confusion);
    NEAR(score.accuracy, 1);
    assert_true(isnan(score.precision) && isnan(score.recall) && isnan(score.f1));
    NEAR(forest_error_score(&confusion, 4), 1);
}

/* The probability that a lost row leans more than a kept one, over all pairs. */
static double area_by_pairs(const struct forest *forest, const struct forest_rows *rows)
{
    double wins = 0, pairs = 0;
    for (uint64_t i = 0; i < rows->count; i++)
        for (uint64_t j = 0; j < rows->count; j++) {
            int64_t a[WEIR_FEATURE_COUNT], b[WEIR_FEATURE_COUNT];
            if (!rows->lost[i] || rows->lost[j])
                continue;
            forest_rows_get(rows, i, a);
            forest_rows_get(rows, j, b);
            int64_t lost = forest_ask(forest, a), kept = forest_ask(forest, b);
            wins += lost > kept ? 1 : lost == kept ? 0.5 : 0;
            pairs += 1;
        }
    return wins / pairs;
}

static void judge__area_and_bins(void **state)
{
    (void)state;
    struct forest_rows rows = noisy_rows(400, 0.2, 8);
    struct forest_settings settings;
    struct forest_quality quality;
    forest_settings_init(&settings);
    struct forest *forest = forest_train(&rows, &settings, NULL, NULL, NULL);
    assert_non_null(forest);
    assert_true(forest_judge(forest, &rows, &quality, NULL));
    NEAR(quality.area, area_by_pairs(forest, &rows));
    uint64_t binned = 0;
    for (uint32_t bin = 0; bin < FOREST_CALIBRATION_BINS; bin++)
        binned += quality.calibration[bin].rows;
    assert_int_equal(binned, rows.count);
    NEAR(quality.roc[FOREST_ROC_POINTS - 1].true_positive_rate, 1);
    NEAR(quality.roc[FOREST_ROC_POINTS - 1].false_positive_rate, 1);
    for (uint32_t i = 1; i < FOREST_ROC_POINTS; i++)
        assert_true(quality.roc[i].true_positive_rate >= quality.roc[i - 1].true_positive_rate);
    forest_free(forest);
    forest_rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(score__by_hand),
        cmocka_unit_test(score__nothing_predicted_has_no_precision),
        cmocka_unit_test(judge__area_and_bins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
