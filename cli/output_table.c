/*
 * output_table.c - tables: see output.h.
 */
#define _GNU_SOURCE 1
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/screen.h"

struct output_table {
    const struct output_column *columns;
    size_t column_count;
    char **cells; /* row by row */
    size_t cell_count, cell_room;
    bool failed;    /* memory was short */
    size_t width[]; /* [column_count] characters of the widest cell; found by put */
};

struct output_table *output_table_new(const struct output_column *columns, size_t count)
{
    struct output_table *table = calloc(1, sizeof *table + count * sizeof table->width[0]);
    if (table == NULL)
        return NULL;
    table->columns = columns;
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

static void output_put_cell(const struct output_table *table, size_t column, const char *text)
{
    int padding = (int)(table->width[column] - output_width(text));
    bool last = column + 1 == table->column_count;
    if (table->columns[column].right)
        printf("%*s%s", padding, "", text);
    else if (last)
        fputs(text, stdout); /* no spaces at the end of a line */
    else
        printf("%s%*s", text, padding, "");
    if (!last)
        fputs("  ", stdout);
}

static void output_table_measure(struct output_table *table)
{
    for (size_t c = 0; c < table->column_count; c++)
        table->width[c] = output_width(table->columns[c].heading);
    size_t shown = table->cell_count - table->cell_count % table->column_count;
    for (size_t i = 0; i < shown; i++) {
        size_t *widest = &table->width[i % table->column_count], width = output_width(table->cells[i]);
        *widest = width > *widest ? width : *widest;
    }
}

void output_table_put(struct output_table *table)
{
    bool colours = output_colours(stdout);
    if (table->column_count == 0) /* there is nothing to say, not even headings */
        return;
    output_table_measure(table);
    if (colours)
        screen_command(stdout, "\033[1m");
    for (size_t c = 0; c < table->column_count; c++)
        output_put_cell(table, c, table->columns[c].heading);
    if (colours)
        screen_command(stdout, "\033[0m");
    putchar('\n');
    for (size_t i = 0; i + table->column_count <= table->cell_count; i += table->column_count) {
        for (size_t c = 0; c < table->column_count; c++)
            output_put_cell(table, c, table->cells[i + c]);
        putchar('\n');
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
