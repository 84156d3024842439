/*
 * cmd_predict.c - `weir predict`: asks a forest about rows, prints how right it is, and writes its answers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "lab/spread/quality_page.h"
#include "lab/spread/spread.h"
#include "lib/learning/quality.h"
#include "lib/learning/rows_file.h"
#include "lib/trace/eta.h"
#include "show/writers/quality_show.h"

#define AVERAGE_PS INT64_C(24000000) /* of a trace, for a forest that does not say */

struct choice {
    const char *model, *csv, *of_switch, *report;
    uint64_t gap; /* bytes */
    bool json;
};

/* What is to be judged. */
struct material {
    struct rows_about about;
    struct forest_rows rows;
    struct trace_eta eta; /* of its traces */
};

static const struct cli_option options[] = {
    {.name = "model",
     .value = "FILE",
     .help = "the forest, made by weir train",
     .letter = 'm',
     .needed = "a forest, made by weir train",
     CLI_FILE(struct choice, model)},
    {.name = "csv",
     .value = "FILE",
     .help = "write row, probability, prediction and label as CSV; -: print it instead of the report",
     CLI_FILE(struct choice, csv)},
    {.name = "switch", .value = "NAME", .help = "only the rows of this switch", CLI_TEXT(struct choice, of_switch)},
    {.name = "gap",
     .value = "BYTES",
     .help = "of a trace: what a packet takes on the wire beyond its bytes (0)",
     CLI_NUMBER(struct choice, gap, 0, UINT16_MAX)},
    {.name = "report",
     .value = "FILE",
     .help = "write the report as a page, with ROC curve and calibration",
     .more = "One HTML file that needs nothing else.",
     CLI_FILE(struct choice, report)},
    {.name = "json", .help = "print the report as JSON", CLI_FLAG(struct choice, json)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "ROWS",
     .what = "rows",
     .expected = "a file of training rows, or a trace (.wtr)",
     .offer = CLI_FILES,
     .repeats = true},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_predict = {
    .name = "predict",
    .summary = "ask a trained forest about rows, and compare with what LQD did",
    .about = "Asks a forest about every row and prints how right it is, as weir-train(1) does for rows it has not "
             "learnt from. So a forest of one workload or fabric can be judged by the rows of another.\n\n"
             "Each arrival of a trace (.wtr) gives a row. Of traces, eta of Credence's Definition 1 is told too: the "
             "packets that LQD sends, over those that FollowLQD sends without what is predicted lost, both with ports "
             "that drain at their rates.",
    .options = options,
    .operands = operands,
    .examples = "weir predict --model websearch.forest other-rows.csv.zst",
    .run = run,
};

static int write_answers(const char *path, const struct forest *forest, const struct forest_rows *rows)
{
    struct output_file file;
    if (!(output_is_stdout(path) ? output_file_open_stdout(&file) : output_file_open(&file, path)))
        return CLI_INTERNAL;
    if (!output_file_stream(&file))
        return CLI_INTERNAL;
    fprintf(file.stream, "row,probability,predicted,lost\n");
    for (uint64_t i = 0; i < rows->count; i++) {
        int64_t feature[WEIR_FEATURE_COUNT];
        forest_rows_get(rows, i, feature);
        fprintf(file.stream, "%" PRIu64 ",%.17g,%d,%d\n", i, forest_probability(forest, feature),
                forest_predict(forest, feature), rows->lost[i]);
    }
    return output_file_flush(&file) && output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}

/* The rows of one trace. */
struct asked {
    const struct forest *forest;
    const struct forest_rows *rows;
    uint64_t first;
};

static bool predicts_loss(const void *context, uint64_t row)
{
    const struct asked *asked = context;
    int64_t feature[WEIR_FEATURE_COUNT];
    forest_rows_get(asked->rows, asked->first + row, feature);
    return forest_predict(asked->forest, feature);
}

static int read_trace(const char *path, const struct choice *choice, const struct forest *forest, struct material *m)
{
    struct weir_error error = {0};
    const struct asked asked = {forest, &m->rows, m->rows.count};
    const weir_ps average_ps = forest->average_ps > 0 ? forest->average_ps : AVERAGE_PS;
    const struct spread_learning_trace wanted = {average_ps, (uint32_t)choice->gap, &m->about, &m->rows};
    if (choice->of_switch)
        return cli_error(CLI_USAGE, "predict: --switch: a trace is of one MMU (%s)", path);
    int code = spread_learn_trace(path, &wanted);
    const struct trace_predictions predictions = {predicts_loss, &asked, m->rows.count - asked.first,
                                                  (uint32_t)choice->gap};
    if (code != CLI_OK)
        return code;
    return trace_eta_add(path, &predictions, &m->eta, &error) ? CLI_OK : cli_report(&error);
}

static int read_rows(const char *path, const struct choice *choice, const struct forest *forest, struct material *m)
{
    struct weir_error error = {0};
    size_t length = strlen(path);
    if (length >= 4 && strcmp(path + length - 4, ".wtr") == 0)
        return read_trace(path, choice, forest, m);
    return rows_file_read(path, choice->of_switch, &m->about, &m->rows, &error) ? CLI_OK : cli_report(&error);
}

static int predict(const struct choice *choice, const struct forest *forest, const struct material *m)
{
    struct weir_error error = {0};
    struct forest_quality quality;
    if (m->about.average_ps > 0 && forest->average_ps > 0 && m->about.average_ps != forest->average_ps)
        return cli_error(CLI_INPUT, "%s: learnt from averages over %" PRId64 " ps, the rows have %" PRId64 " ps",
                         choice->model, forest->average_ps, m->about.average_ps);
    if (choice->csv) {
        int code = write_answers(choice->csv, forest, &m->rows);
        if (code != CLI_OK || output_is_stdout(choice->csv))
            return code;
    }
    if (!forest_judge(forest, &m->rows, &quality, &error))
        return cli_report(&error);
    struct quality_report report = {.forest = forest,
                                    .quality = &quality,
                                    .judged = m->rows.count,
                                    .ports = m->about.ports,
                                    .lqd_sent = m->eta.lqd,
                                    .follow_sent = m->eta.follow};
    int code = choice->report ? quality_page_write(choice->report, choice->model, &report) : CLI_OK;
    if (code != CLI_OK)
        return code;
    return quality_show(&report, choice->json);
}

static int run(int argc, char **argv)
{
    struct choice choice = {0};
    struct cli_line line;
    if (!cli_read(&line, &cmd_predict, argc, argv, &choice))
        return line.code;
    struct weir_error error = {0};
    struct material material = {.rows = {0}};
    struct forest *forest = forest_open(choice.model, &error);
    int code = forest != NULL ? CLI_OK : cli_report(&error);
    for (uint32_t i = 0; code == CLI_OK && i < line.count; i++)
        code = read_rows(line.operands[i], &choice, forest, &material);
    if (code == CLI_OK)
        code = predict(&choice, forest, &material);
    forest_rows_free(&material.rows);
    forest_free(forest);
    return code;
}
