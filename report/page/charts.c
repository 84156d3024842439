/*
 * charts.c - the charts of the page: a drawing each, the sentence that says what it shows, and its data for the
 * script.
 */
#include <inttypes.h>
#include <math.h>

#include "report/draw/escape.h"
#include "report/draw/svg.h"
#include "report/page/page.h"

static void put_chart(const struct chart *chart, uint32_t number, FILE *out)
{
    fprintf(out, "<figure class=\"chart\" id=\"chart-%" PRIu32 "\" aria-labelledby=\"chart-%" PRIu32 "-title\">\n",
            number, number);
    fprintf(out, "<h3 id=\"chart-%" PRIu32 "-title\">", number);
    escape_markup(chart->title, out);
    fputs("</h3>\n", out);
    if (chart->line_count > 0)
        svg_put_inline(chart, out);
    else
        fputs("<p class=\"empty\">No data.</p>\n", out);
    if (chart->note != NULL && chart->note[0] != '\0')
        page_put_element("figcaption", chart->note, out);
    if (chart->line_count > 0)
        page_put_numbers(chart, out);
    fputs("</figure>\n", out);
}

void page_put_charts(const struct report *report, FILE *out)
{
    fputs("<section id=\"charts\" aria-labelledby=\"charts-title\">\n<h2 id=\"charts-title\">Charts</h2>\n", out);
    if (report->charts->count == 0)
        fputs("<p>There is nothing to draw: the experiment has one point and no curves.</p>\n", out);
    fputs("<div class=\"charts\">\n", out);
    for (uint32_t i = 0; i < report->charts->count; i++)
        put_chart(&report->charts->charts[i], i, out);
    fputs("</div>\n</section>\n", out);
}

static void put_numbers(const char *name, const double *numbers, uint32_t count, FILE *out)
{
    fprintf(out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", out);
        escape_json_number(numbers[i], out);
    }
    fputc(']', out);
}

static void put_text(const char *name, const char *text, FILE *out)
{
    fprintf(out, ",\"%s\":", name);
    escape_json(text, out);
}

static void put_line(const struct chart_line *line, FILE *out)
{
    fprintf(out, "{\"colour\":%" PRIu32 ",\"pattern\":%" PRIu32 ",\"markers\":%d,\"steps\":%d", line->colour,
            line->pattern, line->markers, line->steps);
    put_text("label", line->label, out);
    put_numbers("x", line->x, line->count, out);
    put_numbers("y", line->y, line->count, out);
    if (line->low != NULL) {
        put_numbers("low", line->low, line->count, out);
        put_numbers("high", line->high, line->count, out);
    }
    fputc('}', out);
}

static void put_chart_data(const struct chart *chart, FILE *out)
{
    struct scale x = scale_of_x(chart), y = scale_of_y(chart);
    fprintf(out, "{\"bars\":%d,\"logX\":%d,\"logY\":%d", chart->kind == CHART_BARS, x.log, y.log);
    put_numbers("rangeX", (double[]){x.min, x.max}, 2, out);
    put_numbers("rangeY", (double[]){y.min, y.max}, 2, out);
    put_text("title", chart->title, out);
    put_text("xTitle", chart->x_title, out);
    put_text("yTitle", chart->y_title, out);
    put_text("xUnit", chart->x_unit, out);
    put_text("yUnit", chart->y_unit, out);
    if (chart->x_labels != NULL) {
        fputs(",\"names\":[", out);
        for (uint32_t i = 0; i < chart->x_label_count; i++) {
            fputs(i > 0 ? "," : "", out);
            escape_json(chart->x_labels[i], out);
        }
        fputc(']', out);
    }
    fputs(",\"lines\":[", out);
    for (uint32_t l = 0; l < chart->line_count; l++) {
        fputs(l > 0 ? "," : "", out);
        put_line(&chart->lines[l], out);
    }
    fputs("]}", out);
}

void page_put_data(const struct report_charts *charts, FILE *out)
{
    fputs("<script type=\"application/json\" id=\"data\">[", out);
    for (uint32_t i = 0; i < charts->count; i++) {
        fputs(i > 0 ? ",\n" : "", out);
        put_chart_data(&charts->charts[i], out);
    }
    fputs("]</script>\n", out);
}
