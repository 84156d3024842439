/*
 * violations.c - at the top of the page: runs in which something happened that must not. Their numbers are in
 * charts and tables like those of others, so that a reader has to know before.
 */
#include <inttypes.h>

#include "lab/store/violations.h"
#include "show/draw/escape.h"
#include "show/page/page.h"

#define RUNS_NAMED 20u

void page_put_violations(const struct report *report, FILE *out)
{
    const struct table *table = report->table;
    uint32_t count = violations_count(table), named = 0;
    char text[VIOLATION_TEXT_MAX];
    if (count == 0)
        return;
    fprintf(out,
            "<div class=\"violations\" role=\"note\"><p><strong>%" PRIu32 " of %" PRIu32 " run%s lost packets of "
            "lossless classes or found a deadlock</strong>, which the scenario does not expect.</p>\n<ul>\n",
            count, table->finished, table->finished == 1 ? "" : "s");
    for (uint32_t run = violations_next(table, 0); run != UINT32_MAX && named < RUNS_NAMED; named++) {
        page_put_element("li", violation_text(table, run, text), out);
        run = violations_next(table, run + 1);
    }
    if (count > RUNS_NAMED)
        fprintf(out, "<li>and %" PRIu32 " more</li>\n", count - RUNS_NAMED);
    fputs("</ul></div>\n", out);
}
