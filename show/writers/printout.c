/*
 * printout.c - see printout.h.
 */
#include "show/writers/printout.h"

#include <stdlib.h>

#include "cli/cli.h"

static bool takes_stdout(const char *csv)
{
    return csv != NULL && output_is_stdout(csv);
}

int printout_check(const char *name, const char *csv, bool json)
{
    if (json && takes_stdout(csv))
        return cli_error(CLI_USAGE, "%s: --csv %s and --json both write to standard output (expected one of them)",
                         name, csv);
    return CLI_OK;
}

int printout_file_open(struct output_file *file, const char *path)
{
    *file = OUTPUT_FILE_NONE;
    if (path == NULL)
        return CLI_OK;
    bool opened = takes_stdout(path) ? output_file_open_stdout(file) : output_file_open(file, path);
    return opened && output_file_stream(file) ? CLI_OK : CLI_INTERNAL;
}

int printout_file_close(struct output_file *file, int code)
{
    if (code != CLI_OK && code != CLI_VIOLATION)
        output_file_discard(file);
    else if (file->stream != NULL && !output_file_commit(file))
        code = CLI_INTERNAL;
    return code;
}

int printout_make(struct printout *out, struct data_frame *result, const struct data_frame *rows, const char *csv,
                  bool json)
{
    *out = (struct printout){.result = result, .table = rows, .csv = OUTPUT_FILE_NONE, .is_shown = !takes_stdout(csv)};
    int code = data_frame_check(result);
    if (code == CLI_OK)
        code = printout_file_open(&out->csv, csv);
    if (code == CLI_OK && out->csv.stream != NULL)
        write_csv(rows, out->csv.stream);
    if (code == CLI_OK && out->is_shown && out->csv.stream != NULL && !output_file_flush(&out->csv))
        code = CLI_INTERNAL;
    if (code == CLI_OK && out->is_shown && json) {
        out->json = output_json_text(write_json(result));
        code = out->json != NULL ? CLI_OK : CLI_INTERNAL;
    }
    return code;
}

int printout_close(struct printout *out, int code)
{
    code = printout_file_close(&out->csv, code);
    out->is_shown = out->is_shown && code == CLI_OK;
    return code;
}

void printout_put(const struct printout *out)
{
    if (out->is_shown && out->json != NULL)
        puts(out->json);
    else if (out->is_shown)
        write_text(out->table);
}

void printout_free(struct printout *out)
{
    output_file_discard(&out->csv); /* nothing where it appeared */
    free(out->json);
    data_frame_free(out->result);
}
