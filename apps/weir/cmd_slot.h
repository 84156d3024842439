/*
 * cmd_slot.h - what the commands of `weir slot` share: their entries, errors, progress and files.
 */
#ifndef WEIR_CMD_SLOT_H
#define WEIR_CMD_SLOT_H

#include "cli/cli.h"
#include "cli/output.h"
#include "slot/progress.h"
#include "weir/error.h"

#define CMD_SLOT_PORTS_MAX 4096u /* as many packets as one call of the MMU may lose */
#define CMD_SLOT_BUFFER_MAX 100000000u
#define CMD_SLOT_SLOTS_MAX UINT64_C(1000000000)

int weir_cmd_slot_run(int argc, char **argv);
int weir_cmd_slot_fig14(int argc, char **argv);
int weir_cmd_slot_table1(int argc, char **argv);

/* The exit code of a status, after one line on stderr unless it is fine or whoever could not write has said so. */
int cmd_slot_report(enum weir_error_code status, const struct weir_error *error);

/* A positive number of slots with a fraction, "352" or "12.5". */
int cmd_slot_parse_interval(const char *name, const char *text, double *slots);

/* Progress on stderr while it is a terminal, else null. `title` is a string constant. */
struct cmd_slot_progress {
    struct slot_progress base;
    const char *title;
};
const struct slot_progress *cmd_slot_progress(struct cmd_slot_progress *progress, const char *title);

/*
 * A command that fails leaves no file behind. Therefore it writes all its files and makes what it will print before the
 * first file appears; from then on no memory is needed.
 */
struct cmd_slot_page {
    char *json; /* one of them; null: not made */
    struct output_table *table;
};

/* Each takes what it is given and returns an exit code; a page that could not be made is freed like any other. */
int cmd_slot_page_json(struct cmd_slot_page *page, json_t *root);
int cmd_slot_page_table(struct cmd_slot_page *page, struct output_table *table);

void cmd_slot_page_put(const struct cmd_slot_page *page);
void cmd_slot_page_free(struct cmd_slot_page *page);

/* As cmd_slot_file_open, and standard output for a path that means it (output_is_stdout): nothing else goes there. */
int cmd_slot_csv_open(struct output_file *file, const char *path);

/* True when the CSV takes standard output, so that no table is printed. */
bool cmd_slot_csv_only(const char *path);

/* CLI_OK, or CLI_USAGE when the CSV and JSON would both go to standard output. `name` is the command's. */
int cmd_slot_csv_check(const char *name, const char *path, bool json);

/* Opens file->stream; with `path` null no file is wanted and the stream stays null. Returns an exit code. */
int cmd_slot_file_open(struct output_file *file, const char *path);

/* Makes the file, if there is one, appear when `code` says that the command did its work (a violation is a result
 * too), else removes it. Returns `code` unless that fails. */
int cmd_slot_file_close(struct output_file *file, int code);

#endif
