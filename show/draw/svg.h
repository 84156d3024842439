/*
 * svg.h - a picture as SVG: for papers as a file (report_svg), and in the page where there is no script, and on paper.
 *
 * Colours stand in presentation attributes, so that a file looks right wherever it is opened; style sheets (of the
 * page, or of the file for dark screens) override them by class: s0 .. s7 strokes, f0 .. f7 fills, ink, faint, grid,
 * ground.
 */
#ifndef SHOW_DRAW_SVG_H
#define SHOW_DRAW_SVG_H

#include "show/charts/report.h"

/* For a page: without a title and a ground, styled by the page. False: out of memory. */
bool svg_put_inline(const struct chart *chart, FILE *out);

#endif
