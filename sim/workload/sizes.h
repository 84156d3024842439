/*
 * sizes.h - flow-size distributions: tables of (bytes, cumulative probability), sampled by linear interpolation.
 */
#ifndef WORKLOAD_SIZES_H
#define WORKLOAD_SIZES_H

#include "weir/params.h"
#include "weir/random.h"

struct size_point {
    double bytes;
    double cumulative; /* probability of at most `bytes`, 0 to 1 */
};

struct size_table {
    const char *name;
    const char *source; /* where the numbers come from */
    const struct size_point *points;
    uint32_t count;
    double mean_bytes; /* of the interpolated distribution */
};

/* The published tables, by name; null when there is none. */
const struct size_table *size_table_find(const char *name);
uint32_t size_table_count(void);
const struct size_table *size_table_at(uint32_t index);

/* Checks points and computes the mean; one line in `error` otherwise. */
bool size_table_check(struct size_table *table, struct weir_error *error);

/* At least 1 byte. */
int64_t size_table_draw(const struct size_table *table, struct weir_random *random);

#endif
