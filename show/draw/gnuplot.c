/*
 * gnuplot.c - a chart as a script for gnuplot 5.4 with its data inside, so that a paper can change what it looks like.
 * It writes NAME.svg; `gnuplot -e "format='pdf'" NAME.gp` writes NAME.pdf where the pdfcairo terminal is there.
 */
#include <math.h>

#include "show/draw/escape.h"
#include "show/draw/palette.h"
#include "show/draw/scale.h"

#define NARROW 500.0 /* px: the legend has no room beside the chart */

static void put_number(double number, FILE *out)
{
    if (isfinite(number))
        fprintf(out, " %.9g", number);
    else
        fputs(" NaN", out);
}

static void put_data(const struct chart_line *line, uint32_t which, FILE *out)
{
    fprintf(out, "$line%u << END\n", which);
    for (uint32_t i = 0; i < line->count; i++) {
        put_number(line->x[i], out);
        put_number(line->y[i], out);
        put_number(line->low != NULL ? line->low[i] : NAN, out);
        put_number(line->high != NULL ? line->high[i] : NAN, out);
        const char *sign = censoring_sign(chart_censoring(line, i));
        fprintf(out, "%s%s\n", line->censoring != NULL ? " " : "",
                line->censoring != NULL && sign[0] == '\0' ? "-" : sign);
    }
    fputs("END\n", out);
}

static void put_setting(const char *name, const char *text, FILE *out)
{
    fprintf(out, "set %s ", name);
    escape_gnuplot(text, out);
    fputc('\n', out);
}

/* Those of our own drawing, with its texts. */
static void put_ticks(char axis, uint32_t (*of)(const struct chart *chart, double *ticks), const struct chart *chart,
                      FILE *out)
{
    double ticks[SCALE_TICKS_MAX];
    uint32_t count = of(chart, ticks);
    fprintf(out, "set %ctics (", axis);
    for (uint32_t i = 0; i < count; i++) {
        char text[SCALE_TEXT_MAX];
        scale_text(ticks[i], text);
        fputs(i > 0 ? ", " : "", out);
        escape_gnuplot(text, out);
        fprintf(out, " %.9g", ticks[i]);
    }
    fputs(")\n", out);
}

static void put_axes(const struct chart *chart, FILE *out)
{
    struct scale x = scale_room(chart, scale_of_x(chart)), y = scale_of_y(chart);
    if (x.log)
        fputs("set logscale x\n", out);
    if (y.log)
        fputs("set logscale y\n", out);
    fprintf(out, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", x.min, x.max, y.min, y.max);
    if (chart->kind != CHART_HEAT)
        put_ticks('y', scale_y_ticks, chart, out);
    if (chart->x_labels == NULL) {
        put_ticks('x', scale_x_ticks, chart, out);
        return;
    }
    fputs("set xtics rotate by -30 (", out);
    for (uint32_t i = 0; i < chart->x_label_count; i++) {
        fputs(i > 0 ? ", " : "", out);
        escape_gnuplot(chart->x_labels[i], out);
        fprintf(out, " %u", i);
    }
    fputs(")\n", out);
}

/* Vectors with flat heads: the style yerrorbars blanks out what is behind its points. */
static void put_intervals(uint32_t which, double shift, const char *colour, FILE *out)
{
    fprintf(
        out,
        ", \\\n    $line%u using ($1+%.6g):3:(0):($4-$3) with vectors heads size screen 0.005,90 lc rgb '%s' notitle",
        which, shift, colour);
}

/* Beside censored points; the other rows have a dash there. */
static void put_signs(const struct chart_line *line, uint32_t which, double shift, FILE *out)
{
    if (line->censoring != NULL)
        fprintf(out,
                ", \\\n    $line%u using ($1+%.6g):2:(strcol(5) eq '-' ? '' : strcol(5)) with labels offset 0.8,0.6 "
                "notitle",
                which, shift);
}

static void put_legend_of_signs(const struct chart *chart, FILE *out)
{
    for (uint32_t i = CENSORING_NONE + 1; i <= CENSORING_PARTIAL; i++)
        if (chart_has_censoring(chart, (enum censoring)i))
            fprintf(out, ", \\\n    NaN with points pt 0 title '%s %s'", censoring_sign((enum censoring)i),
                    censoring_words((enum censoring)i));
}

static void put_plot_of_line(const struct chart_line *line, uint32_t which, FILE *out)
{
    static const int points[CHART_COLOURS] = {7, 5, 9, 13, 11, 2, 1, 6};
    static const int dashes[CHART_PATTERNS] = {1, 2, 3, 4};
    const char *with = line->steps ? "steps" : line->markers ? "linespoints" : "lines";
    fprintf(out, "    $line%u using 1:2 with %s lc rgb '%s' dt %d lw 1.6 ", which, with, palette_light[line->colour],
            dashes[line->pattern]);
    if (line->markers)
        fprintf(out, "pt %d ps 0.6 ", points[line->colour]);
    fputs("title ", out);
    escape_gnuplot(line->label, out);
    if (line->low != NULL)
        put_intervals(which, 0, palette_light[line->colour], out);
    put_signs(line, which, 0, out);
}

/* Cells with their numbers, rows from the top down. */
static void put_heat(const struct chart *chart, FILE *out)
{
    fputs("$cells << END\n", out);
    for (uint32_t l = 0; l < chart->line_count; l++)
        for (uint32_t i = 0; i < chart->lines[l].count; i++) {
            fprintf(out, "%u %u", i, chart->line_count - 1 - l);
            put_number(chart->lines[l].y[i], out);
            fputc('\n', out);
        }
    fputs("END\nset ytics (", out);
    for (uint32_t l = 0; l < chart->line_count; l++) {
        fputs(l > 0 ? ", " : "", out);
        escape_gnuplot(chart->lines[l].label, out);
        fprintf(out, " %u", chart->line_count - 1 - l);
    }
    fprintf(out,
            ")\nset yrange [-0.5:%.1f]\nunset key\nunset grid\n%sset palette defined (0 '#f4f9fd', 1 '#9ecae1', "
            "2 '#3182bd')\nplot $cells using 1:2:3 with image, $cells using 1:2:(sprintf('%%.3g', $3)) with labels\n",
            chart->line_count - 0.5, chart->log_y ? "set logscale cb\n" : "");
}

static void put_plot_of_bars(const struct chart *chart, uint32_t which, FILE *out)
{
    const struct chart_line *line = &chart->lines[which];
    double width = 0.8 / chart->line_count, shift = (which + 0.5) * width - 0.4;
    fprintf(out, "    $line%u using ($1+%.6g):2:(%.6g) with boxes fs solid %.2g border lc rgb '%s' title ", which,
            shift, 0.92 * width, palette_fills[line->pattern], palette_light[line->colour]);
    escape_gnuplot(line->label, out);
    if (line->low != NULL)
        put_intervals(which, shift, "black", out);
    put_signs(line, which, shift, out);
}

/* The ratio of the drawing: 0.63 where no height is asked for. */
static void put_terminals(const struct report_style *style, FILE *out)
{
    double height = style->height_px > 0 ? style->height_px : 0.63 * style->width_px;
    fprintf(out,
            "reset\n" /* one gnuplot may draw several charts: what the one before has set ends here */
            "# Written by weir report: a chart with its data, for gnuplot 5.4.\n"
            "if (exists('format') && format eq 'pdf') {\n"
            "    set terminal pdfcairo noenhanced size %.4gin,%.4gin font ',%.4g' fontscale 0.75\n    set output ",
            style->width_px / 96, height / 96, style->font_px * 0.75);
}

static void put_key(const struct chart *chart, const struct report_style *style, FILE *out)
{
    static const char *const corners[FIGURE_LEGENDS] = {[FIGURE_LEGEND_RIGHT] = "outside right top",
                                                        [FIGURE_LEGEND_TOP_LEFT] = "inside left top opaque",
                                                        [FIGURE_LEGEND_TOP_RIGHT] = "inside right top opaque",
                                                        [FIGURE_LEGEND_BOTTOM_LEFT] = "inside left bottom opaque",
                                                        [FIGURE_LEGEND_BOTTOM_RIGHT] = "inside right bottom opaque"};
    if (chart->legend == FIGURE_LEGEND_NONE)
        fputs("unset key\n", out);
    else if (corners[chart->legend] != NULL)
        fprintf(out, "set key %s Left reverse samplen 2\n", corners[chart->legend]);
    else
        fputs(style->width_px < NARROW ? "set key below Left reverse samplen 2\n"
                                       : "set key outside right top Left reverse\n",
              out);
}

bool report_gnuplot(const struct chart *chart, const struct report_style *style, const char *name, FILE *out)
{
    double height = style->height_px > 0 ? style->height_px : 0.63 * style->width_px;
    put_terminals(style, out);
    char file[256];
    snprintf(file, sizeof file, "%s.pdf", name);
    escape_gnuplot(file, out);
    fprintf(out,
            "\n} else {\n    set terminal svg noenhanced size %.0f,%.0f font ',%.4g' background 'white'\n    set "
            "output ",
            style->width_px, height, style->font_px);
    snprintf(file, sizeof file, "%s.svg", name);
    escape_gnuplot(file, out);
    fputs("\n}\nset encoding utf8\nset grid lc rgb '#dddddd'\nset border 3\nset tics nomirror\n", out);
    put_key(chart, style, out);
    if (!style->no_title)
        put_setting("title", chart->title, out);
    put_setting("xlabel", chart->x_title, out);
    put_setting("ylabel", chart->y_title, out);
    for (uint32_t l = 0; l < chart->line_count; l++)
        put_data(&chart->lines[l], l, out);
    put_axes(chart, out);
    if (chart->kind == CHART_HEAT && chart->line_count > 0) {
        put_heat(chart, out);
        return true;
    }
    fputs(chart->line_count > 0 ? "plot \\\n" : "plot NaN notitle\n", out);
    for (uint32_t l = 0; l < chart->line_count; l++) {
        if (chart->kind == CHART_BARS)
            put_plot_of_bars(chart, l, out);
        else
            put_plot_of_line(&chart->lines[l], l, out);
        if (l + 1 == chart->line_count && style->width_px >= NARROW) /* else it leaves the chart no room */
            put_legend_of_signs(chart, out);
        fputs(l + 1 < chart->line_count ? ", \\\n" : "\n", out);
    }
    return true;
}
