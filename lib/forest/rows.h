/*
 * rows.h - training rows in memory, one column per feature: what a forest learns from and is judged by.
 */
#ifndef FOREST_ROWS_H
#define FOREST_ROWS_H

#include "weir/error.h"
#include "weir/oracle.h"

#define FOREST_ROWS_MAX UINT32_MAX

struct forest_rows {
    uint64_t count, capacity;
    int64_t *feature[WEIR_FEATURE_COUNT]; /* [count] each, bytes */
    uint8_t *lost;                        /* [count] 1: LQD refused the packet or pushed it out */
};

void forest_rows_free(struct forest_rows *rows);

/* False: no memory, or more than FOREST_ROWS_MAX. */
bool forest_rows_add(struct forest_rows *rows, const int64_t feature[WEIR_FEATURE_COUNT], bool lost,
                     struct weir_error *error);

static inline void forest_rows_get(const struct forest_rows *rows, uint64_t i, int64_t feature[WEIR_FEATURE_COUNT])
{
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
        feature[f] = rows->feature[f][i];
}

/*
 * Splits into two sets by lot: each row goes to `train` with this probability, else to `test`, by a hash of (seed,
 * row), so that the same rows and seed give the same sets. Both start empty and are the caller's to free.
 */
bool forest_rows_split(const struct forest_rows *rows, double probability, uint64_t seed, struct forest_rows *train,
                       struct forest_rows *test, struct weir_error *error);

#endif
