/*
 * test_online.c - a forest that learns while it is asked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/forest/online.h"
#include "lib/forest/train.h"
#include "tests/lib/forest/forest_rows.h"

#define ROWS 4000u

static const struct forest_online_settings small = {.every = 500, .rows = 2000, .trees = 4, .depth = 4};

static void take(struct forest_online *online, const struct forest_rows *rows, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        int64_t feature[WEIR_FEATURE_COUNT];
        forest_rows_get(rows, i, feature);
        assert_true(forest_online_take(online, feature, rows->lost[i]));
    }
}

static bool ask(const struct forest_online *online, const struct forest_rows *rows, uint64_t row)
{
    int64_t feature[WEIR_FEATURE_COUNT];
    forest_rows_get(rows, row, feature);
    return online->base.predict(&online->base, row, feature);
}

static void online__all_is_kept_at_first(void **state)
{
    struct forest_rows rows = noisy_rows(ROWS, 0, 1);
    struct forest_online online;
    (void)state;
    forest_online_init(&online, &small, 7, NULL);
    take(&online, &rows, 0, small.every - 1);
    for (uint64_t i = 0; i < ROWS; i++)
        assert_false(ask(&online, &rows, i));
    assert_int_equal(online.judged.false_positive + online.judged.true_positive, 0);
    take(&online, &rows, small.every - 1, small.every);
    assert_int_equal(online.forests, 1);
    uint64_t said = 0;
    for (uint64_t i = 0; i < ROWS; i++)
        said += ask(&online, &rows, i);
    assert_true(said > ROWS / 10);
    forest_online_free(&online);
    forest_rows_free(&rows);
}

/* Whatever came before, it is the forest of the newest rows: those that are grown from them at once, in the order in
 * which the ring has them. */
static void online__is_grown_from_the_newest_rows(void **state)
{
    struct forest_rows old = noisy_rows(ROWS, 0.5, 2), rows = noisy_rows(small.rows, 0.05, 3);
    struct forest_online online;
    struct forest_settings settings;
    struct weir_error error;
    (void)state;
    forest_online_init(&online, &small, 7, NULL);
    take(&online, &old, 0, ROWS); /* twice around the ring: the next row comes to its first place */
    take(&online, &rows, 0, small.rows);
    assert_int_equal(online.forests, (ROWS + small.rows) / small.every);
    assert_int_equal(online.window.count, small.rows);
    forest_settings_init(&settings);
    settings.trees = small.trees;
    settings.depth = small.depth;
    settings.seed = weir_hash(7, online.forests - 1);
    struct forest *alone = forest_train(&rows, &settings, NULL, NULL, &error);
    assert_non_null(alone);
    assert_int_equal(forest_digest(alone), forest_digest(online.answer));
    forest_free(alone);
    forest_online_free(&online);
    forest_rows_free(&old);
    forest_rows_free(&rows);
}

/* Memory: the ring never has more rows than it was given, and is not allocated anew once it is full. */
static void online__is_bounded(void **state)
{
    struct forest_rows rows = noisy_rows(ROWS, 0.1, 4);
    struct forest_online online;
    (void)state;
    forest_online_init(&online, &small, 7, NULL);
    take(&online, &rows, 0, small.rows);
    const uint64_t capacity = online.window.capacity;
    for (uint32_t round = 0; round < 5; round++)
        take(&online, &rows, 0, ROWS);
    assert_int_equal(online.window.count, small.rows);
    assert_int_equal(online.window.capacity, capacity);
    assert_true(online.answer->nodes <= small.trees * ((2u << small.depth) - 1));
    uint64_t lost = 0;
    for (uint64_t i = 0; i < online.window.count; i++)
        lost += online.window.lost[i];
    assert_int_equal(lost, online.lost);
    forest_online_free(&online);
    forest_rows_free(&rows);
}

static void online__rows_without_a_loss_teach_nothing(void **state)
{
    struct forest_rows rows = noisy_rows(ROWS, 0, 5);
    const int64_t calm[WEIR_FEATURE_COUNT] = {0};
    struct forest_online online;
    (void)state;
    forest_online_init(&online, &small, 7, NULL);
    take(&online, &rows, 0, small.rows);
    /* while losses are in the ring it goes on */
    for (uint32_t i = 0; i < small.rows - small.every; i++)
        assert_true(forest_online_take(&online, calm, false));
    const uint64_t forests = online.forests;
    assert_int_equal(forests, 7);
    const struct forest *last = online.answer;
    for (uint32_t i = 0; i < 3 * small.rows; i++)
        assert_true(forest_online_take(&online, calm, false));
    assert_int_equal(online.lost, 0);
    assert_int_equal(online.forests, forests);
    assert_ptr_equal(online.answer, last);
    forest_online_free(&online);
    forest_rows_free(&rows);
}

/* Answers are counted before the row is learnt from. */
static void online__is_judged_by_rows_it_has_not_seen(void **state)
{
    struct forest_rows rows = noisy_rows(ROWS, 0, 6);
    struct forest_online online;
    struct forest_confusion expected = {0};
    (void)state;
    forest_online_init(&online, &small, 7, NULL);
    for (uint64_t i = 0; i < ROWS; i++) {
        forest_count(&expected, ask(&online, &rows, i), rows.lost[i]);
        take(&online, &rows, i, i + 1);
    }
    assert_memory_equal(&expected, &online.judged, sizeof expected);
    const struct forest_score score = forest_score_of(&expected);
    assert_true(score.precision > 0.95 && score.recall > 0.7 && score.recall < 0.9); /* nothing in the first eighth */
    forest_online_free(&online);
    forest_rows_free(&rows);
}

static void online__starts_with_a_forest_and_forgets(void **state)
{
    struct forest_rows rows = noisy_rows(ROWS, 0, 8), other = noisy_rows(ROWS, 0.3, 9);
    struct forest_settings settings;
    struct weir_error error;
    struct forest_online online, plain;
    (void)state;
    forest_settings_init(&settings);
    struct forest *first = forest_train(&rows, &settings, NULL, NULL, &error);
    assert_non_null(first);
    forest_online_init(&online, &small, 7, first);
    forest_online_init(&plain, &small, 7, NULL);
    assert_true(online.base.about.digest != plain.base.about.digest);
    for (uint64_t i = 0; i < ROWS; i++) {
        int64_t feature[WEIR_FEATURE_COUNT];
        forest_rows_get(&rows, i, feature);
        assert_int_equal(ask(&online, &rows, i), forest_predict(first, feature));
    }
    take(&online, &other, 0, ROWS);
    take(&plain, &other, 0, ROWS);
    const uint64_t digest = forest_digest(online.answer);
    assert_int_equal(digest, forest_digest(plain.answer)); /* where it started is forgotten */
    forest_online_reset(&online);
    assert_ptr_equal(online.answer, first);
    assert_int_equal(online.taken + online.forests + online.lost + online.window.count, 0);
    take(&online, &other, 0, ROWS);
    assert_int_equal(digest, forest_digest(online.answer)); /* and the same again */
    forest_online_free(&online);
    forest_online_free(&plain);
    forest_free(first);
    forest_rows_free(&rows);
    forest_rows_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(online__all_is_kept_at_first),
        cmocka_unit_test(online__is_grown_from_the_newest_rows),
        cmocka_unit_test(online__is_bounded),
        cmocka_unit_test(online__rows_without_a_loss_teach_nothing),
        cmocka_unit_test(online__is_judged_by_rows_it_has_not_seen),
        cmocka_unit_test(online__starts_with_a_forest_and_forgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
