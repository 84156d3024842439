/*
 * cdf.c - figures of kind cdf: a distribution per value of `lines`. The distributions of several seeds, and of
 * the points that the figure does not tell apart, are merged with equal weights: every run has the same say, however
 * large its sample. Where flows or queries did not finish, the curve of a run ends below 1: it is of all of them,
 * unless the figure leaves these out.
 */
#include <math.h>
#include <stdlib.h>

#include "show/charts/charts.h"

#define CDF_POINTS_MAX 400u

/* Part of a sample at one value. */
struct jump {
    double x, part;
};

struct cdf {
    struct charts_builder *builder;
    const struct figure *figure;
    struct selection selection;
    struct jump *jumps; /* of one line */
    uint32_t count, room;
    uint32_t runs; /* merged so far */
    bool cut;      /* some curve ends below 1 */
    const char *x_unit;
    const char *without; /* the lines that have no data, as a sentence */
    uint32_t without_count;
};

static bool cdf_add_jump(struct cdf *cdf, double x, double part)
{
    if (cdf->count == cdf->room) {
        uint32_t room = cdf->room > 0 ? cdf->room * 2 : 256;
        struct jump *jumps = realloc(cdf->jumps, room * sizeof *jumps);
        if (jumps == NULL)
            return charts_no_memory(cdf->builder);
        cdf->jumps = jumps;
        cdf->room = room;
    }
    cdf->jumps[cdf->count++] = (struct jump){x, part};
    return true;
}

static bool cdf_add_run(struct cdf *cdf, uint32_t run)
{
    struct measure_curve curve;
    if (!table_curve(cdf->builder->curves, run, cdf->figure->curve, &curve))
        return charts_no_curve(cdf->builder);
    bool added = true;
    double before = 0, all = 1, last = curve.count > 0 ? curve.points[2 * (size_t)curve.count - 1] : 1;
    if (cdf->figure->unfinished == UNFINISHED_LEAVE_OUT && last > 0)
        all = last;
    cdf->cut |= last < all;
    for (uint32_t i = 0; added && i < curve.count; i++) {
        double x = curve.points[2 * i], y = curve.points[2 * i + 1] / all;
        if (!isfinite(x) || !isfinite(y))
            continue;
        added = cdf_add_jump(cdf, x, y - before);
        before = y;
    }
    if (curve.count > 0) {
        cdf->runs++;
        cdf->x_unit = curve.x_unit;
        free(curve.points);
    }
    return added;
}

static int jump_compare(const void *a, const void *b)
{
    double one = ((const struct jump *)a)->x, other = ((const struct jump *)b)->x;
    return (one > other) - (one < other);
}

static bool cdf_add_line(struct cdf *cdf, struct chart *chart, const char *label)
{
    cdf->count = cdf->runs = 0;
    do {
        for (uint32_t seed = 0; seed < cdf->selection.experiment->seed_count; seed++) {
            cdf->selection.position.seed = seed;
            if (!cdf_add_run(cdf, select_run(&cdf->selection)))
                return false;
        }
    } while (select_next(&cdf->selection));
    if (cdf->count == 0)
        return true;
    struct chart_line *line = &chart->lines[chart->line_count++];
    line->label = label;
    /* Sums the jumps up to a line of at most CDF_POINTS_MAX points, each x once. */
    qsort(cdf->jumps, cdf->count, sizeof *cdf->jumps, jump_compare);
    uint32_t room = cdf->count < CDF_POINTS_MAX + 2 ? cdf->count : CDF_POINTS_MAX + 2;
    if (!charts_line(cdf->builder, line, room + 2, false))
        return false;
    double sum = 0, shown = 0;
    uint32_t count = 1; /* the first place is kept for cdf_close_ends */
    line->x[0] = line->y[0] = NAN;
    for (uint32_t i = 0; i < cdf->count; i++) {
        sum += cdf->jumps[i].part / cdf->runs;
        bool last = i + 1 == cdf->count;
        if (!last && cdf->jumps[i + 1].x == cdf->jumps[i].x)
            continue;
        if (count > 1 && !last && sum - shown < 1.0 / CDF_POINTS_MAX)
            continue;
        line->x[count] = cdf->jumps[i].x;
        line->y[count++] = shown = sum < 1 ? sum : 1;
    }
    line->count = count;
    line->steps = true;
    return true;
}

static bool cdf_add_lines(struct cdf *cdf, struct chart *chart)
{
    const struct figure *figure = cdf->figure;
    const struct experiment *experiment = cdf->selection.experiment;
    const struct axis *axis = figure->lines != FIGURE_NO_AXIS ? &experiment->axes[figure->lines] : NULL;
    uint32_t count = axis != NULL ? axis->count : 1;
    chart->lines = arena_take_array(&cdf->builder->out->arena, count, sizeof *chart->lines);
    const char *single = charts_words(cdf->builder, figure->curve);
    if (chart->lines == NULL || single == NULL)
        return charts_no_memory(cdf->builder);
    for (uint32_t i = 0; i < count; i++) {
        if (axis != NULL)
            cdf->selection.position.at[figure->lines] = i;
        uint32_t before = chart->line_count;
        if (!cdf_add_line(cdf, chart, axis != NULL ? axis->values[i].label : single))
            return false;
        if (chart->line_count > before) {
            struct charts_look look = charts_look(&cdf->builder->table->experiment, figure->lines, i);
            chart->lines[before].colour = look.colour;
            chart->lines[before].pattern = (look.colour + look.repeat) % CHART_PATTERNS;
        } else if (axis != NULL) {
            cdf->without = charts_without(cdf->builder, cdf->without, cdf->without_count++, axis->values[i].label);
        }
        if (cdf->without == NULL)
            return charts_no_memory(cdf->builder);
    }
    return true;
}

static const char *cdf_note(struct cdf *cdf, const struct chart *chart, const struct charts_log *log)
{
    uint32_t seeds = cdf->selection.experiment->seed_count;
    if (chart->line_count == 0)
        return charts_text(cdf->builder, "No finished run has the curve %s.", cdf->figure->curve);
    const char *how = seeds > 1 ? charts_text(cdf->builder, "%u seeds merged, each with the same weight.", seeds) : "";
    if (how != NULL && cdf->without_count > 0)
        how = charts_text(cdf->builder, "%s%s%s.", how, how[0] != '\0' ? " " : "", cdf->without);
    how = how != NULL ? charts_log_note(cdf->builder, log, how) : NULL;
    if (how != NULL && cdf->cut)
        how = charts_text(cdf->builder, "%s%sA line that ends below 1: the rest did not finish.", how,
                          how[0] != '\0' ? " " : "");
    return how != NULL ? charts_note(cdf->builder, cdf->figure, cdf->selection.free, how) : NULL;
}

bool charts_add_cdf(struct charts_builder *builder, const struct figure *figure)
{
    struct cdf cdf = {.builder = builder, .figure = figure, .x_unit = "1", .without = ""};
    if (!select_start(&cdf.selection, &builder->table->experiment, figure, UINT32_MAX))
        return true;
    struct chart *chart = charts_add(builder, figure);
    chart->numbers = CHART_NUMBERS_QUANTILES;
    bool added = cdf_add_lines(&cdf, chart);
    free(cdf.jumps);
    if (!added)
        return false;
    struct charts_log log = charts_log_settle(chart);
    /* Every line runs across the whole chart: nothing is below its first value, all is below its last. */
    double min = INFINITY, max = -INFINITY;
    for (uint32_t l = 0; l < chart->line_count; l++) {
        const struct chart_line *line = &chart->lines[l];
        for (uint32_t i = 1; i < line->count; i++) {
            if (chart->log_x && line->x[i] <= 0)
                continue;
            min = fmin(min, line->x[i]);
            max = fmax(max, line->x[i]);
        }
    }
    double margin = 0.02 * (max > min ? max - min : fabs(max) + 1);
    double before = chart->log_x ? min * 0.95 : min - margin, behind = chart->log_x ? max * 1.05 : max + margin;
    before = min >= 0 ? fmax(before, 0) : before; /* times and sizes have nothing below zero */
    for (uint32_t l = 0; l < chart->line_count; l++) {
        struct chart_line *line = &chart->lines[l];
        line->x[0] = fmin(before, line->x[1]);
        line->y[0] = 0;
        line->x[line->count] = fmax(behind, line->x[line->count - 1]);
        line->y[line->count] = line->y[line->count - 1];
        line->count++;
    }
    const char *title = figure->x_title != NULL ? figure->x_title : charts_words(builder, figure->curve);
    if (title == NULL)
        return charts_no_memory(builder);
    struct charts_axis_unit x = {cdf.x_unit, title};
    struct charts_axis_unit y = {"1", figure->y_title != NULL ? figure->y_title : "CDF (fraction)"};
    if (!charts_scale_x(builder, chart, 1, x) || !charts_scale_y(builder, chart, 1, y))
        return false;
    chart->note = cdf_note(&cdf, chart, &log);
    return chart->note != NULL || charts_no_memory(builder);
}
