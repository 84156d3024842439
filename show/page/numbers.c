/*
 * numbers.c - the numbers behind a chart as a table, for people who cannot see it, who want to copy, and for
 * paper. Long series and distributions are told by a few numbers that say most.
 */
#include <inttypes.h>
#include <math.h>

#include "show/draw/escape.h"
#include "show/draw/scale.h"
#include "show/page/page.h"

static void put_heading(const char *text, FILE *out)
{
    fputs("<th scope=\"col\">", out);
    escape_markup(text, out);
    fputs("</th>", out);
}

static void put_cell(double number, double half, enum censoring censoring, FILE *out)
{
    char text[CENSORING_TEXT_MAX], both[96];
    if (!isfinite(number)) {
        fputs("<td>&#8211;</td>", out);
        return;
    }
    char mean[ROUNDED_MAX], interval[ROUNDED_MAX];
    words_rounded(number, 4, mean);
    if (isfinite(half))
        snprintf(both, sizeof both, "%s \u00b1 %s", mean, words_rounded(half, 2, interval));
    else
        snprintf(both, sizeof both, "%s", mean);
    fprintf(out, "<td>%s</td>", censoring_text(censoring, both, text));
}

static void put_points(const struct chart *chart, FILE *out)
{
    const struct chart_line *first = &chart->lines[0];
    fputs("<thead><tr>", out);
    put_heading(chart->x_title, out);
    for (uint32_t l = 0; l < chart->line_count; l++)
        put_heading(chart->lines[l].label, out);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (uint32_t i = 0; i < first->count; i++) {
        fputs("<tr><th scope=\"row\">", out);
        char text[SCALE_TEXT_MAX];
        scale_text(first->x[i], text);
        escape_markup(chart->x_labels != NULL ? chart->x_labels[i] : text, out);
        fputs("</th>", out);
        for (uint32_t l = 0; l < chart->line_count; l++) {
            const struct chart_line *line = &chart->lines[l];
            put_cell(line->y[i], line->high != NULL ? line->high[i] - line->y[i] : NAN, chart_censoring(line, i), out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody>", out);
}

static void put_quantiles(const struct chart *chart, FILE *out)
{
    static const struct {
        double part;
        const char *name;
    } rows[] = {{0.1, "10 %"}, {0.25, "25 %"}, {0.5, "50 %"},  {0.75, "75 %"},
                {0.9, "90 %"}, {0.95, "95 %"}, {0.99, "99 %"}, {1, "all"}};
    fputs("<thead><tr><th scope=\"col\">Fraction at or below</th>", out);
    for (uint32_t l = 0; l < chart->line_count; l++)
        put_heading(chart->lines[l].label, out);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fprintf(out, "<tr><th scope=\"row\">%s</th>", rows[i].name);
        for (uint32_t l = 0; l < chart->line_count; l++)
            put_cell(chart_quantile(&chart->lines[l], rows[i].part), NAN, CENSORING_NONE, out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody>", out);
}

static void put_extremes(const struct chart *chart, FILE *out)
{
    fputs("<thead><tr><th scope=\"col\">Line</th><th scope=\"col\">Mean</th><th scope=\"col\">Greatest</th>", out);
    put_heading(chart->x_title, out);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (uint32_t l = 0; l < chart->line_count; l++) {
        const struct chart_line *line = &chart->lines[l];
        uint32_t greatest = 0;
        for (uint32_t i = 1; i < line->count; i++) {
            if (!(line->y[i] <= line->y[greatest]) && isfinite(line->y[i]))
                greatest = i;
        }
        fputs("<tr><th scope=\"row\">", out);
        escape_markup(line->label, out);
        fputs("</th>", out);
        /* Over time, each value holding until the next. */
        double sum = 0, time = 0;
        for (uint32_t i = 0; i + 1 < line->count; i++) {
            double width = line->x[i + 1] - line->x[i];
            if (!isfinite(line->y[i]))
                continue;
            sum += line->y[i] * width;
            time += width;
        }
        put_cell((time > 0 ? sum / time : NAN), NAN, CENSORING_NONE, out);
        put_cell(line->count > 0 ? line->y[greatest] : NAN, NAN, CENSORING_NONE, out);
        put_cell(line->count > 0 ? line->x[greatest] : NAN, NAN, CENSORING_NONE, out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody>", out);
}

void page_put_numbers(const struct chart *chart, FILE *out)
{
    fputs("<details class=\"numbers\"><summary>Show numbers</summary>\n"
          "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Numbers of the chart\"><table>\n<caption>",
          out);
    escape_markup(chart->numbers == CHART_NUMBERS_QUANTILES ? chart->x_title : chart->y_title, out);
    fputs("</caption>\n", out);
    if (chart->numbers == CHART_NUMBERS_POINTS)
        put_points(chart, out);
    else if (chart->numbers == CHART_NUMBERS_QUANTILES)
        put_quantiles(chart, out);
    else
        put_extremes(chart, out);
    fputs("\n</table></div></details>\n", out);
}
