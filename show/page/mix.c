/*
 * mix.c - at the top of the page: runs that different code made, which charts and tables show side by side.
 */
#include "lab/store/code.h"
#include "show/draw/escape.h"
#include "show/page/page.h"

bool page_put_mix(const struct report *report, FILE *out)
{
    struct code_mix mix;
    bool found = code_mix_find(&mix, report->table);
    if (mix.heading != NULL) {
        fputs("<div class=\"violations\" role=\"note\"><p><strong>", out);
        escape_markup(mix.heading, out);
        fputs("</strong>.</p>\n<ul>\n", out);
        for (uint32_t i = 0; i < mix.count; i++)
            page_put_element("li", mix.lines[i], out);
        fputs("</ul></div>\n", out);
    }
    code_mix_free(&mix);
    return found;
}
