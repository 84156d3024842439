/*
 * csv.c - data frames as CSV: see write.h.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/output.h"
#include "show/writers/write.h"

static void put_number(double number, FILE *out)
{
    char text[32];
    if (isnan(number))
        return;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs(text, out);
}

static void put_row(const struct data_frame *frame, size_t row, FILE *out)
{
    const char *comma = "";
    for (size_t c = 0; c < data_frame_columns(frame); c++) {
        const struct data_column *column = data_frame_column(frame, c);
        const struct data_cell *cell = data_frame_cell(frame, row, c);
        if (column->name == NULL || column->kind == DATA_NESTED)
            continue;
        fputs(comma, out);
        comma = ",";
        if (cell->type == CELL_TEXT && column->kind == DATA_WORD)
            fputs(cell->text, out);
        else if (cell->type == CELL_TEXT)
            output_csv_text(cell->text, out);
        else if (cell->type == CELL_INTEGER)
            fprintf(out, "%" PRId64, cell->integer);
        else if (cell->type == CELL_NUMBER)
            put_number(cell->number, out);
        else if (cell->type == CELL_FLAG)
            fputs(cell->flag ? "1" : "0", out);
    }
}

void write_csv(const struct data_frame *frame, FILE *out)
{
    const char *comma = "";
    for (size_t c = 0; c < data_frame_columns(frame); c++) {
        const char *name = data_frame_column(frame, c)->name;
        if (name == NULL || data_frame_column(frame, c)->kind == DATA_NESTED)
            continue;
        fputs(comma, out);
        if (data_frame_column(frame, c)->quoted)
            output_csv_text(name, out);
        else
            fputs(name, out);
        comma = ",";
    }
    putc('\n', out);
    for (size_t row = 0; row < data_frame_rows(frame); row++) {
        put_row(frame, row, out);
        putc('\n', out);
    }
}

bool write_csv_rows(struct data_frame *frame, FILE *out)
{
    if (data_frame_failed(frame))
        return false;
    for (size_t row = 0; row < data_frame_rows(frame); row++) {
        put_row(frame, row, out);
        putc('\n', out);
    }
    data_frame_clear(frame);
    return true;
}
