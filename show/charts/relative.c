/*
 * relative.c - charts relative to one of their lines: "how many times DT's". Seed by seed, so that what a seed does to
 * all of them alike falls out, and the interval is that of the ratios.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "show/charts/charts.h"
#include "weir/params.h"

/* The line of this label; UINT32_MAX: none. */
static uint32_t find_line(const struct chart *chart, const char *label)
{
    for (uint32_t l = 0; l < chart->line_count; l++)
        if (strcmp(chart->lines[l].label, label) == 0)
            return l;
    return UINT32_MAX;
}

static uint32_t find_place(const struct chart *chart, const char *label)
{
    for (uint32_t i = 0; chart->x_labels != NULL && i < chart->x_label_count; i++)
        if (strcmp(chart->x_labels[i], label) == 0)
            return i;
    return UINT32_MAX;
}

/* `seeds` becomes ratios; y and its interval follow. */
static void relate_point(struct chart *chart, struct chart_line *line, uint32_t i, const double *base)
{
    double *seeds = line->seeds + (size_t)i * chart->seeds;
    for (uint32_t s = 0; s < chart->seeds; s++)
        seeds[s] = base[s] != 0 ? seeds[s] / base[s] : NAN;
    struct spread spread = spread_of(seeds, chart->seeds);
    line->y[i] = spread.count > 0 ? spread.mean : NAN;
    if (line->low != NULL) {
        line->low[i] = spread.min >= 0 ? fmax(spread.mean - spread.half, 0) : spread.mean - spread.half;
        line->high[i] = spread.mean + spread.half;
    }
}

/* False: the chart does not have what it is to be relative to, or out of memory. */
static bool relate_chart(struct charts_builder *builder, struct chart *chart, const char *label)
{
    uint32_t base = chart->line_count > 1 ? find_line(chart, label) : UINT32_MAX;
    uint32_t place = base == UINT32_MAX ? find_place(chart, label) : UINT32_MAX;
    if (chart->seeds == 0 || chart->line_count == 0 || (base == UINT32_MAX && place == UINT32_MAX))
        return false;
    size_t size = (size_t)chart->lines[0].count * chart->seeds;
    double *kept = arena_take_array(&builder->out->arena, size, sizeof *kept);
    if (kept == NULL)
        return charts_no_memory(builder);
    for (uint32_t l = 0; l < chart->line_count; l++) {
        struct chart_line *line = &chart->lines[l];
        const struct chart_line *from = base != UINT32_MAX ? &chart->lines[base] : line;
        if (l == 0 || base == UINT32_MAX)
            memcpy(kept, from->seeds, size * sizeof *kept);
        for (uint32_t i = 0; i < line->count; i++)
            relate_point(chart, line, i, kept + (size_t)(base != UINT32_MAX ? i : place) * chart->seeds);
    }
    size_t length = strlen(chart->y_title), unit = strlen(chart->y_unit) + 3; /* " (ms)" */
    if (chart->y_unit[0] != '\0' && length > unit && chart->y_title[length - 1] == ')')
        length -= unit;
    chart->y_title = charts_text(builder, "%.*s, relative to %s", (int)length, chart->y_title, label);
    chart->y_unit = "";
    chart->y_from = chart->y_to = NAN; /* they are of the numbers themselves */
    chart->y_ticks.count = 0;
    chart->measure = NULL;
    return chart->y_title != NULL ? charts_find(builder, chart) : charts_no_memory(builder);
}

#define LABELS_MAX 64u

/* The label that was meant: the same in other letters, or the nearest; null: none is near. */
static const char *nearest_label(const struct report_charts *charts, const char *label)
{
    const char *labels[LABELS_MAX];
    uint32_t count = 0;
    for (uint32_t c = 0; c < charts->count; c++) {
        const struct chart *chart = &charts->charts[c];
        for (uint32_t l = 0; chart->line_count > 1 && l < chart->line_count && count < LABELS_MAX; l++)
            labels[count++] = chart->lines[l].label;
        for (uint32_t i = 0; chart->x_labels != NULL && i < chart->x_label_count && count < LABELS_MAX; i++)
            labels[count++] = chart->x_labels[i];
    }
    for (uint32_t i = 0; i < count; i++)
        if (strcasecmp(labels[i], label) == 0)
            return labels[i];
    return weir_nearest_name(label, labels, count);
}

bool report_charts_relate(struct report_charts *charts, const char *label, struct weir_error *status)
{
    struct charts_builder builder = {.out = charts, .status = status};
    uint32_t kept = 0;
    *status = (struct weir_error){.code = WEIR_ERROR_NONE};
    for (uint32_t i = 0; i < charts->count && status->code == WEIR_ERROR_NONE; i++)
        if (relate_chart(&builder, &charts->charts[i], label))
            charts->charts[kept++] = charts->charts[i];
    if (status->code == WEIR_ERROR_NONE && kept == 0) {
        const char *nearest = nearest_label(charts, label);
        charts->count = 0;
        return nearest != NULL
                   ? weir_fail(status, WEIR_ERROR_INPUT, "'%s' is no line or bar of any figure (did you mean '%s'?)",
                               label, nearest)
                   : weir_fail(status, WEIR_ERROR_INPUT,
                               "'%s' is no line or bar of any figure (expected one of those that `weir show` has)",
                               label);
    }
    charts->count = kept;
    return status->code == WEIR_ERROR_NONE;
}
