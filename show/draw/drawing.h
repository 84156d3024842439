/*
 * drawing.h - a picture laid out on a canvas: the frame is sized by what it holds, and all of it is in the frame.
 */
#ifndef SHOW_DRAW_DRAWING_H
#define SHOW_DRAW_DRAWING_H

#include "show/draw/canvas.h"

void drawing_put(struct picture *picture, const struct report_style *style, struct canvas *canvas);

#endif
