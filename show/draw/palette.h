/*
 * palette.h - how lines look. The colours of the light and the dark page differ in lightness, so that each has enough
 * contrast on its ground; neighbours in the table stay apart for people who do not tell red from green. Colour is never
 * alone: markers and dash patterns differ too. page.css holds the same colours for the page.
 */
#ifndef SHOW_DRAW_PALETTE_H
#define SHOW_DRAW_PALETTE_H

#include "show/charts/report.h"

extern const char *const palette_light[CHART_COLOURS];
extern const char *const palette_dark[CHART_COLOURS];

/* Lengths of the strokes and gaps of a pattern, in px, up to the first that is negative; none: solid. */
#define PALETTE_DASHES_MAX 4u
extern const double palette_dashes[CHART_PATTERNS][PALETTE_DASHES_MAX + 1];

/* How much of a bar's ground its colour covers; bars that are not full have an edge. */
extern const double palette_fills[CHART_PATTERNS];

#endif
