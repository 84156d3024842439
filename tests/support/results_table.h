/*
 * results_table.h - a table of results made in memory, for the tests of expressions and claims.
 */
#ifndef TESTS_SUPPORT_RESULTS_TABLE_H
#define TESTS_SUPPORT_RESULTS_TABLE_H

#include "lab/store/table.h"
#include "tests/support/results_file.h"

/* NaN: the run has no such value. */
typedef double results_value(uint32_t run, uint32_t measure);

/* `measures` must be sorted by name; all runs are finished. */
static inline void results_table_make(struct table *table, const char *text, const struct table_measure *measures,
                                      uint32_t count, results_value *value)
{
    *table = (struct table){.path = "memory"};
    results_read_experiment(&table->experiment, text, strstr(text, "\nquick:") != NULL);
    uint32_t runs = experiment_runs(&table->experiment);
    table->measure_count = count;
    table->measures = arena_take_array(&table->arena, count, sizeof *table->measures);
    table->runs = arena_take_array(&table->arena, runs, sizeof *table->runs);
    table->values = arena_take_array(&table->arena, (size_t)runs * count, sizeof *table->values);
    assert_true(table->measures != NULL && table->runs != NULL && table->values != NULL);
    memcpy(table->measures, measures, count * sizeof *measures);
    table->finished = runs;
    for (uint32_t run = 0; run < runs; run++) {
        table->runs[run].finished = true;
        for (uint32_t measure = 0; measure < count; measure++)
            table->values[(size_t)run * count + measure] = value(run, measure);
    }
}

#endif
