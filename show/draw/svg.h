/*
 * svg.h - the parts of a drawing: svg.c makes the frame (axes, grid, titles, legend), svg_lines.c what is in it.
 *
 * Colours stand in presentation attributes, so that a file looks right wherever it is opened; style sheets (of the
 * page, or of the file for dark screens) override them by class: s0 .. s7 strokes, f0 .. f7 fills, ink, faint, grid,
 * ground.
 */
#ifndef REPORT_DRAW_SVG_H
#define REPORT_DRAW_SVG_H

#include "show/draw/scale.h"

struct svg {
    const struct chart *chart;
    FILE *out;
    struct scale x, y;
    double left, right, top, bottom; /* of the field within the axes */
};

/* For a page: without a title and a ground, styled by the page. */
void svg_put_inline(const struct chart *chart, FILE *out);

/* Lines, bars, error bars and marks. */
void svg_put_lines(const struct svg *svg);

/* The cells of a heat map. */
void svg_put_heat(const struct svg *svg);

/* The sign of a censored point, with its left end at x. */
void svg_put_sign(const struct svg *svg, enum censoring censoring, double x, double y);

/* What a line looks like, from x to x + 26 around y. */
void svg_put_sample(const struct svg *svg, const struct chart_line *line, double x, double y);

#endif
