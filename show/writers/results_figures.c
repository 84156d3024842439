/*
 * results_figures.c - the figures of a sweep as tables: a row per value of the x axis, a column per line. A sweep of
 * several axes has more points than one readable table; its figures say how they belong together, and
 * the numbers are those that the report draws.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "show/charts/report.h"
#include "show/draw/scale.h"
#include "show/writers/results_show.h"
#include "show/writers/write.h"

#define LINES_SHOWN 12u

struct results_figures {
    struct report_charts charts;
    struct data_frame **frames; /* [charts.count]; null: not a figure for a table */
};

static bool is_shown(const struct chart *chart)
{
    return chart->numbers == CHART_NUMBERS_POINTS && chart->line_count > 0 && chart->line_count <= LINES_SHOWN;
}

/* Characters from the point of a number on; of one without a point, those of its sign. */
static size_t tail_of(const char *text)
{
    const char *from = strchr(text, '.') != NULL ? strchr(text, '.') : strstr(text, " \u2020");
    size_t tail = 0;
    for (; from != NULL && *from != '\0'; from++)
        tail += ((unsigned char)*from & 0xc0) != 0x80;
    return tail;
}

static const char *number_text(const struct chart_line *line, uint32_t i, char text[CENSORING_TEXT_MAX])
{
    char plain[32], number[SCALE_TEXT_MAX];
    if (isnan(line->y[i]))
        return "-";
    snprintf(plain, sizeof plain, fabs(line->y[i]) >= 1e4 ? "%.0f" : "%.4g", line->y[i]);
    scale_group(plain, number);
    return censoring_text(chart_censoring(line, i), number, text);
}

/* The points of a column stand below each other. */
static void add_aligned(struct data_frame *frame, const struct chart_line *line, uint32_t i)
{
    char text[CENSORING_TEXT_MAX], aligned[2 * CENSORING_TEXT_MAX];
    size_t longest = 0;
    for (uint32_t k = 0; k < line->count; k++) {
        size_t tail = tail_of(number_text(line, k, text));
        longest = tail > longest ? tail : longest;
    }
    const char *number = number_text(line, i, text);
    snprintf(aligned, sizeof aligned, "%s%*s", number, (int)(longest - tail_of(number)), "");
    data_row(frame, cell_shown(cell_number(line->y[i]), aligned));
}

static struct data_frame *chart_frame(const struct chart *chart)
{
    struct data_column columns[LINES_SHOWN + 1] = {
        DATA_COLUMN(chart->x_title, chart->x_title, TEXT, .right = chart->x_labels == NULL, .width = 40)};
    for (uint32_t i = 0; i < chart->line_count; i++)
        columns[i + 1] = (struct data_column)DATA_COLUMN(chart->lines[i].label, chart->lines[i].label, NUMBER);
    struct data_frame *frame = data_frame_new(DATA_ROWS, columns, chart->line_count + 1);
    for (uint32_t i = 0; i < chart->lines[0].count; i++) {
        char text[SCALE_TEXT_MAX];
        scale_text(chart->lines[0].x[i], text);
        data_row(frame, cell_text(chart->x_labels != NULL ? chart->x_labels[i] : text));
        for (uint32_t line = 0; line < chart->line_count; line++)
            add_aligned(frame, &chart->lines[line], i);
    }
    return frame;
}

struct results_figures *results_figures_make(const struct table *table, const char *relative, int *code)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct results_figures *figures = calloc(1, sizeof *figures);
    if (figures == NULL) {
        *code = cli_error_memory();
        return NULL;
    }
    *code = report_charts_make(&figures->charts, table, &status) ? CLI_OK : cli_report(&status);
    if (*code == CLI_OK && relative != NULL && !report_charts_relate(&figures->charts, relative, &status))
        *code = cli_report(&status);
    uint32_t count = figures->charts.count;
    if (*code == CLI_OK) {
        figures->frames = calloc(count + 1, sizeof *figures->frames);
        if (figures->frames == NULL)
            *code = cli_error_memory();
    }
    bool any = false;
    for (uint32_t i = 0; i < count && *code == CLI_OK; i++) {
        if (!is_shown(&figures->charts.charts[i]))
            continue;
        figures->frames[i] = chart_frame(&figures->charts.charts[i]);
        *code = data_frame_check(figures->frames[i]);
        any = true;
    }
    if (any && *code == CLI_OK)
        return figures;
    results_figures_free(figures);
    return NULL;
}

void results_figures_put(struct results_figures *figures, struct results_marks *marks)
{
    bool first = true;
    for (uint32_t i = 0; i < figures->charts.count; i++) {
        const struct chart *chart = &figures->charts.charts[i];
        if (figures->frames[i] == NULL)
            continue;
        printf("%s%s: %s%s%s\n", first ? "" : "\n", chart->title, chart->y_title, chart->measure != NULL ? ", " : "",
               chart->measure != NULL ? chart->measure : "");
        write_text(figures->frames[i]);
        for (uint32_t line = 0; line < chart->line_count; line++)
            for (uint32_t j = 0; j < chart->lines[line].count; j++)
                if (!isnan(chart->lines[line].y[j]))
                    marks->used[chart_censoring(&chart->lines[line], j)] = true;
        first = false;
    }
}

void results_figures_free(struct results_figures *figures)
{
    if (figures == NULL)
        return;
    for (uint32_t i = 0; figures->frames != NULL && i < figures->charts.count; i++)
        data_frame_free(figures->frames[i]);
    free(figures->frames);
    report_charts_free(&figures->charts);
    free(figures);
}
