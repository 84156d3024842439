/*
 * abstract.c - the results in a few sentences, before everything else: one per chart, made by show/charts/finding.c.
 */
#include <inttypes.h>

#include "show/draw/escape.h"
#include "show/page/page.h"

void page_put_abstract(const struct report *report, FILE *out)
{
    const struct report_charts *charts = report->charts;
    uint32_t told = 0;
    for (uint32_t i = 0; i < charts->count; i++)
        told += charts->charts[i].finding != NULL;
    if (told == 0)
        return;
    fputs(
        "<section id=\"abstract\" class=\"abstract\" aria-labelledby=\"abstract-title\">\n<h2 id=\"abstract-title\">In "
        "short</h2>\n<ul>\n",
        out);
    for (uint32_t i = 0; i < charts->count; i++) {
        const struct chart *chart = &charts->charts[i];
        if (chart->finding == NULL)
            continue;
        fprintf(out, "<li><a href=\"#chart-%" PRIu32 "\">", i);
        escape_markup(chart->title, out);
        fputs("</a>: ", out);
        escape_markup(chart->finding, out);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n</section>\n", out);
}
