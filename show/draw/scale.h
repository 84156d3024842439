/*
 * scale.h - an axis of a drawing: the range of its numbers, the places of its ticks and what stands beside them.
 */
#ifndef SHOW_DRAW_SCALE_H
#define SHOW_DRAW_SCALE_H

#include "show/charts/report.h"

#define SCALE_TICKS_MAX 64u

struct scale {
    double min, max; /* min < max; on a logarithmic scale both positive */
    bool log;
    double from, to; /* where min and max stand in the drawing */
};

/* The range of a chart's axis, with the parts that error bars reach. Bars and lengths start at 0. */
struct scale scale_of_x(const struct chart *chart);
struct scale scale_of_y(const struct chart *chart);

/* Numbers outside of the range land outside of [from, to]; what a logarithm cannot show lands at `from`. */
double scale_place(const struct scale *scale, double number);

/* Round numbers within the range, about `wanted` of them. */
uint32_t scale_ticks(const struct scale *scale, uint32_t wanted, double ticks[SCALE_TICKS_MAX]);

/* The ticks of a chart, in every format: where the scenario wants them, where its points stand, or round numbers. */
uint32_t scale_x_ticks(const struct chart *chart, double ticks[SCALE_TICKS_MAX]);
uint32_t scale_y_ticks(const struct chart *chart, double ticks[SCALE_TICKS_MAX]);

/* Where the points of a chart stand along x, in order, if they are few: better ticks than round numbers between them.
 * 0: they are many, or there is one. */
#define SCALE_PLACES_MAX 10u
uint32_t scale_places(const struct chart *chart, double places[SCALE_PLACES_MAX]);

/* A number as axes and tables show it: at most six digits, no trailing zeros, "12 000", "2×10⁷". */
#define SCALE_TEXT_MAX 64u
void scale_text(double number, char text[SCALE_TEXT_MAX]);

/* A decimal number with its digits in groups: "12 000.5". */
void scale_group(const char *plain, char text[SCALE_TEXT_MAX]);

#endif
