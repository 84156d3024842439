/*
 * values.c - see values.h. Lists that grow by doubling; the first allocation that fails makes the whole worthless
 * and everything after it does nothing, so that those who add measures check once, at the end.
 */
#include "run/measures/values.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/measures/row.h"

/* Room for one more of `size` bytes behind `count` of them; null: out of memory, and the list stays as it is. */
static void *list_grow(void *list, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return list;
    uint32_t wanted = *room < 8 ? 8 : *room * 2;
    if (wanted <= *room || wanted > SIZE_MAX / size)
        return NULL;
    void *larger = realloc(list, wanted * size);
    if (larger != NULL)
        *room = wanted;
    return larger;
}

static char *name_make(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *name = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (name != NULL)
        vsnprintf(name, (size_t)length + 1, format, again);
    va_end(again);
    return name;
}

void measures_add(struct measures *measures, const char *unit, double value, const char *format, ...)
{
    if (measures->failed || !isfinite(value))
        return;
    struct measure_value *values =
        list_grow(measures->values, measures->value_count, &measures->value_room, sizeof *values);
    if (values != NULL)
        measures->values = values;
    va_list arguments;
    va_start(arguments, format);
    char *name = values != NULL ? name_make(format, arguments) : NULL;
    va_end(arguments);
    measures->failed = name == NULL;
    if (!measures->failed) /* + 0.0: no negative zero, which SQLite does not keep */
        values[measures->value_count++] = (struct measure_value){name, units_own(unit), value + 0.0};
}

void measures_add_curve(struct measures *measures, const char *x_unit, const char *y_unit, const char *format, ...)
{
    if (measures->failed)
        return;
    struct measure_curve *curves =
        list_grow(measures->curves, measures->curve_count, &measures->curve_room, sizeof *curves);
    if (curves != NULL)
        measures->curves = curves;
    va_list arguments;
    va_start(arguments, format);
    char *name = curves != NULL ? name_make(format, arguments) : NULL;
    va_end(arguments);
    measures->failed = name == NULL;
    if (!measures->failed)
        curves[measures->curve_count++] =
            (struct measure_curve){.name = name, .x_unit = units_own(x_unit), .y_unit = units_own(y_unit)};
}

void measures_add_point(struct measures *measures, double x, double y)
{
    if (measures->failed)
        return;
    assert(measures->curve_count > 0);
    struct measure_curve *curve = &measures->curves[measures->curve_count - 1];
    double *points = list_grow(curve->points, curve->count, &curve->room, 2 * sizeof *points);
    measures->failed = points == NULL;
    if (measures->failed)
        return;
    curve->points = points;
    curve->points[2 * (size_t)curve->count] = x + 0.0;
    curve->points[2 * (size_t)curve->count + 1] = y + 0.0;
    curve->count++;
}

void measures_free(struct measures *measures)
{
    for (uint32_t i = 0; i < measures->value_count; i++)
        free(measures->values[i].name);
    for (uint32_t i = 0; i < measures->curve_count; i++) {
        free(measures->curves[i].name);
        free(measures->curves[i].points);
    }
    free(measures->values);
    free(measures->curves);
    *measures = (struct measures){.failed = false};
}
