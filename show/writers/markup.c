/*
 * markup.c - see markup.h.
 */
#include "show/writers/markup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/draw/scale.h"

/* Two digits of the interval, and as many of the mean: what lies below says nothing. */
static void put_number(const struct chart_line *line, uint32_t i, char text[CENSORING_TEXT_MAX])
{
    double mean = line->y[i], half = line->low != NULL ? (line->high[i] - line->low[i]) / 2 : NAN;
    char plain[SCALE_TEXT_MAX];
    if (half > 0) {
        double digits = fmin(fmax(1 - floor(log10(half)), 0), 9);
        snprintf(plain, sizeof plain, "%.*f ± %.*f", (int)digits, mean, (int)digits, half);
    } else
        snprintf(plain, sizeof plain, "%.4g", mean);
    snprintf(text, CENSORING_TEXT_MAX, "%s",
             censoring_text(chart_censoring(line, i), plain, (char[CENSORING_TEXT_MAX]){""}));
}

static void add_points(const struct chart *chart, struct data_frame *frame)
{
    for (uint32_t i = 0; i < chart->lines[0].count; i++) {
        char text[CENSORING_TEXT_MAX];
        scale_text(chart->lines[0].x[i], text);
        data_row(frame, cell_text(chart->x_labels != NULL ? chart->x_labels[i] : text));
        for (uint32_t l = 0; l < chart->line_count; l++) {
            const struct chart_line *line = &chart->lines[l];
            bool known = i < line->count && isfinite(line->y[i]);
            if (known)
                put_number(line, i, text);
            data_row(frame, cell_if(known, cell_text(text)));
        }
    }
}

static void add_quantiles(const struct chart *chart, struct data_frame *frame)
{
    static const double parts[] = {0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.4g %%", 100 * parts[i]);
        data_row(frame, cell_text(text));
        for (uint32_t l = 0; l < chart->line_count; l++) {
            double x = chart_quantile(&chart->lines[l], parts[i]);
            snprintf(text, sizeof text, "%.4g", x);
            data_row(frame, cell_if(isfinite(x), cell_text(text)));
        }
    }
}

struct data_frame *markup_of_chart(const struct chart *chart)
{
    struct data_column *columns = calloc(chart->line_count + (size_t)1, sizeof *columns);
    if (columns == NULL)
        return NULL;
    bool quantiles = chart->numbers == CHART_NUMBERS_QUANTILES;
    columns[0] = (struct data_column)DATA_COLUMN(NULL, quantiles ? "Part at most" : chart->x_title, TEXT);
    for (uint32_t l = 0; l < chart->line_count; l++)
        columns[l + 1] = (struct data_column)DATA_COLUMN(NULL, chart->lines[l].label, TEXT, .right = true);
    struct data_frame *frame = data_frame_new(DATA_ROWS, columns, chart->line_count + (size_t)1);
    free(columns);
    if (chart->line_count > 0 && chart->numbers == CHART_NUMBERS_POINTS)
        add_points(chart, frame);
    else if (chart->line_count > 0 && quantiles)
        add_quantiles(chart, frame);
    bool intervals = false;
    for (uint32_t l = 0; l < chart->line_count; l++)
        intervals |= chart->lines[l].low != NULL;
    if (intervals && chart->numbers == CHART_NUMBERS_POINTS)
        data_frame_note(frame, "Mean over %u seeds ± half of the 95 %% confidence interval.", chart->seeds);
    const char *note = chart->note != NULL ? chart->note : "";
    if (strncmp(note, "Error bars: ", 12) == 0) /* said above, in the words of a table */
        note += strcspn(note, ".") + strspn(note + strcspn(note, "."), ". ");
    if (note[0] != '\0')
        data_frame_note(frame, "%s", note);
    return frame;
}

static const char *quantity(const struct chart *chart)
{
    return chart->numbers == CHART_NUMBERS_QUANTILES ? chart->x_title : chart->y_title;
}

/* LaTeX has its own names for our signs; letters of other alphabets are its input encoding's. */
static void put_latex(const char *text, FILE *out)
{
    static const char *const signs[][2] = {{"\\", "\\textbackslash{}"},
                                           {"~", "\\textasciitilde{}"},
                                           {"^", "\\textasciicircum{}"},
                                           {"±", "$\\pm$"},
                                           {"≥", "$\\ge$"},
                                           {"†", "\\dag"},
                                           {"×", "$\\times$"},
                                           {"…", "\\dots{}"},
                                           {"µ", "$\\mu$"},
                                           {"α", "$\\alpha$"}};
    while (*text != '\0') {
        size_t i = 0;
        while (i < sizeof signs / sizeof signs[0] && strncmp(text, signs[i][0], strlen(signs[i][0])) != 0)
            i++;
        if (i < sizeof signs / sizeof signs[0]) {
            fputs(signs[i][1], out);
            text += strlen(signs[i][0]);
            continue;
        }
        if (strchr("&%$#_{}", *text) != NULL)
            fputc('\\', out);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
        text++;
    }
}

static void put_markdown(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (strchr("|\\`*_<[", *text) != NULL)
            fputc('\\', out);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
}

static const char *cell_of(const struct data_frame *frame, size_t row, size_t column, char text[DATA_TEXT_MAX])
{
    return data_frame_cell(frame, row, column)->type == CELL_NONE ? "–" : data_frame_text(frame, row, column, text);
}

void markup_latex(const struct chart *chart, const struct data_frame *frame, FILE *out)
{
    size_t columns = data_frame_columns(frame);
    char text[DATA_TEXT_MAX];
    fputs("% needs \\usepackage{booktabs}\n% ", out);
    put_latex(chart->title, out);
    fputs("\n\\begin{tabular}{l", out);
    for (size_t c = 1; c < columns; c++)
        fputc('r', out);
    fprintf(out, "}\n\\toprule\n & \\multicolumn{%zu}{c}{", columns - 1);
    put_latex(quantity(chart), out);
    fprintf(out, "} \\\\\n\\cmidrule(l){2-%zu}\n", columns);
    for (size_t c = 0; c < columns; c++) {
        fputs(c > 0 ? " & " : "", out);
        put_latex(data_frame_column(frame, c)->heading, out);
    }
    fputs(" \\\\\n\\midrule\n", out);
    for (size_t row = 0; row < data_frame_rows(frame); row++) {
        for (size_t c = 0; c < columns; c++) {
            fputs(c > 0 ? " & " : "", out);
            put_latex(cell_of(frame, row, c, text), out);
        }
        fputs(" \\\\\n", out);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", out);
    for (size_t note = 0; data_frame_note_at(frame, note) != NULL; note++) {
        fputs("% ", out);
        put_latex(data_frame_note_at(frame, note), out);
        fputc('\n', out);
    }
}

void markup_markdown(const struct chart *chart, const struct data_frame *frame, FILE *out)
{
    size_t columns = data_frame_columns(frame);
    char text[DATA_TEXT_MAX];
    fputs("**", out);
    put_markdown(chart->title, out);
    fputs("**: ", out);
    put_markdown(quantity(chart), out);
    fputs("\n\n|", out);
    for (size_t c = 0; c < columns; c++) {
        fputc(' ', out);
        put_markdown(data_frame_column(frame, c)->heading, out);
        fputs(" |", out);
    }
    fputs("\n|---|", out);
    for (size_t c = 1; c < columns; c++)
        fputs("---:|", out);
    for (size_t row = 0; row < data_frame_rows(frame); row++) {
        fputs("\n|", out);
        for (size_t c = 0; c < columns; c++) {
            fputc(' ', out);
            put_markdown(cell_of(frame, row, c, text), out);
            fputs(" |", out);
        }
    }
    fputs("\n", out);
    for (size_t note = 0; data_frame_note_at(frame, note) != NULL; note++) {
        fputc('\n', out);
        put_markdown(data_frame_note_at(frame, note), out);
        fputc('\n', out);
    }
}
