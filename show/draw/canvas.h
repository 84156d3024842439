/*
 * canvas.h - what a picture is drawn on. drawing.c knows where everything stands and nothing of files; svg.c and
 * cairo.c know how a stroke, a box and a text are written, and nothing of charts.
 *
 * Lengths are in px for letters of 12 px; a canvas scales them as a whole, so that lines and marks grow with the
 * letters.
 */
#ifndef SHOW_DRAW_CANVAS_H
#define SHOW_DRAW_CANVAS_H

#include "show/draw/picture.h"

/* How strokes and areas look. Classes are what style sheets know them by (svg.c). */
struct pen {
    char class[12];
    const char *stroke, *fill; /* null: none */
    double width;              /* of the stroke; 0: 1 */
    double clear;              /* of the fill: 0 hides what is behind it, 1 hides nothing */
    uint32_t pattern;          /* of the stroke: palette_dashes */
    double dash_from;          /* where the pattern begins */
};

struct lettering {
    double size;
    bool bold;
    double anchor;      /* which part of the text stands at its place: 0 its start, 0.5 its middle, 1 its end */
    double angle;       /* degrees, clockwise around its place */
    const char *colour; /* null: ink, which style sheets may change */
};

struct box {
    double left, top, width, height;
};

struct canvas;

struct canvas_kind {
    void (*open)(struct canvas *canvas, const char *title, double width, double height);
    void (*close)(struct canvas *canvas);

    /* What is drawn from here to the next is cut at the box; null: at nothing. */
    void (*clip)(struct canvas *canvas, const struct box *box);

    /* A path: begun, moved along, ended. Each move begins a new stroke. */
    void (*begin)(struct canvas *canvas, const struct pen *pen);
    void (*move)(struct canvas *canvas, double x, double y);
    void (*line)(struct canvas *canvas, double x, double y);
    void (*round)(struct canvas *canvas, double x, double y, double radius);
    void (*end)(struct canvas *canvas);

    void (*box)(struct canvas *canvas, const struct pen *pen, const struct box *box);
    void (*text)(struct canvas *canvas, const struct lettering *lettering, double x, double y, const char *text);
    double (*text_width)(struct canvas *canvas, const struct lettering *lettering, const char *text, size_t length);
};

/* The first member of every kind of canvas. */
struct canvas {
    const struct canvas_kind *kind;
};

#endif
