/*
 * output_table.c - tables: see output.h.
 */
#define _GNU_SOURCE 1
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/screen.h"

#define OUTPUT_HEADING_MAX 128u

struct output_table {
    struct output_column *columns; /* [column_count], own ones; their headings are the caller's */
    size_t column_count;
    char **cells; /* row by row */
    size_t cell_count, cell_room;
    bool failed;    /* memory was short */
    size_t width[]; /* [column_count] characters of the widest cell; found by put */
};

struct output_table *output_table_new(const struct output_column *columns, size_t count)
{
    struct output_table *table = calloc(1, sizeof *table + count * sizeof table->width[0]);
    struct output_column *own = calloc(count + 1, sizeof *own);
    if (table == NULL || own == NULL) {
        free(table);
        free(own);
        return NULL;
    }
    memcpy(own, columns, count * sizeof *own);
    table->columns = own;
    table->column_count = count;
    return table;
}

void output_table_free(struct output_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    free(table->cells);
    free(table->columns);
    free(table);
}

static bool output_table_grow(struct output_table *table)
{
    if (table->cell_count < table->cell_room)
        return true;
    size_t room = table->cell_room == 0 ? 64 : 2 * table->cell_room;
    char **cells = realloc(table->cells, room * sizeof *cells);
    if (cells == NULL)
        return false;
    table->cells = cells;
    table->cell_room = room;
    return true;
}

void output_table_cell(struct output_table *table, const char *format, ...)
{
    if (table == NULL || table->failed)
        return;
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        table->failed = true;
    } else if (!output_table_grow(table)) {
        free(text);
        table->failed = true;
    } else {
        screen_mask(text);
        table->cells[table->cell_count++] = text;
    }
}

void output_table_count(struct output_table *table, unsigned long long count)
{
    char plain[32], text[64];
    size_t length = (size_t)snprintf(plain, sizeof plain, "%llu", count), used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && length > 4 && (length - i) % 3 == 0) {
            memcpy(text + used, "\u202f", 3);
            used += 3;
        }
        text[used++] = plain[i];
    }
    text[used] = '\0';
    output_table_cell(table, "%s", text);
}

void output_table_cell_cut(struct output_table *table, const char *text, size_t width)
{
    size_t shown = 0, kept = 0; /* characters, and bytes of the first width - 1 of them */
    for (size_t i = 0; text[i] != '\0'; i++) {
        shown += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (shown < width)
            kept = i + 1;
    }
    if (shown <= width)
        output_table_cell(table, "%s", text);
    else
        output_table_cell(table, "%.*s\u2026", (int)kept, text);
}

int output_table_check(const struct output_table *table)
{
    return table == NULL || table->failed ? cli_error_memory() : CLI_OK;
}

/* Characters, not bytes: every byte that does not continue a UTF-8 sequence starts one. */
static size_t output_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* How many characters a line of stdout has; 0: as many as are needed. */
static size_t output_columns(void)
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

static bool is_in(const struct part *part, size_t column)
{
    return column == 0 || (column >= part->from && column < part->to);
}

static void output_put_cell(const struct output_table *table, const struct part *part, size_t column, const char *text)
{
    int padding = (int)(table->width[column] - output_width(text));
    bool last = column + 1 == part->to || (column == 0 && part->from >= part->to);
    size_t kept = strlen(text);
    while (last && kept > 0 && text[kept - 1] == ' ')
        kept--;
    if (table->columns[column].right)
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
        size_t bytes = strcspn(heading, " "), width = 0;
        for (size_t i = 0; i < bytes; i++)
            width += ((unsigned char)heading[i] & 0xc0) != 0x80;
        longest = width > longest ? width : longest;
        heading += bytes + (heading[bytes] == ' ');
    }
    return longest;
}

static size_t output_table_measure(struct output_table *table, bool narrow)
{
    size_t all = 0;
    for (size_t c = 0; c < table->column_count; c++)
        table->width[c] = narrow ? longest_word(table->columns[c].heading) : output_width(table->columns[c].heading);
    size_t shown = table->cell_count - table->cell_count % table->column_count;
    for (size_t i = 0; i < shown; i++) {
        size_t *widest = &table->width[i % table->column_count], width = output_width(table->cells[i]);
        *widest = width > *widest ? width : *widest;
    }
    for (size_t c = 0; c < table->column_count; c++)
        all += table->width[c] + (c > 0 ? 2 : 0);
    return all;
}

/* Headings get the room that is left, from the first column on. */
static void output_table_widen(struct output_table *table, size_t left)
{
    for (size_t c = 0; c < table->column_count && left > 0; c++) {
        size_t wanted = output_width(table->columns[c].heading);
        size_t more = wanted > table->width[c] ? wanted - table->width[c] : 0;
        more = more < left ? more : left;
        table->width[c] += more;
        left -= more;
    }
}

/* The next line of a heading that is `width` wide; moves *heading behind it. */
static void take_line(const char **heading, size_t width, char line[OUTPUT_HEADING_MAX])
{
    size_t used = 0, shown = 0;
    while (**heading != '\0') {
        size_t bytes = strcspn(*heading, " "), word = 0;
        for (size_t i = 0; i < bytes; i++)
            word += ((unsigned char)(*heading)[i] & 0xc0) != 0x80;
        if ((shown > 0 && shown + 1 + word > width) || used + bytes + 2 > OUTPUT_HEADING_MAX)
            break;
        used += (size_t)snprintf(line + used, OUTPUT_HEADING_MAX - used, "%s%.*s", shown > 0 ? " " : "", (int)bytes,
                                 *heading);
        shown += word + (shown > 0);
        *heading += bytes + ((*heading)[bytes] == ' ');
    }
    line[used] = '\0';
}

/* Lines that a heading takes. */
static size_t heading_lines(const struct output_table *table, size_t column)
{
    const char *heading = table->columns[column].heading;
    char line[OUTPUT_HEADING_MAX];
    size_t lines = 0;
    do {
        take_line(&heading, table->width[column], line);
        lines++;
    } while (*heading != '\0' && line[0] != '\0');
    return lines;
}

/* Headings end on the line above the first row. */
static void put_headings(const struct output_table *table, const struct part *part)
{
    size_t lines = 1;
    for (size_t c = 0; c < table->column_count; c++)
        if (is_in(part, c) && heading_lines(table, c) > lines)
            lines = heading_lines(table, c);
    bool colours = output_colours(stdout);
    for (size_t line = 0; line < lines; line++) {
        if (colours)
            screen_command(stdout, "\033[1m");
        for (size_t c = 0; c < table->column_count; c++) {
            const char *heading = table->columns[c].heading;
            char text[OUTPUT_HEADING_MAX] = "";
            size_t skip = lines - heading_lines(table, c);
            if (!is_in(part, c))
                continue;
            if (lines == 1) {
                output_put_cell(table, part, c, heading);
                continue;
            }
            for (size_t i = skip; i <= line; i++)
                take_line(&heading, table->width[c], text);
            output_put_cell(table, part, c, line < skip ? "" : text);
        }
        if (colours)
            screen_command(stdout, "\033[0m");
        putchar('\n');
    }
}

static void put_part(const struct output_table *table, const struct part *part)
{
    put_headings(table, part);
    for (size_t i = 0; i + table->column_count <= table->cell_count; i += table->column_count) {
        for (size_t c = 0; c < table->column_count; c++)
            if (is_in(part, c))
                output_put_cell(table, part, c, table->cells[i + c]);
        putchar('\n');
    }
}

void output_table_put(struct output_table *table)
{
    size_t room = output_columns();
    if (table->column_count == 0) /* there is nothing to say, not even headings */
        return;
    bool narrow = output_table_measure(table, false) > room && room > 0;
    size_t needed = narrow ? output_table_measure(table, true) : 0;
    if (needed <= room)
        output_table_widen(table, narrow ? room - needed : 0);
    if (!narrow || needed <= room) {
        put_part(table, &(struct part){1, table->column_count});
        return;
    }
    for (struct part part = {1, 1}; part.from < table->column_count; part.from = part.to) {
        size_t used = table->width[0];
        part.to = part.from;
        do
            used += 2 + table->width[part.to++];
        while (part.to < table->column_count && used + 2 + table->width[part.to] <= room);
        fputs(part.from > 1 ? "\n" : "", stdout);
        put_part(table, &part);
    }
}

int output_table_print(struct output_table *table)
{
    int code = output_table_check(table);
    if (code == CLI_OK)
        output_table_put(table);
    output_table_free(table);
    return code;
}

size_t output_table_columns(const struct output_table *table)
{
    return table->column_count;
}

size_t output_table_rows(const struct output_table *table)
{
    return table->cell_count / table->column_count;
}

const struct output_column *output_table_column(const struct output_table *table, size_t column)
{
    return &table->columns[column];
}

const char *output_table_at(const struct output_table *table, size_t row, size_t column)
{
    return table->cells[row * table->column_count + column];
}
