/*
 * export.h - results for other programs: the formats of `weir export`. The same database gives the same bytes, except
 * for what `cost` adds.
 */
#ifndef TABLES_EXPORT_H
#define TABLES_EXPORT_H

#include "cli/output.h"
#include "lab/store/claims.h"

struct export_choice {
    bool curves; /* the curves too; as CSV instead of the measures */
    bool cost;   /* time, memory and version of each run */
};

/* What every row of CSV starts with, without the end of the line: the run, its labels and seed. An axis with a number
 * for every label has a second column, AXIS.number, in s, B, bit/s or plain. */
void export_csv_place_heading(const struct experiment *experiment, FILE *out);
void export_csv_place(const struct experiment *experiment, uint32_t run, const char *id, FILE *out);

/* A row per run, or per point of a curve; the experiment, its runs and claims. Each returns an exit code; what cannot
 * be written shows in ferror(out). */
int export_csv(const struct table *table, const struct export_choice *choice, FILE *out);
int export_json(const struct table *table, const struct export_choice *choice, FILE *out);

#endif
