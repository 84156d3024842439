/*
 * export.h - all results of a sweep for other programs: one row per run, or per point of each of its curves; or one
 * document.
 */
#ifndef SHOW_WRITERS_EXPORT_H
#define SHOW_WRITERS_EXPORT_H

#include <stdio.h>

#include "cli/data_frame.h"
#include "lab/store/table.h"

struct export_choice {
    bool curves; /* CSV: curves instead of measures; JSON: curves too */
    bool cost;   /* also how long runs took and how much memory: differs from time to time */
};

/* An exit code, after one line if it is not CLI_OK. */
int export_csv(const struct table *table, const struct export_choice *choice, FILE *out);
int export_json(const struct table *table, const struct export_choice *choice, FILE *out);

/* Columns that begin a row of a run: its ID, its labels, their numbers and its seed; and their cells. */
#define EXPORT_PLACE_COLUMNS_MAX (2u * EXPERIMENT_AXES_MAX + 2u)
struct export_place {
    char name[EXPERIMENT_AXES_MAX][64]; /* of numbers: "load.number" */
    struct data_column columns[EXPORT_PLACE_COLUMNS_MAX];
    uint32_t count;
};
void export_place_columns(struct export_place *place, const struct experiment *experiment);
void export_place_add(struct data_frame *frame, const struct experiment *experiment, uint32_t run, const char *id);

#endif
