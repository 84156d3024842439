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

/* Adds a column per axis; returns how many columns there are then. */
static size_t add_axes(const struct experiment *experiment, struct data_column *columns, size_t count)
{
    for (uint32_t axis = 0; axis < experiment->axis_count; axis++)
        columns[count++] = (struct data_column){.heading = experiment->axes[axis].title, .kind = DATA_TEXT};
    return count;
}

static void add_labels(struct data_frame *frame, const struct experiment *experiment, uint32_t point)
{
    for (uint32_t axis = 0; axis < experiment->axis_count; axis++)
        data_row(frame, cell_text(experiment->axes[axis].values[experiment_value_at(experiment, point, axis)].label));
}

static void add_mean(struct data_frame *frame, const struct table *table, uint32_t point, uint32_t measure)
{
    struct expression expression = {.kind = EXPRESSION_MEASURE, .name = table->measures[measure].name};
    struct position position = {.seed = 0};
    for (uint32_t axis = 0; axis < table->experiment.axis_count; axis++)
        position.at[axis] = experiment_value_at(&table->experiment, point, axis);
    struct spread spread = evaluate_spread(table, &expression, &position);
    char text[64], marked[CENSORING_TEXT_MAX];
    value_text(spread.mean, table->measures[measure].unit, text);
    const char *shown = censoring_text(evaluate_censoring(table, &expression, &position), text, marked);
    data_row(frame, spread.count > 0 ? cell_shown(cell_number(spread.mean), shown) : cell_none());
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

bool page_put_summary(const struct report *report, FILE *out)
{
    const struct table *table = report->table;
    const struct experiment *experiment = &table->experiment;
    uint32_t measures[SUMMARY_COLUMNS_MAX], count = summary_columns(table, measures);
    struct data_column columns[EXPERIMENT_AXES_MAX + SUMMARY_COLUMNS_MAX];
    size_t axes = add_axes(experiment, columns, 0);
    for (uint32_t c = 0; c < count; c++)
        columns[axes + c] = (struct data_column){.heading = table->measures[measures[c]].name, .kind = DATA_NUMBER};
    struct data_frame *frame = data_frame_new(DATA_ROWS, columns, axes + count);
    for (uint32_t point = 0; point < experiment->point_count && point < SUMMARY_ROWS_MAX; point++) {
        add_labels(frame, experiment, point);
        for (uint32_t c = 0; c < count; c++)
            add_mean(frame, table, point, measures[c]);
    }
    if (experiment->point_count > SUMMARY_ROWS_MAX)
        data_frame_note(frame, "The first %u of %" PRIu32 " points.", SUMMARY_ROWS_MAX, experiment->point_count);
    fputs("<section id=\"numbers\" aria-labelledby=\"numbers-title\">\n<h2 id=\"numbers-title\">Numbers</h2>\n", out);
    fprintf(out, "<p>%s. <code>weir export</code> gives all %" PRIu32 " measures of every run.</p>\n",
            experiment->seed_count > 1 ? "Means over the seeds" : "One seed", table->measure_count);
    bool whole = page_put_frame(frame, NULL, out);
    put_unfinished(table, out);
    fputs("</section>\n", out);
    return whole;
}

static void add_run(struct data_frame *frame, const struct table *table, uint32_t number)
{
    const struct table_run *run = &table->runs[number];
    char digest[20], missing[256];
    snprintf(digest, sizeof digest, "%016" PRIx64, run->digest);
    snprintf(missing, sizeof missing, "missing%s%s", run->failure != NULL ? ": " : "",
             run->failure != NULL ? run->failure : "");
    data_row(frame, cell_text(run->id), cell_integer((int64_t)run->seed));
    add_labels(frame, &table->experiment, number / table->experiment.seed_count);
    if (run->finished)
        data_row(frame, cell_number(run->seconds), cell_integer((int64_t)run->memory_bytes),
                 cell_integer((int64_t)run->hops), cell_text(digest), cell_text(run->version));
    else
        data_row(frame, cell_shown(cell_none(), missing), cell_none(), cell_none(), cell_none(), cell_none());
}

bool page_put_runs(const struct report *report, FILE *out)
{
    static const struct data_column costs[] = {
        DATA_COLUMN(NULL, "Time", TIME), DATA_COLUMN(NULL, "Memory", SIZE), DATA_COLUMN(NULL, "Packet-hops", INTEGER),
        DATA_COLUMN(NULL, "Digest", WORD), DATA_COLUMN(NULL, "Made by weir", WORD)};
    const struct experiment *experiment = &report->table->experiment;
    struct data_column columns[2 + EXPERIMENT_AXES_MAX + sizeof costs / sizeof costs[0]] = {
        DATA_COLUMN(NULL, "Run", WORD), DATA_COLUMN(NULL, "Seed", INTEGER)};
    size_t count = add_axes(experiment, columns, 2);
    memcpy(columns + count, costs, sizeof costs);
    struct data_frame *frame = data_frame_new(DATA_ROWS, columns, count + sizeof costs / sizeof costs[0]);
    uint32_t runs = experiment_runs(experiment);
    for (uint32_t run = 0; run < runs && run < RUNS_SHOWN_MAX; run++)
        add_run(frame, report->table, run);
    if (runs > RUNS_SHOWN_MAX)
        data_frame_note(frame, "The first %u of %" PRIu32 " runs.", RUNS_SHOWN_MAX, runs);
    fputs("<details><summary>Every run: id, seed, cost, digest</summary>\n", out);
    bool whole = page_put_frame(frame, NULL, out);
    fputs("</details>\n", out);
    return whole;
}
