/*
 * data.c - see data.h. jansson makes the JSON; what it does not know is HTML: `<`, `>` and `&`, which occur in strings
 * only, are written as escapes.
 */
#include "show/page/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/draw/escape.h"
#include "show/draw/scale.h"
#include "show/page/page.h"

#define DIGITS 9 /* more than a screen shows */

json_t *data_text(const char *text)
{
    char *clean = escape_clean(text);
    json_t *value = clean != NULL ? json_string(clean) : NULL;
    free(clean);
    return value;
}

json_t *data_number(double number)
{
    if (!isfinite(number))
        return json_null();
    return number == floor(number) && fabs(number) < 1e15 ? json_integer((json_int_t)number) : json_real(number);
}

bool data_put(json_t *value, FILE *out)
{
    char *text = value != NULL ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS)) : NULL;
    json_decref(value);
    if (text == NULL)
        return false;
    for (const char *c = text; *c != '\0'; c++) {
        if (strchr("<>&", *c) != NULL)
            fprintf(out, "\\u%04x", (unsigned)*c);
        else
            fputc(*c, out);
    }
    free(text);
    return true;
}

static json_t *numbers_json(const double *numbers, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; list != NULL && i < count; i++) {
        if (json_array_append_new(list, data_number(numbers[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* The sign of every point; empty: it has none. */
static json_t *signs_json(const struct chart_line *line)
{
    json_t *list = json_array();
    for (uint32_t i = 0; list != NULL && i < line->count; i++) {
        if (json_array_append_new(list, json_string(censoring_sign(chart_censoring(line, i)))) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* What each sign of the chart means, in the order in which the legend has them. */
static json_t *legend_json(const struct chart *chart)
{
    json_t *list = json_array();
    for (uint32_t i = CENSORING_NONE + 1; list != NULL && i <= CENSORING_PARTIAL; i++) {
        enum censoring censoring = (enum censoring)i;
        if (chart_has_censoring(chart, censoring) &&
            json_array_append_new(list, json_pack("[s, s]", censoring_sign(censoring), censoring_words(censoring))) !=
                0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *line_json(const struct chart_line *line, uint32_t seeds)
{
    json_t *object =
        json_pack("{s:i, s:i, s:i, s:i, s:o, s:o, s:o}", "colour", (int)line->colour, "pattern", (int)line->pattern,
                  "markers", (int)line->markers, "steps", (int)line->steps, "label", data_text(line->label), "x",
                  numbers_json(line->x, line->count), "y", numbers_json(line->y, line->count));
    bool whole = object != NULL;
    if (whole && line->low != NULL)
        whole = json_object_set_new(object, "low", numbers_json(line->low, line->count)) == 0 &&
                json_object_set_new(object, "high", numbers_json(line->high, line->count)) == 0;
    if (whole && line->censoring != NULL)
        whole = json_object_set_new(object, "signs", signs_json(line)) == 0;
    if (whole && line->rule)
        whole = json_object_set_new(object, "rule", json_true()) == 0;
    if (whole && line->seeds != NULL)
        whole = json_object_set_new(object, "seeds", numbers_json(line->seeds, line->count * seeds)) == 0;
    if (!whole) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* Student's t of 2, 3 ... values, by which the script makes intervals of ratios. */
static json_t *students_json(uint32_t seeds)
{
    json_t *list = json_array();
    for (uint32_t i = 1; list != NULL && i < seeds; i++)
        if (json_array_append_new(list, json_real(spread_student(i))) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *colours_json(const struct chart *chart)
{
    json_t *list = json_array();
    for (uint32_t i = 0; list != NULL && i < chart->x_label_count; i++)
        if (json_array_append_new(list, json_integer((json_int_t)chart->x_colours[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *ticks_json(uint32_t (*of)(const struct chart *chart, double *ticks), const struct chart *chart)
{
    double ticks[SCALE_TICKS_MAX];
    uint32_t count = of(chart, ticks);
    return numbers_json(ticks, count);
}

/* Adds what lists hold; false: out of memory. */
static bool add_lists(json_t *object, const struct chart *chart)
{
    json_t *lines = json_array(), *names = chart->x_labels != NULL ? json_array() : NULL;
    bool whole = json_object_set_new(object, "lines", lines) == 0 &&
                 json_object_set_new(object, "signs", legend_json(chart)) == 0 &&
                 (chart->x_labels == NULL || json_object_set_new(object, "names", names) == 0);
    for (uint32_t i = 0; whole && chart->x_labels != NULL && i < chart->x_label_count; i++)
        whole = json_array_append_new(names, data_text(chart->x_labels[i])) == 0;
    if (whole && chart->seeds > 0)
        whole = json_object_set_new(object, "students", students_json(chart->seeds)) == 0 &&
                json_object_set_new(object, "seeds", json_integer((json_int_t)chart->seeds)) == 0;
    if (whole && chart->x_colours != NULL)
        whole = json_object_set_new(object, "colours", colours_json(chart)) == 0;
    double places[SCALE_PLACES_MAX];
    uint32_t count = scale_places(chart, places);
    if (whole && count > 0)
        whole = json_object_set_new(object, "places", numbers_json(places, count)) == 0;
    if (whole && chart->x_ticks.count > 0)
        whole = json_object_set_new(object, "ticksX", ticks_json(scale_x_ticks, chart)) == 0;
    if (whole && chart->y_ticks.count > 0)
        whole = json_object_set_new(object, "ticksY", ticks_json(scale_y_ticks, chart)) == 0;
    if (whole && chart->legend == FIGURE_LEGEND_NONE)
        whole = json_object_set_new(object, "noLegend", json_true()) == 0;
    if (whole && chart->kind == CHART_HEAT)
        whole = json_object_set_new(object, "heat", json_true()) == 0;
    for (uint32_t l = 0; whole && l < chart->line_count; l++)
        whole = json_array_append_new(lines, line_json(&chart->lines[l], chart->seeds)) == 0;
    return whole;
}

static json_t *chart_json(const struct chart *chart)
{
    struct scale x = scale_of_x(chart), y = scale_of_y(chart);
    json_t *object =
        json_pack("{s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "bars", chart->kind == CHART_BARS, "logX",
                  (int)x.log, "logY", (int)y.log, "rangeX", numbers_json((double[]){x.min, x.max}, 2), "rangeY",
                  numbers_json((double[]){y.min, y.max}, 2), "title", data_text(chart->title), "xTitle",
                  data_text(chart->x_title), "yTitle", data_text(chart->y_title), "xUnit", data_text(chart->x_unit),
                  "yUnit", data_text(chart->y_unit));
    if (object != NULL && !add_lists(object, chart)) {
        json_decref(object);
        return NULL;
    }
    return object;
}

bool page_put_data(const struct report_charts *charts, FILE *out)
{
    bool whole = true;
    fputs("<script type=\"application/json\" id=\"data\">[", out);
    for (uint32_t i = 0; whole && i < charts->count; i++) {
        fputs(i > 0 ? ",\n" : "", out);
        whole = data_put(chart_json(&charts->charts[i]), out);
    }
    fputs("]</script>\n", out);
    return whole;
}
