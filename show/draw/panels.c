/*
 * panels.c - see panels.h. A panel is drawn on a canvas that hands everything on to the real one, moved to its place.
 * All panels have the height of the tallest, so that their frames stand in rows: they are drawn once to measure it.
 */
#include "show/draw/panels.h"

#include <math.h>
#include <stdio.h>

#include "show/draw/drawing.h"

struct panel {
    struct canvas canvas;
    struct canvas *on;
    double left, top;     /* of the panel on it */
    double width, height; /* that it has taken */
    bool measures;        /* and draws nothing */
};

static struct panel *panel_of(struct canvas *canvas)
{
    return (struct panel *)canvas;
}

static void panel_open(struct canvas *canvas, const char *title, double width, double height)
{
    (void)title;
    panel_of(canvas)->width = width;
    panel_of(canvas)->height = height;
}

static void panel_close(struct canvas *canvas)
{
    (void)canvas;
}

static void panel_clip(struct canvas *canvas, const struct box *box)
{
    struct panel *panel = panel_of(canvas);
    if (panel->measures)
        return;
    struct box moved = {0, 0, 0, 0};
    if (box != NULL)
        moved = (struct box){box->left + panel->left, box->top + panel->top, box->width, box->height};
    panel->on->kind->clip(panel->on, box != NULL ? &moved : NULL);
}

static void panel_begin(struct canvas *canvas, const struct pen *pen)
{
    struct panel *panel = panel_of(canvas);
    if (!panel->measures)
        panel->on->kind->begin(panel->on, pen);
}

static void panel_move(struct canvas *canvas, double x, double y)
{
    struct panel *panel = panel_of(canvas);
    if (!panel->measures)
        panel->on->kind->move(panel->on, x + panel->left, y + panel->top);
}

static void panel_line(struct canvas *canvas, double x, double y)
{
    struct panel *panel = panel_of(canvas);
    if (!panel->measures)
        panel->on->kind->line(panel->on, x + panel->left, y + panel->top);
}

static void panel_round(struct canvas *canvas, double x, double y, double radius)
{
    struct panel *panel = panel_of(canvas);
    if (!panel->measures)
        panel->on->kind->round(panel->on, x + panel->left, y + panel->top, radius);
}

static void panel_end(struct canvas *canvas)
{
    struct panel *panel = panel_of(canvas);
    if (!panel->measures)
        panel->on->kind->end(panel->on);
}

static void panel_box(struct canvas *canvas, const struct pen *pen, const struct box *box)
{
    struct panel *panel = panel_of(canvas);
    const struct box moved = {box->left + panel->left, box->top + panel->top, box->width, box->height};
    if (!panel->measures)
        panel->on->kind->box(panel->on, pen, &moved);
}

static void panel_text(struct canvas *canvas, const struct lettering *lettering, double x, double y, const char *text)
{
    struct panel *panel = panel_of(canvas);
    if (!panel->measures)
        panel->on->kind->text(panel->on, lettering, x + panel->left, y + panel->top, text);
}

static double panel_text_width(struct canvas *canvas, const struct lettering *lettering, const char *text,
                               size_t length)
{
    struct panel *panel = panel_of(canvas);
    return panel->on->kind->text_width(panel->on, lettering, text, length);
}

static const struct canvas_kind kind = {.open = panel_open,
                                        .close = panel_close,
                                        .clip = panel_clip,
                                        .begin = panel_begin,
                                        .move = panel_move,
                                        .line = panel_line,
                                        .round = panel_round,
                                        .end = panel_end,
                                        .box = panel_box,
                                        .text = panel_text,
                                        .text_width = panel_text_width};

uint32_t panels_count(const struct report_style *style)
{
    return style->panels > 0 ? style->panels : 1;
}

uint32_t panels_columns(const struct report_style *style)
{
    uint32_t count = panels_count(style);
    return style->columns == 0 ? 1 : style->columns < count ? style->columns : count;
}

uint32_t panels_rows(const struct report_style *style)
{
    return (panels_count(style) + panels_columns(style) - 1) / panels_columns(style);
}

struct report_style panels_style(const struct report_style *style)
{
    struct report_style own = *style;
    own.width_px = style->width_px / panels_columns(style);
    own.height_px = style->height_px / panels_rows(style);
    own.no_title = style->no_title && style->panels == 0; /* their names are titles */
    own.panels = own.columns = 0;
    return own;
}

struct chart panels_chart(const struct chart *charts, const struct report_style *style, uint32_t panel,
                          char title[PANELS_TITLE_MAX])
{
    struct chart chart = charts[panel];
    if (style->panels == 0)
        return chart;
    snprintf(title, PANELS_TITLE_MAX, "(%c)%s%s", (char)('a' + panel % PANELS_MAX), style->no_title ? "" : " ",
             style->no_title ? "" : chart.title);
    chart.title = title;
    return chart;
}

/* One panel, or the measure of it. */
static bool put_panel(const struct chart *charts, const struct report_style *style, const struct report_style *own,
                      uint32_t number, struct panel *panel)
{
    char title[PANELS_TITLE_MAX];
    const struct chart chart = panels_chart(charts, style, number, title);
    struct picture picture;
    bool made = picture_make(&picture, &chart, own);
    if (made)
        drawing_put(&picture, own, &panel->canvas);
    picture_free(&picture);
    return made;
}

bool panels_put(const struct chart *charts, const struct report_style *style, struct canvas *canvas)
{
    if (style->panels == 0) {
        struct picture picture;
        bool made = picture_make(&picture, charts, style);
        if (made)
            drawing_put(&picture, style, canvas);
        picture_free(&picture);
        return made;
    }
    const uint32_t columns = panels_columns(style);
    struct report_style own = panels_style(style);
    struct panel panel = {.canvas = {&kind}, .on = canvas, .measures = true};
    double width = 0, height = 0;
    bool made = true;
    for (uint32_t i = 0; made && i < style->panels; i++) {
        made = put_panel(charts, style, &own, i, &panel);
        width = fmax(width, panel.width);
        height = fmax(height, panel.height);
    }
    if (!made)
        return false;
    own.height_px = height * style->font_px / 12;
    canvas->kind->open(canvas, charts[0].title, width * columns, height * panels_rows(style));
    panel.measures = false;
    for (uint32_t i = 0; made && i < style->panels; i++) {
        panel.left = width * (i % columns);
        panel.top = height * (i / columns);
        made = put_panel(charts, style, &own, i, &panel);
    }
    canvas->kind->close(canvas);
    return made;
}
