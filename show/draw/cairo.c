/*
 * cairo.c - a picture as PDF or PNG, by cairo. Letters are those of the system's font for the style's family; PDF files
 * bring the outlines of what they use, so that they look the same everywhere and their text can be found. Always light.
 *
 * Built where cairo is; elsewhere report_prints says no.
 */
#include "show/charts/report.h"

#ifndef WEIR_CAIRO

bool report_prints(void)
{
    return false;
}

bool report_print(const struct chart *chart, const struct report_style *style, enum report_print as, FILE *out)
{
    (void)chart, (void)style, (void)as, (void)out;
    return false;
}

#else

#include <cairo-pdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/draw/escape.h"
#include "show/draw/panels.h"

#define INCH_PX 96.0
#define INCH_PT 72.0
#define PI 3.14159265358979323846

struct print {
    struct canvas canvas;
    const struct report_style *style;
    enum report_print as;
    FILE *out;
    cairo_surface_t *surface;
    cairo_t *cairo;
    struct pen pen; /* of the path that is begun */
    bool clipped;
};

static struct print *print_of(struct canvas *canvas)
{
    return (struct print *)canvas;
}

static cairo_status_t print_write(void *closure, const unsigned char *bytes, unsigned length)
{
    return fwrite(bytes, 1, length, closure) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Draws on this surface from now on; widths of letters do not depend on its pixels. */
static void print_on(struct print *print, cairo_surface_t *surface)
{
    cairo_destroy(print->cairo);
    cairo_surface_destroy(print->surface);
    print->surface = surface;
    print->cairo = cairo_create(surface);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(print->cairo, options);
    cairo_font_options_destroy(options);
}

static void print_open(struct canvas *canvas, const char *title, double width, double height)
{
    struct print *print = print_of(canvas);
    double scale = print->style->font_px / 12 * (print->as == REPORT_PDF ? INCH_PT : print->style->dpi) / INCH_PX;
    if (print->as == REPORT_PDF) {
        print_on(print, cairo_pdf_surface_create_for_stream(print_write, print->out, scale * width, scale * height));
        cairo_pdf_surface_set_metadata(print->surface, CAIRO_PDF_METADATA_TITLE, title);
        /* The same chart makes the same file, whenever it is drawn. */
        cairo_pdf_surface_set_metadata(print->surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
    } else {
        print_on(print, cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)lround(scale * width),
                                                   (int)lround(scale * height)));
    }
    cairo_set_source_rgb(print->cairo, 1, 1, 1);
    cairo_paint(print->cairo);
    cairo_scale(print->cairo, scale, scale);
}

static void print_close(struct canvas *canvas)
{
    struct print *print = print_of(canvas);
    if (print->as == REPORT_PNG)
        cairo_surface_write_to_png_stream(print->surface, print_write, print->out);
    cairo_surface_finish(print->surface);
}

static void print_clip(struct canvas *canvas, const struct box *box)
{
    cairo_t *cairo = print_of(canvas)->cairo;
    if (box == NULL) {
        cairo_restore(cairo);
        return;
    }
    cairo_save(cairo);
    cairo_rectangle(cairo, box->left, box->top, box->width, box->height);
    cairo_clip(cairo);
}

/* "#rrggbb". */
static void set_colour(cairo_t *cairo, const char *colour, double opacity)
{
    unsigned long rgb = strtoul(colour + 1, NULL, 16);
    cairo_set_source_rgba(cairo, (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0, (rgb & 0xff) / 255.0, opacity);
}

static void print_begin(struct canvas *canvas, const struct pen *pen)
{
    print_of(canvas)->pen = *pen;
    cairo_new_path(print_of(canvas)->cairo);
}

static void print_move(struct canvas *canvas, double x, double y)
{
    cairo_move_to(print_of(canvas)->cairo, x, y);
}

static void print_line(struct canvas *canvas, double x, double y)
{
    cairo_line_to(print_of(canvas)->cairo, x, y);
}

static void print_round(struct canvas *canvas, double x, double y, double radius)
{
    cairo_new_sub_path(print_of(canvas)->cairo);
    cairo_arc(print_of(canvas)->cairo, x, y, radius, 0, 2 * PI);
    cairo_close_path(print_of(canvas)->cairo);
}

static void print_end(struct canvas *canvas)
{
    cairo_t *cairo = print_of(canvas)->cairo;
    const struct pen *pen = &print_of(canvas)->pen;
    const double *dashes = palette_dashes[pen->pattern];
    int count = 0;
    while (dashes[count] >= 0)
        count++;
    if (pen->fill != NULL) {
        set_colour(cairo, pen->fill, 1 - pen->clear);
        cairo_fill_preserve(cairo);
    }
    if (pen->stroke != NULL) {
        set_colour(cairo, pen->stroke, 1);
        cairo_set_line_width(cairo, pen->width > 0 ? pen->width : 1);
        cairo_set_line_join(cairo, pen->width > 0 ? CAIRO_LINE_JOIN_ROUND : CAIRO_LINE_JOIN_MITER);
        cairo_set_dash(cairo, dashes, count, pen->dash_from);
        cairo_stroke_preserve(cairo);
    }
}

static void print_box(struct canvas *canvas, const struct pen *pen, const struct box *box)
{
    print_begin(canvas, pen);
    cairo_rectangle(print_of(canvas)->cairo, box->left, box->top, box->width, box->height);
    print_end(canvas);
}

static double print_text_width(struct canvas *canvas, const struct lettering *lettering, const char *text,
                               size_t length)
{
    struct print *print = print_of(canvas);
    char start[512];
    cairo_text_extents_t extents;
    snprintf(start, sizeof start, "%.*s", (int)length, text);
    char *clean = escape_clean(start); /* valid UTF-8 also where it was cut */
    cairo_select_font_face(print->cairo, print->style->family, CAIRO_FONT_SLANT_NORMAL,
                           lettering->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(print->cairo, lettering->size);
    cairo_text_extents(print->cairo, clean != NULL ? clean : "", &extents);
    free(clean);
    return extents.x_advance;
}

static void print_text(struct canvas *canvas, const struct lettering *lettering, double x, double y, const char *text)
{
    struct print *print = print_of(canvas);
    char *clean = escape_clean(text);
    if (clean == NULL)
        return;
    double width = print_text_width(canvas, lettering, clean, strlen(clean));
    cairo_save(print->cairo);
    set_colour(print->cairo, lettering->colour != NULL ? lettering->colour : PICTURE_INK, 1);
    cairo_translate(print->cairo, x, y);
    cairo_rotate(print->cairo, lettering->angle * PI / 180);
    cairo_move_to(print->cairo, -lettering->anchor * width, 0);
    cairo_show_text(print->cairo, clean);
    cairo_restore(print->cairo);
    free(clean);
}

static const struct canvas_kind kind = {.open = print_open,
                                        .close = print_close,
                                        .clip = print_clip,
                                        .begin = print_begin,
                                        .move = print_move,
                                        .line = print_line,
                                        .round = print_round,
                                        .end = print_end,
                                        .box = print_box,
                                        .text = print_text,
                                        .text_width = print_text_width};

bool report_prints(void)
{
    return true;
}

bool report_print(const struct chart *chart, const struct report_style *style, enum report_print as, FILE *out)
{
    struct print print = {.canvas = {&kind}, .style = style, .as = as, .out = out};
    print_on(&print,
             cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1)); /* to measure letters on, before there is a size */
    bool made = panels_put(chart, style, &print.canvas);
    made = made && cairo_status(print.cairo) != CAIRO_STATUS_NO_MEMORY;
    cairo_destroy(print.cairo);
    cairo_surface_destroy(print.surface);
    return made;
}

#endif
