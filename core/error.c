/*
 * error.c - see weir/error.h. No memory is taken: an error is the caller's, like everything else.
 */
#include "weir/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool weir_fail(struct weir_error *error, enum weir_error_code code, const char *format, ...)
{
    if (!error)
        return false;
    error->code = code;
    error->place = (struct weir_error_place){.part = NULL};
    error->name[0] = '\0';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

bool weir_fail_memory(struct weir_error *error)
{
    return weir_fail(error, WEIR_ERROR_MEMORY, "out of memory");
}

bool weir_fail_in(struct weir_error *error, const char *part, uint64_t number)
{
    if (error && !error->place.part) {
        error->place.part = part;
        error->place.number = number;
    }
    return false;
}

bool weir_fail_at(struct weir_error *error, const char *origin, uint32_t line, uint32_t column)
{
    if (error && error->place.origin[0] == '\0') {
        snprintf(error->place.origin, sizeof error->place.origin, "%s", origin);
        error->place.line = line;
        error->place.column = column;
    }
    return false;
}

bool weir_fail_within(struct weir_error *error, const char *format, ...)
{
    if (!error)
        return false;
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t used = strlen(text), room = sizeof text - used;
    snprintf(text + used, room, "%.*s", (int)(room - 1), error->text);
    memcpy(error->text, text, sizeof text);
    return false;
}

const char *weir_error_line(const struct weir_error *error, char line[WEIR_ERROR_LINE_MAX])
{
    const struct weir_error_place *at = &error->place;
    char where[WEIR_ORIGIN_MAX + 32] = "", part[64] = "";
    if (error->code == WEIR_ERROR_MEMORY) {
        snprintf(line, WEIR_ERROR_LINE_MAX, "out of memory");
        return line;
    }
    if (at->origin[0] != '\0' && at->line > 0)
        snprintf(where, sizeof where, "%s:%u:%u: ", at->origin, at->line, at->column);
    else if (at->origin[0] != '\0')
        snprintf(where, sizeof where, "%s: ", at->origin);
    if (at->part)
        snprintf(part, sizeof part, "%s %llu: ", at->part, (unsigned long long)at->number);
    snprintf(line, WEIR_ERROR_LINE_MAX, "%s%s%s", where, part, error->text);
    return line;
}
