/*
 * picture.c - see picture.h.
 *
 * Lines with intervals at the same x stand a little beside each other, each with its marks and its intervals, so that
 * none hides another.
 */
#include "show/draw/picture.h"

#include <math.h>
#include <string.h>

#define GROUP 0.8      /* fraction of a group's width that its bars take */
#define BAR 0.92       /* fraction of its place that a bar takes */
#define DODGE 3.0      /* px from a line to the next, for letters of 12 px */
#define DODGE_PART 0.5 /* at most so much of what is between two points, for all lines */
#define ROOM 0.03      /* fraction of the axis beside the first marks and the last */
#define SAMPLE 4.0     /* width of a line of a legend, with the gaps around it, in sizes of the letters */
#define LETTER 0.55    /* mean width of a letter, of its size */

double picture_height(const struct report_style *style)
{
    return style->height_px > 0 ? style->height_px : 0.63 * style->width_px;
}

static double estimate_width(const char *text)
{
    uint32_t letters = 0;
    for (; *text != '\0'; text++)
        letters += ((unsigned char)*text & 0xc0) != 0x80;
    return LETTER * letters;
}

double picture_letters(const char *text, double size, double room)
{
    return fmin(size, room / fmax(estimate_width(text), LETTER));
}

uint32_t picture_legend_columns(const struct picture *picture, const struct report_style *style)
{
    double widest = 0;
    for (uint32_t i = 0; i < picture->legend_count; i++)
        widest = fmax(widest, estimate_width(picture->legend[i].label));
    return (uint32_t)fmax(1, style->width_px / (style->font_px * (widest + SAMPLE)));
}

/* From one line to the next, as a fraction of the x axis. */
static double dodge_of(const struct chart *chart, const struct report_style *style)
{
    uint32_t with_intervals = 0, points = 1;
    for (uint32_t l = 0; l < chart->line_count; l++)
        for (uint32_t i = 0; chart->lines[l].low != NULL && i < chart->lines[l].count; i++)
            if (chart->lines[l].high[i] > chart->lines[l].low[i]) {
                with_intervals++;
                points = chart->lines[l].count > points ? chart->lines[l].count : points;
                break;
            }
    if (chart->kind != CHART_LINES || with_intervals < 2)
        return 0;
    double field = 0.85 * style->width_px / (style->font_px / 12);
    return fmin(DODGE / field, DODGE_PART / points / chart->line_count);
}

static double moved(const struct scale *scale, double number, double part)
{
    return scale->log ? number * pow(scale->max / scale->min, part) : number + part * (scale->max - scale->min);
}

/* A logarithmic axis has no place for zero; distributions begin at its left edge. */
static bool has_place(const struct picture *picture, const struct chart_line *line, uint32_t i)
{
    return isfinite(line->x[i]) && isfinite(line->y[i]) && (!picture->y.scale.log || line->y[i] > 0) &&
           (!picture->x.scale.log || line->x[i] > 0 || line->steps);
}

/* What a logarithm cannot show goes to the end of the axis, where an interval is cut in any case. */
static double within(const struct scale *scale, double number)
{
    return scale->log && number <= 0 ? scale->min : number;
}

static bool add_series(struct picture *picture, const struct chart *chart, uint32_t which, double dodge)
{
    const struct chart_line *line = &chart->lines[which];
    const struct scale *x = &picture->x.scale;
    double aside =
        (picture->kind == CHART_BARS ? GROUP / chart->line_count : dodge) * (which - 0.5 * (chart->line_count - 1));
    struct picture_series *series = &picture->series[picture->series_count++];
    *series = (struct picture_series){.label = line->label,
                                      .points = arena_take_array(&picture->arena, line->count, sizeof *series->points),
                                      .count = line->count,
                                      .colour = line->colour,
                                      .pattern = line->pattern,
                                      .rule = line->rule,
                                      .markers = line->markers,
                                      .steps = line->steps};
    for (uint32_t i = 0; series->points != NULL && i < line->count; i++) {
        struct picture_point *point = &series->points[i];
        bool shown = has_place(picture, line, i), interval = shown && line->low != NULL;
        double at = within(x, line->x[i]);
        *point = (struct picture_point){
            .x = picture->kind == CHART_BARS ? at + aside : moved(x, at, aside),
            .y = shown ? line->y[i] : NAN,
            .low = interval ? within(&picture->y.scale, line->low[i]) : NAN,
            .high = interval ? line->high[i] : NAN,
            .sign = shown ? censoring_sign(chart_censoring(line, i)) : "",
            .colour = chart->x_colours != NULL ? chart->x_colours[i] : line->colour,
        };
        series->intervals |= isfinite(point->low) && isfinite(point->high);
        series->signs |= point->sign[0] != '\0';
    }
    return series->points != NULL;
}

struct colour {
    double r, g, b; /* 0 .. 255 */
};

static struct colour colour_at(double part)
{
    static const struct colour stops[] = {{244, 249, 253}, {158, 202, 225}, {49, 130, 189}, {8, 48, 107}};
    double place = 3 * part;
    uint32_t below = place >= 3 ? 2 : (uint32_t)place;
    double between = place - below;
    const struct colour *a = &stops[below], *b = &stops[below + 1];
    return (struct colour){a->r + between * (b->r - a->r), a->g + between * (b->g - a->g),
                           a->b + between * (b->b - a->b)};
}

static double linear(double channel)
{
    double c = channel / 255;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* Text is black or white, whichever has more contrast: one of them always has 4.5:1. */
static bool is_dark(struct colour colour)
{
    return 0.2126 * linear(colour.r) + 0.7152 * linear(colour.g) + 0.0722 * linear(colour.b) < 0.179;
}

static bool add_cells(struct picture *picture, const struct chart *chart)
{
    double least = INFINITY, most = -INFINITY;
    uint32_t count = 0;
    for (uint32_t l = 0; l < chart->line_count; l++)
        for (uint32_t i = 0; i < chart->lines[l].count; i++) {
            double y = chart->lines[l].y[i];
            count++;
            if (!isfinite(y) || (chart->log_y && y <= 0))
                continue;
            least = fmin(least, y);
            most = fmax(most, y);
        }
    picture->cells = arena_take_array(&picture->arena, count, sizeof *picture->cells);
    bool whole = picture->cells != NULL;
    for (uint32_t l = 0; whole && l < chart->line_count; l++)
        for (uint32_t i = 0; whole && i < chart->lines[l].count; i++)
            if (isfinite(chart->lines[l].y[i])) {
                /* Darker for more; by logarithm on a logarithmic scale. */
                const struct chart_line *line = &chart->lines[l];
                double number = line->y[i], part = 0.5;
                char plain[48], marked[CENSORING_TEXT_MAX];
                if (most > least)
                    part = chart->log_y && least > 0 ? log(number / least) / log(most / least)
                                                     : (number - least) / (most - least);
                struct colour colour = colour_at(fmin(fmax(part, 0), 1));
                snprintf(plain, sizeof plain, "%.3g", number);
                const char *text = censoring_text(chart_censoring(line, i), plain, marked);
                struct picture_cell *cell = &picture->cells[picture->cell_count++];
                *cell = (struct picture_cell){
                    .column = i, .row = l, .text = arena_text(&picture->arena, text, strlen(text))};
                snprintf(cell->ground, sizeof cell->ground, "#%02x%02x%02x", (unsigned)lround(colour.r) & 0xff,
                         (unsigned)lround(colour.g) & 0xff, (unsigned)lround(colour.b) & 0xff);
                snprintf(cell->ink, sizeof cell->ink, "%s", is_dark(colour) ? "#ffffff" : "#000000");
                whole = cell->text != NULL;
            }
    return whole;
}

static bool add_numbers(struct picture *picture, struct picture_axis *axis, const double *ticks, uint32_t count)
{
    axis->ticks = arena_take_array(&picture->arena, count, sizeof *axis->ticks);
    axis->tick_count = axis->ticks != NULL ? count : 0;
    for (uint32_t i = 0; i < axis->tick_count; i++) {
        char text[SCALE_TEXT_MAX];
        scale_text(ticks[i], text);
        axis->ticks[i].at = ticks[i] + 0.0; /* no "-0" */
        axis->ticks[i].text = arena_text(&picture->arena, text, strlen(text));
        if (axis->ticks[i].text == NULL)
            return false;
    }
    return axis->ticks != NULL;
}

/* Names at 0, 1, 2 and so on: those of the columns, or of the rows from the top. */
static bool add_places(struct picture *picture, struct picture_axis *axis, const struct chart *chart, bool rows)
{
    uint32_t count = rows ? chart->line_count : chart->x_label_count;
    axis->places = true;
    axis->ticks = arena_take_array(&picture->arena, count, sizeof *axis->ticks);
    axis->tick_count = axis->ticks != NULL ? count : 0;
    for (uint32_t i = 0; i < axis->tick_count; i++)
        axis->ticks[i] = (struct picture_tick){i, rows ? chart->lines[i].label : chart->x_labels[i]};
    return axis->ticks != NULL;
}

static bool add_axes(struct picture *picture, const struct chart *chart)
{
    double ticks[SCALE_TICKS_MAX];
    picture->x.title = chart->x_title;
    picture->y.title = chart->y_title;
    bool x = chart->x_labels != NULL ? add_places(picture, &picture->x, chart, false)
                                     : add_numbers(picture, &picture->x, ticks, scale_x_ticks(chart, ticks));
    bool y = chart->kind == CHART_HEAT ? add_places(picture, &picture->y, chart, true)
                                       : add_numbers(picture, &picture->y, ticks, scale_y_ticks(chart, ticks));
    return x && y;
}

/* One line needs no name beside what the axis says; what signs mean is always said. */
static bool add_legend(struct picture *picture, const struct chart *chart)
{
    bool none = chart->legend == FIGURE_LEGEND_NONE;
    picture->legend_of_series = !none && (chart->line_count > 1 || chart->numbers == CHART_NUMBERS_EXTREMES);
    picture->legend_at = chart->legend;
    picture->legend =
        arena_take_array(&picture->arena, picture->series_count + CENSORING_PARTIAL + 1, sizeof *picture->legend);
    if (picture->legend == NULL || none)
        return picture->legend != NULL;
    for (uint32_t i = 0; picture->legend_of_series && i < picture->series_count; i++)
        picture->legend[picture->legend_count++] =
            (struct picture_entry){.label = picture->series[i].label, .series = &picture->series[i]};
    for (uint32_t i = CENSORING_NONE + 1; i <= CENSORING_PARTIAL; i++)
        if (chart_has_censoring(chart, (enum censoring)i))
            picture->legend[picture->legend_count++] = (struct picture_entry){
                .label = censoring_words((enum censoring)i), .sign = censoring_sign((enum censoring)i)};
    return true;
}

bool picture_make(struct picture *picture, const struct chart *chart, const struct report_style *style)
{
    double dodge = dodge_of(chart, style);
    *picture =
        (struct picture){.title = chart->title, .kind = chart->kind, .places_coloured = chart->x_colours != NULL};
    picture->x.scale = scale_of_x(chart);
    picture->y.scale = scale_of_y(chart);
    picture->bar_width = BAR * GROUP / fmax(chart->line_count, 1);
    if (chart->kind == CHART_LINES && chart->x_labels == NULL && chart->line_count > 0 && chart->lines[0].markers) {
        /* Marks at the ends are whole, with their intervals. */
        double part = fmax(ROOM, 0.5 * dodge * (chart->line_count + 2));
        double min = moved(&picture->x.scale, picture->x.scale.min, -part);
        picture->x.scale.max = moved(&picture->x.scale, picture->x.scale.max, part);
        picture->x.scale.min = min;
    }
    picture->series = arena_take_array(&picture->arena, chart->line_count, sizeof *picture->series);
    bool whole = picture->series != NULL && add_axes(picture, chart);
    if (whole && chart->kind == CHART_HEAT)
        whole = add_cells(picture, chart);
    for (uint32_t l = 0; whole && chart->kind != CHART_HEAT && l < chart->line_count; l++)
        whole = add_series(picture, chart, l, dodge);
    return whole && add_legend(picture, chart);
}

void picture_free(struct picture *picture)
{
    arena_free(&picture->arena);
}

const char *const palette_light[CHART_COLOURS] = {"#0060a8", "#c44e00", "#00805a", "#9a3f8c",
                                                  "#806000", "#3a3a3a", "#b3123f", "#4b56c8"};
const char *const palette_dark[CHART_COLOURS] = {"#5cb3f0", "#ff9a52", "#3dcb9a", "#e59bd6",
                                                 "#e0c04a", "#d8d8d8", "#ff8296", "#a9b1ff"};
/* The third is short and falls into the gaps of the second: of two equal lines both are seen. */
const double palette_dashes[CHART_PATTERNS][PALETTE_DASHES_MAX + 1] = {
    {-1}, {9, 6, -1}, {0, 9.5, 5, 0.5, -1}, {9, 3, 2, 3, -1}};
const double palette_fills[CHART_PATTERNS] = {1, 0.55, 0.25, 0};
