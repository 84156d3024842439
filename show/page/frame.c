/*
 * frame.c - a data frame as a table of the page, the only writer of plain tables there. Claims, whose cells are blocks
 * on a narrow screen, and the table that the timeline's script fills are written where they stand.
 */
#include <string.h>

#include "show/draw/escape.h"
#include "show/page/page.h"

/* Paper is narrow: a name may break behind its dots. */
static void put_heading(const char *text, FILE *out)
{
    char part[128];
    for (const char *dot; strchr(text, ' ') == NULL && (dot = strchr(text, '.')) != NULL; text = dot + 1) {
        if ((size_t)snprintf(part, sizeof part, "%.*s", (int)(dot + 1 - text), text) >= sizeof part)
            break;
        escape_markup(part, out);
        fputs("<wbr>", out);
    }
    escape_markup(text, out);
}

static void put_table(const struct data_frame *frame, const char *caption, FILE *out)
{
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
    escape_markup(caption != NULL ? caption : "Table", out);
    fputs("\"><table>\n", out);
    if (caption != NULL)
        page_put_element("caption", caption, out);
    fputs("<thead><tr>", out);
    for (size_t c = 0; c < data_frame_columns(frame); c++) {
        const struct data_column *column = data_frame_column(frame, c);
        if (column->heading == NULL)
            continue;
        fprintf(out, "<th scope=\"col\"%s>", data_column_is_right(column) ? "" : " class=\"text\"");
        put_heading(column->heading, out);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t row = 0; row < data_frame_rows(frame); row++) {
        bool first = true;
        fputs("<tr>", out);
        for (size_t c = 0; c < data_frame_columns(frame); c++) {
            const struct data_column *column = data_frame_column(frame, c);
            const struct data_cell *cell = data_frame_cell(frame, row, c);
            char text[DATA_TEXT_MAX];
            if (column->heading == NULL)
                continue;
            fputs(first ? "<th scope=\"row\">" : data_column_is_right(column) ? "<td>" : "<td class=\"text\">", out);
            escape_markup(
                cell->type == CELL_NONE && cell->shown == NULL ? "\u2013" : data_frame_text(frame, row, c, text), out);
            fputs(first ? "</th>" : "</td>", out);
            first = false;
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    for (size_t note = 0; data_frame_note_at(frame, note) != NULL; note++)
        page_put_element("p", data_frame_note_at(frame, note), out);
}

bool page_put_frame(struct data_frame *frame, const char *caption, FILE *out)
{
    bool whole = !data_frame_failed(frame);
    if (whole)
        put_table(frame, caption, out);
    data_frame_free(frame);
    return whole;
}
