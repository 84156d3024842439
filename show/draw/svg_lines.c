/*
 * svg_lines.c - what stands within the axes of a drawing.
 */
#include <math.h>

#include "show/draw/palette.h"
#include "show/draw/svg.h"

#define SVG_MARK 3.6  /* half the width of a mark */
#define SVG_SIGN 4.0  /* from a point to the sign that says it is censored, both ways */
#define SVG_CAP 4.0   /* half the width of the end of an error bar */
#define SVG_GREY 5u   /* of the palette */
#define SVG_DODGE 3.0 /* from an interval to that of the next line */
#define SVG_GROUP 0.8 /* fraction of a group's width that its bars take */

/* Intervals of neighbouring lines stand a little beside each other, so that none hides another; points stay. */
static double dodge(const struct svg *svg, uint32_t which)
{
    const struct chart *chart = svg->chart;
    uint32_t count = chart->line_count;
    if (chart->kind != CHART_LINES || count < 2 || chart->lines[which].low == NULL)
        return 0;
    double between = (svg->right - svg->left) / fmax(chart->lines[which].count, 1);
    double step = fmin(SVG_DODGE, 0.5 * between / count);
    return step * (which - 0.5 * (count - 1));
}

static void put_stroke(const struct svg *svg, const struct chart_line *line, const char *dashes)
{
    fprintf(svg->out, " class=\"s%u\" stroke=\"%s\"", line->colour, palette_light[line->colour]);
    if (dashes[0] != '\0')
        fprintf(svg->out, " stroke-dasharray=\"%s\"", dashes);
}

/* A logarithmic axis has no place for zero; distributions begin at its left edge. */
static bool has_place(const struct svg *svg, const struct chart_line *line, uint32_t i)
{
    return isfinite(line->x[i]) && isfinite(line->y[i]) && (!svg->y.log || line->y[i] > 0) &&
           (!svg->x.log || line->x[i] > 0 || line->steps);
}

/* One shape per colour, so that lines differ in print too. */
static void put_mark(const struct svg *svg, const struct chart_line *line, double x, double y)
{
    double r = SVG_MARK;
    fprintf(svg->out, "<path class=\"s%u f%u\" stroke=\"%s\" fill=\"%s\" d=\"", line->colour, line->colour,
            palette_light[line->colour], palette_light[line->colour]);
    switch (line->colour) {
    case 1:
        fprintf(svg->out, "M%.1f %.1fh%.1fv%.1fh%.1fz", x - r, y - r, 2 * r, 2 * r, -2 * r);
        break;
    case 2:
        fprintf(svg->out, "M%.1f %.1fl%.1f %.1fh%.1fz", x, y - r - 1, r + 1, 2 * r + 1, -2 * r - 2);
        break;
    case 3:
        fprintf(svg->out, "M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz", x, y - r - 1, r + 1, r + 1, -r - 1, r + 1,
                -r - 1, -r - 1);
        break;
    case 4:
        fprintf(svg->out, "M%.1f %.1fl%.1f %.1fh%.1fz", x, y + r + 1, r + 1, -2 * r - 1, -2 * r - 2);
        break;
    case 5:
        fprintf(svg->out, "M%.1f %.1fl%.1f %.1fm0 %.1fl%.1f %.1f", x - r, y - r, 2 * r, 2 * r, -2 * r, -2 * r, 2 * r);
        break;
    case 6:
        fprintf(svg->out, "M%.1f %.1fv%.1fm%.1f %.1fh%.1f", x, y - r - 1, 2 * r + 2, -r - 1, -r - 1, 2 * r + 2);
        break;
    case 7:
        fprintf(svg->out, "M%.1f %.1fh%.1fM%.1f %.1fa%.1f %.1f 0 1 0 0.1 0z", x - r, y, 2 * r, x, y - r, r, r);
        break;
    default:
        fprintf(svg->out, "M%.1f %.1fa%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 %.1f 0z", x - r, y, r, r, 2 * r, r, r,
                -2 * r);
    }
    fputs("\"/>\n", svg->out);
}

static void put_error_bar(const struct svg *svg, const struct chart_line *line, uint32_t i, double x)
{
    if (line->low == NULL || !isfinite(line->low[i]) || !isfinite(line->high[i]))
        return;
    double low = scale_place(&svg->y, line->low[i]), high = scale_place(&svg->y, line->high[i]);
    low = low > svg->bottom ? svg->bottom : low;
    high = high < svg->top ? svg->top : high;
    fputs("<path fill=\"none\" stroke-width=\"1.2\"", svg->out);
    put_stroke(svg, line, "");
    fprintf(svg->out, " d=\"M%.1f %.1fV%.1fM%.1f %.1fh%.1fM%.1f %.1fh%.1f\"/>\n", x, low, high, x - SVG_CAP, low,
            2 * SVG_CAP, x - SVG_CAP, high, 2 * SVG_CAP);
}

static void put_path(const struct svg *svg, uint32_t which)
{
    const struct chart_line *line = &svg->chart->lines[which];
    bool pen_down = false;
    fprintf(svg->out, "<path fill=\"none\" stroke-width=\"%s\" stroke-linejoin=\"round\"", line->rule ? "1" : "1.8");
    put_stroke(svg, line, palette_dashes[line->pattern]);
    fputs(" d=\"", svg->out);
    for (uint32_t i = 0; i < line->count; i++) {
        if (!has_place(svg, line, i)) {
            pen_down = false;
            continue;
        }
        double x = scale_place(&svg->x, line->x[i]), y = scale_place(&svg->y, line->y[i]);
        y = y < -1e4 ? -1e4 : y > 1e4 ? 1e4 : y;
        if (pen_down && line->steps)
            fprintf(svg->out, "H%.1fV%.1f", x, y);
        else
            fprintf(svg->out, "%c%.1f %.1f", pen_down ? 'L' : 'M', x, y);
        pen_down = true;
    }
    fputs("\"/>\n", svg->out);
}

void svg_put_sign(const struct svg *svg, enum censoring censoring, double x, double y)
{
    if (censoring != CENSORING_NONE)
        fprintf(svg->out, "<text class=\"ink\" fill=\"#222222\" font-size=\"14\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x,
                y, censoring_sign(censoring));
}

static void put_marks(const struct svg *svg, uint32_t which)
{
    const struct chart_line *line = &svg->chart->lines[which];
    double shift = dodge(svg, which);
    for (uint32_t i = 0; i < line->count; i++) {
        double x = scale_place(&svg->x, line->x[i]), y = scale_place(&svg->y, line->y[i]);
        if (!has_place(svg, line, i) || x < svg->left || x > svg->right || y < svg->top || y > svg->bottom)
            continue;
        put_error_bar(svg, line, i, x + shift);
        put_mark(svg, line, x, y);
        svg_put_sign(svg, chart_censoring(line, i), x + SVG_SIGN, y - SVG_SIGN);
    }
}

struct box {
    double left, top, width, height;
};

/* Bars of the same colour differ in how full they are. */
static void put_box(const struct svg *svg, const struct chart_line *line, uint32_t colour, struct box box)
{
    fprintf(svg->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", box.left, box.top, box.width,
            box.height);
    if (line->pattern > 0)
        fprintf(svg->out, " class=\"f%u s%u\" fill-opacity=\"%.2f\" stroke=\"%s\"", colour, colour,
                palette_fills[line->pattern], palette_light[colour]);
    else
        fprintf(svg->out, " class=\"f%u\"", colour);
    fprintf(svg->out, " fill=\"%s\"/>\n", palette_light[colour]);
}

static void put_bars(const struct svg *svg, uint32_t which)
{
    const struct chart_line *line = &svg->chart->lines[which];
    double width = SVG_GROUP / svg->chart->line_count;
    double base = svg->y.log || svg->y.min > 0 ? svg->bottom : scale_place(&svg->y, 0);
    for (uint32_t i = 0; i < line->count; i++) {
        if (!has_place(svg, line, i))
            continue;
        double left = line->x[i] - SVG_GROUP / 2 + which * width;
        double from = scale_place(&svg->x, left + 0.04 * width), to = scale_place(&svg->x, left + 0.96 * width);
        double y = scale_place(&svg->y, line->y[i]);
        uint32_t colour = svg->chart->x_colours != NULL ? svg->chart->x_colours[i] : line->colour;
        put_box(svg, line, colour, (struct box){from, y < base ? y : base, to - from, fabs(base - y)});
        if (line->low != NULL && isfinite(line->low[i])) {
            double middle = (from + to) / 2;
            double low = scale_place(&svg->y, line->low[i]), high = scale_place(&svg->y, line->high[i]);
            low = low > svg->bottom ? svg->bottom : low;
            fprintf(svg->out,
                    "<path class=\"axis\" fill=\"none\" stroke=\"#222222\" stroke-width=\"1.2\" "
                    "d=\"M%.1f %.1fV%.1fM%.1f %.1fh8M%.1f %.1fh8\"/>\n",
                    middle, low, high, middle - 4, low, middle - 4, high);
        }
    }
}

/* Above the bars, also where they reach the top of the field. */
static void put_signs_of_bars(const struct svg *svg, uint32_t which)
{
    const struct chart_line *line = &svg->chart->lines[which];
    double width = SVG_GROUP / svg->chart->line_count;
    for (uint32_t i = 0; i < line->count; i++) {
        double x = scale_place(&svg->x, line->x[i] - SVG_GROUP / 2 + (which + 0.5) * width);
        if (has_place(svg, line, i))
            svg_put_sign(svg, chart_censoring(line, i), x + SVG_SIGN, scale_place(&svg->y, line->y[i]) - 2);
    }
}

void svg_put_lines(const struct svg *svg)
{
    const struct chart *chart = svg->chart;
    double width = svg->right - svg->left, height = svg->bottom - svg->top;
    /* An inner svg element cuts what is out of range, without an id that could be there twice in a page. */
    fprintf(svg->out, "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f %.1f %.1f\">\n",
            svg->left, svg->top, width, height, svg->left, svg->top, width, height);
    for (uint32_t l = 0; l < chart->line_count; l++) {
        if (chart->kind == CHART_BARS)
            put_bars(svg, l);
        else
            put_path(svg, l);
    }
    fputs("</svg>\n", svg->out);
    for (uint32_t l = 0; l < chart->line_count; l++) {
        if (chart->kind == CHART_BARS)
            put_signs_of_bars(svg, l);
        else if (chart->lines[l].markers)
            put_marks(svg, l);
    }
}

void svg_put_sample(const struct svg *svg, const struct chart_line *line, double x, double y)
{
    if (svg->chart->kind == CHART_BARS) {
        /* Where places have colours of their own, the legend tells fills: in grey. */
        put_box(svg, line, svg->chart->x_colours != NULL ? SVG_GREY : line->colour, (struct box){x + 8, y - 5, 14, 10});
        return;
    }
    fputs("<path fill=\"none\" stroke-width=\"1.8\"", svg->out);
    put_stroke(svg, line, palette_dashes[line->pattern]);
    if (line->pattern == 2) /* its dashes stand beside the mark */
        fputs(" stroke-dashoffset=\"6\"", svg->out);
    fprintf(svg->out, " d=\"M%.1f %.1fh26\"/>\n", x, y);
    if (line->markers)
        put_mark(svg, line, x + 13, y);
}
