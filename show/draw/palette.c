/*
 * palette.c - see palette.h.
 */
#include "show/draw/palette.h"

const char *const palette_light[CHART_COLOURS] = {"#0060a8", "#c44e00", "#00805a", "#9a3f8c",
                                                  "#806000", "#3a3a3a", "#b3123f", "#4b56c8"};
const char *const palette_dark[CHART_COLOURS] = {"#5cb3f0", "#ff9a52", "#3dcb9a", "#e59bd6",
                                                 "#e0c04a", "#d8d8d8", "#ff8296", "#a9b1ff"};
/* The third is short and falls into the gaps of the second: of two equal lines both are seen. */
const double palette_dashes[CHART_PATTERNS][PALETTE_DASHES_MAX + 1] = {
    {-1}, {9, 6, -1}, {0, 9.5, 5, 0.5, -1}, {9, 3, 2, 3, -1}};
const double palette_fills[CHART_PATTERNS] = {1, 0.55, 0.25, 0};
