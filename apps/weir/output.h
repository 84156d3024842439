/*
 * output.h - what commands write: tables, JSON, and files that appear whole or not at all.
 *
 * Tables are plain UTF-8 with numbers to the right; only headings are coloured (bold), and only on a terminal without
 * NO_COLOR. A file is written under a temporary name in its own directory, synced and renamed, so that a reader never
 * sees half of it and a failed command leaves nothing behind. A target that is no regular file (a pipe, /dev/full) is
 * written in place: renaming over it would replace the device.
 */
#ifndef WEIR_OUTPUT_H
#define WEIR_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* True when `stream` is a terminal and NO_COLOR is unset or empty. */
bool output_colours(FILE *stream);

struct output_column {
    const char *heading;
    bool right; /* a number: aligned to the right */
};

struct output_table;

/* `columns` stays the caller's and outlives the table. Null when memory is short. */
struct output_table *output_table_new(const struct output_column *columns, size_t count);
void output_table_free(struct output_table *table); /* null is allowed */

/* The next cell, row by row. Memory shortage is remembered and reported by print. A null table is allowed. */
void output_table_cell(struct output_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints headings and complete rows to stdout and frees the table. Returns an exit code of cli.h. */
int output_table_print(struct output_table *table);

/* Prints to stdout with two spaces of indent and releases `root`; null counts as out of memory. An exit code. */
int output_json(json_t *root);

/* Flushes stdout: `code`, or CLI_INTERNAL after one line when something could not be written. main calls it. */
int output_finish(int code);

struct output_file {
    int fd;
    char *name; /* as the user wrote it, for messages; owned */
    char *path; /* where it is to appear: the same with links followed; owned */
    char *temp; /* its name until then; null when written in place; owned */
};

/* Each reports its own error and returns false; after a false the file is discarded and nothing is left behind. */
bool output_file_open(struct output_file *file, const char *path);
bool output_file_write(struct output_file *file, const void *bytes, size_t count);
bool output_file_commit(struct output_file *file); /* sync, rename, close */

/* Removes what was written; after commit or a failure it does nothing. */
void output_file_discard(struct output_file *file);

/* The whole of it at once. */
bool output_file_save(const char *path, const void *bytes, size_t count);

#endif
