/*
 * tables.c - the results point by point, and the runs behind them.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "show/draw/escape.h"
#include "show/page/page.h"

#define SUMMARY_COLUMNS_MAX 18u
#define SUMMARY_TIMES_MAX 12u
#define SUMMARY_ROWS_MAX 400u
#define RUNS_SHOWN_MAX 2000u

/* What the summary shows, most telling first, as far as there is room: names that end so, of tags as a whole. */
static const char *const summary_ends[] = {".qct.mean", ".qct.p99",  ".fct.mean",  ".fct.p99",  ".goodput",
                                           ".loss",     ".lossless", "lost.total", ".timeouts", "memory.peak"};

static bool summary_wants(const char *name, const char *end)
{
    size_t length = strlen(name), part = strlen(end);
    return length >= part && strcmp(name + length - part, end) == 0 && memchr(name, '.', length - part) == NULL;
}

/* What always has room: what did not finish, where something did not; flow control, where classes are lossless. */
static const char *const summary_always[] = {
    UNFINISHED_FLOWS_MEASURE, UNFINISHED_QUERIES_MEASURE, "pause.time", "pause.pauses", "headroom.peak",
    "lossless.lost"};

static bool is_zero_everywhere(const struct table *table, uint32_t measure)
{
    for (uint32_t run = 0; run < experiment_runs(&table->experiment); run++)
        if (table_value(table, run, measure) > 0)
            return false;
    return true;
}

static uint32_t summary_columns(const struct table *table, uint32_t columns[SUMMARY_COLUMNS_MAX])
{
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof summary_ends / sizeof summary_ends[0]; i++) {
        for (uint32_t m = 0; m < table->measure_count && count < SUMMARY_TIMES_MAX; m++) {
            if (summary_wants(table->measures[m].name, summary_ends[i]))
                columns[count++] = m;
        }
    }
    for (size_t i = 0; i < sizeof summary_always / sizeof summary_always[0]; i++) {
        uint32_t measure = table_find(table, summary_always[i]);
        if (measure != UINT32_MAX && !(i < 2 && is_zero_everywhere(table, measure)))
            columns[count++] = measure;
    }
    return count;
}

static void put_axis_headings(const struct experiment *experiment, FILE *out)
{
    for (uint32_t axis = 0; axis < experiment->axis_count; axis++) {
        fputs("<th scope=\"col\">", out);
        escape_markup(experiment->axes[axis].title, out);
        fputs("</th>", out);
    }
}

static void put_labels(const struct experiment *experiment, uint32_t point, const char *tag, FILE *out)
{
    for (uint32_t axis = 0; axis < experiment->axis_count; axis++) {
        uint32_t value = experiment_value_at(experiment, point, axis);
        fprintf(out, "<%s>", tag);
        escape_markup(experiment->axes[axis].values[value].label, out);
        fputs(tag[1] == 'h' ? "</th>" : "</td>", out);
    }
}

static void put_summary_cell(const struct table *table, uint32_t point, uint32_t measure, FILE *out)
{
    struct expression expression = {.kind = EXPRESSION_MEASURE, .name = table->measures[measure].name};
    struct position position = {.seed = 0};
    for (uint32_t axis = 0; axis < table->experiment.axis_count; axis++)
        position.at[axis] = experiment_value_at(&table->experiment, point, axis);
    struct spread spread = evaluate_spread(table, &expression, &position);
    char text[64], marked[CENSORING_TEXT_MAX];
    if (spread.count == 0) {
        fputs("<td>&#8211;</td>", out);
        return;
    }
    value_text(spread.mean, table->measures[measure].unit, text);
    fputs("<td>", out);
    escape_markup(censoring_text(evaluate_censoring(table, &expression, &position), text, marked), out);
    fputs("</td>", out);
}

/* Tag by tag, below the totals of the table. */
static void put_unfinished(const struct table *table, FILE *out)
{
    static const char *const ends[] = {"." UNFINISHED_FLOWS_MEASURE, ".queries_unfinished"};
    char text[UNFINISHED_TEXT_MAX];
    if (unfinished_text(table, text)[0] == '\0')
        return;
    fprintf(out, "<p class=\"unfinished\">%s", text);
    for (uint32_t m = 0; m < table->measure_count; m++) {
        const char *name = table->measures[m].name;
        double sum = 0;
        if ((!summary_wants(name, ends[0]) && !summary_wants(name, ends[1])) || is_zero_everywhere(table, m))
            continue;
        for (uint32_t run = 0; run < experiment_runs(&table->experiment); run++)
            sum += table_value(table, run, m) > 0 ? table_value(table, run, m) : 0;
        fputs("; ", out);
        escape_markup(name, out);
        fprintf(out, " %.0f", sum);
    }
    fputs(".</p>\n", out);
}

void page_put_summary(const struct report *report, FILE *out)
{
    const struct table *table = report->table;
    uint32_t columns[SUMMARY_COLUMNS_MAX], count = summary_columns(table, columns);
    fputs("<section id=\"numbers\" aria-labelledby=\"numbers-title\">\n<h2 id=\"numbers-title\">Numbers</h2>\n", out);
    fprintf(out, "<p>%s. <code>weir export</code> gives all %" PRIu32 " measures of every run.</p>\n",
            table->experiment.seed_count > 1 ? "Means over the seeds" : "One seed", table->measure_count);
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"numbers-title\"><table>\n<thead><tr>",
          out);
    put_axis_headings(&table->experiment, out);
    for (uint32_t c = 0; c < count; c++) {
        fputs("<th scope=\"col\">", out);
        /* Paper is narrow: a name may break behind its dots. */
        const char *name = table->measures[columns[c]].name;
        char part[128];
        for (const char *dot = strchr(name, '.'); dot != NULL; dot = strchr(name, '.')) {
            size_t length = (size_t)(dot + 1 - name);
            if (length >= sizeof part)
                break;
            memcpy(part, name, length);
            part[length] = '\0';
            escape_markup(part, out);
            fputs("<wbr>", out);
            name = dot + 1;
        }
        escape_markup(name, out);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    const struct experiment *experiment = &table->experiment;
    for (uint32_t point = 0; point < experiment->point_count && point < SUMMARY_ROWS_MAX; point++) {
        fputs("<tr>", out);
        put_labels(experiment, point, "th scope=\"row\"", out);
        for (uint32_t c = 0; c < count; c++)
            put_summary_cell(table, point, columns[c], out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    if (table->experiment.point_count > SUMMARY_ROWS_MAX)
        fprintf(out, "<p>The first %u of %" PRIu32 " points.</p>\n", SUMMARY_ROWS_MAX, table->experiment.point_count);
    put_unfinished(table, out);
    fputs("</section>\n", out);
}

static void put_run(const struct table *table, uint32_t number, FILE *out)
{
    const struct table_run *run = &table->runs[number];
    fputs("<tr><td><code>", out);
    escape_markup(run->id, out);
    fprintf(out, "</code></td><td>%" PRIu64 "</td>", run->seed);
    put_labels(&table->experiment, number / table->experiment.seed_count, "td", out);
    if (run->finished) {
        fprintf(out, "<td>%.3g s</td><td>%.3g MB</td><td>%" PRIu64 "</td><td><code>%016" PRIx64 "</code></td><td>",
                run->seconds, (double)run->memory_bytes * 1e-6, run->hops, run->digest);
        escape_markup(run->version != NULL ? run->version : "", out);
    } else {
        fputs("<td colspan=\"5\">missing", out);
        if (run->failure != NULL) {
            fputs(": ", out);
            escape_markup(run->failure, out);
        }
    }
    fputs("</td></tr>\n", out);
}

void page_put_runs(const struct report *report, FILE *out)
{
    const struct table *table = report->table;
    uint32_t count = experiment_runs(&table->experiment);
    fputs("<details><summary>Every run: id, seed, cost, digest</summary>\n"
          "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Runs\"><table>\n"
          "<thead><tr><th scope=\"col\">Run</th><th scope=\"col\">Seed</th>",
          out);
    put_axis_headings(&table->experiment, out);
    fputs("<th scope=\"col\">Time</th><th scope=\"col\">Memory</th><th scope=\"col\">Packet-hops</th>"
          "<th scope=\"col\">Digest</th><th scope=\"col\">Made by weir</th></tr></thead>\n<tbody>\n",
          out);
    for (uint32_t run = 0; run < count && run < RUNS_SHOWN_MAX; run++)
        put_run(table, run, out);
    fputs("</tbody></table></div>\n", out);
    if (count > RUNS_SHOWN_MAX)
        fprintf(out, "<p>The first %u of %" PRIu32 " runs.</p>\n", RUNS_SHOWN_MAX, count);
    fputs("</details>\n", out);
}
