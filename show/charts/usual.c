/*
 * usual.c - the figures of an experiment that names none: mean and 99th percentile of completion times of each
 * tag over the first axis that has numbers, their distributions at its last value, and the probed queues.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "show/charts/charts.h"

#define USUAL_FIGURES_MAX 24u

struct usual {
    struct charts_builder *builder;
    struct figure *figures;
    uint32_t count;
    uint32_t x, lines; /* axes, or FIGURE_NO_AXIS */
    struct pin *at;    /* of distributions: x at its last value; null: none */
    bool failed;
};

static const char *const usual_measures[] = {".qct.mean", ".qct.p99", ".fct.mean", ".fct.p99", ".loss", "lost.total"};

/* A run that has the mean has the curve. */
static const struct {
    const char *measure, *curve;
} usual_curves[] = {{".qct.mean", "qct.cdf"}, {".fct.mean", "fct.cdf"}};

/* The tag before `end`; false: the name does not end so, or is one of a part of the tag's flows ("web.short"). */
static bool tag_before(const char *name, const char *end, size_t *length)
{
    size_t all = strlen(name), part = strlen(end);
    if (all < part || strcmp(name + all - part, end) != 0)
        return false;
    *length = all - part;
    return memchr(name, '.', *length) == NULL;
}

static struct figure *usual_add(struct usual *usual, const char *title)
{
    if (usual->count == USUAL_FIGURES_MAX || title == NULL) {
        usual->failed |= title == NULL;
        return NULL;
    }
    struct figure *figure = &usual->figures[usual->count++];
    *figure = (struct figure){.title = title,
                              .x = FIGURE_NO_AXIS,
                              .lines = FIGURE_NO_AXIS,
                              .dashes = FIGURE_NO_AXIS,
                              .y_range = {{.number = NAN}, {.number = NAN}}};
    return figure;
}

/* "Mean query completion time"; null: out of memory. */
static const char *usual_words(struct usual *usual, const char *name)
{
    size_t tag;
    const char *words = charts_quantity(usual->builder, name, &tag);
    if (words == NULL)
        return NULL;
    return charts_text(usual->builder, "%c%s", toupper((unsigned char)words[0]), words + 1);
}

static const char *usual_title(struct usual *usual, const char *name, size_t tag, const char *words)
{
    if (words == NULL)
        return NULL;
    return charts_text(usual->builder, "%s%s%.*s", words, tag > 0 ? ": " : "", (int)tag, name);
}

static void usual_add_measure(struct usual *usual, const struct table_measure *measure, const char *end)
{
    size_t tag;
    if (!tag_before(measure->name, end, &tag))
        return;
    const char *title = usual_words(usual, measure->name);
    struct figure *figure = usual_add(usual, usual_title(usual, measure->name, tag, title));
    struct expression *y = arena_take(&usual->builder->out->arena, sizeof *y);
    usual->failed |= y == NULL;
    if (figure == NULL || y == NULL)
        return;
    *y = (struct expression){.kind = EXPRESSION_MEASURE, .name = measure->name};
    bool numbers = usual->builder->table->experiment.axes[usual->x].unit != NULL;
    figure->kind = numbers ? FIGURE_LINE : FIGURE_BAR;
    figure->x = usual->x;
    figure->lines = usual->lines;
    figure->y = y;
    figure->y_title = title;
}

static void usual_add_curve(struct usual *usual, const struct table_measure *measure, size_t which)
{
    size_t tag;
    if (!tag_before(measure->name, usual_curves[which].measure, &tag))
        return;
    const char *curve = charts_text(usual->builder, "%.*s.%s", (int)tag, measure->name, usual_curves[which].curve);
    const char *title = curve != NULL ? usual_words(usual, curve) : NULL;
    struct figure *figure = usual_add(usual, usual_title(usual, measure->name, tag, title));
    if (figure == NULL)
        return;
    figure->kind = FIGURE_CDF;
    figure->curve = curve;
    figure->x_title = title;
    figure->log_x = true;
    figure->lines = usual->at != NULL ? usual->lines : usual->x;
    figure->where = usual->at;
    figure->where_count = usual->at != NULL ? 1 : 0;
}

static void usual_add_evolution(struct usual *usual)
{
    struct figure *figure = usual_add(usual, "Queue and threshold");
    if (figure == NULL)
        return;
    figure->kind = FIGURE_EVOLUTION;
    figure->lines = usual->at != NULL ? usual->lines : usual->x;
    figure->where = usual->at;
    figure->where_count = usual->at != NULL ? 1 : 0;
}

static uint32_t usual_axis(const struct experiment *experiment, bool numbers, uint32_t but)
{
    for (uint32_t axis = 0; axis < experiment->axis_count; axis++) {
        if (axis != but && experiment->axes[axis].count > 1 && (!numbers || experiment->axes[axis].unit != NULL))
            return axis;
    }
    return FIGURE_NO_AXIS;
}

static void usual_choose_axes(struct usual *usual)
{
    const struct experiment *experiment = &usual->builder->table->experiment;
    usual->x = usual_axis(experiment, true, FIGURE_NO_AXIS);
    if (usual->x == FIGURE_NO_AXIS)
        usual->x = usual_axis(experiment, false, FIGURE_NO_AXIS);
    usual->lines = usual->x != FIGURE_NO_AXIS ? usual_axis(experiment, false, usual->x) : FIGURE_NO_AXIS;
    if (usual->lines == FIGURE_NO_AXIS)
        return;
    usual->at = arena_take(&usual->builder->out->arena, sizeof *usual->at);
    usual->failed |= usual->at == NULL;
    if (usual->at != NULL)
        *usual->at = (struct pin){.axis = usual->x, .value = experiment->axes[usual->x].count - 1};
}

bool charts_usual_figures(struct charts_builder *builder, const struct figure **figures, uint32_t *count)
{
    struct usual usual = {.builder = builder};
    usual.figures = arena_take_array(&builder->out->arena, USUAL_FIGURES_MAX, sizeof *usual.figures);
    if (usual.figures == NULL)
        return false;
    usual_choose_axes(&usual);
    const struct table *table = usual.builder->table;
    for (size_t i = 0; i < sizeof usual_measures / sizeof usual_measures[0] && usual.x != FIGURE_NO_AXIS; i++) {
        for (uint32_t m = 0; m < table->measure_count; m++)
            usual_add_measure(&usual, &table->measures[m], usual_measures[i]);
    }
    for (size_t i = 0; i < sizeof usual_curves / sizeof usual_curves[0]; i++) {
        for (uint32_t m = 0; m < table->measure_count; m++)
            usual_add_curve(&usual, &table->measures[m], i);
    }
    bool probes = false;
    for (uint32_t m = 0; m < table->measure_count; m++)
        probes |= strncmp(table->measures[m].name, "probe.", 6) == 0;
    if (probes)
        usual_add_evolution(&usual);
    *figures = usual.figures;
    *count = usual.count;
    return !usual.failed;
}
