/*
 * units.c - numbers in units that people read: 0.000222 s become 222 us. All lines of an axis share one unit,
 * chosen by the greatest number, or by the author with a title that ends in it: "Mean QCT (ms)".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/charts/charts.h"

static const struct unit {
    const char *base, *name;
    double size; /* in the base unit */
    bool asked;  /* only when a title names it */
} units[] = {
    {"s", "ns", 1e-9, false},
    {"s", "\u00b5s", 1e-6, false},
    {"s", "us", 1e-6, true},
    {"s", "ms", 1e-3, false},
    {"s", "s", 1, false},
    {"B", "B", 1, false},
    {"B", "KB", 1e3, false},
    {"B", "MB", 1e6, false},
    {"B", "GB", 1e9, false},
    {"bit/s", "bit/s", 1, false},
    {"bit/s", "Kbit/s", 1e3, false},
    {"bit/s", "Mbit/s", 1e6, false},
    {"bit/s", "Gbit/s", 1e9, false},
    {"bit/s", "Mbps", 1e6, true},
    {"bit/s", "Gbps", 1e9, true},
    {"1", "", 1, false},
    {"1", "%", 1e-2, true},
};

#define UNITS (sizeof units / sizeof units[0])

/* The unit in parentheses at the end of a title; null: there is none of this kind. */
static const struct unit *unit_of_title(const char *base, const char *title)
{
    size_t length = strlen(title);
    for (size_t i = 0; i < UNITS; i++) {
        size_t room = strlen(units[i].name) + 2;
        if (strcmp(units[i].base, base) == 0 && room > 2 && length >= room && title[length - 1] == ')' &&
            title[length - room] == '(' && strncmp(title + length - room + 1, units[i].name, room - 2) == 0)
            return &units[i];
    }
    return NULL;
}

/* The largest unit that the greatest number reaches; the smallest when none. */
static const struct unit *unit_of_number(const char *base, double greatest)
{
    const struct unit *best = NULL, *smallest = NULL;
    for (size_t i = 0; i < UNITS; i++) {
        if (strcmp(units[i].base, base) != 0 || units[i].asked)
            continue;
        if (smallest == NULL)
            smallest = &units[i];
        if (greatest >= units[i].size)
            best = &units[i];
    }
    return best != NULL ? best : smallest;
}

static double greatest_of(const double *numbers, uint32_t count, double greatest)
{
    for (uint32_t i = 0; numbers != NULL && i < count; i++)
        greatest = fabs(numbers[i]) > greatest ? fabs(numbers[i]) : greatest;
    return greatest;
}

/* A number too great for the unit is a gap. */
static void divide(double *numbers, uint32_t count, double by)
{
    for (uint32_t i = 0; numbers != NULL && i < count; i++)
        numbers[i] = isfinite(numbers[i] / by) ? numbers[i] / by : NAN;
}

struct choice {
    const struct unit *unit;
    const char *title;
};

bool charts_names_unit(const char *unit, const char *title)
{
    return unit_of_title(unit[0] != '\0' ? unit : "1", title) != NULL;
}

static struct choice choose(struct charts_builder *builder, struct charts_axis_unit axis, double greatest)
{
    const char *base = axis.unit != NULL && axis.unit[0] != '\0' ? axis.unit : "1";
    const struct unit *unit = unit_of_title(base, axis.title);
    if (unit != NULL)
        return (struct choice){unit, axis.title};
    unit = unit_of_number(base, greatest);
    if (unit == NULL)
        unit = unit_of_number("1", greatest);
    if (unit->name[0] == '\0')
        return (struct choice){unit, axis.title};
    return (struct choice){unit, charts_text(builder, "%s (%s)", axis.title, unit->name)};
}

/* A number of the scenario in the unit of the axis; false: it is of another kind. */
static bool place_of(struct charts_builder *builder, const struct chart *chart, const struct figure_number *number,
                     const struct charts_axis_unit *axis, const struct unit *unit, double *place)
{
    const char *base = axis->unit != NULL && axis->unit[0] != '\0' ? axis->unit : "1";
    char digits[32];
    snprintf(digits, sizeof digits, "%.12g", number->unit != NULL ? number->number / unit->size : number->number);
    *place = strtod(digits, NULL); /* 50, not 50.000000000000007 */
    if (number->unit == NULL || number->number == 0 || strcmp(number->unit, base) == 0)
        return true;
    return weir_fail(builder->status, WEIR_ERROR_INPUT,
                     "figure '%s': a number of its axes is in %s, the chart in %s (expected the same, or no unit)",
                     error_text(chart->title).text, strcmp(number->unit, "1") == 0 ? "%" : number->unit,
                     strcmp(base, "1") == 0 ? "plain numbers" : base);
}

static bool place_ticks(struct charts_builder *builder, const struct chart *chart, const struct figure_ticks *from,
                        const struct charts_axis_unit *axis, const struct unit *unit, struct chart_ticks *ticks)
{
    for (ticks->count = 0; ticks->count < from->count; ticks->count++)
        if (!place_of(builder, chart, &from->at[ticks->count], axis, unit, &ticks->at[ticks->count]))
            return false;
    return true;
}

bool charts_scale_y(struct charts_builder *builder, struct chart *charts, uint32_t count, struct charts_axis_unit axis)
{
    double greatest = 0;
    for (uint32_t c = 0; c < count; c++) {
        for (uint32_t l = 0; l < charts[c].line_count; l++)
            greatest = greatest_of(charts[c].lines[l].y, charts[c].lines[l].count, greatest);
        greatest = greatest > charts[c].y_max ? charts[c].y_max : greatest; /* what is beyond is not seen */
    }
    struct choice choice = choose(builder, axis, greatest);
    if (choice.title == NULL)
        return charts_no_memory(builder);
    for (uint32_t c = 0; c < count; c++) {
        struct chart *chart = &charts[c];
        for (uint32_t l = 0; l < chart->line_count; l++) {
            divide(chart->lines[l].y, chart->lines[l].count, choice.unit->size);
            divide(chart->lines[l].low, chart->lines[l].count, choice.unit->size);
            divide(chart->lines[l].high, chart->lines[l].count, choice.unit->size);
            divide(chart->lines[l].seeds, chart->lines[l].count * chart->seeds, choice.unit->size);
        }
        chart->y_title = choice.title;
        chart->y_unit = choice.unit->name;
        chart->y_max /= choice.unit->size;
        const struct figure *figure = chart->figure;
        if (!place_of(builder, chart, &figure->y_range[0], &axis, choice.unit, &chart->y_from) ||
            !place_of(builder, chart, &figure->y_range[1], &axis, choice.unit, &chart->y_to) ||
            !place_ticks(builder, chart, &figure->y_ticks, &axis, choice.unit, &chart->y_ticks))
            return false;
    }
    return true;
}

bool charts_tick_x(struct charts_builder *builder, struct chart *chart, const char *suffix)
{
    char one[64];
    struct unit unit = {.size = 1};
    struct charts_axis_unit axis = {.unit = "1"};
    snprintf(one, sizeof one, "1%s", suffix);
    if (!expression_number(one, &unit.size, &axis.unit))
        axis.unit = "1";
    return place_ticks(builder, chart, &chart->figure->x_ticks, &axis, &unit, &chart->x_ticks);
}

bool charts_scale_x(struct charts_builder *builder, struct chart *charts, uint32_t count, struct charts_axis_unit axis)
{
    double greatest = 0;
    for (uint32_t c = 0; c < count; c++) {
        for (uint32_t l = 0; l < charts[c].line_count; l++)
            greatest = greatest_of(charts[c].lines[l].x, charts[c].lines[l].count, greatest);
    }
    struct choice choice = choose(builder, axis, greatest);
    if (choice.title == NULL)
        return charts_no_memory(builder);
    for (uint32_t c = 0; c < count; c++) {
        struct chart *chart = &charts[c];
        for (uint32_t l = 0; l < chart->line_count; l++)
            divide(chart->lines[l].x, chart->lines[l].count, choice.unit->size);
        chart->x_title = choice.title;
        chart->x_unit = choice.unit->name;
        chart->x_min /= choice.unit->size;
        chart->x_max /= choice.unit->size;
        if (!place_ticks(builder, chart, &chart->figure->x_ticks, &axis, choice.unit, &chart->x_ticks))
            return false;
    }
    return true;
}
