/*
 * forest_rows.h - random rows with a pattern in them, for tests of training and of scores.
 */
#ifndef TESTS_FOREST_FOREST_ROWS_H
#define TESTS_FOREST_FOREST_ROWS_H

#include <stdlib.h>

#include "lib/forest/rows.h"
#include "weir/random.h"

/* A packet is lost when the buffer is nearly full and its queue long, and by chance with probability `noise`. */
static inline struct forest_rows noisy_rows(uint32_t count, double noise, uint64_t seed)
{
    struct forest_rows rows = {0};
    struct weir_random random = weir_random_stream(seed, "rows");
    for (uint32_t i = 0; i < count; i++) {
        int64_t feature[WEIR_FEATURE_COUNT];
        for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
            feature[f] = weir_random_below(&random, 1000);
        bool lost = feature[WEIR_FEATURE_BUFFER] > 700 && feature[WEIR_FEATURE_QUEUE] > 400;
        if (weir_random_unit(&random) < noise)
            lost = !lost;
        if (!forest_rows_add(&rows, feature, lost, NULL))
            abort();
    }
    return rows;
}

#endif
