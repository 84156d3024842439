/*
 * sweep.c - figures of kind line and bar: an expression over one axis of the sweep, a line per value of another
 * (or of two others: one chooses the colour, one the dashes), with the 95 % confidence interval over seeds. Axes that
 * are neither shown nor held are averaged over, seed by seed, so that the interval says how far the seeds differ and
 * not how far the points do.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/charts/charts.h"

struct sweep {
    struct charts_builder *builder;
    const struct figure *figure;
    const struct experiment *experiment;
    struct selection selection;
    const struct axis *x, *lines, *dashes; /* null: none */
    uint32_t *order;                       /* [x->count]: its values as they stand in the chart */
};

/* Over the free axes and all seeds. */
static enum censoring sweep_censoring(struct sweep *sweep)
{
    enum censoring worst = CENSORING_NONE;
    do
        worst = censoring_join(worst,
                               evaluate_censoring(sweep->builder->table, sweep->figure->y, &sweep->selection.position));
    while (select_next(&sweep->selection));
    return worst;
}

/* Over the seeds, whose values go to `seeds`. */
static struct spread sweep_spread(struct sweep *sweep, double *seeds)
{
    for (uint32_t seed = 0; seed < sweep->experiment->seed_count; seed++) {
        /* The mean over the free axes of what has a value, for one seed. */
        double sum = 0;
        uint32_t count = 0;
        sweep->selection.position.seed = seed;
        do {
            double value = evaluate(sweep->builder->table, sweep->figure->y, &sweep->selection.position);
            if (isfinite(value)) {
                sum += value;
                count++;
            }
        } while (select_next(&sweep->selection));
        double value = count > 0 ? sum / count : NAN;
        seeds[seed] = isfinite(value) ? value : NAN;
    }
    return spread_of(seeds, sweep->experiment->seed_count);
}

/* A number with the same text behind it in every label: "80% buffer" gives 80 and "% buffer". Null: they differ. */
static const char *labels_suffix(const struct axis *axis)
{
    const char *suffix = NULL;
    for (uint32_t i = 0; i < axis->count; i++) {
        char *end;
        double number = strtod(axis->values[i].label, &end);
        while (*end == ' ')
            end++;
        if (end == axis->values[i].label || !isfinite(number) || (suffix != NULL && strcmp(suffix, end) != 0))
            return NULL;
        suffix = end;
    }
    return suffix;
}

static bool sweep_fill_line(struct sweep *sweep, struct chart *chart, struct chart_line *line, const char *suffix)
{
    uint32_t count = sweep->x != NULL ? sweep->x->count : 1;
    uint8_t *censoring = arena_take_array(&sweep->builder->out->arena, count, sizeof *censoring);
    if (censoring == NULL)
        return charts_no_memory(sweep->builder);
    if (!charts_line(sweep->builder, line, count, sweep->experiment->seed_count > 1))
        return false;
    line->seeds = arena_take_array(&sweep->builder->out->arena, (size_t)count * chart->seeds, sizeof *line->seeds);
    if (line->seeds == NULL)
        return charts_no_memory(sweep->builder);
    for (uint32_t i = 0; i < count; i++) {
        if (sweep->x != NULL)
            sweep->selection.position.at[sweep->figure->x] = sweep->order[i];
        struct spread spread = sweep_spread(sweep, line->seeds + (size_t)i * chart->seeds);
        line->y[i] = spread.count > 0 ? spread.mean : NAN;
        censoring[i] = (uint8_t)(spread.count > 0 ? sweep_censoring(sweep) : CENSORING_NONE);
        if (censoring[i] != CENSORING_NONE)
            line->censoring = censoring;
        if (line->low != NULL) {
            line->low[i] = spread.mean - spread.half;
            if (spread.min >= 0 && line->low[i] < 0) /* what is never negative has no interval below zero */
                line->low[i] = 0;
            line->high[i] = spread.mean + spread.half;
        }
        const struct axis_value *value = sweep->x != NULL ? &sweep->x->values[sweep->order[i]] : NULL;
        if (chart->x_labels != NULL)
            line->x[i] = i;
        else
            line->x[i] = suffix != NULL ? strtod(value->label, NULL) : value->number;
    }
    line->markers = true;
    return true;
}

static bool sweep_label_x(struct sweep *sweep, struct chart *chart)
{
    uint32_t count = sweep->x != NULL ? sweep->x->count : 1;
    const char **labels = arena_take_array(&sweep->builder->out->arena, count, sizeof *labels);
    if (labels == NULL)
        return charts_no_memory(sweep->builder);
    for (uint32_t i = 0; i < count; i++)
        labels[i] = sweep->x != NULL ? sweep->x->values[sweep->order[i]].label : "";
    chart->x_labels = labels;
    chart->x_label_count = count;
    return true;
}

/* Bars over policies have the colour that each policy has as a line; of several in a group each keeps its fill. */
static bool sweep_colour_x(struct sweep *sweep, struct chart *chart)
{
    uint32_t axis = experiment_policy_axis(sweep->experiment);
    if (chart->kind != CHART_BARS || sweep->x == NULL || sweep->figure->x != axis || chart->line_count > CHART_PATTERNS)
        return true;
    uint32_t *colours = arena_take_array(&sweep->builder->out->arena, sweep->x->count, sizeof *colours);
    if (colours == NULL)
        return charts_no_memory(sweep->builder);
    for (uint32_t i = 0; i < sweep->x->count; i++)
        colours[i] = charts_look(sweep->experiment, axis, sweep->order[i]).colour;
    chart->x_colours = colours;
    for (uint32_t l = 0; l < chart->line_count; l++)
        chart->lines[l].pattern = l;
    return true;
}

static bool sweep_title_x(struct sweep *sweep, struct chart *chart, const char *suffix)
{
    const char *given = sweep->figure->x_title;
    const char *title = given != NULL ? given : sweep->x != NULL ? sweep->x->title : "";
    if (chart->x_labels == NULL && suffix == NULL)
        return charts_scale_x(sweep->builder, chart, 1, (struct charts_axis_unit){sweep->x->unit, title});
    bool with_suffix = suffix != NULL && suffix[0] != '\0' && strchr(title, '(') == NULL;
    chart->x_title = with_suffix ? charts_text(sweep->builder, "%s (%s)", title, suffix) : title;
    chart->x_unit = suffix != NULL ? suffix : "";
    if (suffix != NULL && !charts_tick_x(sweep->builder, chart, suffix))
        return false;
    return chart->x_title != NULL || charts_no_memory(sweep->builder);
}

/* Null: out of memory. */
static const char *sweep_y_title(struct charts_builder *builder, const struct figure *figure)
{
    if (figure->y_title != NULL)
        return figure->y_title;
    return figure->y->kind == EXPRESSION_MEASURE ? charts_words(builder, figure->y->name) : figure->title;
}

/* "Occamy", "Occamy, testbed" or, where there is one line, what it shows. Null: out of memory. */
static const char *sweep_label(struct sweep *sweep, uint32_t value, uint32_t dashes, const char *title)
{
    const char *line = sweep->lines != NULL ? sweep->lines->values[value].label : NULL;
    const char *kind = sweep->dashes != NULL ? sweep->dashes->values[dashes].label : NULL;
    if (line != NULL && kind != NULL)
        return charts_text(sweep->builder, "%s, %s", line, kind);
    return line != NULL ? line : kind != NULL ? kind : title;
}

static bool sweep_fill(struct sweep *sweep, struct chart *chart)
{
    struct charts_builder *builder = sweep->builder;
    bool numbers = chart->kind == CHART_LINES && sweep->x != NULL && sweep->x->unit != NULL;
    const char *given = sweep->figure->x_title;
    bool unit_given = numbers && given != NULL && charts_names_unit(sweep->x->unit, given);
    const char *suffix = numbers && !unit_given ? labels_suffix(sweep->x) : NULL;
    if (sweep->x != NULL) {
        /* By number where the axis has them: a line goes from left to right. */
        for (uint32_t i = 0; i < sweep->x->count; i++) {
            uint32_t at = i;
            while (numbers && at > 0 && sweep->x->values[sweep->order[at - 1]].number > sweep->x->values[i].number) {
                sweep->order[at] = sweep->order[at - 1];
                at--;
            }
            sweep->order[at] = i;
        }
    }
    if (!numbers && !sweep_label_x(sweep, chart))
        return false;
    uint32_t kinds = sweep->dashes != NULL ? sweep->dashes->count : 1;
    uint32_t count = (sweep->lines != NULL ? sweep->lines->count : 1) * kinds;
    chart->lines = arena_take_array(&builder->out->arena, count, sizeof *chart->lines);
    const char *title = sweep_y_title(builder, sweep->figure);
    if (chart->lines == NULL || title == NULL)
        return charts_no_memory(builder);
    for (uint32_t i = 0; i < count; i++) {
        struct chart_line *line = &chart->lines[chart->line_count++];
        line->label = sweep_label(sweep, i / kinds, i % kinds, title);
        struct charts_look look = charts_look(sweep->experiment, sweep->figure->lines, i / kinds);
        bool dashed = chart->kind == CHART_LINES && sweep->dashes == NULL; /* so that equal lines are all seen */
        line->colour = look.colour;
        line->pattern = (look.repeat + (dashed ? look.colour : i % kinds)) % CHART_PATTERNS;
        if (line->label == NULL)
            return charts_no_memory(builder);
        if (sweep->lines != NULL)
            sweep->selection.position.at[sweep->figure->lines] = i / kinds;
        if (sweep->dashes != NULL)
            sweep->selection.position.at[sweep->figure->dashes] = i % kinds;
        if (!sweep_fill_line(sweep, chart, line, suffix))
            return false;
    }
    struct charts_axis_unit y = {evaluate_unit(builder->table, sweep->figure->y), title};
    return sweep_colour_x(sweep, chart) && sweep_title_x(sweep, chart, suffix) && charts_scale_y(builder, chart, 1, y);
}

static bool line_is_empty(const struct chart_line *line)
{
    for (uint32_t i = 0; i < line->count; i++) {
        if (isfinite(line->y[i]))
            return false;
    }
    return true;
}

static const char *sweep_note(struct sweep *sweep, struct chart *chart)
{
    uint32_t empty = 0;
    const char *how = "";
    if (sweep->experiment->seed_count > 1)
        how = charts_text(sweep->builder, "Error bars: 95 %% confidence interval over %u seeds.",
                          sweep->experiment->seed_count);
    for (uint32_t l = 0; how != NULL && l < chart->line_count; l++) {
        if (line_is_empty(&chart->lines[l]))
            how = charts_without(sweep->builder, how, empty++, chart->lines[l].label);
    }
    if (empty == chart->line_count) {
        /* What is missing, for the note; the chart has no lines then. */
        const struct table *table = sweep->builder->table;
        const char *unknown = evaluate_unknown(table, sweep->figure->y);
        chart->line_count = 0;
        if (unknown == NULL)
            return "No finished run has a value here.";
        const char *near = table_nearest(table, unknown);
        return charts_text(sweep->builder, "No finished run has the measure %s%s%s%s.", unknown,
                           near != NULL ? " (did you mean " : "", near != NULL ? near : "", near != NULL ? "?)" : "");
    }
    if (how != NULL && empty > 0)
        how = charts_text(sweep->builder, "%s.", how);
    struct charts_log log = charts_log_settle(chart);
    how = how != NULL ? charts_log_note(sweep->builder, &log, how) : NULL;
    how = how != NULL ? charts_censoring_note(sweep->builder, chart, how) : NULL;
    return how != NULL ? charts_note(sweep->builder, sweep->figure, sweep->selection.free, how) : NULL;
}

bool charts_add_sweep(struct charts_builder *builder, const struct figure *figure)
{
    const struct experiment *experiment = &builder->table->experiment;
    struct sweep sweep = {.builder = builder, .figure = figure, .experiment = experiment};
    sweep.x = figure->x != FIGURE_NO_AXIS ? &experiment->axes[figure->x] : NULL;
    sweep.lines = figure->lines != FIGURE_NO_AXIS ? &experiment->axes[figure->lines] : NULL;
    sweep.dashes = figure->dashes != FIGURE_NO_AXIS ? &experiment->axes[figure->dashes] : NULL;
    if (!select_start(&sweep.selection, experiment, figure, evaluate_free_axes(figure->y)))
        return true;
    sweep.selection.position.unfinished = figure->unfinished;
    sweep.order = arena_take_array(&builder->out->arena, sweep.x != NULL ? sweep.x->count : 1, sizeof *sweep.order);
    if (sweep.order == NULL)
        return charts_no_memory(builder);
    struct chart *chart = charts_add(builder, figure);
    chart->kind = figure->kind == FIGURE_HEAT                     ? CHART_HEAT
                  : figure->kind == FIGURE_BAR || sweep.x == NULL ? CHART_BARS
                                                                  : CHART_LINES;
    chart->numbers = CHART_NUMBERS_POINTS;
    chart->seeds = experiment->seed_count;
    chart->measure = figure->y->kind == EXPRESSION_MEASURE ? figure->y->name : NULL;
    chart->better = charts_better(figure->y);
    if (!sweep_fill(&sweep, chart))
        return false;
    chart->note = sweep_note(&sweep, chart);
    return chart->note != NULL || charts_no_memory(builder);
}
