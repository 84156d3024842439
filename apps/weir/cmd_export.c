/*
 * cmd_export.c - `weir export`: a database of results as CSV or JSON, for whatever comes after weir.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "lab/spread/stale.h"
#include "scenario/yaml/text_stream.h"
#include "show/writers/export.h"
#include "show/writers/results_show.h"

struct choice {
    struct export_choice what;
    bool csv, json;
    const char *output;
};

static const struct cli_option options[] = {
    {.name = "csv",
     .help = "write CSV: a row per run, a column per measure",
     .more = "Texts are in quotes; a missing value is empty.",
     .not_with = "json",
     CLI_FLAG(struct choice, csv)},
    {.name = "json",
     .help = "write JSON: experiment, runs with their measures, claims with their verdicts",
     .more = "One object. The experiment has its axes and the scenario as it was used; each measure has its unit.",
     .not_with = "csv",
     CLI_FLAG(struct choice, json)},
    {.name = "curves",
     .help = "add the curves (series and distributions); as CSV: a row per point of a curve instead of the measures",
     CLI_FLAG(struct choice, what.curves)},
    {.name = "cost",
     .help = "add time, memory and weir version of each run",
     .more = "These differ from one machine to another.",
     CLI_FLAG(struct choice, what.cost)},
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .help = "write to FILE instead of standard output",
     .more = "FILE appears whole or not at all.",
     CLI_FILE(struct choice, output)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE", .what = "results", .expected = "a database or its scenario", .offer = CLI_RESULTS},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_export = {
    .name = "export",
    .summary = "write results as CSV or JSON",
    .usage = "--csv | --json [OPTION...] FILE",
    .about =
        "Writes the results of weir run for other programs: every run with its place in the sweep, its seed and all "
        "measures, in s, B, bit/s and plain numbers. As CSV, an axis of numbers has a column AXIS.number beside that "
        "of its labels. `code` of a run is what made it, by content: the code that all runs share and the policies "
        "that it uses; a warning tells when code differs between runs. The same results give the same bytes.",
    .options = options,
    .operands = operands,
    .examples = "weir export incast.db --csv -o incast.csv",
    .run = run,
};

static int check(const struct choice *choice)
{
    if (!choice->csv && !choice->json)
        return cli_error(CLI_USAGE, "export: no format (expected --csv or --json)");
    return CLI_OK;
}

static int check_output(const struct choice *choice, const char *read)
{
    if (choice->output != NULL && !output_is_stdout(choice->output) && output_same_file(choice->output, read))
        return cli_error(CLI_USAGE, "export: --output would overwrite %s, which is read (expected another file)", read);
    return CLI_OK;
}

/* In memory first: half of a table is worse than none, on standard output too. */
static int make_text(const struct table *table, const struct choice *choice, char **text)
{
    struct text_stream stream;
    if (!text_stream_open(&stream))
        return cli_error_memory();
    int code =
        choice->json ? export_json(table, &choice->what, stream.out) : export_csv(table, &choice->what, stream.out);
    *text = text_stream_close(&stream);
    return code == CLI_OK && *text == NULL ? cli_error_memory() : code;
}

static int write_text(const struct choice *choice, const char *text)
{
    size_t size = strlen(text);
    if (choice->output != NULL && !output_is_stdout(choice->output))
        return output_file_save(choice->output, text, size) ? CLI_OK : CLI_INTERNAL;
    fwrite(text, 1, size, stdout);
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.output = NULL};
    struct cli_line line;
    struct table table;
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    char *text = NULL;
    if (!cli_read(&line, &cmd_export, argc, argv, &choice))
        return line.code;
    int code = check(&choice);
    if (code != CLI_OK)
        return code;
    code = table_load(&table, line.operands[0], &status) ? check_output(&choice, table.path) : cli_report(&status);
    if (code == CLI_OK)
        code = make_text(&table, &choice, &text);
    if (code == CLI_OK)
        code = results_warn_mix(&table);
    if (code == CLI_OK)
        stale_warn(&table);
    if (code == CLI_OK)
        code = write_text(&choice, text);
    free(text);
    table_free(&table);
    return code;
}
