/*
 * table_file.h - rows of measures gathered into the values of a table, for table.c. A row is one number of one run; a
 * value of the table belongs to a place of the sweep, and several places may share one run.
 */
#ifndef RESULTS_TABLE_FILE_H
#define RESULTS_TABLE_FILE_H

#include "lab/store/table.h"

struct table_row {
    const char *run, *name, *unit;
    double value;
};

struct gather_name;
struct gather_value;

struct table_gather {
    struct table *table;
    uint32_t *by_id; /* [experiment_runs]: places sorted by the id of their run */
    uint32_t at;     /* in by_id: the first place whose run is the row's, or comes after it */
    struct gather_name *names;
    uint32_t name_count, name_room;
    uint32_t name_at; /* among the names, in their order: where the next row's name is looked for */
    bool unsorted;    /* a row came that should have come before: the file is damaged */
    struct gather_value *values;
    size_t value_count, value_room;
};

/* Each is false when memory is short; release either way. Rows come sorted by run and name, else `unsorted`
 * says so. */
bool table_gather_begin(struct table_gather *gather, struct table *table);
bool table_gather_row(struct table_gather *gather, const struct table_row *row);
bool table_gather_finish(struct table_gather *gather);
void table_gather_free(struct table_gather *gather);

#endif
