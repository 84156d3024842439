/*
 * panels.h - one figure of several charts: a grid of panels, row by row, named (a), (b) and so on.
 */
#ifndef SHOW_DRAW_PANELS_H
#define SHOW_DRAW_PANELS_H

#include "show/draw/canvas.h"

#define PANELS_MAX 26u
#define PANELS_TITLE_MAX 256u

/* Panels of a style, and its columns and rows: 1 of each where the style is of a single chart. */
uint32_t panels_count(const struct report_style *style);
uint32_t panels_columns(const struct report_style *style);
uint32_t panels_rows(const struct report_style *style);

/* The style of one panel, whose width and height are its part of the whole. */
struct report_style panels_style(const struct report_style *style);

/* The chart of a panel with its name before its title; without titles, its name alone. That of a single chart is left
 * as it is. `title` is where the text is. */
struct chart panels_chart(const struct chart *charts, const struct report_style *style, uint32_t panel,
                          char title[PANELS_TITLE_MAX]);

/* Draws style->panels charts, or the one. False: out of memory. */
bool panels_put(const struct chart *charts, const struct report_style *style, struct canvas *canvas);

#endif
