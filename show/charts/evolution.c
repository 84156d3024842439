/*
 * evolution.c - figures of kind evolution: the length of probed queues over time, with the threshold that the
 * policy held them to, dashed in the same colour; a chart per value of `lines`, on one scale. They show the first seed:
 * a mean of queues that fill at different times would show a queue that never was.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/charts/charts.h"

#define EVOLUTION_BUCKETS 1000u /* each keeps its least and its greatest point */
#define EVOLUTION_BUFFER 3.0    /* the buffer is in the chart unless it is more than so many times that */
#define EVOLUTION_ABOVE 1.25    /* thresholds are shown up to this many times the longest queue */

struct evolution {
    struct charts_builder *builder;
    const struct figure *figure;
    struct selection selection;
    double from_s, until_s;
    double queue_max, all_max; /* over the charts of the figure */
    double buffer_max;         /* the largest buffer of their runs */
    const char *x_unit, *y_unit;
};

/* The part of a curve that is shown, with a point to each side of it. */
static void evolution_cut(const struct evolution *evolution, const struct measure_curve *curve, uint32_t *first,
                          uint32_t *end)
{
    *first = 0;
    *end = curve->count;
    while (*first + 1 < *end && curve->points[2 * (*first + 1)] < evolution->from_s)
        ++*first;
    while (*end > *first + 1 && curve->points[2 * (*end - 2)] > evolution->until_s)
        --*end;
}

static void evolution_keep(struct chart_line *line, const double *points, uint32_t at)
{
    line->x[line->count] = points[2 * at];
    line->y[line->count++] = points[2 * at + 1];
}

static bool evolution_fill(struct evolution *evolution, struct chart_line *line, const struct measure_curve *curve)
{
    uint32_t first, end;
    evolution_cut(evolution, curve, &first, &end);
    uint32_t count = end - first;
    bool thin = count > 2 * EVOLUTION_BUCKETS;
    if (!charts_line(evolution->builder, line, thin ? 2 * EVOLUTION_BUCKETS : count, false))
        return false;
    line->count = 0;
    for (uint32_t i = 0; !thin && i < count; i++)
        evolution_keep(line, curve->points, first + i);
    for (uint64_t bucket = 0; thin && bucket < EVOLUTION_BUCKETS; bucket++) {
        /* The least and the greatest of points [from, to), ordered by time. */
        const double *points = curve->points;
        uint32_t from = first + (uint32_t)(bucket * count / EVOLUTION_BUCKETS);
        uint32_t to = first + (uint32_t)((bucket + 1) * count / EVOLUTION_BUCKETS);
        uint32_t least = from, greatest = from;
        for (uint32_t i = from + 1; i < to; i++) {
            if (points[2 * i + 1] < points[2 * least + 1])
                least = i;
            if (points[2 * i + 1] > points[2 * greatest + 1])
                greatest = i;
        }
        evolution_keep(line, points, least < greatest ? least : greatest);
        if (least != greatest)
            evolution_keep(line, points, least < greatest ? greatest : least);
    }
    for (uint32_t i = 0; i < line->count; i++) {
        bool greater = line->y[i] > evolution->all_max;
        evolution->all_max = greater ? line->y[i] : evolution->all_max;
        if (line->pattern == 0)
            evolution->queue_max = line->y[i] > evolution->queue_max ? line->y[i] : evolution->queue_max;
    }
    return true;
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), part = strlen(end);
    return length > part && strcmp(text + length - part, end) == 0;
}

/* Of a probe, its queue and threshold are shown; of anything else, all curves of that name. */
static bool follows_probes(const struct figure *figure)
{
    return figure->curve == NULL || strncmp(figure->curve, "probe", 5) == 0;
}

/* False of a policy without thresholds: the series holds zeros, or nothing. */
static bool limits_something(const struct measure_curve *curve)
{
    for (uint32_t i = 0; i < curve->count; i++)
        if (curve->points[2 * i + 1] > 0)
            return true;
    return false;
}

/* The buffer of the switch that a run's probes are at, in bytes; NaN: its configuration does not say. False: out of
 * memory. */
static bool buffer_of(const struct table *table, uint32_t run, double *found)
{
    struct document document;
    struct weir_error error;
    const char *config = table->runs[run].config, *unit;
    double bytes = NAN;
    *found = NAN;
    if (config == NULL)
        return true;
    error.code = WEIR_ERROR_NONE;
    if (document_read(&document, "configuration", config, strlen(config), &error)) {
        const struct node *buffer = document_find(document.root, "switch.buffer");
        const struct node *tiers = document_find(document.root, "switch.tiers");
        if (tiers == NULL && buffer != NULL && buffer->kind == NODE_SCALAR &&
            !(expression_number(buffer->text, &bytes, &unit) && strcmp(unit, "B") == 0))
            bytes = NAN;
    }
    document_free(&document);
    *found = bytes;
    return error.code != WEIR_ERROR_MEMORY;
}

/* A level across the chart: nothing can be above it. */
static bool evolution_add_buffer(struct evolution *evolution, struct chart *chart, uint32_t run)
{
    double bytes;
    if (!buffer_of(evolution->builder->table, run, &bytes))
        return charts_no_memory(evolution->builder);
    if (!(bytes > 0) || chart->line_count == 0)
        return true;
    double first = INFINITY, last = -INFINITY;
    for (uint32_t l = 0; l < chart->line_count; l++) {
        first = fmin(first, chart->lines[l].x[0]);
        last = fmax(last, chart->lines[l].x[chart->lines[l].count - 1]);
    }
    struct chart_line *line = &chart->lines[chart->line_count++];
    if (!charts_line(evolution->builder, line, 2, false))
        return false;
    line->label = "buffer";
    line->rule = true;
    line->colour = CHART_COLOURS - 3; /* grey */
    line->pattern = CHART_PATTERNS - 1;
    line->x[0] = first;
    line->x[1] = last;
    line->y[0] = line->y[1] = bytes;
    evolution->buffer_max = fmax(evolution->buffer_max, bytes);
    return true;
}

static bool evolution_add_line(struct evolution *evolution, struct chart *chart, uint32_t run, const char *name)
{
    bool threshold = ends_in(name, ".threshold");
    struct measure_curve curve;
    if (!table_curve(evolution->builder->curves, run, name, &curve))
        return charts_no_curve(evolution->builder);
    if (threshold && !limits_something(&curve)) {
        free(curve.points);
        return true;
    }
    if (curve.count == 0)
        return true;
    struct chart_line *line = &chart->lines[chart->line_count++];
    /* "s0-h3 queue" of "probe.s0-h3.queue". */
    const char *place = strncmp(name, "probe.", 6) == 0 ? name + 6 : name;
    const char *dot = strrchr(place, '.');
    line->label = charts_text(evolution->builder, "%.*s %s", (int)(dot - place), place, dot + 1);
    /* The names are sorted, so that the queue of a place stands before its threshold. */
    line->colour = chart->line_count == 1 ? 0 : (line[-1].colour + (threshold ? 0 : 1)) % CHART_COLOURS;
    /* Queues often have the same threshold: with dashes of their own all of them are seen. */
    line->pattern = threshold ? 1 + line->colour % (CHART_PATTERNS - 1) : 0;
    evolution->x_unit = curve.x_unit;
    evolution->y_unit = curve.y_unit;
    bool filled = line->label != NULL ? evolution_fill(evolution, line, &curve) : charts_no_memory(evolution->builder);
    free(curve.points);
    return filled;
}

static bool evolution_add_lines(struct evolution *evolution, struct chart *chart)
{
    struct charts_builder *builder = evolution->builder;
    const char *begin = evolution->figure->curve != NULL ? evolution->figure->curve : "probe";
    uint32_t run = select_run(&evolution->selection), count = 0;
    char **names = table_curve_names(builder->curves, run, begin, &count);
    chart->lines = arena_take_array(&builder->out->arena, count + 2, sizeof *chart->lines);
    bool added = names == NULL ? charts_no_curve(builder) : chart->lines != NULL || charts_no_memory(builder);
    bool probes = follows_probes(evolution->figure);
    for (uint32_t i = 0; added && i < count; i++) {
        if (!probes || ends_in(names[i], ".queue") || ends_in(names[i], ".threshold"))
            added = evolution_add_line(evolution, chart, run, names[i]);
    }
    table_curve_names_free(names, count);
    return added && (!probes || evolution_add_buffer(evolution, chart, run));
}

static bool evolution_add_chart(struct evolution *evolution, const char *label)
{
    struct charts_builder *builder = evolution->builder;
    const struct figure *figure = evolution->figure;
    struct chart *chart = charts_add(builder, figure);
    chart->numbers = CHART_NUMBERS_EXTREMES;
    if (label != NULL)
        chart->title = charts_text(builder, "%s: %s", figure->title, label);
    if (chart->title == NULL)
        return charts_no_memory(builder);
    if (!evolution_add_lines(evolution, chart))
        return false;
    const char *how = builder->table->experiment.seed_count > 1 ? "The first seed." : "";
    chart->note = chart->line_count > 0
                      ? charts_note(builder, figure, 0, how)
                      : "The run is not finished, or it has no such curve (measure.probes, measure.goodput_interval).";
    chart->x_min = figure->from_ps > 0 ? evolution->from_s : NAN;
    chart->x_max = figure->until_ps > 0 ? evolution->until_s : NAN;
    return chart->note != NULL || charts_no_memory(builder);
}

bool charts_add_evolution(struct charts_builder *builder, const struct figure *figure)
{
    const struct experiment *experiment = &builder->table->experiment;
    struct evolution evolution = {.builder = builder, .figure = figure, .x_unit = "s", .y_unit = "B"};
    evolution.from_s = (double)figure->from_ps * 1e-12;
    evolution.until_s = figure->until_ps > 0 ? (double)figure->until_ps * 1e-12 : INFINITY;
    if (!select_start(&evolution.selection, experiment, figure, 0))
        return true;
    const struct axis *axis = figure->lines != FIGURE_NO_AXIS ? &experiment->axes[figure->lines] : NULL;
    uint32_t first = builder->out->count;
    for (uint32_t i = 0; i < (axis != NULL ? axis->count : 1); i++) {
        if (axis != NULL)
            evolution.selection.position.at[figure->lines] = i;
        if (!evolution_add_chart(&evolution, axis != NULL ? axis->values[i].label : NULL))
            return false;
    }
    struct chart *charts = &builder->out->charts[first];
    uint32_t count = builder->out->count - first;
    double most = EVOLUTION_ABOVE * evolution.queue_max;
    if (evolution.buffer_max <= EVOLUTION_BUFFER * evolution.queue_max) /* a buffer that is near is seen */
        most = fmax(most, evolution.buffer_max);
    double all = fmax(evolution.all_max, evolution.buffer_max);
    for (uint32_t i = 0; i < count && evolution.queue_max > 0; i++)
        charts[i].y_max = all < most ? all : most;
    bool by_policy = figure->lines != FIGURE_NO_AXIS && figure->lines == experiment_policy_axis(experiment);
    for (uint32_t i = 0; i < count && by_policy; i++)
        charts[i].colour = charts_look(experiment, figure->lines, i).colour;
    struct charts_axis_unit x = {evolution.x_unit, figure->x_title != NULL ? figure->x_title : "Time"};
    struct charts_axis_unit y = {evolution.y_unit, figure->y_title};
    if (y.title == NULL)
        y.title = follows_probes(figure) ? "Queue length" : charts_words(builder, figure->curve);
    if (y.title == NULL)
        return charts_no_memory(builder);
    return charts_scale_x(builder, charts, count, x) && charts_scale_y(builder, charts, count, y);
}
