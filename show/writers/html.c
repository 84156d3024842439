/*
 * html.c - data frames as tables of a page: see write.h.
 */
#include "show/draw/escape.h"
#include "show/page/page.h"
#include "show/writers/write.h"

void write_html(const struct data_frame *frame, FILE *out)
{
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>\n<thead><tr>", out);
    for (size_t c = 0; c < data_frame_columns(frame); c++) {
        const struct data_column *column = data_frame_column(frame, c);
        if (column->heading == NULL)
            continue;
        fprintf(out, "<th scope=\"col\"%s>", data_column_is_right(column) ? "" : " class=\"text\"");
        escape_markup(column->heading, out);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t row = 0; row < data_frame_rows(frame); row++) {
        bool first = true;
        fputs("<tr>", out);
        for (size_t c = 0; c < data_frame_columns(frame); c++) {
            const struct data_column *column = data_frame_column(frame, c);
            char text[DATA_TEXT_MAX];
            if (column->heading == NULL)
                continue;
            fputs(first ? "<th scope=\"row\">" : data_column_is_right(column) ? "<td>" : "<td class=\"text\">", out);
            escape_markup(data_frame_text(frame, row, c, text), out);
            fputs(first ? "</th>" : "</td>", out);
            first = false;
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    for (size_t note = 0; data_frame_note_at(frame, note) != NULL; note++)
        page_put_element("p", data_frame_note_at(frame, note), out);
}
