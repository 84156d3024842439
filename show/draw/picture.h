/*
 * picture.h - a chart as it is to be drawn: axes with their ticks, points with what stands at them, cells, the legend.
 * Made once, and written as strokes (drawing.h) or as a script (gnuplot.c, matplotlib.c): no writer decides which marks
 * there are, so that none lacks one.
 */
#ifndef SHOW_DRAW_PICTURE_H
#define SHOW_DRAW_PICTURE_H

#include "scenario/yaml/arena.h"
#include "show/charts/report.h"
#include "show/draw/scale.h"

#define PICTURE_INK "#222222"
#define PICTURE_COLOUR_MAX 8u /* "#rrggbb" */

struct picture_tick {
    double at;
    const char *text;
};

struct picture_axis {
    const char *title;
    struct scale scale; /* its places are for a drawing to set */
    struct picture_tick *ticks;
    uint32_t tick_count;
    bool places; /* the ticks are names of bars, of columns or of rows */
};

struct picture_point {
    double x, y;      /* y is NaN where the axes have no place for it */
    double low, high; /* ends of its interval; NaN: none */
    const char *sign; /* what censors it; "" */
    uint32_t colour;
};

struct picture_series {
    const char *label;
    struct picture_point *points;
    uint32_t count;
    uint32_t colour, pattern;
    bool rule, markers, steps;
    bool intervals, signs; /* some point has one */
};

struct picture_cell {
    uint32_t column, row; /* from the left, from the top */
    const char *text;
    char ground[PICTURE_COLOUR_MAX], ink[PICTURE_COLOUR_MAX];
};

/* A series, or what a sign means. */
struct picture_entry {
    const char *label;
    const struct picture_series *series; /* null: of a sign */
    const char *sign;
};

struct picture {
    struct arena arena;
    const char *title;
    enum chart_kind kind;
    struct picture_axis x, y;
    struct picture_series *series;
    uint32_t series_count;
    struct picture_cell *cells; /* of a heat map, in place of series */
    uint32_t cell_count;
    double bar_width;     /* in units of x */
    bool places_coloured; /* each place has its own colour: legends explain fills, in grey */
    struct picture_entry *legend;
    uint32_t legend_count;
    bool legend_of_series; /* they are in it, not signs alone */
    enum figure_legend legend_at;
};

/* False: out of memory; free it either way. Texts of the chart are used, not copied. */
bool picture_make(struct picture *picture, const struct chart *chart, const struct report_style *style);
void picture_free(struct picture *picture);

/* The height that is asked for, or what goes well with the width. */
double picture_height(const struct report_style *style);

/* For writers that cannot measure letters: the size at which a text fits `room`, both in px, at most `size`. */
double picture_letters(const char *text, double size, double room);

/* Likewise how many entries of the legend fit side by side; at least 1. */
uint32_t picture_legend_columns(const struct picture *picture, const struct report_style *style);

/*
 * How lines look. The colours of the light and the dark page differ in lightness, so that each has enough contrast on
 * its ground; neighbours in the table stay apart for people who do not tell red from green. Colour is never alone:
 * markers and dash patterns differ too. page.css holds the same colours for the page.
 */
extern const char *const palette_light[CHART_COLOURS];
extern const char *const palette_dark[CHART_COLOURS];

/* Lengths of the strokes and gaps of a pattern, in px, up to the first that is negative; none: solid. */
#define PALETTE_DASHES_MAX 4u
extern const double palette_dashes[CHART_PATTERNS][PALETTE_DASHES_MAX + 1];

/* How much of a bar's ground its colour covers; bars that are not full have an edge. */
extern const double palette_fills[CHART_PATTERNS];

#endif
