/*
 * sheet.c - see sheet.h.
 */
#include "operate/evaluate/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "cli/command.h"
#include "cli/version.h"
#include "show/draw/escape.h"
#include "show/page/page.h"
#include "show/writers/write.h"

#define TEXT_ROOM 512
#define BAR_WIDTH 1000.0
#define BAR_HEIGHT 14
#define PICTURE_WIDTH 720.0
#define PICTURE_HEIGHT 360.0
#define PICTURE_EDGE 56.0

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

struct range {
    double least, most;
};

/* Where a value is, of 0 to 1: with some room at both ends. */
static double part_of(struct range range, double value)
{
    double width = range.most - range.least;
    return width > 0 ? 0.04 + 0.92 * (value - range.least) / width : 0.5;
}

static double x_of(struct range range, double value)
{
    return PICTURE_EDGE + part_of(range, value) * (PICTURE_WIDTH - PICTURE_EDGE - 16);
}

static double y_of(struct range range, double value)
{
    return PICTURE_HEIGHT - PICTURE_EDGE - part_of(range, value) * (PICTURE_HEIGHT - PICTURE_EDGE - 16);
}

/* The front as steps from left to right: its points are few, and found one after the other. */
static void put_front(FILE *out, const struct sheet_dot *dots, uint32_t count, struct range x, struct range y)
{
    double from = -INFINITY;
    fputs("<polyline fill=\"none\" stroke=\"currentColor\" stroke-dasharray=\"4 4\" points=\"", out);
    for (;;) {
        const struct sheet_dot *next = NULL;
        for (uint32_t i = 0; i < count; i++)
            if (dots[i].is_front && dots[i].x > from && (next == NULL || dots[i].x < next->x))
                next = &dots[i];
        if (next == NULL)
            break;
        fprintf(out, "%.1f,%.1f ", x_of(x, next->x), y_of(y, next->y));
        from = next->x;
    }
    fputs("\"/>\n", out);
}

static void put_ends(FILE *out, struct range x, struct range y)
{
    static const char text[] = "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\" fill=\"currentColor\" "
                               "text-anchor=\"%s\">%.4g</text>\n";
    double foot = PICTURE_HEIGHT - PICTURE_EDGE + 16;
    fprintf(out, "<path fill=\"none\" stroke=\"currentColor\" d=\"M%.1f 16V%.1fH%.1f\"/>\n", PICTURE_EDGE,
            PICTURE_HEIGHT - PICTURE_EDGE, PICTURE_WIDTH - 16);
    fprintf(out, text, x_of(x, x.least), foot, "middle", x.least);
    if (x.most > x.least)
        fprintf(out, text, x_of(x, x.most), foot, "middle", x.most);
    fprintf(out, text, PICTURE_EDGE - 6, y_of(y, y.least) + 4, "end", y.least);
    if (y.most > y.least)
        fprintf(out, text, PICTURE_EDGE - 6, y_of(y, y.most) + 4, "end", y.most);
}

void sheet_dots(struct sheet *sheet, const char *x_title, const char *y_title, const struct sheet_dot *dots,
                uint32_t count)
{
    FILE *out = sheet->html;
    if (out == NULL || count == 0)
        return;
    struct range x = {dots[0].x, dots[0].x}, y = {dots[0].y, dots[0].y};
    for (uint32_t i = 1; i < count; i++) {
        x = (struct range){fmin(x.least, dots[i].x), fmax(x.most, dots[i].x)};
        y = (struct range){fmin(y.least, dots[i].y), fmax(y.most, dots[i].y)};
    }
    end_list(sheet);
    fprintf(out, "<figure class=\"chart\">\n<svg width=\"100%%\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n",
            PICTURE_WIDTH, PICTURE_HEIGHT);
    put_ends(out, x, y);
    put_front(out, dots, count, x, y);
    for (uint32_t i = 0; i < count; i++) {
        double cx = x_of(x, dots[i].x), cy = y_of(y, dots[i].y);
        fprintf(out, "<circle class=\"f%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"%u\"/>\n", dots[i].name != NULL ? 1 : 0, cx, cy,
                dots[i].name != NULL ? 7 : 4);
        if (dots[i].name == NULL)
            continue;
        bool right = cx > PICTURE_WIDTH / 2;
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"13\" fill=\"currentColor\" text-anchor=\"%s\">",
                cx + (right ? -11 : 11), cy - 9, right ? "end" : "start");
        escape_markup(dots[i].name, out);
        fputs("</text>\n", out);
    }
    fprintf(out,
            "<text x=\"%.1f\" y=\"%.1f\" font-size=\"13\" fill=\"currentColor\" text-anchor=\"middle\">%s</text>\n",
            PICTURE_WIDTH / 2, PICTURE_HEIGHT - 12, x_title);
    fprintf(out,
            "</svg>\n<figcaption>Upwards: %s. Each point is one setting; nothing beats those on the dashed line in "
            "both.</figcaption></figure>\n",
            y_title);
}
