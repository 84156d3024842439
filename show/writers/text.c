/*
 * text.c - data frames as text: see write.h.
 */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/screen.h"
#include "show/writers/write.h"

#define HEADING_MAX 128u
#define COLUMNS_MAX 128u

/* The columns that text shows: those with a heading. */
struct layout {
    const struct data_frame *frame;
    size_t count, of[COLUMNS_MAX], width[COLUMNS_MAX];
};

static const char *heading_of(const struct layout *layout, size_t i)
{
    return data_frame_column(layout->frame, layout->of[i])->heading;
}

/* Characters, not bytes: every byte that does not continue a UTF-8 sequence starts one. */
static size_t width_of(const char *text, size_t bytes)
{
    size_t width = 0;
    for (size_t i = 0; i < bytes; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

/* How many characters a line of stdout has; 0: as many as are needed. */
static size_t line_width(void)
{
    struct winsize size;
    const char *told = getenv("COLUMNS");
    if (told != NULL && told[0] != '\0')
        return (size_t)strtoul(told, NULL, 10);
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* A part of a table: its first column and those of [from, to). */
struct part {
    size_t from, to;
};

static bool is_in(const struct part *part, size_t i)
{
    return i == 0 || (i >= part->from && i < part->to);
}

static void put_cell(const struct layout *layout, const struct part *part, size_t i, const char *text)
{
    size_t kept = strlen(text);
    int padding = (int)(layout->width[i] - width_of(text, kept));
    bool last = i + 1 == part->to || (i == 0 && part->from >= part->to);
    while (last && kept > 0 && text[kept - 1] == ' ')
        kept--;
    if (data_column_is_right(data_frame_column(layout->frame, layout->of[i])))
        printf("%*s%.*s", padding, "", (int)kept, text);
    else if (last)
        fputs(text, stdout); /* no spaces at the end of a line */
    else
        printf("%s%*s", text, padding, "");
    if (!last)
        fputs("  ", stdout);
}

/* The longest word of a heading: what it needs where it may have several lines. */
static size_t longest_word(const char *heading)
{
    size_t longest = 0;
    while (*heading != '\0') {
        size_t bytes = strcspn(heading, " "), width = width_of(heading, bytes);
        longest = width > longest ? width : longest;
        heading += bytes + (heading[bytes] == ' ');
    }
    return longest;
}

/* The width of each column and of all. */
static size_t measure_columns(struct layout *layout, bool narrow)
{
    size_t all = 0;
    for (size_t i = 0; i < layout->count; i++) {
        const char *heading = heading_of(layout, i);
        size_t widest = narrow ? longest_word(heading) : width_of(heading, strlen(heading));
        for (size_t row = 0; row < data_frame_rows(layout->frame); row++) {
            char room[DATA_TEXT_MAX];
            const char *text = data_frame_text(layout->frame, row, layout->of[i], room);
            size_t width = width_of(text, strlen(text));
            widest = width > widest ? width : widest;
        }
        layout->width[i] = widest;
        all += widest + (i > 0 ? 2 : 0);
    }
    return all;
}

/* The next line of a heading that is `width` wide; moves *heading behind it. */
static void take_line(const char **heading, size_t width, char line[HEADING_MAX])
{
    size_t used = 0, shown = 0;
    while (**heading != '\0') {
        size_t bytes = strcspn(*heading, " "), word = width_of(*heading, bytes);
        if ((shown > 0 && shown + 1 + word > width) || used + bytes + 2 > HEADING_MAX)
            break;
        used += (size_t)snprintf(line + used, HEADING_MAX - used, "%s%.*s", shown > 0 ? " " : "", (int)bytes, *heading);
        shown += word + (shown > 0);
        *heading += bytes + ((*heading)[bytes] == ' ');
    }
    line[used] = '\0';
}

/* Lines that a heading takes. */
static size_t heading_lines(const struct layout *layout, size_t i)
{
    const char *heading = heading_of(layout, i);
    char line[HEADING_MAX];
    size_t lines = 0;
    do {
        take_line(&heading, layout->width[i], line);
        lines++;
    } while (*heading != '\0' && line[0] != '\0');
    return lines;
}

/* Headings end on the line above the first row. */
static void put_headings(const struct layout *layout, const struct part *part)
{
    size_t lines = 1;
    for (size_t i = 0; i < layout->count; i++)
        if (is_in(part, i) && heading_lines(layout, i) > lines)
            lines = heading_lines(layout, i);
    bool colours = output_colours(stdout);
    for (size_t line = 0; line < lines; line++) {
        if (colours)
            screen_command(stdout, "\033[1m");
        for (size_t i = 0; i < layout->count; i++) {
            const char *heading = heading_of(layout, i);
            char text[HEADING_MAX] = "";
            size_t skip = lines - heading_lines(layout, i);
            if (!is_in(part, i))
                continue;
            if (lines == 1) {
                put_cell(layout, part, i, heading);
                continue;
            }
            for (size_t at = skip; at <= line; at++)
                take_line(&heading, layout->width[i], text);
            put_cell(layout, part, i, line < skip ? "" : text);
        }
        if (colours)
            screen_command(stdout, "\033[0m");
        putchar('\n');
    }
}

static void put_part(const struct layout *layout, const struct part *part)
{
    put_headings(layout, part);
    for (size_t row = 0; row < data_frame_rows(layout->frame); row++) {
        char text[DATA_TEXT_MAX];
        for (size_t i = 0; i < layout->count; i++)
            if (is_in(part, i))
                put_cell(layout, part, i, data_frame_text(layout->frame, row, layout->of[i], text));
        putchar('\n');
    }
}

static void put_table(struct layout *layout)
{
    size_t room = line_width();
    bool narrow = measure_columns(layout, false) > room && room > 0;
    size_t needed = narrow ? measure_columns(layout, true) : 0;
    if (needed <= room) {
        /* Headings get the room that is left, from the first column on. */
        size_t left = narrow ? room - needed : 0;
        for (size_t i = 0; i < layout->count && left > 0; i++) {
            size_t wanted = width_of(heading_of(layout, i), strlen(heading_of(layout, i)));
            size_t more = wanted > layout->width[i] ? wanted - layout->width[i] : 0;
            more = more < left ? more : left;
            layout->width[i] += more;
            left -= more;
        }
    }
    if (!narrow || needed <= room) {
        put_part(layout, &(struct part){1, layout->count});
        return;
    }
    for (struct part part = {1, 1}; part.from < layout->count; part.from = part.to) {
        size_t used = layout->width[0];
        part.to = part.from;
        do
            used += 2 + layout->width[part.to++];
        while (part.to < layout->count && used + 2 + layout->width[part.to] <= room);
        fputs(part.from > 1 ? "\n" : "", stdout);
        put_part(layout, &part);
    }
}

void write_text(const struct data_frame *frame)
{
    struct layout layout = {.frame = frame};
    for (size_t c = 0; c < data_frame_columns(frame) && layout.count < COLUMNS_MAX; c++)
        if (data_frame_column(frame, c)->heading != NULL)
            layout.of[layout.count++] = c;
    if (layout.count > 0) /* else there is nothing to show, not even headings */
        put_table(&layout);
    for (size_t note = 0; data_frame_note_at(frame, note) != NULL; note++)
        cli_print("%s", data_frame_note_at(frame, note));
}

void write_list(const struct data_frame *frame, const char *indent)
{
    size_t longest = 0;
    char text[DATA_TEXT_MAX];
    for (size_t c = 0; c < data_frame_columns(frame); c++) {
        const char *heading = data_frame_column(frame, c)->heading;
        size_t width = heading != NULL ? width_of(heading, strlen(heading)) : 0;
        longest = width > longest ? width : longest;
    }
    for (size_t c = 0; c < data_frame_columns(frame); c++) {
        const char *heading = data_frame_column(frame, c)->heading;
        if (heading != NULL && data_frame_cell(frame, 0, c)->type != CELL_NONE)
            printf("%s%-*s%s\n", indent, (int)longest + 3, heading, data_frame_text(frame, 0, c, text));
    }
}
