/*
 * censoring.c - points that unfinished flows or queries make a lower bound, or that leave them out: each has a sign in
 * the chart, and a sentence below it says what the sign means.
 */
#include <math.h>

#include "show/charts/charts.h"

bool chart_has_censoring(const struct chart *chart, enum censoring censoring)
{
    for (uint32_t l = 0; l < chart->line_count; l++)
        for (uint32_t i = 0; i < chart->lines[l].count; i++)
            if (isfinite(chart->lines[l].y[i]) && chart_censoring(&chart->lines[l], i) == censoring)
                return true;
    return false;
}

const char *charts_censoring_note(struct charts_builder *builder, const struct chart *chart, const char *before)
{
    for (uint32_t i = CENSORING_NONE + 1; before != NULL && i <= CENSORING_PARTIAL; i++)
        if (chart_has_censoring(chart, (enum censoring)i))
            before = charts_text(builder, "%s%s%s.", before, before[0] != '\0' ? " " : "",
                                 censoring_legend((enum censoring)i));
    return before;
}
