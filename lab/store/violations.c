/*
 * violations.c - see violations.h.
 */
#include "lab/store/violations.h"

#include <stdio.h>

#include "lab/store/claims.h"

/* 0 where the run has no such measure: its classes are lossy. */
static double value_of(const struct table *table, uint32_t run, const char *name)
{
    uint32_t measure = table_find(table, name);
    double value = measure != UINT32_MAX ? table_value(table, run, measure) : 0;
    return value > 0 ? value : 0;
}

uint32_t violations_next(const struct table *table, uint32_t from)
{
    for (uint32_t run = from; run < experiment_runs(&table->experiment); run++)
        if (table->runs[run].finished && value_of(table, run, VIOLATIONS_MEASURE) > 0)
            return run;
    return UINT32_MAX;
}

uint32_t violations_count(const struct table *table)
{
    uint32_t count = 0;
    for (uint32_t run = violations_next(table, 0); run != UINT32_MAX; run = violations_next(table, run + 1))
        count++;
    return count;
}

const char *violation_text(const struct table *table, uint32_t run, char text[VIOLATION_TEXT_MAX])
{
    char name[256], onset[64], deadlock[96] = "no deadlock";
    experiment_run_name(&table->experiment, run, name);
    if (value_of(table, run, "deadlock.found") > 0) {
        value_text(value_of(table, run, "deadlock.onset"), "s", onset);
        snprintf(deadlock, sizeof deadlock, "deadlock from %s on", onset);
    }
    snprintf(text, VIOLATION_TEXT_MAX, "%s: lost %.0f packets of lossless classes, %s", name,
             value_of(table, run, "lossless.lost"), deadlock);
    return text;
}
