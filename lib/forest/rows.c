/*
 * rows.c - columns that grow; see rows.h.
 */
#include "rows.h"

#include <assert.h>
#include <stdlib.h>

#include "weir/random.h"

void forest_rows_free(struct forest_rows *rows)
{
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
        free(rows->feature[f]);
    free(rows->lost);
    *rows = (struct forest_rows){0};
}

static bool rows_grow(struct forest_rows *rows)
{
    uint64_t capacity = rows->capacity < 1024 ? 1024 : rows->capacity * 2;
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++) {
        int64_t *column = realloc(rows->feature[f], capacity * sizeof *column);
        if (!column)
            return false;
        rows->feature[f] = column;
    }
    uint8_t *lost = realloc(rows->lost, capacity);
    if (!lost)
        return false;
    rows->lost = lost;
    rows->capacity = capacity;
    return true;
}

bool forest_rows_add(struct forest_rows *rows, const int64_t feature[WEIR_FEATURE_COUNT], bool lost,
                     struct weir_error *error)
{
    if (rows->count == FOREST_ROWS_MAX)
        return weir_fail(error, WEIR_ERROR_RANGE, "more than %u rows", FOREST_ROWS_MAX);
    if (rows->count == rows->capacity && !rows_grow(rows))
        return weir_fail_memory(error);
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
        rows->feature[f][rows->count] = feature[f];
    rows->lost[rows->count++] = lost;
    return true;
}

bool forest_rows_split(const struct forest_rows *rows, double probability, uint64_t seed, struct forest_rows *train,
                       struct forest_rows *test, struct weir_error *error)
{
    struct weir_random lot = weir_random_stream(seed, "split");
    *train = *test = (struct forest_rows){0};
    for (uint64_t i = 0; i < rows->count; i++) {
        int64_t feature[WEIR_FEATURE_COUNT];
        forest_rows_get(rows, i, feature);
        struct forest_rows *set = weir_random_unit(&lot) < probability ? train : test;
        if (!forest_rows_add(set, feature, rows->lost[i] != 0, error)) {
            forest_rows_free(train);
            forest_rows_free(test);
            return false;
        }
    }
    return true;
}
