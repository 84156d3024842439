/*
 * charts.c - figures to charts: the numbers of every picture, made once for all formats. A figure gives one chart, an
 * evolution one per value of `lines`. What each kind does is in sweep.c, cdf.c and evolution.c.
 */
#include "show/charts/charts.h"

#include <math.h>
#include <stdarg.h>

const char *charts_text(struct charts_builder *builder, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length >= 0 ? arena_take(&builder->out->arena, (size_t)length + 1) : NULL;
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

bool charts_no_memory(struct charts_builder *builder)
{
    builder->status->code = WEIR_ERROR_MEMORY;
    return false;
}

bool charts_no_curve(struct charts_builder *builder)
{
    *builder->status = *table_curves_status(builder->curves);
    return false;
}

struct chart *charts_add(struct charts_builder *builder, const struct figure *figure)
{
    struct chart *chart = &builder->out->charts[builder->out->count++];
    *chart = (struct chart){.title = figure->title,
                            .x_title = "",
                            .y_title = "",
                            .x_unit = "",
                            .y_unit = "",
                            .log_x = figure->log_x,
                            .log_y = figure->log_y,
                            .x_min = NAN,
                            .x_max = NAN,
                            .colour = CHART_NO_COLOUR,
                            .y_max = NAN,
                            .y_from = NAN,
                            .y_to = NAN,
                            .figure = figure,
                            .legend = figure->legend};
    return chart;
}

bool charts_line(struct charts_builder *builder, struct chart_line *line, uint32_t count, bool intervals)
{
    struct arena *arena = &builder->out->arena;
    line->count = count;
    line->x = arena_take_array(arena, count, sizeof *line->x);
    line->y = arena_take_array(arena, count, sizeof *line->y);
    if (intervals) {
        line->low = arena_take_array(arena, count, sizeof *line->low);
        line->high = arena_take_array(arena, count, sizeof *line->high);
    }
    bool whole = line->x != NULL && line->y != NULL && (!intervals || (line->low != NULL && line->high != NULL));
    return whole || charts_no_memory(builder);
}

static bool charts_add_figure(struct charts_builder *builder, const struct figure *figure)
{
    switch (figure->kind) {
    case FIGURE_CDF:
        return charts_add_cdf(builder, figure);
    case FIGURE_EVOLUTION:
        return charts_add_evolution(builder, figure);
    default:
        return charts_add_sweep(builder, figure);
    }
}

static bool charts_add_figures(struct charts_builder *builder)
{
    const struct experiment *experiment = &builder->table->experiment;
    const struct figure *figures = experiment->figures;
    uint32_t count = experiment->figure_count, room = 0;
    if (count == 0 && !charts_usual_figures(builder, &figures, &count))
        return charts_no_memory(builder);
    for (uint32_t i = 0; i < count; i++) {
        bool several = figures[i].kind == FIGURE_EVOLUTION && figures[i].lines != FIGURE_NO_AXIS;
        room += several ? experiment->axes[figures[i].lines].count : 1;
    }
    builder->out->charts = arena_take_array(&builder->out->arena, room, sizeof *builder->out->charts);
    if (builder->out->charts == NULL)
        return charts_no_memory(builder);
    for (uint32_t i = 0; i < count; i++) {
        if (!charts_add_figure(builder, &figures[i]))
            return false;
    }
    for (uint32_t i = 0; i < builder->out->count; i++)
        if (!charts_find(builder, &builder->out->charts[i]))
            return false;
    return true;
}

bool report_charts_make(struct report_charts *charts, const struct table *table, struct weir_error *status)
{
    *charts = (struct report_charts){.count = 0};
    *status = (struct weir_error){.code = WEIR_ERROR_NONE};
    struct charts_builder builder = {.out = charts, .table = table, .status = status};
    builder.curves = table_curves_open(table, status);
    bool made = builder.curves != NULL && charts_add_figures(&builder);
    if (builder.curves != NULL)
        table_curves_close(builder.curves);
    return made;
}

void report_charts_free(struct report_charts *charts)
{
    arena_free(&charts->arena);
}
