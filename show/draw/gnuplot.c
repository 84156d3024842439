/*
 * gnuplot.c - a picture as a script for gnuplot 5.4 with its data inside, so that a paper can change what it looks
 * like. It writes NAME.svg; `gnuplot -e "format='pdf'" NAME.gp` writes NAME.pdf where the pdfcairo terminal is there.
 */
#include <math.h>

#include "show/draw/escape.h"
#include "show/draw/panels.h"

#define BESIDE 3u /* a legend of which so many fit side by side has room beside the chart */

static void put_number(double number, FILE *out)
{
    if (isfinite(number))
        fprintf(out, " %.9g", number);
    else
        fputs(" NaN", out);
}

/* A text along a side of this length, smaller where it would be cut. */
static void put_title(const char *name, const char *text, double room, const struct report_style *style, FILE *out)
{
    fprintf(out, "set %s ", name);
    escape_gnuplot(text, out);
    fprintf(out, " font sprintf(',%%.3g', %.3g * letters)\n",
            picture_letters(text, style->font_px, room) / style->font_px);
}

static void put_ticks(char name, const struct picture_axis *axis, FILE *out)
{
    fprintf(out, "set %ctics %s(", name, axis->places && name == 'x' ? "rotate by -30 " : "");
    for (uint32_t i = 0; i < axis->tick_count; i++) {
        fputs(i > 0 ? ", " : "", out);
        escape_gnuplot(axis->ticks[i].text, out);
        fprintf(out, " %.9g", axis->ticks[i].at);
    }
    fputs(")\n", out);
}

/* Intervals are vectors with flat heads: the style yerrorbars blanks out what is behind its points. Signs stand beside
 * their points; the other rows have a dash there. */
static void put_series(const struct picture *picture, uint32_t which, FILE *out)
{
    static const int points[CHART_COLOURS] = {7, 5, 9, 13, 11, 2, 1, 6};
    static const int dashes[CHART_PATTERNS] = {1, 2, 3, 4};
    const struct picture_series *series = &picture->series[which];
    bool bars = picture->kind == CHART_BARS;
    char colour[16] = "variable";
    if (!picture->places_coloured)
        snprintf(colour, sizeof colour, "'%s'", palette_light[series->colour]);
    if (bars)
        fprintf(out, "    $line%u using 1:2:(%.6g)%s with boxes lc rgb %s fs solid %.2f border ", which,
                picture->bar_width, picture->places_coloured ? ":6" : "", colour, palette_fills[series->pattern]);
    else
        fprintf(out, "    $line%u using 1:2 with %s lc rgb '%s' dt %d lw 1.6 ", which,
                series->steps     ? "steps"
                : series->markers ? "linespoints"
                                  : "lines",
                palette_light[series->colour], dashes[series->pattern]);
    if (!bars && series->markers)
        fprintf(out, "pt %d ps 0.6 ", points[series->colour]);
    fputs(picture->legend_of_series ? "title " : "notitle", out);
    if (picture->legend_of_series)
        escape_gnuplot(series->label, out);
    if (series->intervals)
        fprintf(out,
                ", \\\n    $line%u using 1:3:(0):($4-$3) with vectors heads size screen 0.005,90 lc rgb '%s' notitle",
                which, bars ? "black" : palette_light[series->colour]);
    if (series->signs)
        fprintf(out,
                ", \\\n    $line%u using 1:2:(strcol(5) eq '-' ? '' : strcol(5)) with labels offset 0.8,0.6 notitle",
                which);
}

static void put_plot(const struct picture *picture, FILE *out)
{
    if (picture->series_count == 0)
        fputs("plot NaN notitle", out);
    for (uint32_t i = 0; i < picture->series_count; i++) {
        fputs(i > 0 ? ", \\\n" : "plot \\\n", out);
        put_series(picture, i, out);
    }
}

static void put_heat(const struct picture *picture, FILE *out)
{
    fputs("$cells << END\n", out);
    for (uint32_t i = 0; i < picture->cell_count; i++) {
        const struct picture_cell *cell = &picture->cells[i];
        fprintf(out, "%u %u 0x%s 0x%s \"%s\"\n", cell->column, cell->row, cell->ground + 1, cell->ink + 1, cell->text);
    }
    fputs("END\nunset grid\nplot $cells using 1:2:(0.5):(0.5):3 with boxxyerror fs solid noborder lc rgb variable "
          "notitle, \\\n    $cells using 1:2:5:4 with labels tc rgb variable notitle",
          out);
}

/* The ratio of the drawing: 0.63 where no height is asked for. */
static void put_terminals(const struct report_style *style, const char *name, FILE *out)
{
    const struct report_style own = panels_style(style);
    double height = picture_height(&own) * panels_rows(style);
    char file[256];
    fprintf(out,
            "reset\n" /* one gnuplot may draw several charts: what the one before has set ends here */
            "# Written by weir report: a chart with its data, for gnuplot 5.4.\n"
            "letters = %.4g\n"
            "if (exists('format') && format eq 'pdf') {\n"
            "    letters = %.4g\n"
            "    set terminal pdfcairo noenhanced size %.4gin,%.4gin font sprintf(',%%.4g', letters) fontscale 0.75\n"
            "    set output ",
            style->font_px, style->font_px * 0.75, style->width_px / 96, height / 96);
    snprintf(file, sizeof file, "%s.pdf", name);
    escape_gnuplot(file, out);
    fprintf(out,
            "\n} else {\n    set terminal svg noenhanced size %.0f,%.0f font sprintf(',%%.4g', letters) "
            "background 'white'\n"
            "    set output ",
            style->width_px, height);
    snprintf(file, sizeof file, "%s.svg", name);
    escape_gnuplot(file, out);
    fputs("\n}\n", out);
}

/* One chart, without what it is written to. */
static bool put_chart(const struct chart *chart, const struct report_style *style, FILE *out)
{
    struct picture picture;
    bool made = picture_make(&picture, chart, style);
    if (made) {
        fputs("set encoding utf8\nset grid lc rgb '#dddddd'\nset border 3\nset tics nomirror\n", out);
        static const char *const places[FIGURE_LEGENDS] = {[FIGURE_LEGEND_RIGHT] = "outside right top",
                                                           [FIGURE_LEGEND_TOP_LEFT] = "inside left top opaque",
                                                           [FIGURE_LEGEND_TOP_RIGHT] = "inside right top opaque",
                                                           [FIGURE_LEGEND_BOTTOM_LEFT] = "inside left bottom opaque",
                                                           [FIGURE_LEGEND_BOTTOM_RIGHT] = "inside right bottom opaque"};
        const char *place = places[picture.legend_at];
        if (place == NULL)
            place = picture_legend_columns(&picture, style) < BESIDE ? "below" : "outside right top";
        if (picture.legend_count == 0)
            fputs("unset key\n", out);
        else
            fprintf(out, "set key %s Left reverse samplen 2\n", place);
        if (!style->no_title)
            put_title("title", picture.title, style->width_px, style, out);
        put_title("xlabel", picture.x.title, 0.8 * style->width_px, style, out);
        put_title("ylabel", picture.y.title, 0.85 * picture_height(style), style, out);
        for (uint32_t i = 0; i < picture.series_count; i++) {
            const struct picture_series *series = &picture.series[i];
            fprintf(out, "$line%u << END\n", i);
            for (uint32_t j = 0; j < series->count; j++) {
                const struct picture_point *point = &series->points[j];
                put_number(point->x, out);
                put_number(point->y, out);
                put_number(point->low, out);
                put_number(point->high, out);
                fprintf(out, " %s 0x%s\n", point->sign[0] != '\0' ? point->sign : "-",
                        palette_light[point->colour] + 1);
            }
            fputs("END\n", out);
        }
        const struct scale *x = &picture.x.scale, *y = &picture.y.scale;
        if (x->log)
            fputs("set logscale x\n", out);
        if (y->log && picture.kind != CHART_HEAT)
            fputs("set logscale y\n", out);
        fprintf(out, "set xrange [%.9g:%.9g]\n", x->min, x->max);
        if (picture.kind == CHART_HEAT) /* rows from the top down */
            fprintf(out, "set yrange [%.1f:-0.5]\n", picture.y.tick_count - 0.5);
        else
            fprintf(out, "set yrange [%.9g:%.9g]\n", y->min, y->max);
        put_ticks('x', &picture.x, out);
        put_ticks('y', &picture.y, out);
        (picture.kind == CHART_HEAT ? put_heat : put_plot)(&picture, out);
        for (uint32_t i = 0; i < picture.legend_count; i++)
            if (picture.legend[i].series == NULL)
                fprintf(out, ", \\\n    NaN with points pt 0 title '%s %s'", picture.legend[i].sign,
                        picture.legend[i].label);
        fputc('\n', out);
    }
    picture_free(&picture);
    return made;
}

bool report_gnuplot(const struct chart *chart, const struct report_style *style, const char *name, FILE *out)
{
    const struct report_style own = panels_style(style);
    char title[PANELS_TITLE_MAX];
    bool made = true;
    put_terminals(style, name, out);
    if (style->panels > 0)
        fprintf(out, "set multiplot layout %u,%u\n", panels_rows(style), panels_columns(style));
    for (uint32_t i = 0; made && i < panels_count(style); i++) {
        const struct chart panel = panels_chart(chart, style, i, title);
        if (i > 0)
            fputs("reset\n", out);
        made = put_chart(&panel, &own, out);
    }
    if (style->panels > 0)
        fputs("unset multiplot\n", out);
    return made;
}
