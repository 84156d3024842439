/*
 * cmd_report.c - `weir report`: the results of an experiment as a page, or as one file per chart for papers.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/version.h"
#include "lab/spread/stale.h"
#include "show/charts/report.h"
#include "show/draw/escape.h"
#include "show/draw/panels.h"
#include "show/writers/markup.h"
#include "show/writers/results_show.h"

enum format {
    FORMAT_HTML,
    FORMAT_SVG,
    FORMAT_PDF,
    FORMAT_PNG,
    FORMAT_GNUPLOT,
    FORMAT_MATPLOTLIB,
    FORMAT_CSV,
    FORMAT_LATEX,
    FORMAT_MARKDOWN
};

static const struct {
    const char *end, *file_end; /* of the default output; of a chart's file */
} formats[] = {{".html", NULL},        {"-svg", ".svg"}, {"-pdf", ".pdf"},   {"-png", ".png"},    {"-gnuplot", ".gp"},
               {"-matplotlib", ".py"}, {"-csv", ".csv"}, {"-latex", ".tex"}, {"-markdown", ".md"}};

struct choice {
    uint32_t format; /* enum format */
    struct report_style style;
    uint64_t dpi;
    uint32_t look;        /* which of `looks` */
    uint64_t columns;     /* of panels in one figure; 0: a file per chart */
    const char *relative; /* the line or bar that numbers are divided by; null: none */
    const char *chart;    /* the start of the only title that is wanted; null: all */
    const char *wanted;
    char *output; /* owned */
};

/* Sizes that papers and slides ask for; a width of 0: none of them was chosen. */
static const struct {
    double width_mm, font_pt;
    bool no_title;
} looks[] = {{0, 0, false}, {84, 8, true}, {178, 8, true}, {254, 18, false}};

/* "84mm", in px of CSS. A number alone could be any of the units. */
static int read_length(void *target, const struct cli_option *option, const char *text)
{
    static const struct {
        const char *unit;
        double px;
    } units[] = {{"px", 1}, {"pt", 96.0 / 72}, {"mm", 96 / 25.4}, {"cm", 96 / 2.54}, {"in", 96}};
    char *end;
    double number = strtod(text, &end);
    bool font = strcmp(option->name, "font") == 0;
    double least = font ? 4 : 80, most = font ? 96 : 9600;
    while (*end == ' ')
        end++;
    for (size_t i = 0; end > text && i < sizeof units / sizeof units[0]; i++) {
        double px = number * units[i].px;
        if (strcmp(end, units[i].unit) != 0)
            continue;
        if (!(px >= least && px <= most))
            return cli_error(CLI_INPUT, "--%s: '%s' is out of range (expected %.3g%s to %.4g%s)", option->name, text,
                             ceil(100 * least / units[i].px) / 100, end, floor(most / units[i].px + 1e-6), end);
        *(double *)target = px;
        return CLI_OK;
    }
    if (end > text && *end == '\0')
        return cli_error(CLI_USAGE, "--%s: '%s' needs a unit (mm, cm, in, pt, px)", option->name, text);
    return cli_error(CLI_USAGE, "--%s: '%s' is no length (expected such as %s)", option->name, text,
                     font ? "8pt, 3mm or 12px" : "84mm, 3.3in, 240pt or 720px");
}

static const struct cli_option options[] = {
    {.name = "format",
     .value = "FORMAT",
     .help = "html: one page (the default); svg, pdf, png, gnuplot, matplotlib, csv, latex, markdown: one file per "
             "chart, for papers and slides",
     .more =
         "PDF and PNG need a weir that was built with cairo. A script for gnuplot 5.4 has its data inside and writes "
         "an SVG file, and a PDF file with `gnuplot -e format='pdf'`. One for Python writes a PDF file with "
         "matplotlib. CSV has the numbers: a row per point with x, y, the ends of its interval and y of every seed. "
         "LaTeX (booktabs) and Markdown have a table with a column per line, each mean with half of its interval.",
     .offer = CLI_WORDS("html svg pdf png gnuplot matplotlib csv latex markdown"),
     CLI_WORD(struct choice, format)},
    {.name = "output",
     .letter = 'o',
     .value = "PATH",
     .help =
         "page (default: FILE.html beside FILE.db; -: standard output), or folder of the charts (default: FILE-svg, "
         "FILE-pdf and so on), created if missing",
     CLI_FILE(struct choice, wanted)},
    {.name = "relative-to",
     .value = "LABEL",
     .help = "numbers as multiples of one line or bar, such as DT; charts without it are left out",
     .more = "Seed by seed: the mean of the ratios. File names then end in -relative-to-LABEL, beside those of the "
             "numbers themselves.",
     CLI_TEXT(struct choice, relative)},
    {.name = "style",
     .value = "STYLE",
     .heading = "For papers (not html):",
     .help = "one-column: 84mm wide, letters of 8pt, no title, light; two-columns: the same with 178mm; slide: 254mm, "
             "18pt; the options below go before it",
     .offer = CLI_WORDS("plain one-column two-columns slide"),
     CLI_WORD(struct choice, look)},
    {.name = "width",
     .value = "LENGTH",
     .help = "width of a chart: 84mm, 3.3in, 240pt, 720px; default: 720px",
     CLI_READ(struct choice, style.width_px, read_length)},
    {.name = "height",
     .value = "LENGTH",
     .help = "height of a chart; default: what its width asks for",
     CLI_READ(struct choice, style.height_px, read_length)},
    {.name = "font",
     .value = "LENGTH",
     .help = "size of the letters, such as 8pt; lines and marks grow with them; default: 12px",
     CLI_READ(struct choice, style.font_px, read_length)},
    {.name = "dpi",
     .value = "N",
     .help = "pixels per inch of a PNG file; default: 192, two for each px",
     CLI_NUMBER(struct choice, dpi, 24, 1200)},
    {.name = "no-title", .help = "leave the title to the caption", CLI_FLAG(struct choice, style.no_title)},
    {.name = "light",
     .help = "dark letters on white, also on dark screens",
     .more = "Without it an SVG file follows the screen. PDF and PNG files are always light.",
     CLI_FLAG(struct choice, style.light)},
    {.name = "panels",
     .value = "COLUMNS",
     .help = "one figure of all charts, (a), (b) and so on, so many side by side; --width is that of the whole",
     .more = "With --chart, of the charts whose titles begin so. The file is called panels.",
     CLI_NUMBER(struct choice, columns, 1, 8)},
    {.name = "chart", .value = "TITLE", .help = "only charts whose titles begin so", CLI_TEXT(struct choice, chart)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE", .what = "results", .expected = "a database or its scenario", .offer = CLI_RESULTS},
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
    .examples = "weir report burst.db\nweir report --format pdf --width 84mm --font 8pt --no-title burst.db",
    .run = run,
};

#define SUFFIX_MAX 96u

/* "-relative-to-dt", so that no file of other numbers is overwritten. */
static const char *suffix_of(const struct choice *choice, char suffix[SUFFIX_MAX])
{
    char label[64];
    suffix[0] = '\0';
    if (choice->relative == NULL)
        return suffix;
    escape_file_name(choice->relative, label, sizeof label);
    snprintf(suffix, SUFFIX_MAX, "-relative%s%s", label[0] != '\0' ? "-to-" : "", label);
    return suffix;
}

/* "dir/burst.db" to "dir/burst.html" or "dir/burst-svg". */
static char *default_output(const struct choice *choice, const char *file)
{
    const char *end = formats[choice->format].end;
    char suffix[SUFFIX_MAX];
    suffix_of(choice, suffix);
    if (choice->format != FORMAT_HTML)
        suffix[0] = '\0'; /* a folder, in which every file has it */
    size_t length = strlen(file);
    if (length > 3 && strcmp(file + length - 3, ".db") == 0 && file[length - 4] != '/')
        length -= 3;
    size_t size = length + strlen(suffix) + strlen(end) + 1;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%.*s%s%s", (int)length, file, suffix, end);
    return path;
}

static int check(const struct cli_line *line, struct choice *choice)
{
    static const char *const of_papers[] = {"style",    "width", "height", "font", "dpi",
                                            "no-title", "light", "panels", "chart"};
    for (size_t i = 0; i < sizeof of_papers / sizeof of_papers[0] && choice->format == FORMAT_HTML; i++)
        if (cli_given(line, of_papers[i]))
            return cli_error(CLI_USAGE,
                             "report: --%s: a page fits itself (expected --format svg, pdf, png, gnuplot, "
                             "matplotlib, csv, latex or markdown)",
                             of_papers[i]);
    if (cli_given(line, "dpi") && choice->format != FORMAT_PNG)
        return cli_error(CLI_USAGE, "report: --dpi: only PNG has pixels (expected --format png)");
    if (choice->columns > 0 &&
        (choice->format == FORMAT_CSV || choice->format == FORMAT_LATEX || choice->format == FORMAT_MARKDOWN))
        return cli_error(CLI_USAGE, "report: --panels: tables have none (expected --format svg, pdf, png, gnuplot or "
                                    "matplotlib)");
    if ((choice->format == FORMAT_PDF || choice->format == FORMAT_PNG) && !report_prints())
        return cli_error(CLI_USAGE,
                         "report: --format: this weir was built without cairo, which draws PDF and PNG (expected svg, "
                         "gnuplot, matplotlib or csv, or a build with libcairo2-dev)");
    if (choice->wanted != NULL && choice->format != FORMAT_HTML && strcmp(choice->wanted, "-") == 0)
        return cli_error(CLI_USAGE, "report: --output: charts are several files (expected a folder)");
    return CLI_OK;
}

/* `file` has the results: the operand may be their scenario. */
static int choose_output(struct choice *choice, const char *file)
{
    if (choice->wanted != NULL && output_same_file(choice->wanted, file))
        return cli_error(CLI_USAGE, "report: --output: '%s' holds the results (expected another file)", choice->wanted);
    choice->output = choice->wanted != NULL ? strdup(choice->wanted) : default_output(choice, file);
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

static bool draw_table(const struct choice *choice, const struct chart *chart, FILE *out)
{
    struct data_frame *frame = markup_of_chart(chart);
    bool whole = frame != NULL && !data_frame_failed(frame);
    if (whole)
        (choice->format == FORMAT_LATEX ? markup_latex : markup_markdown)(chart, frame, out);
    data_frame_free(frame);
    return whole;
}

static bool draw(const struct choice *choice, const struct chart *chart, const char *name, FILE *out)
{
    switch (choice->format) {
    case FORMAT_SVG:
        return report_svg(chart, &choice->style, out);
    case FORMAT_PDF:
        return report_print(chart, &choice->style, REPORT_PDF, out);
    case FORMAT_PNG:
        return report_print(chart, &choice->style, REPORT_PNG, out);
    case FORMAT_GNUPLOT:
        return report_gnuplot(chart, &choice->style, name, out);
    case FORMAT_MATPLOTLIB:
        return report_matplotlib(chart, &choice->style, name, out);
    case FORMAT_CSV:
        return report_csv(chart, out);
    default:
        return draw_table(choice, chart, out);
    }
}

/* The name of a chart's file, without its end. */
#define NAME_MAX_OF_CHART (80 + SUFFIX_MAX)
static void name_chart(const struct choice *choice, const struct chart *chart, uint32_t number,
                       char name[NAME_MAX_OF_CHART])
{
    char title[64], suffix[SUFFIX_MAX];
    escape_file_name(chart->title, title, sizeof title);
    snprintf(name, NAME_MAX_OF_CHART, "%02u%s%s%s", number + 1, title[0] != '\0' ? "-" : "", title,
             suffix_of(choice, suffix));
}

static int write_chart(const struct choice *choice, const struct chart *chart, const char *name)
{
    size_t size = strlen(choice->output) + strlen(name) + 16;
    char *path = malloc(size);
    if (path == NULL)
        return cli_error_memory();
    snprintf(path, size, "%s/%s%s", choice->output, name, formats[choice->format].file_end);
    struct output_file file;
    bool opened = output_file_open(&file, path) && output_file_stream(&file);
    bool written = opened && draw(choice, chart, name, file.stream);
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

static int refuse_chart(const struct choice *choice, const struct report_charts *charts)
{
    char titles[300] = "";
    for (uint32_t i = 0; i < charts->count; i++)
        snprintf(titles + strlen(titles), sizeof titles - strlen(titles), "%s'%s'", i > 0 ? ", " : "",
                 charts->charts[i].title);
    return cli_error(CLI_INPUT, "report: --chart: no title begins with '%s' (expected one of %s)", choice->chart,
                     titles);
}

static int write_charts(const struct choice *choice, const struct report *report)
{
    if (mkdir(choice->output, 0777) != 0 && errno != EEXIST)
        return cli_error(CLI_INTERNAL, "%s: cannot make the folder: %s", choice->output, strerror(errno));
    int code = CLI_OK;
    uint32_t written = 0;
    struct chart panels[PANELS_MAX];
    for (uint32_t i = 0; code == CLI_OK && i < report->charts->count; i++) {
        const struct chart *chart = &report->charts->charts[i];
        bool table = choice->format == FORMAT_LATEX || choice->format == FORMAT_MARKDOWN;
        if (chart->line_count == 0 || (table && chart->numbers == CHART_NUMBERS_EXTREMES) ||
            (choice->chart != NULL && strncasecmp(chart->title, choice->chart, strlen(choice->chart)) != 0))
            continue;
        char name[NAME_MAX_OF_CHART];
        name_chart(choice, chart, i, name);
        if (choice->columns == 0)
            code = write_chart(choice, chart, name);
        else if (written < PANELS_MAX)
            panels[written] = *chart;
        else
            code = cli_error(CLI_INPUT, "report: --panels: more than %u charts (expected --chart TITLE)", PANELS_MAX);
        written++;
    }
    if (code == CLI_OK && choice->columns > 0 && written > 0) {
        struct choice whole = *choice;
        char suffix[SUFFIX_MAX], name[NAME_MAX_OF_CHART];
        whole.style.panels = written;
        whole.style.columns = (uint32_t)choice->columns;
        snprintf(name, sizeof name, "panels%s", suffix_of(choice, suffix));
        code = write_chart(&whole, panels, name);
    }
    if (code == CLI_OK && written == 0 && choice->chart != NULL)
        return refuse_chart(choice, report->charts);
    if (code == CLI_OK && written == 0)
        return cli_error(CLI_INPUT, "%s: there is nothing to draw (expected finished runs with figures)",
                         report->table->path);
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
    struct choice choice = {.format = FORMAT_HTML, .style = REPORT_STYLE, .dpi = 192};
    struct cli_line line;
    if (!cli_read(&line, &cmd_report, argc, argv, &choice))
        return line.code;
    choice.style.dpi = (double)choice.dpi;
    if (choice.look > 0) {
        choice.style.light = true;
        choice.style.no_title |= looks[choice.look].no_title;
        if (!cli_given(&line, "width"))
            choice.style.width_px = looks[choice.look].width_mm * 96 / 25.4;
        if (!cli_given(&line, "font"))
            choice.style.font_px = looks[choice.look].font_pt * 96 / 72;
    }
    int code = check(&line, &choice);
    if (code != CLI_OK)
        return code;
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct table table;
    struct report_charts charts = {.count = 0};
    if (!table_load(&table, line.operands[0], &status))
        code = cli_report(&status);
    else if (!report_charts_make(&charts, &table, &status))
        code = cli_report(&status);
    else if (choice.relative != NULL && !report_charts_relate(&charts, choice.relative, &status))
        code = cli_report(&status);
    else if ((code = choose_output(&choice, table.path)) == CLI_OK && (code = results_warn_mix(&table)) == CLI_OK) {
        stale_warn(&table);
        code = write_report(&choice, &table, &charts);
    }
    report_charts_free(&charts);
    table_free(&table);
    free(choice.output);
    return code;
}
