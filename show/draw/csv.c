/*
 * csv.c - the numbers behind a chart, for other programs. Columns that are numbers hold nothing else: labels and units
 * have columns of their own, and what has no value is empty.
 */
#include <math.h>

#include "show/draw/escape.h"

#include "show/charts/report.h"

static void put_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text != '\0'; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", (unsigned char)*text < 0x20 ? ' ' : *text);
    fputc('"', out);
}

static void put_number(double number, FILE *out)
{
    fputc(',', out);
    if (isfinite(number))
        fprintf(out, "%.9g", number);
}

bool report_csv(const struct chart *chart, FILE *out)
{
    fputs("line,x,x_label,x_unit,y,y_low,y_high,y_unit,says", out);
    for (uint32_t s = 0; s < chart->seeds; s++)
        fprintf(out, ",seed_%u", s);
    fputc('\n', out);
    for (uint32_t l = 0; l < chart->line_count; l++) {
        const struct chart_line *line = &chart->lines[l];
        for (uint32_t i = 0; i < line->count; i++) {
            put_text(line->label, out);
            put_number(line->x[i], out);
            fputc(',', out);
            put_text(chart->x_labels != NULL ? chart->x_labels[i] : "", out);
            fputc(',', out);
            put_text(chart->x_unit, out);
            put_number(line->y[i], out);
            put_number(line->low != NULL ? line->low[i] : NAN, out);
            put_number(line->high != NULL ? line->high[i] : NAN, out);
            fputc(',', out);
            put_text(chart->y_unit, out);
            fprintf(out, ",%s", censoring_name(chart_censoring(line, i)));
            for (uint32_t s = 0; s < chart->seeds; s++)
                put_number(line->seeds != NULL ? line->seeds[i * chart->seeds + s] : NAN, out);
            fputc('\n', out);
        }
    }
    return true;
}
