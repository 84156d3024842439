/*
 * columns.c - see columns.h.
 */
#include "scenario/read/columns.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FIELDS_MAX 64u

/* A field of the row, without the blanks and quotes around it. */
struct field {
    const char *at;
    size_t length;
    uint32_t column; /* from 1 */
};

struct fields {
    struct field at[FIELDS_MAX];
    unsigned count;
};

bool columns_fail(struct columns *in, unsigned column, const char *format, ...)
{
    const struct mark *mark = in->cell[column][0] != '\0' ? &in->cell_mark[column] : &in->mark;
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(in->error, WEIR_ERROR_MALFORMED, format, arguments);
    va_end(arguments);
    weir_fail_within(in->error, "%s: ", in->columns[column].names[0]);
    in->failed = true;
    return weir_fail_at(in->error, mark->origin, mark->line, mark->column);
}

static bool fail_row(struct columns *in, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail_row(struct columns *in, uint32_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(in->error, WEIR_ERROR_MALFORMED, format, arguments);
    va_end(arguments);
    in->failed = true;
    return weir_fail_at(in->error, in->mark.origin, in->mark.line, column);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct field trimmed(const char *line, size_t from, size_t to)
{
    while (from < to && is_blank(line[from]))
        from++;
    while (from < to && is_blank(line[to - 1]))
        to--;
    if (to - from >= 2 && line[from] == '"' && line[to - 1] == '"') {
        from++;
        to--;
    }
    return (struct field){line + from, to - from, (uint32_t)from + 1};
}

/* The fields of a line: between commas or semicolons if it has any, else tabs, else blanks. */
static bool split(struct columns *in, const char *line, size_t length, struct fields *fields)
{
    const char *between = memchr(line, ',', length) != NULL ? "," : memchr(line, ';', length) != NULL ? ";" : " \t";
    bool blanks = between[0] == ' ';
    fields->count = 0;
    for (size_t from = 0; from <= length;) {
        size_t to = from;
        while (to < length && strchr(between, line[to]) == NULL)
            to++;
        struct field field = trimmed(line, from, to);
        from = to + 1;
        if (blanks && field.length == 0)
            continue;
        if (fields->count == FIELDS_MAX)
            return fail_row(in, field.column, "more than %u fields", FIELDS_MAX);
        if (field.length >= COLUMNS_FIELD_MAX - sizeof in->unit[0])
            return fail_row(in, field.column, "a field of %zu bytes (expected at most %zu)", field.length,
                            COLUMNS_FIELD_MAX - sizeof in->unit[0] - 1);
        for (size_t i = 0; i < field.length; i++)
            if (iscntrl((unsigned char)field.at[i]))
                return fail_row(in, field.column, "a control character (expected a text of columns)");
        fields->at[fields->count++] = field;
    }
    return true;
}

/* A unit as headers write it, in the words of values. */
static void set_unit(char unit[16], const char *text, size_t length)
{
    static const char *const words[][2] = {
        {"bytes", "B"}, {"byte", "B"}, {"sec", "s"}, {"seconds", "s"}, {"percent", "%"}};
    snprintf(unit, 16, "%.*s", (int)length, text);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(unit, words[i][0]) == 0)
            snprintf(unit, 16, "%s", words[i][1]);
}

/* The column whose name the header begins with, the longest of them, and its unit behind '_', '(', '[' or a blank;
 * -1: none. */
static int named_column(const struct columns *in, const struct field *field, char unit[16])
{
    int found = -1;
    size_t longest = 0;
    for (unsigned c = 0; c < in->count; c++) {
        for (const char *const *name = in->columns[c].names; *name != NULL; name++) {
            size_t length = strlen(*name);
            bool begins = field->length >= length && strncasecmp(field->at, *name, length) == 0 &&
                          (field->length == length || strchr("_([ ", field->at[length]) != NULL);
            if (!begins || length <= longest)
                continue;
            const char *rest = field->at + length, *end = field->at + field->length;
            while (rest < end && strchr("_([ ", *rest) != NULL)
                rest++;
            while (rest < end && strchr(")] ", end[-1]) != NULL)
                end--;
            set_unit(unit, rest, (size_t)(end - rest));
            longest = length;
            found = (int)c;
        }
    }
    return found;
}

static bool is_header(const struct columns *in, const struct fields *fields)
{
    char unit[16];
    for (unsigned i = 0; i < fields->count; i++)
        if (named_column(in, &fields->at[i], unit) >= 0)
            return true;
    return false;
}

/* "'x' and 'y'": the first names of the columns, for messages. */
static const char *column_list(const struct columns *in, char text[160])
{
    size_t used = 0;
    for (unsigned c = 0; c < in->count; c++)
        used += (size_t)snprintf(text + used, 160 - used, "%s%s%s", c > 0 ? ", " : "", in->columns[c].names[0],
                                 in->columns[c].optional ? " (optional)" : "");
    return text;
}

/* A column that the header lacks is left out; one that it has and no table knows is skipped. */
static bool read_header(struct columns *in, const struct fields *fields)
{
    char list[160];
    for (unsigned i = 0; i < fields->count; i++) {
        char unit[16];
        int c = named_column(in, &fields->at[i], unit);
        if (c < 0)
            continue;
        if (in->field_of[c] >= 0)
            return fail_row(in, fields->at[i].column, "a second column '%s'", in->columns[c].names[0]);
        in->field_of[c] = (int)i;
        memcpy(in->unit[c], unit, sizeof unit);
    }
    for (unsigned c = 0; c < in->count; c++)
        if (in->field_of[c] < 0 && !in->columns[c].optional)
            return fail_row(in, 1, "the header names no column '%s' (expected %s)", in->columns[c].names[0],
                            column_list(in, list));
    in->headed = true;
    in->fields = fields->count;
    return true;
}

/* Exponents and long fractions, as programs print them, in the plain digits that values are read from. */
static void copy_number(char cell[COLUMNS_FIELD_MAX], const struct field *field)
{
    char *end;
    snprintf(cell, COLUMNS_FIELD_MAX, "%.*s", (int)field->length, field->at);
    double value = strtod(cell, &end);
    if (end == cell || *end != '\0' || (strpbrk(cell, "eE") == NULL && field->length < 18) || !(value < 1e15) ||
        !(value > -1e15) || strpbrk(cell, "xX") != NULL)
        return;
    snprintf(cell, COLUMNS_FIELD_MAX, "%.*f", value < 1e5 && value > -1e5 ? 12 : 2, value);
    for (size_t i = strlen(cell); i > 0 && (cell[i - 1] == '0' || cell[i - 1] == '.'); i--) {
        bool point = cell[i - 1] == '.';
        cell[i - 1] = '\0';
        if (point)
            break;
    }
}

static bool read_row(struct columns *in, const struct fields *fields)
{
    char list[160];
    unsigned needed = 0;
    for (unsigned c = 0; c < in->count; c++)
        needed += !in->columns[c].optional;
    if (in->headed ? fields->count != in->fields : fields->count < needed || fields->count > in->count) {
        if (in->headed)
            return fail_row(in, 1, "%u fields (expected %u, as the header has)", fields->count, in->fields);
        return fail_row(in, 1, "%u columns (expected %s)", fields->count, column_list(in, list));
    }
    for (unsigned c = 0; c < in->count; c++) {
        int i = in->headed ? in->field_of[c] : (int)c;
        in->cell[c][0] = '\0';
        if (i < 0 || (unsigned)i >= fields->count || fields->at[i].length == 0)
            continue;
        in->cell_mark[c] = (struct mark){in->mark.origin, in->mark.line, fields->at[i].column};
        copy_number(in->cell[c], &fields->at[i]);
        size_t length = strlen(in->cell[c]);
        const char *unit = in->unit[c][0] != '\0' ? in->unit[c] : in->columns[c].unit;
        if (unit != NULL && (isdigit((unsigned char)in->cell[c][length - 1]) || in->cell[c][length - 1] == '.'))
            snprintf(in->cell[c] + length, COLUMNS_FIELD_MAX - length, "%s", unit);
    }
    for (unsigned c = 0; c < in->count; c++)
        if (in->cell[c][0] == '\0' && !in->columns[c].optional)
            return columns_fail(in, c, "nothing is here (expected a value)");
    return true;
}

bool columns_next(struct columns *in)
{
    static const char byte_order[] = "\xef\xbb\xbf";
    if (in->mark.line == 0 && in->size >= 3 && memcmp(in->text, byte_order, 3) == 0)
        in->at = 3;
    while (in->at < in->size) {
        const char *line = in->text + in->at;
        const char *newline = memchr(line, '\n', in->size - in->at);
        size_t length = newline != NULL ? (size_t)(newline - line) : in->size - in->at;
        struct fields fields;
        in->at += length + 1;
        in->mark.line++;
        in->mark.column = 1;
        const char *comment = memchr(line, '#', length);
        length = comment != NULL ? (size_t)(comment - line) : length;
        while (length > 0 && is_blank(line[length - 1]))
            length--;
        if (length == 0)
            continue;
        if (!split(in, line, length, &fields))
            return false;
        bool first = !in->began;
        in->began = true;
        for (unsigned c = 0; c < in->count && first; c++)
            in->field_of[c] = -1;
        if (!first || !is_header(in, &fields))
            return read_row(in, &fields);
        if (!read_header(in, &fields))
            return false;
    }
    return false;
}
