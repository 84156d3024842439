/*
 * log.c - what a logarithmic axis cannot show. Numbers that are not positive have no place on it: the note of
 * the chart says how many are left out, and an axis that would have nothing on it becomes linear.
 */
#include <math.h>

#include "show/charts/charts.h"

static bool nothing_positive(const struct chart *chart, bool x)
{
    uint32_t signs[2] = {0, 0};
    for (uint32_t l = 0; l < chart->line_count; l++) {
        const struct chart_line *line = &chart->lines[l];
        const double *numbers = x ? line->x : line->y;
        const double *others = x ? line->y : line->x;
        uint32_t count = line->count;
        for (uint32_t i = 0; i < count; i++) {
            if (isfinite(numbers[i]) && isfinite(others[i]))
                signs[numbers[i] > 0]++;
        }
    }
    return signs[0] > 0 && signs[1] == 0;
}

struct charts_log charts_log_settle(struct chart *chart)
{
    chart->log_x = chart->log_x && chart->x_labels == NULL;
    struct charts_log log = {.x_linear = chart->log_x && nothing_positive(chart, true),
                             .y_linear = chart->log_y && nothing_positive(chart, false)};
    chart->log_x = chart->log_x && !log.x_linear;
    chart->log_y = chart->log_y && !log.y_linear;
    log.at_edge = chart->numbers == CHART_NUMBERS_QUANTILES;
    for (uint32_t l = 0; l < chart->line_count; l++) {
        const struct chart_line *line = &chart->lines[l];
        for (uint32_t i = 0; i < line->count; i++)
            log.left_out +=
                isfinite(line->y[i]) && ((chart->log_x && line->x[i] <= 0) || (chart->log_y && line->y[i] <= 0));
    }
    return log;
}

const char *charts_log_note(struct charts_builder *builder, const struct charts_log *log, const char *before)
{
    const char *space = before[0] != '\0' ? " " : "";
    if (log->x_linear || log->y_linear)
        before =
            charts_text(builder, "%s%sThe %s linear: no value is above zero, and a logarithm needs one.", before, space,
                        log->x_linear && log->y_linear ? "axes are"
                        : log->x_linear                ? "x axis is"
                                                       : "y axis is");
    if (before == NULL || log->left_out == 0)
        return before;
    space = before[0] != '\0' ? " " : "";
    if (log->at_edge)
        return charts_text(builder, "%s%sValues of zero or less are at the edge, as a logarithm cannot show them.",
                           before, space);
    return charts_text(builder, "%s%sLeft out, as a logarithm cannot show zero or less: %u point%s.", before, space,
                       log->left_out, log->left_out == 1 ? "" : "s");
}
