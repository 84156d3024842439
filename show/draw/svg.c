/*
 * svg.c - a chart as a drawing: for papers as a file, and in the page where there is no script, and on paper. The frame
 * is sized by what it holds: the labels of the ticks, the names of the x axis (turned when they are long), the legend.
 *
 * Written by hand: a chart is a few hundred lines of plain SVG, and the libraries that draw (cairo) neither share
 * scales and colours with the page's script nor give text that can be selected and restyled.
 */
#include "show/draw/svg.h"

#include <math.h>
#include <string.h>

#include "show/draw/escape.h"
#include "show/draw/palette.h"

#define SVG_CELL 30.0   /* height of a row of a heat map */
#define SVG_FIELD 300.0 /* height of the field */
#define SVG_LETTER 6.6  /* width of a letter, on average */
#define SVG_ROW 20.0    /* of the legend */
#define SVG_SAMPLE 32.0 /* of a line in the legend */
#define SVG_TURNED 26.0 /* from one turned name to the next, along the axis */
#define SVG_LABEL_MAX 40u

struct frame {
    struct svg svg;
    bool turned;          /* names below the x axis */
    uint32_t every;       /* 3: each third of them is written, as more would touch */
    double names;         /* height of what stands below the x axis */
    double width, height; /* in all */
    const struct report_style *style;
};

/* A drawing is made for letters of 12 px and scaled as a whole: lines and marks grow with the letters. */
static double frame_scale(const struct report_style *style)
{
    return style->font_px / 12;
}

static double text_width(const char *text)
{
    uint32_t letters = 0;
    for (; *text != '\0'; text++)
        letters += ((unsigned char)*text & 0xc0) != 0x80;
    return SVG_LETTER * (letters < SVG_LABEL_MAX ? letters : SVG_LABEL_MAX);
}

static double tick_width(const struct chart *chart)
{
    double ticks[SCALE_TICKS_MAX], widest = 0;
    uint32_t count = scale_y_ticks(chart, ticks);
    for (uint32_t i = 0; i < count; i++) {
        char text[SCALE_TEXT_MAX];
        scale_text(ticks[i], text);
        widest = fmax(widest, text_width(text));
    }
    return widest;
}

/* Of the names beside a heat map. */
static double rows_width(const struct chart *chart)
{
    double widest = 0;
    for (uint32_t l = 0; l < chart->line_count; l++)
        widest = fmax(widest, text_width(chart->lines[l].label));
    return widest;
}

/* Entry i of the legend: a line, or behind the lines a sign; false: the chart does not have that sign. */
static bool legend_entry(const struct chart *chart, uint32_t i, const struct chart_line **line,
                         enum censoring *censoring)
{
    *line = i < chart->line_count ? &chart->lines[i] : NULL;
    *censoring = *line != NULL ? CENSORING_NONE : (enum censoring)(CENSORING_NONE + 1 + i - chart->line_count);
    return *line != NULL || chart_has_censoring(chart, *censoring);
}

/* One line needs no name beside what the axis says. */
static bool legend_is_needless(const struct chart *chart)
{
    if (chart->kind == CHART_HEAT || chart->legend == FIGURE_LEGEND_NONE)
        return true;
    return chart->line_count == 1 && chart->numbers != CHART_NUMBERS_EXTREMES &&
           !chart_has_censoring(chart, CENSORING_BOUND) && !chart_has_censoring(chart, CENSORING_PARTIAL);
}

/* Of the longest entry, with its sample. */
static double legend_width(const struct chart *chart)
{
    double widest = 0;
    for (uint32_t i = 0; i < chart->line_count + CENSORING_PARTIAL; i++) {
        const struct chart_line *line;
        enum censoring censoring;
        if (legend_entry(chart, i, &line, &censoring))
            widest = fmax(widest, text_width(line != NULL ? line->label : censoring_words(censoring)));
    }
    return SVG_SAMPLE + widest + 14;
}

/* Where each entry of the legend stands, from `left` on; returns the rows. With `draw`, it is drawn too. */
static uint32_t legend_walk(const struct frame *frame, double left, double top, bool draw)
{
    const struct svg *svg = &frame->svg;
    bool below = svg->chart->legend == FIGURE_LEGEND_BELOW; /* else one in each row */
    double x = left;
    uint32_t rows = 1;
    if (legend_is_needless(svg->chart))
        return 0;
    for (uint32_t i = 0; i < svg->chart->line_count + CENSORING_PARTIAL; i++) {
        const struct chart_line *line;
        enum censoring censoring;
        if (!legend_entry(svg->chart, i, &line, &censoring))
            continue;
        const char *label = line != NULL ? line->label : censoring_words(censoring);
        double width = SVG_SAMPLE + text_width(label) + 14;
        if (x > left && (!below || x + width > svg->right)) {
            x = left;
            rows++;
        }
        double y = top + rows * SVG_ROW - SVG_ROW / 2;
        if (draw && line != NULL)
            svg_put_sample(svg, line, x, y);
        else if (draw)
            svg_put_sign(svg, censoring, x + SVG_SAMPLE / 2, y + 4);
        if (draw) {
            fprintf(svg->out, "<text class=\"ink\" fill=\"#222222\" x=\"%.1f\" y=\"%.1f\">", x + SVG_SAMPLE, y + 4);
            escape_markup(label, svg->out);
            fputs("</text>\n", svg->out);
        }
        x += width;
    }
    return rows;
}

static void frame_make(struct frame *frame, const struct chart *chart, const struct report_style *style, FILE *out)
{
    struct svg *svg = &frame->svg;
    bool title = !style->no_title;
    *frame = (struct frame){.svg = {.chart = chart, .out = out}, .style = style};
    frame->width = style->width_px / frame_scale(style);
    svg->x = scale_of_x(chart);
    svg->y = scale_of_y(chart);
    svg->left = 36 + fmax(chart->kind == CHART_HEAT ? rows_width(chart) : tick_width(chart), 14);
    bool beside = chart->legend == FIGURE_LEGEND_RIGHT && !legend_is_needless(chart);
    svg->right = fmax(frame->width - 16 - (beside ? legend_width(chart) : 0), svg->left + 60);
    svg->top = title ? 44 : 12;
    svg->bottom = svg->top + (chart->kind == CHART_HEAT ? SVG_CELL * chart->line_count
                                                        : fmin(SVG_FIELD, fmax(120, 0.45 * frame->width)));
    double inset = chart->kind == CHART_LINES && chart->x_labels == NULL ? 8 : 0;
    if (inset > 0 && chart->line_count > 1 && chart->lines[0].low != NULL)
        inset += 1.5 * chart->line_count; /* their intervals stand beside each other: svg_lines.c */
    svg->x.from = svg->left + inset;
    svg->x.to = svg->right - inset;
    svg->y.from = svg->bottom;
    svg->y.to = svg->top;
    double widest = 0;
    for (uint32_t i = 0; i < chart->x_label_count; i++)
        widest = fmax(widest, text_width(chart->x_labels[i]));
    double place = (svg->right - svg->left) / fmax(chart->x_label_count, 1);
    frame->turned = widest + 8 > place;
    frame->every = frame->turned ? (uint32_t)ceil(SVG_TURNED / place) : 1;
    frame->names = frame->turned ? 12 + 0.5 * widest : 18;
    uint32_t rows = chart->legend == FIGURE_LEGEND_BELOW ? legend_walk(frame, svg->left, 0, false) : 0;
    frame->height = svg->bottom + frame->names + 26 + rows * SVG_ROW + 8;
    if (style->height_px > 0) { /* the field takes what the rest leaves */
        double more = style->height_px / frame_scale(style) - frame->height;
        more = fmax(more, 60 - (svg->bottom - svg->top));
        frame->height += more;
        svg->bottom += more;
        svg->y.from = svg->bottom;
    }
}

static void put_names(const struct frame *frame)
{
    const struct svg *svg = &frame->svg;
    for (uint32_t i = 0; i < svg->chart->x_label_count; i += frame->every) {
        double x = scale_place(&svg->x, i), y = svg->bottom + 16;
        fprintf(svg->out, "<text class=\"ink\" fill=\"#222222\" x=\"%.1f\" y=\"%.1f\" ", x, y);
        if (frame->turned)
            fprintf(svg->out, "text-anchor=\"end\" transform=\"rotate(-30 %.1f %.1f)\">", x, y);
        else
            fputs("text-anchor=\"middle\">", svg->out);
        escape_markup(svg->chart->x_labels[i], svg->out);
        fputs("</text>\n", svg->out);
    }
}

static void put_x_ticks(const struct svg *svg)
{
    double ticks[SCALE_TICKS_MAX];
    uint32_t count = scale_x_ticks(svg->chart, ticks);
    double free_from = -1e9; /* labels that would touch are left out */
    for (uint32_t i = 0; i < count; i++) {
        char text[SCALE_TEXT_MAX];
        scale_text(ticks[i], text);
        double x = scale_place(&svg->x, ticks[i]), half = text_width(text) / 2 + 4;
        fprintf(svg->out, "<path class=\"grid\" stroke=\"#dddddd\" d=\"M%.1f %.1fV%.1f\"/>\n", x, svg->bottom,
                svg->top);
        if (x - half < free_from)
            continue;
        fprintf(svg->out,
                "<text class=\"ink\" fill=\"#222222\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", x,
                svg->bottom + 16, text);
        free_from = x + half;
    }
}

static void put_y_ticks(const struct svg *svg)
{
    double ticks[SCALE_TICKS_MAX];
    uint32_t count = scale_y_ticks(svg->chart, ticks);
    for (uint32_t i = 0; i < count; i++) {
        char text[SCALE_TEXT_MAX];
        scale_text(ticks[i], text);
        double y = scale_place(&svg->y, ticks[i]);
        fprintf(svg->out, "<path class=\"grid\" stroke=\"#dddddd\" d=\"M%.1f %.1fH%.1f\"/>\n", svg->left, y,
                svg->right);
        fprintf(svg->out, "<text class=\"ink\" fill=\"#222222\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                svg->left - 7, y + 4, text);
    }
}

/* A heat map has the names of its rows there. */
static void put_rows(const struct svg *svg)
{
    double height = (svg->bottom - svg->top) / svg->chart->line_count;
    for (uint32_t l = 0; l < svg->chart->line_count; l++) {
        fprintf(svg->out, "<text class=\"ink\" fill=\"#222222\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
                svg->left - 7, svg->top + (l + 0.5) * height + 4);
        escape_markup(svg->chart->lines[l].label, svg->out);
        fputs("</text>\n", svg->out);
    }
}

static void put_titles(const struct frame *frame)
{
    const struct svg *svg = &frame->svg;
    double middle = (svg->left + svg->right) / 2;
    fprintf(svg->out, "<text class=\"ink\" fill=\"#222222\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", middle,
            svg->bottom + frame->names + 16);
    escape_markup(svg->chart->x_title, svg->out);
    middle = (svg->top + svg->bottom) / 2;
    fprintf(svg->out,
            "</text>\n<text class=\"ink\" fill=\"#222222\" x=\"14\" y=\"%.1f\" text-anchor=\"middle\" "
            "transform=\"rotate(-90 14 %.1f)\">",
            middle, middle);
    escape_markup(svg->chart->y_title, svg->out);
    fputs("</text>\n", svg->out);
}

/* Below, beside, or in a corner of the field, on its ground. */
static void put_legend(const struct frame *frame)
{
    const struct svg *svg = &frame->svg;
    enum figure_legend legend = svg->chart->legend;
    uint32_t rows = legend_walk(frame, svg->left, 0, false);
    double width = legend_width(svg->chart), height = rows * SVG_ROW;
    bool left = legend == FIGURE_LEGEND_TOP_LEFT || legend == FIGURE_LEGEND_BOTTOM_LEFT;
    bool top = legend == FIGURE_LEGEND_TOP_LEFT || legend == FIGURE_LEGEND_TOP_RIGHT;
    double x = left ? svg->left + 8 : svg->right - width - 8, y = top ? svg->top + 6 : svg->bottom - height - 6;
    if (legend == FIGURE_LEGEND_BELOW)
        legend_walk(frame, svg->left, svg->bottom + frame->names + 24, true);
    else if (legend == FIGURE_LEGEND_RIGHT)
        legend_walk(frame, svg->right + 10, svg->top, true);
    if (rows == 0 || legend == FIGURE_LEGEND_BELOW || legend == FIGURE_LEGEND_RIGHT)
        return;
    fprintf(svg->out,
            "<rect class=\"ground\" fill=\"#ffffff\" fill-opacity=\"0.85\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.1f\"/>\n",
            x, y, width, height);
    legend_walk(frame, x + 4, y, true);
}

static void put_drawing(const struct frame *frame)
{
    const struct svg *svg = &frame->svg;
    if (svg->chart->x_labels != NULL)
        put_names(frame);
    else
        put_x_ticks(svg);
    if (svg->chart->kind == CHART_HEAT) {
        put_rows(svg);
        svg_put_heat(svg);
    } else {
        put_y_ticks(svg);
        svg_put_lines(svg);
    }
    fprintf(svg->out, "<path class=\"axis\" fill=\"none\" stroke=\"#222222\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", svg->left,
            svg->top, svg->bottom, svg->right);
    put_titles(frame);
    put_legend(frame);
}

static void put_open(const struct frame *frame, const char *more)
{
    const struct svg *svg = &frame->svg;
    fprintf(svg->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" %s role=\"img\" "
            "font-size=\"12\" font-family=\"",
            frame->width, frame->height, more);
    escape_markup(frame->style->family, svg->out);
    fputs("\" aria-label=\"", svg->out);
    escape_markup(svg->chart->title, svg->out);
    fputs("\">\n", svg->out);
}

void svg_put_inline(const struct chart *chart, FILE *out)
{
    struct frame frame;
    struct report_style style = REPORT_STYLE;
    style.no_title = true;
    frame_make(&frame, chart, &style, out);
    put_open(&frame, chart->kind == CHART_HEAT ? "class=\"still heat\"" : "class=\"still\"");
    put_drawing(&frame);
    fputs("</svg>\n", out);
}

/* The dark screen's colours; the light ones stand in the drawing. */
static void put_dark_style(FILE *out)
{
    fputs("<style>@media (prefers-color-scheme: dark) {\n.ground { fill: #14171c }\n.ink { fill: #e6e8ea }\n"
          ".grid { stroke: #333a44 }\n.axis { stroke: #e6e8ea }\n",
          out);
    for (uint32_t i = 0; i < CHART_COLOURS; i++)
        fprintf(out, ".s%u { stroke: %s }\n.f%u { fill: %s }\n", i, palette_dark[i], i, palette_dark[i]);
    fputs("}</style>\n", out);
}

bool report_svg(const struct chart *chart, const struct report_style *style, FILE *out)
{
    struct frame frame;
    frame_make(&frame, chart, style, out);
    char size[96];
    double scale = frame_scale(style);
    snprintf(size, sizeof size, "width=\"%.6g\" height=\"%.6g\"", scale * frame.width, scale * frame.height);
    put_open(&frame, size);
    if (!style->light)
        put_dark_style(out);
    fprintf(out, "<rect class=\"ground\" fill=\"#ffffff\" width=\"%.1f\" height=\"%.1f\"/>\n", frame.width,
            frame.height);
    if (!style->no_title) {
        double letters = 15;
        double width = text_width(chart->title) * letters / 12; /* a long one gets smaller letters */
        if (width > frame.width - frame.svg.left - 8)
            letters = fmax(9, letters * (frame.width - frame.svg.left - 8) / width);
        fprintf(out,
                "<text class=\"ink\" fill=\"#222222\" x=\"%.1f\" y=\"26\" font-size=\"%.1f\" "
                "font-weight=\"bold\">",
                frame.svg.left, letters);
        escape_markup(chart->title, out);
        fputs("</text>\n", out);
    }
    put_drawing(&frame);
    fputs("</svg>\n", out);
    return true;
}
