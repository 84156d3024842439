/*
 * cmd_slot.h - what the commands of `weir slot` share: their entries, errors, progress and CSV.
 */
#ifndef WEIR_CMD_SLOT_H
#define WEIR_CMD_SLOT_H

#include <stdio.h>

#include "cli.h"
#include "slot/progress.h"
#include "slot/status.h"

#define CMD_SLOT_PORTS_MAX 4096u /* as many packets as one call of the MMU may lose */
#define CMD_SLOT_BUFFER_MAX 100000000u
#define CMD_SLOT_SLOTS_MAX UINT64_C(1000000000)

int weir_cmd_slot_run(int argc, char **argv);
int weir_cmd_slot_fig14(int argc, char **argv);
int weir_cmd_slot_table1(int argc, char **argv);

/* The exit code of a status, after one line on stderr unless it is fine or whoever could not write has said so. */
int cmd_slot_report(enum slot_status status, const char *message);

/* A positive number of slots with a fraction, "352" or "12.5". */
int cmd_slot_parse_interval(const char *name, const char *text, double *slots);

/* Progress on stderr while it is a terminal, else null. `title` is a string constant. */
struct cmd_slot_progress {
    struct slot_progress base;
    const char *title;
};
const struct slot_progress *cmd_slot_progress(struct cmd_slot_progress *progress, const char *title);

/* Text that becomes a file as a whole. */
struct cmd_slot_csv {
    FILE *stream; /* null: no file is wanted, or memory was short */
    char *text;
    size_t size;
};

/* `path` null: nothing is collected. Returns an exit code. */
int cmd_slot_csv_open(struct cmd_slot_csv *csv, const char *path);

/* Writes the file and frees the text; `code` unless that fails. */
int cmd_slot_csv_save(struct cmd_slot_csv *csv, const char *path, int code);

#endif
