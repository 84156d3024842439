/*
 * slot_sinks.c - see slot_sinks.h.
 */
#include "slot_sinks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define SINKS_ROW_MAX 160u /* characters of one row at most: six numbers of 64 bits */

static bool flush_rows(struct slot_sinks *sinks)
{
    bool written = output_file_write(&sinks->rows, sinks->text, sinks->used);
    sinks->used = 0;
    return written;
}

static bool take_row(void *context, const struct weir_training_row *row)
{
    struct slot_sinks *sinks = context;
    if (sinks->used + SINKS_ROW_MAX > SLOT_SINKS_BUFFER && !flush_rows(sinks))
        return false;
    sinks->used += (size_t)snprintf(
        sinks->text + sinks->used, SINKS_ROW_MAX, "%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%d\n",
        row->index, row->feature[WEIR_FEATURE_QUEUE], row->feature[WEIR_FEATURE_QUEUE_AVERAGE],
        row->feature[WEIR_FEATURE_BUFFER], row->feature[WEIR_FEATURE_BUFFER_AVERAGE], (int)row->lost);
    return true;
}

static bool end_trace(void *context, const struct weir_mmu *mmu)
{
    struct slot_sinks *sinks = context;
    return trace_writer_end(&sinks->trace, mmu);
}

static int open_rows(struct slot_sinks *sinks)
{
    static const char heading[] = "index,queue,queue_average,buffer,buffer_average,lost\n";
    sinks->text = malloc(SLOT_SINKS_BUFFER);
    if (sinks->text == NULL)
        return cli_error_memory();
    if (!output_file_open(&sinks->rows, sinks->rows_path)) {
        free(sinks->text);
        return CLI_INTERNAL;
    }
    memcpy(sinks->text, heading, sizeof heading - 1);
    sinks->used = sizeof heading - 1;
    sinks->recording.take_row = take_row;
    return CLI_OK;
}

int slot_sinks_open(struct slot_sinks *sinks, const struct slot_switch *sw, const char *trace_path,
                    const char *rows_path)
{
    struct weir_mmu_config config;
    *sinks = (struct slot_sinks){.trace_path = trace_path, .rows_path = rows_path};
    sinks->recording.context = sinks;
    if (rows_path != NULL) {
        int code = open_rows(sinks);
        if (code != CLI_OK)
            return code;
    }
    if (trace_path == NULL)
        return CLI_OK;
    slot_mmu_config(&config, sw);
    if (!trace_writer_create(&sinks->trace, trace_path, &config, 0)) {
        sinks->trace_path = NULL;
        return slot_sinks_close(sinks, CLI_INTERNAL);
    }
    sinks->recording.trace = &sinks->trace.trace;
    sinks->recording.end_trace = end_trace;
    return CLI_OK;
}

int slot_sinks_close(struct slot_sinks *sinks, int code)
{
    if (code == CLI_OK && sinks->rows_path != NULL && (!flush_rows(sinks) || !output_file_commit(&sinks->rows)))
        code = CLI_INTERNAL;
    if (code == CLI_OK && sinks->trace_path != NULL && !trace_writer_commit(&sinks->trace))
        code = CLI_INTERNAL;
    if (sinks->rows_path != NULL)
        output_file_discard(&sinks->rows); /* both do nothing when the file has appeared */
    if (sinks->trace_path != NULL)
        trace_writer_discard(&sinks->trace);
    free(sinks->text);
    return code;
}
