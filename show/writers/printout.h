/*
 * printout.h - what a command puts out: one result, as text or JSON on standard output, and its rows as CSV in a file
 * or there.
 *
 * A command that fails leaves no file behind. Therefore it writes all its files and makes what it will print before the
 * first file appears; from then on no memory is needed.
 */
#ifndef WRITERS_PRINTOUT_H
#define WRITERS_PRINTOUT_H

#include "cli/output.h"
#include "show/writers/write.h"

struct printout {
    struct data_frame *result;      /* owned: JSON shows all of it */
    const struct data_frame *table; /* of it: text shows this; the rows of CSV unless the caller changes it */
    char *json;                     /* null: text is wanted, or nothing */
    struct output_file csv;
    bool is_shown; /* on standard output: no CSV takes it */
};

/* CLI_OK, or CLI_USAGE when the CSV and JSON would both go to standard output. `name` is the command's. */
int printout_check(const char *name, const char *csv, bool json);

/* Takes the result, null where memory was short, with the rows of CSV in it; `csv` null: no file is wanted. An exit
 * code; free either way. */
int printout_make(struct printout *out, struct data_frame *result, const struct data_frame *rows, const char *csv,
                  bool json);

/* Makes the file appear when `code` says that the command did its work, else removes it. Returns `code` unless that
 * fails. */
int printout_close(struct printout *out, int code);

void printout_put(const struct printout *out);
void printout_free(struct printout *out);

/* Opens file->stream; with `path` null no file is wanted and the stream stays null. An exit code. */
int printout_file_open(struct output_file *file, const char *path);

/* As printout_close, of a file. A violation is a result too. */
int printout_file_close(struct output_file *file, int code);

#endif
