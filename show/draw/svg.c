/*
 * svg.c - see svg.h. Written without a library: it is a few kinds of elements, and those that draw (cairo) write text
 * that can neither be selected nor restyled.
 */
#include "show/draw/svg.h"

#include "show/draw/escape.h"
#include "show/draw/panels.h"

#define LETTER 0.55 /* width of a letter, of its size: on average, whichever font there is */

struct svg {
    struct canvas canvas;
    const struct report_style *style;
    const char *class; /* of a page's; null: a file */
    FILE *out;
    double x, y; /* where the pen is */
};

static struct svg *svg_of(struct canvas *canvas)
{
    return (struct svg *)canvas;
}

static void svg_open(struct canvas *canvas, const char *title, double width, double height)
{
    struct svg *svg = svg_of(canvas);
    double scale = svg->style->font_px / 12;
    fprintf(svg->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" ", width, height);
    if (svg->class != NULL)
        fprintf(svg->out, "class=\"%s\"", svg->class);
    else
        fprintf(svg->out, "width=\"%.6g\" height=\"%.6g\"", scale * width, scale * height);
    fputs(" role=\"img\" font-size=\"12\" font-family=\"", svg->out);
    escape_markup(svg->style->family, svg->out);
    fputs("\" aria-label=\"", svg->out);
    escape_markup(title, svg->out);
    fputs("\">\n", svg->out);
    if (svg->class != NULL)
        return;
    if (!svg->style->light) {
        /* The dark screen's colours; the light ones stand in the drawing. */
        fputs("<style>@media (prefers-color-scheme: dark) {\n.ground { fill: #14171c }\n.ink { fill: #e6e8ea }\n"
              ".grid { stroke: #333a44 }\n.axis { stroke: #e6e8ea }\n",
              svg->out);
        for (uint32_t i = 0; i < CHART_COLOURS; i++)
            fprintf(svg->out, ".s%u { stroke: %s }\n.f%u { fill: %s }\n", i, palette_dark[i], i, palette_dark[i]);
        fputs("}</style>\n", svg->out);
    }
    fprintf(svg->out, "<rect class=\"ground\" fill=\"#ffffff\" width=\"%.1f\" height=\"%.1f\"/>\n", width, height);
}

static void svg_close(struct canvas *canvas)
{
    fputs("</svg>\n", svg_of(canvas)->out);
}

/* An inner svg element cuts without an id, which could be there twice in a page. */
static void svg_clip(struct canvas *canvas, const struct box *box)
{
    if (box == NULL)
        fputs("</svg>\n", svg_of(canvas)->out);
    else
        fprintf(svg_of(canvas)->out,
                "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f %.1f %.1f\">\n",
                box->left, box->top, box->width, box->height, box->left, box->top, box->width, box->height);
}

static void put_pen(const struct pen *pen, FILE *out)
{
    if (pen->class[0] != '\0')
        fprintf(out, " class=\"%s\"", pen->class);
    fprintf(out, " fill=\"%s\"", pen->fill != NULL ? pen->fill : "none");
    if (pen->clear > 0)
        fprintf(out, " fill-opacity=\"%.2f\"", 1 - pen->clear);
    if (pen->stroke != NULL)
        fprintf(out, " stroke=\"%s\"", pen->stroke);
    if (pen->width > 0)
        fprintf(out, " stroke-width=\"%.3g\" stroke-linejoin=\"round\"", pen->width);
    const double *dashes = palette_dashes[pen->pattern];
    for (uint32_t i = 0; dashes[i] >= 0; i++)
        fprintf(out, "%s%.3g%s", i == 0 ? " stroke-dasharray=\"" : " ", dashes[i], dashes[i + 1] < 0 ? "\"" : "");
    if (pen->dash_from > 0)
        fprintf(out, " stroke-dashoffset=\"%.3g\"", pen->dash_from);
}

static void svg_begin(struct canvas *canvas, const struct pen *pen)
{
    fputs("<path", svg_of(canvas)->out);
    put_pen(pen, svg_of(canvas)->out);
    fputs(" d=\"", svg_of(canvas)->out);
}

static void svg_move(struct canvas *canvas, double x, double y)
{
    struct svg *svg = svg_of(canvas);
    fprintf(svg->out, "M%.1f %.1f", x, y);
    svg->x = x;
    svg->y = y;
}

static void svg_line(struct canvas *canvas, double x, double y)
{
    struct svg *svg = svg_of(canvas);
    if (y == svg->y)
        fprintf(svg->out, "H%.1f", x);
    else if (x == svg->x)
        fprintf(svg->out, "V%.1f", y);
    else
        fprintf(svg->out, "L%.1f %.1f", x, y);
    svg->x = x;
    svg->y = y;
}

static void svg_round(struct canvas *canvas, double x, double y, double r)
{
    fprintf(svg_of(canvas)->out, "M%.1f %.1fa%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 %.1f 0z", x - r, y, r, r, 2 * r, r,
            r, -2 * r);
}

static void svg_end(struct canvas *canvas)
{
    fputs("\"/>\n", svg_of(canvas)->out);
}

static void svg_box(struct canvas *canvas, const struct pen *pen, const struct box *box)
{
    FILE *out = svg_of(canvas)->out;
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", box->left, box->top, box->width,
            box->height);
    put_pen(pen, out);
    fputs("/>\n", out);
}

static void svg_text(struct canvas *canvas, const struct lettering *lettering, double x, double y, const char *text)
{
    FILE *out = svg_of(canvas)->out;
    fprintf(out, "<text%s fill=\"%s\" x=\"%.1f\" y=\"%.1f\"", lettering->colour == NULL ? " class=\"ink\"" : "",
            lettering->colour != NULL ? lettering->colour : PICTURE_INK, x, y);
    if (lettering->size != 12)
        fprintf(out, " font-size=\"%.3g\"", lettering->size);
    if (lettering->bold)
        fputs(" font-weight=\"bold\"", out);
    if (lettering->anchor > 0)
        fprintf(out, " text-anchor=\"%s\"", lettering->anchor < 1 ? "middle" : "end");
    if (lettering->angle != 0)
        fprintf(out, " transform=\"rotate(%.0f %.1f %.1f)\"", lettering->angle, x, y);
    fputc('>', out);
    escape_markup(text, out);
    fputs("</text>\n", out);
}

static double svg_text_width(struct canvas *canvas, const struct lettering *lettering, const char *text, size_t length)
{
    uint32_t letters = 0;
    (void)canvas;
    for (size_t i = 0; i < length; i++)
        letters += ((unsigned char)text[i] & 0xc0) != 0x80;
    return LETTER * lettering->size * letters;
}

static const struct canvas_kind kind = {.open = svg_open,
                                        .close = svg_close,
                                        .clip = svg_clip,
                                        .begin = svg_begin,
                                        .move = svg_move,
                                        .line = svg_line,
                                        .round = svg_round,
                                        .end = svg_end,
                                        .box = svg_box,
                                        .text = svg_text,
                                        .text_width = svg_text_width};

static bool put(const struct chart *chart, const struct report_style *style, const char *class, FILE *out)
{
    struct svg svg = {.canvas = {&kind}, .style = style, .class = class, .out = out};
    return panels_put(chart, style, &svg.canvas);
}

bool svg_put_inline(const struct chart *chart, FILE *out)
{
    struct report_style style = REPORT_STYLE;
    style.no_title = true;
    return put(chart, &style, chart->kind == CHART_HEAT ? "still heat" : "still", out);
}

bool report_svg(const struct chart *chart, const struct report_style *style, FILE *out)
{
    return put(chart, style, NULL, out);
}
