/*
 * results_columns.c - which values of a table of results are worth a column: see results_show.h.
 */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <string.h>

#include "show/writers/results_show.h"

static bool same_expression(const struct expression *a, const struct expression *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    bool same_names = a->name == NULL || b->name == NULL ? a->name == b->name : strcmp(a->name, b->name) == 0;
    return a->kind == b->kind && same_names && a->number == b->number && a->axis == b->axis && a->value == b->value &&
           same_expression(a->left, b->left) && same_expression(a->right, b->right);
}

static void add_column(struct results_columns *columns, const struct expression *value, const char *heading,
                       enum unfinished unfinished)
{
    for (uint32_t i = 0; i < columns->count; i++)
        if (same_expression(columns->value[i], value) && columns->unfinished[i] == unfinished)
            return;
    if (columns->count == RESULTS_COLUMNS_MAX)
        return;
    char *text = columns->heading[columns->count];
    size_t room = sizeof columns->heading[0], cut = room - sizeof "\u2026";
    if (strlen(heading) < room) {
        snprintf(text, room, "%s", heading);
    } else {
        while (cut > 0 && ((unsigned char)heading[cut] & 0xc0) == 0x80) /* not inside of a character */
            cut--;
        snprintf(text, room, "%.*s\u2026", (int)cut, heading);
    }
    columns->unfinished[columns->count] = unfinished;
    columns->value[columns->count++] = value;
}

static void add_measure(struct results_columns *columns, const struct table *table, const char *name, uint32_t limit)
{
    uint32_t index = table_find(table, name);
    if (index == UINT32_MAX || columns->count >= limit)
        return;
    struct expression *value = &columns->measure[columns->count];
    *value = (struct expression){.kind = EXPRESSION_MEASURE, .name = table->measures[index].name};
    add_column(columns, value, name, UNFINISHED_MARK);
}

/* The part of `name` before `suffix`, in `stem`; false: it ends in something else. */
static bool take_stem(const char *name, const char *suffix, char stem[256])
{
    size_t length = strlen(name), tail = strlen(suffix);
    if (length <= tail || length - tail >= 200 || strcmp(name + length - tail, suffix) != 0)
        return false;
    snprintf(stem, 256, "%.*s", (int)(length - tail), name);
    return true;
}

static bool has(const struct table *table, const char *stem, const char *suffix)
{
    char name[280];
    snprintf(name, sizeof name, "%s%s", stem, suffix);
    return table_find(table, name) != UINT32_MAX;
}

/* True for flows of one range of sizes: what stands before the last dot is a tag with the same measure. */
static bool is_bin(const struct table *table, const char *stem, const char *suffix)
{
    char tag[256];
    snprintf(tag, sizeof tag, "%s", stem);
    char *dot = strrchr(tag, '.');
    if (dot == NULL)
        return false;
    *dot = '\0';
    return has(table, tag, suffix);
}

/* Per tag the mean and the 99th percentile of `what`. */
static void add_times(struct results_columns *columns, const struct table *table, const char *what)
{
    char stem[256], name[300], mean[32];
    snprintf(mean, sizeof mean, ".%s.mean", what);
    for (uint32_t i = 0; i < table->measure_count; i++) {
        if (!take_stem(table->measures[i].name, mean, stem) || is_bin(table, stem, mean))
            continue;
        if (strcmp(what, "fct") == 0 && has(table, stem, ".qct.mean"))
            continue; /* of a query its own time tells more */
        add_measure(columns, table, table->measures[i].name, RESULTS_COLUMNS_MAX - 2);
        snprintf(name, sizeof name, "%s.%s.p99", stem, what);
        add_measure(columns, table, name, RESULTS_COLUMNS_MAX - 1);
    }
}

static void head_columns(struct results_columns *columns, const struct experiment *experiment)
{
    for (uint32_t i = 0; i < experiment->axis_count; i++)
        columns->columns[i] = (struct data_column)DATA_COLUMN(experiment->axes[i].name, experiment->axes[i].name, TEXT,
                                                              .right = experiment->axes[i].unit != NULL, .width = 40);
    for (uint32_t i = 0; i < columns->count; i++)
        columns->columns[experiment->axis_count + i] =
            (struct data_column)DATA_COLUMN(columns->heading[i], columns->heading[i], NUMBER);
}

void results_columns_find(struct results_columns *columns, const struct table *table)
{
    const struct experiment *experiment = &table->experiment;
    *columns = (struct results_columns){.count = 0};
    for (uint32_t i = 0; i < experiment->figure_count; i++) {
        const struct figure *figure = &experiment->figures[i];
        if ((figure->kind == FIGURE_LINE || figure->kind == FIGURE_BAR) && figure->y != NULL &&
            columns->count + 1 < RESULTS_COLUMNS_MAX)
            add_column(columns, figure->y, figure->y_title != NULL ? figure->y_title : figure->title,
                       figure->unfinished);
    }
    if (columns->count == 0) {
        add_times(columns, table, "qct");
        add_times(columns, table, "fct");
        add_times(columns, table, "delay");
        add_measure(columns, table, "lost.total", RESULTS_COLUMNS_MAX);
    }
    head_columns(columns, experiment);
}

/* True when some run has more than 0 of it. */
static bool has_some(const struct table *table, uint32_t measure)
{
    for (uint32_t run = 0; run < experiment_runs(&table->experiment); run++)
        if (table_value(table, run, measure) > 0)
            return true;
    return false;
}

bool results_columns_beside(struct results_columns *columns, const struct table *table, enum results_beside which)
{
    static const char *const lossless[] = {"pause.time", "pause.pauses", "headroom.peak", "lossless.lost"};
    *columns = (struct results_columns){.count = 0};
    if (which == RESULTS_UNFINISHED) {
        /* In total, then tag by tag. */
        static const char *const ends[] = {"." UNFINISHED_FLOWS_MEASURE, ".queries_unfinished"};
        static const char *const totals[] = {UNFINISHED_FLOWS_MEASURE, UNFINISHED_QUERIES_MEASURE};
        char stem[256];
        for (size_t i = 0; i < 2; i++) {
            uint32_t measure = table_find(table, totals[i]);
            if (measure != UINT32_MAX && has_some(table, measure))
                add_measure(columns, table, totals[i], RESULTS_COLUMNS_MAX);
        }
        for (size_t i = 0; i < 2 && columns->count > 0; i++)
            for (uint32_t m = 0; m < table->measure_count; m++)
                if (take_stem(table->measures[m].name, ends[i], stem) && !is_bin(table, stem, ends[i]) &&
                    has_some(table, m))
                    add_measure(columns, table, table->measures[m].name, RESULTS_COLUMNS_MAX);
    }
    for (size_t i = 0; which == RESULTS_LOSSLESS && i < sizeof lossless / sizeof lossless[0]; i++)
        add_measure(columns, table, lossless[i], RESULTS_COLUMNS_MAX);
    head_columns(columns, &table->experiment);
    return columns->count > 0;
}
