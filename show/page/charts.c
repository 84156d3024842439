/*
 * charts.c - the charts of the page: a drawing each, and the sentence that says what it shows. The data from which the
 * script draws them is in data.c.
 */
#include <inttypes.h>

#include "show/draw/escape.h"
#include "show/draw/svg.h"
#include "show/page/page.h"

/* False: out of memory. */
static bool put_chart(const struct chart *chart, uint32_t number, FILE *out)
{
    bool whole = true;
    fprintf(out, "<figure class=\"chart\" id=\"chart-%" PRIu32 "\" aria-labelledby=\"chart-%" PRIu32 "-title\">\n",
            number, number);
    fprintf(out, "<h3 id=\"chart-%" PRIu32 "-title\">", number);
    if (chart->colour != CHART_NO_COLOUR)
        fprintf(out,
                "<svg class=\"swatch\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"f%" PRIu32
                "\" width=\"10\" height=\"10\"/></svg>",
                chart->colour);
    escape_markup(chart->title, out);
    fputs("</h3>\n", out);
    if (chart->line_count > 0)
        whole = svg_put_inline(chart, out);
    else
        fputs("<p class=\"empty\">No data.</p>\n", out);
    if (chart->finding != NULL) {
        fputs("<p class=\"finding\">", out);
        escape_markup(chart->finding, out);
        fputs("</p>\n", out);
    }
    if (chart->note != NULL && chart->note[0] != '\0')
        page_put_element("figcaption", chart->note, out);
    if (chart->line_count > 0)
        whole = page_put_numbers(chart, out) && whole;
    fputs("</figure>\n", out);
    return whole;
}

bool page_put_charts(const struct report_charts *charts, FILE *out)
{
    bool whole = true;
    fputs("<section id=\"charts\" aria-labelledby=\"charts-title\">\n<h2 id=\"charts-title\">Charts</h2>\n", out);
    if (charts->count == 0)
        fputs("<p>There is nothing to draw: the experiment has one point and no curves.</p>\n", out);
    fputs("<div class=\"charts\">\n", out);
    for (uint32_t i = 0; i < charts->count; i++)
        whole = put_chart(&charts->charts[i], i, out) && whole;
    fputs("</div>\n</section>\n", out);
    return whole;
}
