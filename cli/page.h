/*
 * page.h - one result as a table or JSON on standard output, and as CSV in a file or there.
 *
 * A command that fails leaves no file behind. Therefore it writes all its files and makes what it will print before the
 * first file appears; from then on no memory is needed.
 */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stdint.h>

#include "cli/output.h"

struct page {
    char *json; /* one of them; null: not made */
    struct output_table *table;
};

/* Each takes what it is given and returns an exit code; a page that could not be made is freed like any other. */
int page_make_json(struct page *page, json_t *root);
int page_make_table(struct page *page, struct output_table *table);

void page_put(const struct page *page);
void page_free(struct page *page);

/* Opens file->stream; with `path` null no file is wanted and the stream stays null. Returns an exit code. */
int page_file_open(struct output_file *file, const char *path);

/* Makes the file, if there is one, appear when `code` says that the command did its work (a violation is a result
 * too), else removes it. Returns `code` unless that fails. */
int page_file_close(struct output_file *file, int code);

/* As page_file_open, and standard output for a path that means it (output_is_stdout): nothing else goes there. */
int page_csv_open(struct output_file *file, const char *path);

/* True when the CSV takes standard output, so that no table is printed. */
bool page_csv_only(const char *path);

/* CLI_OK, or CLI_USAGE when the CSV and JSON would both go to standard output. `name` is the command's. */
int page_csv_check(const char *name, const char *path, bool json);

/* How far a command is, on stderr, "TITLE: 3 of 16"; the last call clears the line. `title` is a text. */
void page_progress(void *title, uint32_t done, uint32_t all);

/* Whether it would be seen. */
bool page_progress_is_seen(void);

#endif
