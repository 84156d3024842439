/*
 * numbers.c - the numbers behind a chart as a table, for people who cannot see it, who want to copy, and for
 * paper. Of long series and distributions it has the few numbers that say most.
 */
#include <math.h>
#include <stdlib.h>

#include "show/draw/scale.h"
#include "show/page/page.h"

/* Adds a number with its interval and its mark; NaN: nothing is known, or there is no interval. */
static void add_number(struct data_frame *frame, double number, double half, enum censoring censoring)
{
    char text[CENSORING_TEXT_MAX], both[96], mean[ROUNDED_MAX], interval[ROUNDED_MAX];
    words_rounded(number, 4, mean);
    snprintf(both, sizeof both, "%s%s%s", mean, isfinite(half) ? " \u00b1 " : "",
             isfinite(half) ? words_rounded(half, 2, interval) : "");
    data_row(frame,
             isfinite(number) ? cell_shown(cell_number(number), censoring_text(censoring, both, text)) : cell_none());
}

/* A column for what the rows are, and one per line of the chart. */
static struct data_frame *frame_of_lines(const struct chart *chart, const char *heading)
{
    struct data_column *columns = calloc(chart->line_count + (size_t)1, sizeof *columns);
    if (columns == NULL)
        return NULL;
    columns[0] = (struct data_column){.heading = heading, .kind = DATA_TEXT};
    for (uint32_t l = 0; l < chart->line_count; l++)
        columns[l + 1] = (struct data_column){.heading = chart->lines[l].label, .kind = DATA_NUMBER};
    struct data_frame *frame = data_frame_new(DATA_ROWS, columns, chart->line_count + (size_t)1);
    free(columns);
    return frame;
}

static struct data_frame *points_frame(const struct chart *chart)
{
    struct data_frame *frame = frame_of_lines(chart, chart->x_title);
    for (uint32_t i = 0; i < chart->lines[0].count; i++) {
        char text[SCALE_TEXT_MAX];
        scale_text(chart->lines[0].x[i], text);
        data_row(frame, cell_text(chart->x_labels != NULL ? chart->x_labels[i] : text));
        for (uint32_t l = 0; l < chart->line_count; l++) {
            const struct chart_line *line = &chart->lines[l];
            add_number(frame, line->y[i], line->high != NULL ? line->high[i] - line->y[i] : NAN,
                       chart_censoring(line, i));
        }
    }
    return frame;
}

static struct data_frame *quantiles_frame(const struct chart *chart)
{
    static const struct {
        double part;
        const char *name;
    } rows[] = {{0.1, "10 %"}, {0.25, "25 %"}, {0.5, "50 %"},  {0.75, "75 %"},
                {0.9, "90 %"}, {0.95, "95 %"}, {0.99, "99 %"}, {1, "all"}};
    struct data_frame *frame = frame_of_lines(chart, "Fraction at or below");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        data_row(frame, cell_text(rows[i].name));
        for (uint32_t l = 0; l < chart->line_count; l++)
            add_number(frame, chart_quantile(&chart->lines[l], rows[i].part), NAN, CENSORING_NONE);
    }
    return frame;
}

static struct data_frame *extremes_frame(const struct chart *chart)
{
    const struct data_column columns[] = {DATA_COLUMN(NULL, "Line", TEXT), DATA_COLUMN(NULL, "Mean", NUMBER),
                                          DATA_COLUMN(NULL, "Greatest", NUMBER),
                                          DATA_COLUMN(NULL, chart->x_title, NUMBER)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t l = 0; l < chart->line_count; l++) {
        const struct chart_line *line = &chart->lines[l];
        uint32_t greatest = 0;
        for (uint32_t i = 1; i < line->count; i++) {
            if (!(line->y[i] <= line->y[greatest]) && isfinite(line->y[i]))
                greatest = i;
        }
        /* Over time, each value holding until the next. */
        double sum = 0, time = 0;
        for (uint32_t i = 0; i + 1 < line->count; i++) {
            double width = line->x[i + 1] - line->x[i];
            if (!isfinite(line->y[i]))
                continue;
            sum += line->y[i] * width;
            time += width;
        }
        data_row(frame, cell_text(line->label));
        add_number(frame, time > 0 ? sum / time : NAN, NAN, CENSORING_NONE);
        add_number(frame, line->count > 0 ? line->y[greatest] : NAN, NAN, CENSORING_NONE);
        add_number(frame, line->count > 0 ? line->x[greatest] : NAN, NAN, CENSORING_NONE);
    }
    return frame;
}

bool page_put_numbers(const struct chart *chart, FILE *out)
{
    struct data_frame *frame = chart->numbers == CHART_NUMBERS_POINTS      ? points_frame(chart)
                               : chart->numbers == CHART_NUMBERS_QUANTILES ? quantiles_frame(chart)
                                                                           : extremes_frame(chart);
    fputs("<details class=\"numbers\"><summary>Show numbers</summary>\n", out);
    bool whole =
        page_put_frame(frame, chart->numbers == CHART_NUMBERS_QUANTILES ? chart->x_title : chart->y_title, out);
    fputs("</details>\n", out);
    return whole;
}
