/*
 * drawing.c - see drawing.h. The room that labels, titles and the legend take is measured on the canvas; the field
 * within the axes gets the rest. A title that is longer than its axis is broken into lines.
 */
#include "show/draw/drawing.h"

#include <math.h>
#include <string.h>

#include "show/draw/picture.h"

#define CELL 30.0   /* height of a row of a heat map */
#define FIELD 300.0 /* height of the field, at most */
#define FIELD_LEAST 60.0
#define LINE 15.0   /* from a line of a title to the next */
#define ROW 20.0    /* of the legend */
#define SAMPLE 32.0 /* of a line in the legend */
#define TURNED 26.0 /* from one turned name to the next, along the axis */
#define TURN 30.0   /* degrees */
#define CAP 4.0     /* half the width of the end of an interval */
#define MARK 3.6    /* half the width of a mark */
#define SIGN 4.0    /* from a point to the sign that says it is censored, both ways */
#define GREY 5u     /* of the palette */
#define TEXT_SIZE 12.0
#define TITLE_SIZE 15.0
#define TEXT_MAX 256u /* bytes */

struct drawing {
    struct picture *picture;
    const struct report_style *style;
    struct canvas *canvas;
    const struct canvas_kind *on;
    struct scale x, y;
    double width, height;            /* in all */
    double left, right, top, bottom; /* of the field */
    bool turned;                     /* names below the x axis */
    uint32_t every;                  /* 3: each third of them is written, as more would touch */
    double names;                    /* height of what stands below the x axis */
};

static const struct lettering plain = {.size = TEXT_SIZE}, middle = {.size = TEXT_SIZE, .anchor = 0.5},
                              at_end = {.size = TEXT_SIZE, .anchor = 1},
                              title_letters = {.size = TITLE_SIZE, .bold = true},
                              upwards = {.size = TEXT_SIZE, .anchor = 0.5, .angle = -90}, sign_letters = {.size = 14};

static double width_of(const struct drawing *drawing, const char *text)
{
    return drawing->on->text_width(drawing->canvas, &plain, text, strlen(text));
}

static double widest_of(const struct drawing *drawing, const struct picture_axis *axis)
{
    double widest = 0;
    for (uint32_t i = 0; i < axis->tick_count; i++)
        widest = fmax(widest, width_of(drawing, axis->ticks[i].text));
    return widest;
}

/* How many bytes of the text are a line of at most this width: it ends at a blank, or after one word. */
static size_t line_of(const struct drawing *drawing, const struct lettering *lettering, const char *text, double room)
{
    size_t best = 0;
    for (size_t end = strcspn(text, " ");; end += 1 + strcspn(text + end + 1, " ")) {
        if (best > 0 && drawing->on->text_width(drawing->canvas, lettering, text, end) > room)
            return best;
        best = end;
        if (text[end] == '\0')
            return best;
    }
}

/* The lines of a text: how many, and with `put`, at x, y and below (or beside, where it is turned). */
static uint32_t walk_lines(const struct drawing *drawing, const struct lettering *lettering, const char *text,
                           double room, bool put, double x, double y)
{
    uint32_t lines = 0;
    while (*text != '\0') {
        size_t length = line_of(drawing, lettering, text, room);
        char line[TEXT_MAX];
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        double down = lines++ * LINE;
        if (put)
            drawing->on->text(drawing->canvas, lettering, lettering->angle != 0 ? x + down : x,
                              lettering->angle != 0 ? y : y + down, line);
        text += length + strspn(text + length, " ");
    }
    return lines;
}

static struct pen pen_of(const struct picture_series *series)
{
    struct pen pen = {.stroke = palette_light[series->colour], .width = series->rule ? 1 : 1.8};
    pen.pattern = series->pattern;
    snprintf(pen.class, sizeof pen.class, "s%u", series->colour);
    return pen;
}

static struct pen solid_of(uint32_t colour)
{
    struct pen pen = {.stroke = palette_light[colour], .fill = palette_light[colour]};
    snprintf(pen.class, sizeof pen.class, "s%u f%u", colour, colour);
    return pen;
}

/* One shape per colour, so that lines differ in print too; the first is round. Ends of strokes are at 9. */
static void put_mark(const struct drawing *drawing, uint32_t colour, double x, double y)
{
    static const double shapes[CHART_COLOURS][6][2] = {
        {{9}},
        {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}, {9}},
        {{0, -1.28}, {1.28, 1}, {-1.28, 1}, {0, -1.28}, {9}},
        {{0, -1.28}, {1.28, 0}, {0, 1.28}, {-1.28, 0}, {0, -1.28}, {9}},
        {{0, 1.28}, {1.28, -1}, {-1.28, -1}, {0, 1.28}, {9}},
        {{-1, -1}, {1, 1}, {9}, {-1, 1}, {1, -1}, {9}},
        {{0, -1.28}, {0, 1.28}, {9}, {-1.28, 0}, {1.28, 0}, {9}},
        {{-1, -1}, {1, -1}, {1, 0}, {-1, 0}, {-1, -1}, {9}},
    };
    struct canvas *canvas = drawing->canvas;
    struct pen pen = solid_of(colour);
    bool moves = true;
    drawing->on->begin(canvas, &pen);
    if (colour == 0)
        drawing->on->round(canvas, x, y, MARK);
    for (uint32_t i = 0; colour > 0 && i < 6; i++) {
        const double *to = shapes[colour][i];
        if (to[0] < 9)
            (moves ? drawing->on->move : drawing->on->line)(canvas, x + MARK * to[0], y + MARK * to[1]);
        moves = to[0] >= 9;
    }
    drawing->on->end(canvas);
}

static void put_sign(const struct drawing *drawing, const char *sign, double x, double y)
{
    if (sign[0] != '\0')
        drawing->on->text(drawing->canvas, &sign_letters, x, y, sign);
}

/* Bars of the same colour differ in how full they are. */
static void put_bar(const struct drawing *drawing, uint32_t colour, uint32_t pattern, struct box box)
{
    struct pen pen = solid_of(colour);
    pen.clear = 1 - palette_fills[pattern];
    if (pattern == 0)
        pen.stroke = NULL;
    drawing->on->box(drawing->canvas, &pen, &box);
}

/* The legend */

static double entry_width(const struct drawing *drawing, const struct picture_entry *entry)
{
    return SAMPLE + width_of(drawing, entry->label) + 14;
}

static double legend_width(const struct drawing *drawing)
{
    double widest = 0;
    for (uint32_t i = 0; i < drawing->picture->legend_count; i++)
        widest = fmax(widest, entry_width(drawing, &drawing->picture->legend[i]));
    return widest;
}

static void put_sample(const struct drawing *drawing, const struct picture_series *series, double x, double y)
{
    struct pen pen = pen_of(series);
    if (drawing->picture->kind == CHART_BARS) {
        put_bar(drawing, drawing->picture->places_coloured ? GREY : series->colour, series->pattern,
                (struct box){x + 8, y - 5, 14, 10});
        return;
    }
    pen.width = 1.8;
    pen.dash_from = series->pattern == 2 ? 6 : 0; /* its dashes stand beside the mark */
    drawing->on->begin(drawing->canvas, &pen);
    drawing->on->move(drawing->canvas, x, y);
    drawing->on->line(drawing->canvas, x + 26, y);
    drawing->on->end(drawing->canvas);
    if (series->markers)
        put_mark(drawing, series->colour, x + 13, y);
}

/* Where each entry stands, from `left` on; returns the rows. With `put`, it is drawn too. */
static uint32_t walk_legend(const struct drawing *drawing, double left, double top, bool put)
{
    const struct picture *picture = drawing->picture;
    bool below = picture->legend_at == FIGURE_LEGEND_BELOW; /* else one in each row */
    double x = left;
    uint32_t rows = picture->legend_count > 0;
    for (uint32_t i = 0; i < picture->legend_count; i++) {
        const struct picture_entry *entry = &picture->legend[i];
        double width = entry_width(drawing, entry);
        if (x > left && (!below || x + width > drawing->width - 8)) {
            x = left;
            rows++;
        }
        double y = top + rows * ROW - ROW / 2;
        if (put && entry->series != NULL)
            put_sample(drawing, entry->series, x, y);
        else if (put)
            put_sign(drawing, entry->sign, x + SAMPLE / 2, y + 4);
        if (put)
            drawing->on->text(drawing->canvas, &plain, x + SAMPLE, y + 4, entry->label);
        x += width;
    }
    return rows;
}

/* Below, beside, or in a corner of the field, on its ground. */
static void put_legend(const struct drawing *drawing)
{
    enum figure_legend at = drawing->picture->legend_at;
    if (at == FIGURE_LEGEND_BELOW) {
        walk_legend(drawing, drawing->left, drawing->height - 8 - ROW * walk_legend(drawing, drawing->left, 0, false),
                    true);
        return;
    }
    if (at == FIGURE_LEGEND_RIGHT || drawing->picture->legend_count == 0) {
        walk_legend(drawing, drawing->right + 10, drawing->top, true);
        return;
    }
    bool left = at == FIGURE_LEGEND_TOP_LEFT || at == FIGURE_LEGEND_BOTTOM_LEFT;
    bool top = at == FIGURE_LEGEND_TOP_LEFT || at == FIGURE_LEGEND_TOP_RIGHT;
    struct pen ground = {.class = "ground", .fill = "#ffffff", .clear = 0.15};
    struct box box = {.width = legend_width(drawing), .height = walk_legend(drawing, 0, 0, false) * ROW};
    box.left = left ? drawing->left + 8 : drawing->right - box.width - 8;
    box.top = top ? drawing->top + 6 : drawing->bottom - box.height - 6;
    drawing->on->box(drawing->canvas, &ground, &box);
    walk_legend(drawing, box.left + 4, box.top, true);
}

/* The frame */

/* Places everything around a field of this height. */
static void lay_out(struct drawing *drawing, double field)
{
    const struct picture *picture = drawing->picture;
    bool titled = !drawing->style->no_title, beside = picture->legend_at == FIGURE_LEGEND_RIGHT;
    uint32_t y_lines = walk_lines(drawing, &upwards, picture->y.title, field + 16, false, 0, 0);
    double legend = beside ? legend_width(drawing) : 0;
    drawing->left = 13 + LINE * y_lines + 7 + fmax(widest_of(drawing, &picture->y), 14);
    drawing->right = fmax(drawing->width - 16 - legend, drawing->left + 60);
    uint32_t lines = titled ? walk_lines(drawing, &title_letters, picture->title, drawing->width - 16, false, 0, 0) : 0;
    drawing->top = titled ? 26 + 18 + (lines > 1 ? LINE * (lines - 1) : 0) : 12;
    drawing->bottom = drawing->top + field;
    double room = drawing->right - drawing->left, widest = widest_of(drawing, &picture->x);
    double place = room / fmax(picture->x.tick_count, 1);
    drawing->turned = picture->x.places && widest + 8 > place;
    drawing->every = drawing->turned ? (uint32_t)ceil(TURNED / place) : 1;
    drawing->names = drawing->turned ? 12 + 0.5 * widest : 18;
    uint32_t x_lines = walk_lines(drawing, &middle, picture->x.title, room, false, 0, 0);
    uint32_t rows = picture->legend_at == FIGURE_LEGEND_BELOW ? walk_legend(drawing, drawing->left, 0, false) : 0;
    drawing->height = drawing->bottom + drawing->names + 11 + LINE * x_lines + rows * ROW + 8;
    drawing->x.from = drawing->left;
    drawing->x.to = drawing->right;
    drawing->y.from = drawing->bottom;
    drawing->y.to = drawing->top;
}

static void settle(struct drawing *drawing)
{
    const struct picture *picture = drawing->picture;
    double scale = drawing->style->font_px / TEXT_SIZE, wanted = drawing->style->height_px / scale;
    drawing->width = drawing->style->width_px / scale;
    double field =
        picture->kind == CHART_HEAT ? CELL * picture->y.tick_count : fmin(FIELD, fmax(120, 0.45 * drawing->width));
    lay_out(drawing, field);
    for (uint32_t round = 0; wanted > 0 && round < 3; round++) { /* titles may break otherwise each time */
        field = fmax(field + wanted - drawing->height, FIELD_LEAST);
        lay_out(drawing, field);
    }
}

static void put_stroke(const struct drawing *drawing, const struct pen *pen, double x, double y, double to_x,
                       double to_y)
{
    drawing->on->begin(drawing->canvas, pen);
    drawing->on->move(drawing->canvas, x, y);
    drawing->on->line(drawing->canvas, to_x, to_y);
    drawing->on->end(drawing->canvas);
}

static const struct pen grid = {.class = "grid", .stroke = "#dddddd"};

static void put_names(const struct drawing *drawing)
{
    const struct picture_axis *axis = &drawing->picture->x;
    const struct lettering turned = {.size = TEXT_SIZE, .anchor = 1, .angle = -TURN};
    for (uint32_t i = 0; i < axis->tick_count; i += drawing->every)
        drawing->on->text(drawing->canvas, drawing->turned ? &turned : &middle,
                          scale_place(&drawing->x, axis->ticks[i].at), drawing->bottom + 16, axis->ticks[i].text);
}

static void put_x_ticks(const struct drawing *drawing)
{
    const struct picture_axis *axis = &drawing->picture->x;
    double free_from = -1e9; /* labels that would touch are left out */
    for (uint32_t i = 0; i < axis->tick_count; i++) {
        double x = scale_place(&drawing->x, axis->ticks[i].at), half = width_of(drawing, axis->ticks[i].text) / 2 + 4;
        put_stroke(drawing, &grid, x, drawing->bottom, x, drawing->top);
        if (x - half < free_from)
            continue;
        drawing->on->text(drawing->canvas, &middle, x, drawing->bottom + 16, axis->ticks[i].text);
        free_from = x + half;
    }
}

/* Numbers with their grid, or the names of rows. */
static void put_y_ticks(const struct drawing *drawing)
{
    const struct picture_axis *axis = &drawing->picture->y;
    double row = (drawing->bottom - drawing->top) / fmax(axis->tick_count, 1);
    for (uint32_t i = 0; i < axis->tick_count; i++) {
        double y = axis->places ? drawing->top + (i + 0.5) * row : scale_place(&drawing->y, axis->ticks[i].at);
        if (!axis->places)
            put_stroke(drawing, &grid, drawing->left, y, drawing->right, y);
        drawing->on->text(drawing->canvas, &at_end, drawing->left - 7, y + 4, axis->ticks[i].text);
    }
}

static void put_titles(const struct drawing *drawing)
{
    const struct picture *picture = drawing->picture;
    double across = (drawing->left + drawing->right) / 2, along = (drawing->top + drawing->bottom) / 2;
    walk_lines(drawing, &middle, picture->x.title, drawing->right - drawing->left, true, across,
               drawing->bottom + drawing->names + 16);
    walk_lines(drawing, &upwards, picture->y.title, drawing->bottom - drawing->top + 16, true, 18, along);
    if (!drawing->style->no_title)
        walk_lines(drawing, &title_letters, picture->title, drawing->width - 16, true, 8, 26);
}

/* What is within the axes */

static void put_cells(const struct drawing *drawing)
{
    const struct picture *picture = drawing->picture;
    double width = (drawing->right - drawing->left) / fmax(picture->x.tick_count, 1);
    double height = (drawing->bottom - drawing->top) / fmax(picture->y.tick_count, 1);
    for (uint32_t i = 0; i < picture->cell_count; i++) {
        const struct picture_cell *cell = &picture->cells[i];
        struct pen pen = {.fill = cell->ground};
        struct lettering lettering = {.size = TEXT_SIZE, .anchor = 0.5, .colour = cell->ink};
        struct box box = {drawing->left + cell->column * width, drawing->top + cell->row * height, width, height};
        double needs = width_of(drawing, cell->text) + 2;
        lettering.size = needs > width ? TEXT_SIZE * width / needs : TEXT_SIZE;
        drawing->on->box(drawing->canvas, &pen, &box);
        if (lettering.size >= TEXT_SIZE / 2)
            drawing->on->text(drawing->canvas, &lettering, box.left + width / 2, box.top + height / 2 + 4, cell->text);
    }
}

static void put_interval(const struct drawing *drawing, const struct picture_series *series,
                         const struct picture_point *point)
{
    struct canvas *canvas = drawing->canvas;
    struct pen pen = {.class = "axis", .stroke = PICTURE_INK};
    if (!isfinite(point->low) || !isfinite(point->high))
        return;
    if (drawing->picture->kind != CHART_BARS) {
        pen = pen_of(series);
        pen.pattern = 0;
    }
    pen.width = 1.2;
    double x = scale_place(&drawing->x, point->x);
    double low = fmin(scale_place(&drawing->y, point->low), drawing->bottom);
    double high = fmax(scale_place(&drawing->y, point->high), drawing->top);
    drawing->on->begin(canvas, &pen);
    drawing->on->move(canvas, x, low);
    drawing->on->line(canvas, x, high);
    for (uint32_t end = 0; end < 2; end++) {
        drawing->on->move(canvas, x - CAP, end == 0 ? low : high);
        drawing->on->line(canvas, x + CAP, end == 0 ? low : high);
    }
    drawing->on->end(canvas);
}

static void put_curve(const struct drawing *drawing, const struct picture_series *series)
{
    struct pen pen = pen_of(series);
    bool down = false;
    double before = 0;
    drawing->on->begin(drawing->canvas, &pen);
    for (uint32_t i = 0; i < series->count; i++) {
        if (!isfinite(series->points[i].y)) {
            down = false;
            continue;
        }
        double x = scale_place(&drawing->x, series->points[i].x), y = scale_place(&drawing->y, series->points[i].y);
        y = y < -1e4 ? -1e4 : y > 1e4 ? 1e4 : y;
        if (down && series->steps)
            drawing->on->line(drawing->canvas, x, before);
        (down ? drawing->on->line : drawing->on->move)(drawing->canvas, x, y);
        before = y;
        down = true;
    }
    drawing->on->end(drawing->canvas);
}

static void put_bars(const struct drawing *drawing, const struct picture_series *series)
{
    double base = drawing->y.log || drawing->y.min > 0 ? drawing->bottom : scale_place(&drawing->y, 0);
    double half = drawing->picture->bar_width / 2;
    for (uint32_t i = 0; i < series->count; i++) {
        const struct picture_point *point = &series->points[i];
        if (!isfinite(point->y))
            continue;
        double from = scale_place(&drawing->x, point->x - half), to = scale_place(&drawing->x, point->x + half);
        double y = scale_place(&drawing->y, point->y);
        put_bar(drawing, point->colour, series->pattern, (struct box){from, fmin(y, base), to - from, fabs(base - y)});
        put_interval(drawing, series, point);
    }
}

static void put_series(const struct drawing *drawing)
{
    const struct picture *picture = drawing->picture;
    struct box field = {drawing->left, drawing->top, drawing->right - drawing->left, drawing->bottom - drawing->top};
    drawing->on->clip(drawing->canvas, &field);
    for (uint32_t i = 0; i < picture->series_count; i++)
        (picture->kind == CHART_BARS ? put_bars : put_curve)(drawing, &picture->series[i]);
    drawing->on->clip(drawing->canvas, NULL);
    for (uint32_t i = 0; i < picture->series_count; i++) {
        if (picture->kind == CHART_BARS) {
            /* Beside the tops of bars, also where they reach the top of the field. */
            const struct picture_series *series = &picture->series[i];
            for (uint32_t k = 0; k < series->count; k++)
                put_sign(drawing, series->points[k].sign, scale_place(&drawing->x, series->points[k].x) + SIGN,
                         fmax(scale_place(&drawing->y, series->points[k].y), drawing->top) - 2);
        } else if (picture->series[i].markers) {
            /* Intervals first, so that marks stand on them. */
            const struct picture_series *series = &picture->series[i];
            for (uint32_t j = 0; j < series->count; j++) {
                const struct picture_point *point = &series->points[j];
                double x = scale_place(&drawing->x, point->x), y = scale_place(&drawing->y, point->y);
                if (!isfinite(point->y) || x < drawing->left || x > drawing->right || y < drawing->top ||
                    y > drawing->bottom)
                    continue;
                put_interval(drawing, series, point);
                put_mark(drawing, series->colour, x, y);
                put_sign(drawing, point->sign, x + SIGN, y - SIGN);
            }
        }
    }
}

void drawing_put(struct picture *picture, const struct report_style *style, struct canvas *canvas)
{
    struct drawing drawing = {.picture = picture,
                              .style = style,
                              .canvas = canvas,
                              .on = canvas->kind,
                              .x = picture->x.scale,
                              .y = picture->y.scale};
    const struct pen axis = {.class = "axis", .stroke = PICTURE_INK};
    settle(&drawing);
    drawing.on->open(canvas, picture->title, drawing.width, drawing.height);
    if (picture->x.places)
        put_names(&drawing);
    else
        put_x_ticks(&drawing);
    put_y_ticks(&drawing);
    if (picture->kind == CHART_HEAT)
        put_cells(&drawing);
    else
        put_series(&drawing);
    drawing.on->begin(canvas, &axis);
    drawing.on->move(canvas, drawing.left, drawing.top);
    drawing.on->line(canvas, drawing.left, drawing.bottom);
    drawing.on->line(canvas, drawing.right, drawing.bottom);
    drawing.on->end(canvas);
    put_titles(&drawing);
    put_legend(&drawing);
    drawing.on->close(canvas);
}
