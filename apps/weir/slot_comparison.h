/*
 * slot_comparison.h - the result of `weir slot run`: one row per policy, as a table, CSV or JSON.
 */
#ifndef WEIR_SLOT_COMPARISON_H
#define WEIR_SLOT_COMPARISON_H

#include <stdint.h>

#include "cli/output.h"

#define SLOT_COMPARISON_ROWS_MAX 64u

struct slot_comparison_row {
    const char *policy; /* as typed */
    uint64_t sent, lost, refused;
    uint64_t *port_sent; /* [ports], owned; null for the optimum */
};

struct slot_comparison {
    const char *traffic; /* name of the generator or of the file */
    uint32_t ports, buffer;
    uint64_t slots, seed, arrived;
    uint64_t optimum; /* packets sent; only with with_optimum */
    bool with_optimum;
    uint64_t lqd; /* packets sent by LQD */
    struct slot_comparison_row row[SLOT_COMPARISON_ROWS_MAX];
    uint32_t rows;
};

/* Each null when memory is short. */
struct output_table *slot_comparison_table(const struct slot_comparison *comparison);
json_t *slot_comparison_json(const struct slot_comparison *comparison);

void slot_comparison_put_heading(const struct slot_comparison *comparison);
void slot_comparison_put_csv(const struct slot_comparison *comparison, FILE *out);

void slot_comparison_free(struct slot_comparison *comparison);

#endif
