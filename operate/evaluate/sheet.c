/*
 * sheet.c - see sheet.h.
 */
#include "operate/evaluate/sheet.h"

#include <inttypes.h>
#include <stdarg.h>

#include "cli/command.h"
#include "cli/version.h"
#include "show/draw/escape.h"
#include "show/page/page.h"
#include "show/writers/write.h"

#define TEXT_ROOM 512
#define BAR_WIDTH 1000.0
#define BAR_HEIGHT 14

static void end_list(struct sheet *sheet)
{
    if (sheet->html != NULL && sheet->in_list)
        fputs("</ul>\n", sheet->html);
    sheet->in_list = false;
}

void sheet_begin(struct sheet *sheet, const char *title)
{
    if (sheet->html == NULL)
        return;
    page_put_head(title, sheet->html);
    fputs("<main id=\"main\">\n", sheet->html);
}

void sheet_end(struct sheet *sheet)
{
    end_list(sheet);
    if (sheet->html == NULL)
        return;
    fputs("</main>\n<footer><p>Written by weir ", sheet->html);
    escape_markup(version_text(), sheet->html);
    fputs(". This page is one file and asks nothing of the network.</p></footer>\n</body>\n</html>\n", sheet->html);
}

void sheet_verdict(struct sheet *sheet, const char *name, const char *class, const char *verdict)
{
    end_list(sheet);
    if (sheet->html == NULL) {
        cli_print("verdict: %s: %s", name, verdict);
        return;
    }
    fputs("<h1>", sheet->html);
    escape_markup(name, sheet->html);
    fprintf(sheet->html, ": <span class=\"%s\">%s</span></h1>\n", class, verdict);
}

void sheet_heading(struct sheet *sheet, const char *format, ...)
{
    char text[TEXT_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    end_list(sheet);
    if (sheet->html != NULL) {
        page_put_element("h2", text, sheet->html);
        return;
    }
    cli_print("%s", "");
    cli_print("%s", text);
}

void sheet_part(struct sheet *sheet, const char *name)
{
    end_list(sheet);
    if (sheet->html != NULL)
        page_put_element("h2", name, sheet->html);
    else
        cli_print("%s", "");
}

void sheet_line(struct sheet *sheet, const char *format, ...)
{
    char text[TEXT_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    end_list(sheet);
    if (sheet->html == NULL)
        cli_print("%s", text);
    else if (text[0] != '\0')
        page_put_element("p", text, sheet->html);
}

void sheet_item(struct sheet *sheet, const char *mark, const char *text)
{
    if (sheet->html == NULL) {
        cli_print("  %s: %s", mark, text);
        return;
    }
    if (!sheet->in_list)
        fputs("<ul>\n", sheet->html);
    sheet->in_list = true;
    fprintf(sheet->html, "<li><strong>%s</strong>: ", mark);
    escape_markup(text, sheet->html);
    fputs("</li>\n", sheet->html);
}

void sheet_table(struct sheet *sheet, struct data_frame *frame)
{
    end_list(sheet);
    if (data_frame_check(frame) != CLI_OK)
        sheet->code = CLI_INTERNAL;
    else if (sheet->html == NULL)
        write_text(frame);
    if (sheet->html != NULL)
        page_put_frame(frame, NULL, sheet->html);
    else
        data_frame_free(frame);
}

static void put_bar(FILE *out, const struct sheet_bar *bar)
{
    double scale = BAR_WIDTH / (double)(bar->most > 0 ? bar->most : 1);
    double drop = (double)bar->drop * scale, pause = bar->pause >= 0 ? (double)bar->pause * scale : drop;
    page_put_element("p", bar->name, out);
    fprintf(out,
            "<svg width=\"100%%\" height=\"%d\" viewBox=\"0 0 %.0f %d\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\"><rect class=\"f%u\" width=\"%.1f\" height=\"%d\"/>",
            BAR_HEIGHT, BAR_WIDTH, BAR_HEIGHT, bar->pause >= 0 ? 0 : 5, pause, BAR_HEIGHT);
    if (drop > pause)
        fprintf(out, "<rect class=\"f1\" x=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", pause, drop - pause, BAR_HEIGHT);
    fputs("</svg>\n", out);
}

void sheet_bars(struct sheet *sheet, const struct sheet_bar *bars, uint32_t count)
{
    FILE *out = sheet->html;
    if (out == NULL || count == 0)
        return;
    end_list(sheet);
    fputs("<figure class=\"chart\">\n", out);
    for (uint32_t i = 0; i < count; i++)
        put_bar(out, &bars[i]);
    fprintf(out,
            "<figcaption>Of %" PRId64 " cells of one pipe: until the group pauses, then its headroom until the first "
            "drop; in another colour: classes that do not pause.</figcaption></figure>\n",
            bars[0].most);
}
