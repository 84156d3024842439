/*
 * cmd_export.c - `weir export`: a database of results as CSV or JSON, for whatever comes after weir.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "experiment/plan.h"
#include "scenario/yaml/text_stream.h"
#include "tables/export.h"

static const char export_help[] =
    "usage: weir export --csv | --json [OPTION...] FILE\n"
    "\n"
    "Writes the results in a database of weir run in a form that other programs read: every\n"
    "run with its place in the sweep, its seed and all measures, in s, B, bit/s and plain numbers.\n"
    "The same results give the same bytes.\n"
    "\n"
    "  --csv             a row per run, a column per measure\n"
    "  --json            experiment, runs with their measures, claims with their verdicts\n"
    "  --curves          the curves too: series and distributions; as CSV a row per point of\n"
    "                    a curve, instead of the measures\n"
    "  --cost            also time, memory and version of weir of each run\n"
    "  -o, --output FILE where to write, instead of standard output\n"
    "  -h, --help        this text\n"
    "\n"
    "example: weir export incast.db --csv -o incast.csv\n";

enum { OPT_CSV = CLI_OPTION_FIRST, OPT_JSON, OPT_CURVES, OPT_COST, OPT_OUTPUT };

static const struct option export_options[] = {{"csv", no_argument, NULL, OPT_CSV},
                                               {"json", no_argument, NULL, OPT_JSON},
                                               {"curves", no_argument, NULL, OPT_CURVES},
                                               {"cost", no_argument, NULL, OPT_COST},
                                               {"output", required_argument, NULL, OPT_OUTPUT},
                                               CLI_OPTIONS_END};
static const struct cli_command export_command = {"export", export_help, export_options};

struct choice {
    struct export_choice what;
    bool csv, json;
    const char *output, *file;
};

static int check(struct choice *choice, int argc, char **argv)
{
    if (choice->csv == choice->json)
        return cli_error(CLI_USAGE, "export: %s (expected --csv or --json)", choice->csv ? "two formats" : "no format");
    if (optind >= argc)
        return cli_error(CLI_USAGE, "export: no results (expected a database; see 'weir export --help')");
    choice->file = argv[optind++];
    if (choice->output != NULL && !output_is_stdout(choice->output) && output_same_file(choice->output, choice->file))
        return cli_error(CLI_USAGE, "export: --output would overwrite %s, which is read (expected another file)",
                         choice->file);
    return cli_no_operands(&export_command, argc, argv);
}

static int read_choice(struct choice *choice, int argc, char **argv, bool *stop)
{
    uint64_t given = 0;
    int code = CLI_OK;
    *choice = (struct choice){.file = NULL};
    cli_start_options();
    for (int option; (option = cli_next_option(&export_command, argc, argv, &code)) != CLI_OPTION_END;) {
        *stop = option == CLI_OPTION_STOP;
        if (*stop || (code = cli_option_once(&export_command, option, &given)) != CLI_OK)
            return code;
        if (option == OPT_OUTPUT)
            choice->output = optarg;
        choice->csv |= option == OPT_CSV;
        choice->json |= option == OPT_JSON;
        choice->what.curves |= option == OPT_CURVES;
        choice->what.cost |= option == OPT_COST;
    }
    return check(choice, argc, argv);
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

int weir_cmd_export(int argc, char **argv)
{
    struct choice choice;
    struct table table;
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    char *text = NULL;
    bool stop = false;
    int code = read_choice(&choice, argc, argv, &stop);
    if (stop || code != CLI_OK)
        return code;
    code = table_load(&table, choice.file, &status) ? make_text(&table, &choice, &text) : cli_report(&status);
    if (code == CLI_OK)
        code = write_text(&choice, text);
    free(text);
    table_free(&table);
    return code;
}
