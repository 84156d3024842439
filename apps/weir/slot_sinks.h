/*
 * slot_sinks.h - the files a run of the slotted model can leave behind: a trace, and training rows as CSV.
 */
#ifndef WEIR_SLOT_SINKS_H
#define WEIR_SLOT_SINKS_H

#include "cli/output.h"
#include "slot/run.h"
#include "trace/file.h"

#define SLOT_SINKS_BUFFER 65536u

struct slot_sinks {
    struct slot_recording recording; /* for slot_run; points to this struct, which must not move */
    struct trace_writer trace;
    struct output_file rows;
    const char *trace_path, *rows_path; /* null: not wanted */
    char *text;                         /* rows not yet written */
    size_t used;
};

/* Creates the wanted files for a switch of this kind. Returns an exit code; on failure there is nothing to close. */
int slot_sinks_open(struct slot_sinks *sinks, const struct slot_switch *sw, const char *trace_path,
                    const char *rows_path);

/* After the run and all else that can fail: makes the files appear if `code` is CLI_OK, else removes them. Returns an
 * exit code. */
int slot_sinks_close(struct slot_sinks *sinks, int code);

#endif
