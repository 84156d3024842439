/*
 * cmd_predict.c - `weir predict`: asks a forest about rows, prints how right it is, and writes its answers.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/output.h"
#include "experiment/quality_page.h"
#include "learning/quality.h"
#include "learning/rows_file.h"

struct choice {
    const char *model, *csv, *of_switch, *report;
    bool json;
};

static const struct cli_option options[] = {
    {.name = "model",
     .value = "FILE",
     .help = "the forest, made by weir train",
     .letter = 'm',
     .needed = "a forest, made by weir train",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, model)},
    {.name = "csv",
     .value = "FILE",
     .help = "write row, probability, prediction and label as CSV; -: print it instead of the report",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, csv)},
    {.name = "switch", .value = "NAME", .help = "only the rows of this switch", CLI_TEXT(struct choice, of_switch)},
    {.name = "report",
     .value = "FILE",
     .help = "write the report as a page, with ROC curve and calibration",
     .more = "One HTML file that needs nothing else.",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, report)},
    {.name = "json", .help = "print the report as JSON", CLI_FLAG(struct choice, json)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "ROWS", .what = "rows", .expected = "a file of training rows", .offer = CLI_FILES, .repeats = true},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_predict = {
    .name = "predict",
    .summary = "ask a trained forest about rows, and compare with what LQD did",
    .about = "Asks a forest about every row and prints how right it is, as weir-train(1) does for rows it has not "
             "learnt from. So a forest of one workload or fabric can be judged by the rows of another.",
    .options = options,
    .operands = operands,
    .examples = "weir predict --model websearch.forest other-rows.csv.zst",
    .run = run,
};

static void put_answers(const struct forest *forest, const struct forest_rows *rows, FILE *out)
{
    fprintf(out, "row,probability,predicted,lost\n");
    for (uint64_t i = 0; i < rows->count; i++) {
        int64_t feature[WEIR_FEATURE_COUNT];
        forest_rows_get(rows, i, feature);
        fprintf(out, "%" PRIu64 ",%.17g,%d,%d\n", i, forest_probability(forest, feature),
                forest_predict(forest, feature), rows->lost[i]);
    }
}

static int write_answers(const char *path, const struct forest *forest, const struct forest_rows *rows)
{
    struct output_file file;
    if (!(output_is_stdout(path) ? output_file_open_stdout(&file) : output_file_open(&file, path)))
        return CLI_INTERNAL;
    if (!output_file_stream(&file))
        return CLI_INTERNAL;
    put_answers(forest, rows, file.stream);
    return output_file_flush(&file) && output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}

static int predict(const struct choice *choice, const struct forest *forest, const struct forest_rows *rows,
                   const struct rows_about *about)
{
    struct weir_error error = {0};
    struct forest_quality quality;
    if (about->average_ps > 0 && forest->average_ps > 0 && about->average_ps != forest->average_ps)
        return cli_error(CLI_INPUT, "%s: learnt from averages over %" PRId64 " ps, the rows have %" PRId64 " ps",
                         choice->model, forest->average_ps, about->average_ps);
    if (choice->csv) {
        int code = write_answers(choice->csv, forest, rows);
        if (code != CLI_OK || output_is_stdout(choice->csv))
            return code;
    }
    if (!forest_judge(forest, rows, &quality, &error))
        return cli_report(&error);
    struct quality_report report = {
        .forest = forest, .quality = &quality, .judged = rows->count, .ports = about->ports};
    int code = choice->report ? write_quality_page(choice->report, choice->model, &report) : CLI_OK;
    if (code != CLI_OK)
        return code;
    return choice->json ? quality_put_json(&report) : quality_put(&report);
}

static int run(int argc, char **argv)
{
    struct choice choice = {0};
    struct cli_line line;
    if (!cli_read(&line, &cmd_predict, argc, argv, &choice))
        return line.code;
    struct weir_error error = {0};
    struct rows_about about = {0};
    struct forest_rows rows = {0};
    struct forest *forest = forest_open(choice.model, &error);
    bool read = forest != NULL;
    for (uint32_t i = 0; read && i < line.count; i++)
        read = rows_file_read(line.operands[i], choice.of_switch, &about, &rows, &error);
    int code = read ? predict(&choice, forest, &rows, &about) : cli_report(&error);
    forest_rows_free(&rows);
    forest_free(forest);
    return code;
}
