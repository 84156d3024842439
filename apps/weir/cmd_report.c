/*
 * cmd_report.c - `weir report`: the results of an experiment as a page, or as one file per chart for papers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/version.h"
#include "report/charts/report.h"
#include "report/draw/escape.h"
#include "tables/results_show.h"

enum format { FORMAT_HTML, FORMAT_SVG, FORMAT_GNUPLOT };

static const struct {
    const char *end, *file_end; /* of the default output; of a chart's file */
} formats[] = {{".html", NULL}, {"-svg", ".svg"}, {"-gnuplot", ".gp"}};

struct choice {
    uint32_t format; /* enum format */
    const char *file, *wanted;
    char *output; /* owned */
};

static const struct cli_option options[] = {
    {.name = "format",
     .value = "FORMAT",
     .help = "html: one page (the default); svg, gnuplot: one file per chart, for papers",
     .more = "A script for gnuplot 5.4 has its data inside and writes an SVG file, and a PDF file with "
             "`gnuplot -e format='pdf'`.",
     .offer = CLI_WORDS("html svg gnuplot"),
     CLI_WORD(struct choice, format)},
    {.name = "output",
     .letter = 'o',
     .value = "PATH",
     .help =
         "page (default: FILE.html beside FILE.db; -: standard output), or folder of the charts (default: FILE-svg, "
         "FILE-gnuplot), created if missing",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, wanted)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE.db", .what = "results", .expected = "a database", .offer = CLI_RESULTS},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_report = {
    .name = "report",
    .summary = "show results as a page with charts, or draw them for papers",
    .about = "Draws the results of weir run: charts, claims with verdicts, numbers and the exact configuration, as one "
             "HTML page that needs no other file.",
    .options = options,
    .operands = operands,
    .status = "0 ok, 2 wrong usage, 3 no results or unreadable ones, 4 out of memory or cannot write",
    .examples = "weir report burst.db",
    .run = run,
};

/* "dir/burst.db" and ".html" to "dir/burst.html". */
static char *default_output(const char *file, const char *end)
{
    size_t length = strlen(file);
    if (length > 3 && strcmp(file + length - 3, ".db") == 0 && file[length - 4] != '/')
        length -= 3;
    size_t size = length + strlen(end) + 1;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%.*s%s", (int)length, file, end);
    return path;
}

static int check(struct choice *choice)
{
    if (choice->wanted != NULL && output_same_file(choice->wanted, choice->file))
        return cli_error(CLI_USAGE, "report: --output: '%s' holds the results (expected another file)", choice->wanted);
    if (choice->wanted != NULL && choice->format != FORMAT_HTML && strcmp(choice->wanted, "-") == 0)
        return cli_error(CLI_USAGE, "report: --output: charts are several files (expected a folder)");
    choice->output =
        choice->wanted != NULL ? strdup(choice->wanted) : default_output(choice->file, formats[choice->format].end);
    return choice->output != NULL ? CLI_OK : cli_error_memory();
}

static int write_page(const struct choice *choice, const struct report *report)
{
    struct output_file file;
    bool to_stdout = output_is_stdout(choice->output);
    bool opened = to_stdout ? output_file_open_stdout(&file) : output_file_open(&file, choice->output);
    if (!opened || !output_file_stream(&file))
        return CLI_INTERNAL;
    if (!report_page(report, file.stream)) {
        output_file_discard(&file);
        return cli_error_memory();
    }
    if (!output_file_commit(&file))
        return CLI_INTERNAL;
    if (!to_stdout)
        printf("%s\n", choice->output);
    return CLI_OK;
}

static int write_chart(const struct choice *choice, const struct chart *chart, uint32_t number)
{
    char title[64], name[80];
    escape_file_name(chart->title, title, sizeof title);
    snprintf(name, sizeof name, "%02u%s%s", number + 1, title[0] != '\0' ? "-" : "", title);
    size_t size = strlen(choice->output) + sizeof name + 8;
    char *path = malloc(size);
    if (path == NULL)
        return cli_error_memory();
    snprintf(path, size, "%s/%s%s", choice->output, name, formats[choice->format].file_end);
    struct output_file file;
    bool opened = output_file_open(&file, path) && output_file_stream(&file);
    bool written = opened && (choice->format == FORMAT_SVG ? report_svg(chart, file.stream)
                                                           : report_gnuplot(chart, name, file.stream));
    bool saved = written && output_file_commit(&file);
    if (opened && !written) {
        output_file_discard(&file);
        cli_error_memory();
    }
    if (saved)
        printf("%s\n", path);
    free(path);
    return saved ? CLI_OK : CLI_INTERNAL;
}

static int write_charts(const struct choice *choice, const struct report *report)
{
    if (mkdir(choice->output, 0777) != 0 && errno != EEXIST)
        return cli_error(CLI_INTERNAL, "%s: cannot make the folder: %s", choice->output, strerror(errno));
    int code = CLI_OK;
    uint32_t written = 0;
    for (uint32_t i = 0; code == CLI_OK && i < report->charts->count; i++) {
        if (report->charts->charts[i].line_count == 0)
            continue;
        code = write_chart(choice, &report->charts->charts[i], i);
        written++;
    }
    if (code == CLI_OK && written == 0)
        return cli_error(CLI_INPUT, "%s: there is nothing to draw (expected finished runs with figures)", choice->file);
    return code;
}

static int write_report(const struct choice *choice, const struct table *table, const struct report_charts *charts)
{
    uint32_t count = table->experiment.claim_count;
    struct judgement *judgements = calloc(count + 1, sizeof *judgements);
    if (judgements == NULL)
        return cli_error_memory();
    for (uint32_t i = 0; i < count; i++)
        claim_judge(table, &table->experiment.claims[i], &judgements[i]);
    struct report report = {.table = table, .charts = charts, .judgements = judgements, .version = version_text()};
    int code = choice->format == FORMAT_HTML ? write_page(choice, &report) : write_charts(choice, &report);
    free(judgements);
    return code;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.format = FORMAT_HTML};
    struct cli_line line;
    if (!cli_read(&line, &cmd_report, argc, argv, &choice))
        return line.code;
    choice.file = line.operands[0];
    int code = check(&choice);
    if (code != CLI_OK)
        return code;
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct table table;
    struct report_charts charts = {.count = 0};
    if (!table_load(&table, choice.file, &status))
        code = cli_report(&status);
    else if (!report_charts_make(&charts, &table, &status))
        code = cli_report(&status);
    else if ((code = results_warn_mix(&table)) == CLI_OK)
        code = write_report(&choice, &table, &charts);
    report_charts_free(&charts);
    table_free(&table);
    free(choice.output);
    return code;
}
