/*
 * columns.h - a text in rows and columns, as spreadsheets, pandas and other simulators write it: fields between commas,
 * tabs or blanks, `#` begins a comment. A first row that names a column is the header: columns may then stand in any
 * order, and a unit behind a name ("start_us", "size (KB)") belongs to every number of the column.
 */
#ifndef SCENARIO_READ_COLUMNS_H
#define SCENARIO_READ_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario/yaml/node.h"
#include "weir/error.h"

#define COLUMNS_MAX 6u
#define COLUMNS_FIELD_MAX 64u /* bytes of a field and its unit, with the end */

struct column {
    const char *names[8]; /* in any case of letters; the first is ours; ends with null */
    bool optional;
    const char *unit; /* of numbers where neither they nor the header have one; null: they need one */
};

/* A text, and how far it has been read. `columns` to `mark.origin` are given. */
struct columns {
    const struct column *columns; /* [count], as rows without a header have them */
    unsigned count;
    const char *text;
    size_t size;
    struct mark mark; /* of the row */
    struct weir_error *error;

    size_t at;
    bool began, headed, failed;
    unsigned fields;                           /* of the header */
    int field_of[COLUMNS_MAX];                 /* where a column stands; -1: nowhere */
    char unit[COLUMNS_MAX][16];                /* of a column, from the header */
    char cell[COLUMNS_MAX][COLUMNS_FIELD_MAX]; /* by column: number and unit; empty: not given */
    struct mark cell_mark[COLUMNS_MAX];
};

/* The next row into `cell`. False: there is none, or something is wrong (`failed`). */
bool columns_next(struct columns *in);

/* What is wrong with a cell; false, for the caller to return. */
bool columns_fail(struct columns *in, unsigned column, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
