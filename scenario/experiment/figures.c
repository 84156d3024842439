/*
 * figures.c - `figures`: what is drawn from the results. A figure names axes of the sweep; at quick size one that needs
 * a value which the reduced axes do not have is left out.
 */
#include <math.h>
#include <string.h>

#include "scenario/experiment/reading.h"

#define IN(kind) (1u << FIGURE_##kind)

enum { LOG_NONE, LOG_X, LOG_Y, LOG_BOTH };

static const char *const figure_kinds[] = {
    [FIGURE_LINE] = "line",           [FIGURE_BAR] = "bar", [FIGURE_CDF] = "cdf", [FIGURE_HEAT] = "heat",
    [FIGURE_EVOLUTION] = "evolution", [FIGURE_KINDS] = NULL};
static const char *const logs[] = {"none", "x", "y", "both", NULL};
static const char *const unfinished_of_cdf[] = {"mark", "leave-out", NULL};
static const char *const legends[] = {[FIGURE_LEGEND_BELOW] = "below",
                                      [FIGURE_LEGEND_RIGHT] = "right",
                                      [FIGURE_LEGEND_TOP_LEFT] = "top-left",
                                      [FIGURE_LEGEND_TOP_RIGHT] = "top-right",
                                      [FIGURE_LEGEND_BOTTOM_LEFT] = "bottom-left",
                                      [FIGURE_LEGEND_BOTTOM_RIGHT] = "bottom-right",
                                      [FIGURE_LEGEND_NONE] = "none",
                                      [FIGURE_LEGENDS] = NULL};
static const char *const range_value[] = {"list of two numbers, or auto", NULL};
static const char *const ticks_value[] = {"list of growing numbers, at most 32", NULL};
static const char *const where_value[] = {"map of axes to labels", NULL};

/* As written. */
struct figure_keys {
    const char *title, *note, *x, *lines, *dashes, *y, *curve, *x_title, *y_title;
    uint32_t log, unfinished, legend;
    weir_ps from_ps, until_ps;
};

#define FIGURE_TEXT(field, in, must, longest, text)                                                                    \
    {                                                                                                                  \
        .name = #field, .kind = KEY_TEXT, .kinds = (in), .required = (must), KEY_FIELD(struct figure_keys, field),     \
        .min = 1, .max = (longest), .help = (text)                                                                     \
    }

static const struct key figure_keys[] = {
    FIGURE_TEXT(title, 0, true, 200, "What it shows."),
    FIGURE_TEXT(x, IN(LINE) | IN(BAR) | IN(HEAT), true, 40, "The axis along the chart."),
    FIGURE_TEXT(lines, IN(LINE) | IN(BAR) | IN(CDF) | IN(EVOLUTION), false, 40,
                "The axis with a line, a bar or a small chart for each value."),
    FIGURE_TEXT(lines, IN(HEAT), true, 40, "The axis with a row of cells for each value."),
    FIGURE_TEXT(dashes, IN(LINE) | IN(BAR), false, 40,
                "A second axis of lines: those of its values have one colour and differ in dashes, bars in shade."),
    FIGURE_TEXT(y, IN(LINE) | IN(BAR) | IN(HEAT), true, READING_TEXT_MAX, "An expression over the measures."),
    FIGURE_TEXT(curve, IN(CDF), true, 120, "Name of a distribution among the results: `query.qct.cdf`."),
    FIGURE_TEXT(curve, IN(EVOLUTION), false, 120, "What the names of the series begin with; by default `probe`."),
    FIGURE_TEXT(x_title, 0, false, 80, "Below the chart; by default from the axis."),
    FIGURE_TEXT(y_title, 0, false, 80, "Beside the chart; by default from the measure."),
    {.name = "log",
     .kind = KEY_CHOICE,
     .kinds = IN(LINE) | IN(BAR) | IN(CDF) | IN(HEAT),
     KEY_FIELD(struct figure_keys, log),
     .choices = logs,
     .help = "Which scale is logarithmic."},
    {.name = "y_range",
     .kind = KEY_OTHER,
     .kinds = IN(LINE) | IN(BAR) | IN(CDF) | IN(EVOLUTION),
     .choices = range_value,
     .help = "Ends of the y axis, `[0, 5ms]` or `[0.1, auto]`; a number without a unit is in the unit that the chart "
             "shows. What lies beyond is cut off."},
    {.name = "x_ticks",
     .kind = KEY_OTHER,
     .kinds = IN(LINE) | IN(CDF) | IN(EVOLUTION),
     .choices = ticks_value,
     .help = "Where numbers stand along the chart, likewise; by default at its points, if they are few, or at round "
             "numbers."},
    {.name = "y_ticks",
     .kind = KEY_OTHER,
     .kinds = IN(LINE) | IN(BAR) | IN(CDF) | IN(EVOLUTION),
     .choices = ticks_value,
     .help = "The same beside it."},
    {.name = "legend",
     .kind = KEY_CHOICE,
     .kinds = IN(LINE) | IN(BAR) | IN(CDF) | IN(EVOLUTION),
     KEY_FIELD(struct figure_keys, legend),
     .choices = legends,
     .help =
         "Where the names of lines stand; the corners are within the axes. In the page they stand below or nowhere, "
         "as they are buttons there."},
    {.name = "unfinished",
     .kind = KEY_CHOICE,
     .kinds = IN(LINE) | IN(BAR) | IN(HEAT),
     KEY_FIELD(struct figure_keys, unfinished),
     .choices = reading_unfinished,
     .help = "Flows and queries that did not finish. mark: numbers that they make a lower bound, or that leave them "
             "out, are marked; leave-out: only of the finished, without marks; as-bound: in means too they count with "
             "their age at the end of the run."},
    {.name = "unfinished",
     .kind = KEY_CHOICE,
     .kinds = IN(CDF),
     KEY_FIELD(struct figure_keys, unfinished),
     .choices = unfinished_of_cdf,
     .help = "Flows and queries that did not finish. mark: parts are of all, lines end below 1; leave-out: of the "
             "finished alone."},
    {.name = "where",
     .kind = KEY_OTHER,
     .choices = where_value,
     .help = "Axes held at one value. Those neither held nor shown are averaged over."},
    {.name = "from",
     .kind = KEY_TIME,
     .kinds = IN(EVOLUTION),
     KEY_FIELD(struct figure_keys, from_ps),
     .max = KEY_TIME_MAX,
     .help = "Start of the time shown."},
    {.name = "until",
     .kind = KEY_TIME,
     .kinds = IN(EVOLUTION),
     KEY_FIELD(struct figure_keys, until_ps),
     .min = 1,
     .max = KEY_TIME_MAX,
     .word = "end",
     .word_value = 0,
     .help = "End of the time shown."},
    FIGURE_TEXT(note, 0, false, READING_TEXT_MAX, "A sentence below the chart."),
};

const struct section figure_section = {
    .name = "figure",
    .kinds = figure_kinds,
    SECTION_KEYS(struct figure_keys, figure_keys),
    .place = "figures[]",
    .help = "A chart of the report. line and bar: an expression over an axis, with error bars over seeds; cdf: a "
            "distribution; heat: an expression over two axes, as colours with numbers; "
            "evolution: queue and threshold of probes over time.",
};

/* The axes that a figure shows differ, and it holds none of them. */
static bool check_axes(struct reading *reading, const struct node *item, const struct figure *figure,
                       const struct reading_pins *pins)
{
    if (figure->x == figure->lines && figure->x != FIGURE_NO_AXIS)
        return reader_fail(&reading->reader, node_find(item, "lines"), "lines: '%s' is along the chart already",
                           node_find(item, "lines")->text);
    if (figure->dashes != FIGURE_NO_AXIS && (figure->dashes == figure->x || figure->dashes == figure->lines))
        return reader_fail(&reading->reader, node_find(item, "dashes"), "dashes: '%s' is in the chart already",
                           node_find(item, "dashes")->text);
    for (uint32_t i = 0; i < pins->count; i++)
        if (pins->at[i].axis == figure->x || pins->at[i].axis == figure->lines || pins->at[i].axis == figure->dashes)
            return reader_fail(&reading->reader, node_find(item, "where"),
                               "where: axis '%s' is shown, it cannot be held",
                               reading->experiment->axes[pins->at[i].axis].name);
    return true;
}

/* "5ms", "80%", "3". */
static bool read_number(struct reading *reading, const struct node *item, const char *key, bool log,
                        struct figure_number *number)
{
    struct reader *reader = &reading->reader;
    if (!reader_expect(reader, item, NODE_SCALAR, key))
        return false;
    if (!expression_number(item->text, &number->number, &number->unit))
        return reader_fail(reader, item, "%s: '%s' is not a number (expected one such as 3, 80%%, 5ms, 100KB)", key,
                           error_text(item->text).text);
    if (log && number->number <= 0)
        return reader_fail(reader, item, "%s: '%s' has no place on a logarithmic axis (expected more than 0)", key,
                           error_text(item->text).text);
    if (number->unit[0] == '\0')
        number->unit = strchr(item->text, '%') != NULL ? "1" : NULL;
    return true;
}

/* Two places of one axis in one unit can be compared. */
static bool check_growing(struct reading *reading, const struct node *item, const char *key,
                          const struct figure_number numbers[2])
{
    bool alike = (numbers[0].unit == NULL) == (numbers[1].unit == NULL) &&
                 (numbers[0].unit == NULL || strcmp(numbers[0].unit, numbers[1].unit) == 0);
    if (!alike && numbers[0].number != 0)
        return reader_fail(&reading->reader, item, "%s: '%s' has another unit than the one before (expected the same)",
                           key, error_text(item->text).text);
    return numbers[0].number < numbers[1].number ||
           reader_fail(&reading->reader, item, "%s: '%s' is not above the one before (expected growing numbers)", key,
                       error_text(item->text).text);
}

static bool read_range(struct reading *reading, const struct node *map, bool log, struct figure_number range[2])
{
    struct reader *reader = &reading->reader;
    const struct node *list = node_find(map, "y_range");
    range[0].number = range[1].number = NAN;
    if (list == NULL)
        return true;
    if (list->kind != NODE_LIST || list->count != 2)
        return reader_fail(reader, list, "y_range: not two numbers (expected such as [0, 5ms], or auto for one)");
    const struct node *items[] = {list->first, list->last};
    for (uint32_t i = 0; i < 2; i++) {
        bool free = items[i]->kind == NODE_SCALAR && strcmp(items[i]->text, "auto") == 0;
        if (!free && !read_number(reading, items[i], "y_range", log, &range[i]))
            return false;
    }
    return isnan(range[0].number) || isnan(range[1].number) || check_growing(reading, list->last, "y_range", range);
}

static bool read_ticks(struct reading *reading, const struct node *map, const char *key, bool log,
                       struct figure_ticks *ticks)
{
    struct reader *reader = &reading->reader;
    const struct node *list = node_find(map, key);
    if (list == NULL)
        return true;
    if (list->kind != NODE_LIST || list->count == 0 || list->count > FIGURE_TICKS_MAX)
        return reader_fail(reader, list, "%s: not a list of 1 to %u numbers", key, FIGURE_TICKS_MAX);
    struct figure_number *at = arena_take_array(reader->arena, list->count, sizeof *at);
    if (at == NULL)
        return weir_fail_memory(reader->error);
    ticks->at = at;
    for (const struct node *item = list->first; item != NULL; item = item->next, ticks->count++)
        if (!read_number(reading, item, key, log, &at[ticks->count]) ||
            (ticks->count > 0 && !check_growing(reading, item, key, &at[ticks->count - 1])))
            return false;
    return true;
}

/* How its axes look. */
static bool read_look(struct reading *reading, const struct node *item, struct figure *figure)
{
    return read_range(reading, item, figure->log_y, figure->y_range) &&
           read_ticks(reading, item, "x_ticks", figure->log_x, &figure->x_ticks) &&
           read_ticks(reading, item, "y_ticks", figure->log_y, &figure->y_ticks);
}

static bool needs_missing_value(const struct expression *e)
{
    if (e == NULL)
        return false;
    return (e->kind == EXPRESSION_HOLD && e->value == EXPRESSION_NO_VALUE) || needs_missing_value(e->left) ||
           needs_missing_value(e->right);
}

static bool find_axes(struct reading *reading, const struct node *item, const struct figure_keys *keys,
                      struct figure *figure)
{
    const struct {
        const char *name, *text;
        uint32_t *axis;
    } named[] = {
        {"x", keys->x, &figure->x}, {"lines", keys->lines, &figure->lines}, {"dashes", keys->dashes, &figure->dashes}};
    bool good = true;
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if (named[i].text == NULL || reading_find_axis(reading, node_find(item, named[i].name), named[i].axis))
            continue;
        *named[i].axis = FIGURE_NO_AXIS;
        good = false;
        if (!reader_goes_on(&reading->reader))
            return false;
    }
    return good;
}

/* `shown` tells whether it has all the values that it needs. */
static bool read_figure(struct reading *reading, const struct node *item, struct figure *figure, bool *shown)
{
    struct figure_keys keys;
    struct reading_pins pins = {.at = NULL};
    uint32_t kind = 0;
    *figure = (struct figure){.x = FIGURE_NO_AXIS, .lines = FIGURE_NO_AXIS, .dashes = FIGURE_NO_AXIS};
    section_defaults(&figure_section, &keys, 0);
    struct reader *reader = &reading->reader;
    if (!section_read_kind(reader, &figure_section, item, &kind))
        return false;
    bool good = section_read(reader, &figure_section, item, kind, &keys);
    if (!good && !reader_goes_on(reader))
        return false;
    figure->kind = (enum figure_kind)kind;
    figure->title = keys.title;
    figure->note = keys.note;
    figure->curve = keys.curve;
    figure->x_title = keys.x_title;
    figure->y_title = keys.y_title;
    figure->log_x = keys.log == LOG_X || keys.log == LOG_BOTH;
    figure->log_y = keys.log == LOG_Y || keys.log == LOG_BOTH;
    figure->unfinished = (enum unfinished)keys.unfinished;
    figure->legend = (enum figure_legend)keys.legend;
    figure->from_ps = keys.from_ps;
    figure->until_ps = keys.until_ps;
    if (!find_axes(reading, item, &keys, figure) || !reading_of_where(reading, item, false, &pins) ||
        !check_axes(reading, item, figure, &pins)) {
        good = false;
        if (!reader_goes_on(reader))
            return false;
    }
    if (!read_look(reading, item, figure)) {
        good = false;
        if (!reader_goes_on(reader))
            return false;
    }
    if (keys.y != NULL || keys.curve != NULL)
        figure->value_mark = node_find(item, keys.y != NULL ? "y" : "curve")->mark;
    if (keys.y != NULL && (figure->y = reading_of_expression(reading, item, "y")) == NULL)
        return false;
    if (keys.until_ps > 0 && keys.until_ps <= keys.from_ps)
        return reader_fail(&reading->reader, node_find(item, "until"), "until: '%s' is not after from",
                           node_find(item, "until")->text);
    figure->where = pins.at;
    figure->where_count = pins.count;
    *shown = !pins.missing && !needs_missing_value(figure->y);
    return good;
}

bool reading_of_figures(struct reading *reading)
{
    struct experiment *experiment = reading->experiment;
    bool good = true;
    const struct node *list = reading_list(reading, "figures", &good);
    if (list == NULL)
        return good;
    struct figure *figures = arena_take_array(reading->reader.arena, list->count + 1, sizeof *figures);
    if (figures == NULL)
        return weir_fail_memory(reading->reader.error);
    experiment->figures = figures;
    for (const struct node *item = list->first; item != NULL; item = item->next) {
        bool shown = true;
        struct figure *figure = &figures[experiment->figure_count];
        if (!read_figure(reading, item, figure, &shown)) {
            good = false;
            if (!reader_goes_on(&reading->reader))
                return false;
            shown = figure->y != NULL || figure->curve != NULL; /* its measures may be wrong as well */
        }
        experiment->figure_count += shown;
    }
    return good;
}
