/*
 * markup.h - the numbers of a chart as a table for papers and notes: LaTeX (booktabs) and Markdown.
 */
#ifndef WRITERS_MARKUP_H
#define WRITERS_MARKUP_H

#include <stdio.h>

#include "cli/data_frame.h"
#include "show/charts/report.h"

/* A row per x, or per quantile of distributions; a column per line, with half of the interval. Null when memory is
 * short; without rows where the chart has no such numbers (queues over time). */
struct data_frame *markup_of_chart(const struct chart *chart);

void markup_latex(const struct chart *chart, const struct data_frame *frame, FILE *out);
void markup_markdown(const struct chart *chart, const struct data_frame *frame, FILE *out);

#endif
