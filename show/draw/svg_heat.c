/*
 * svg_heat.c - a heat map: a cell per value of two axes, its number in it, darker for more. Text is black or white,
 * whichever has more contrast: one of them always has 4.5:1.
 */
#include <math.h>

#include "show/draw/palette.h"
#include "show/draw/svg.h"

struct colour {
    double r, g, b; /* 0 .. 255 */
};

static const struct colour stops[] = {{244, 249, 253}, {158, 202, 225}, {49, 130, 189}, {8, 48, 107}};

static struct colour colour_at(double part)
{
    double place = part * 3;
    uint32_t below = place >= 3 ? 2 : (uint32_t)place;
    double between = place - below;
    const struct colour *a = &stops[below], *b = &stops[below + 1];
    return (struct colour){a->r + between * (b->r - a->r), a->g + between * (b->g - a->g),
                           a->b + between * (b->b - a->b)};
}

static double linear(double channel)
{
    double c = channel / 255;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static bool is_dark(struct colour colour)
{
    return 0.2126 * linear(colour.r) + 0.7152 * linear(colour.g) + 0.0722 * linear(colour.b) < 0.179;
}

/* Where a number stands between the least and the greatest of the chart: by logarithm on a logarithmic scale. */
static double part_of(const struct svg *svg, double number, double least, double most)
{
    if (!(most > least))
        return 0.5;
    if (svg->chart->log_y && least > 0)
        return log(number / least) / log(most / least);
    return (number - least) / (most - least);
}

static void find_range(const struct chart *chart, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (uint32_t l = 0; l < chart->line_count; l++)
        for (uint32_t i = 0; i < chart->lines[l].count; i++) {
            double y = chart->lines[l].y[i];
            if (!isfinite(y) || (chart->log_y && y <= 0))
                continue;
            *least = fmin(*least, y);
            *most = fmax(*most, y);
        }
}

void svg_put_heat(const struct svg *svg)
{
    const struct chart *chart = svg->chart;
    double least, most, width = (svg->right - svg->left) / chart->x_label_count;
    double height = (svg->bottom - svg->top) / chart->line_count;
    find_range(chart, &least, &most);
    for (uint32_t l = 0; l < chart->line_count; l++)
        for (uint32_t i = 0; i < chart->lines[l].count; i++) {
            double y = chart->lines[l].y[i], x = svg->left + i * width, top = svg->top + l * height;
            if (!isfinite(y))
                continue;
            double part = fmin(fmax(part_of(svg, y, least, most), 0), 1);
            struct colour colour = colour_at(part);
            char text[48], marked[CENSORING_TEXT_MAX];
            snprintf(text, sizeof text, "%.3g", y);
            fprintf(svg->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#%02x%02x%02x\"/>\n",
                    x, top, width, height, (unsigned)lround(colour.r), (unsigned)lround(colour.g),
                    (unsigned)lround(colour.b));
            if (width >= 30)
                fprintf(svg->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"%s\">%s</text>\n",
                        x + width / 2, top + height / 2 + 4, is_dark(colour) ? "#ffffff" : "#000000",
                        censoring_text(chart_censoring(&chart->lines[l], i), text, marked));
        }
}
