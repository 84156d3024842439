/*
 * error.c - see weir/error.h. No memory is taken: an error is the caller's, like everything else.
 */
#include "weir/error.h"

#include <stdio.h>
#include <string.h>

bool weir_fail_list(struct weir_error *error, enum weir_error_code code, const char *format, va_list arguments)
{
    if (!error)
        return false;
    error->code = code;
    error->place = (struct weir_error_place){.part = NULL};
    error->name[0] = '\0';
    vsnprintf(error->text, sizeof error->text, format, arguments);
    return false;
}

bool weir_fail(struct weir_error *error, enum weir_error_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(error, code, format, arguments);
    va_end(arguments);
    return false;
}

bool weir_fail_unknown(struct weir_error *error, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(error, WEIR_ERROR_UNKNOWN, format, arguments);
    va_end(arguments);
    if (error)
        snprintf(error->name, sizeof error->name, "%s", name);
    return false;
}

bool weir_fail_memory(struct weir_error *error)
{
    return weir_fail(error, WEIR_ERROR_MEMORY, "out of memory");
}

bool weir_fail_in(struct weir_error *error, const char *part, uint64_t number)
{
    if (error && error->code != WEIR_ERROR_MEMORY && !error->place.part) {
        error->place.part = part;
        error->place.number = number;
    }
    return false;
}

bool weir_fail_at(struct weir_error *error, const char *origin, uint32_t line, uint32_t column)
{
    if (error && error->code != WEIR_ERROR_MEMORY && error->place.origin[0] == '\0') {
        snprintf(error->place.origin, sizeof error->place.origin, "%s", origin);
        error->place.line = line;
        error->place.column = column;
    }
    return false;
}

bool weir_fail_within(struct weir_error *error, const char *format, ...)
{
    if (!error || error->code == WEIR_ERROR_MEMORY)
        return false;
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t used = strlen(text);
    if (error->place.part && used < sizeof text - 48) { /* what is put before it is further out */
        used += (size_t)snprintf(text + used, sizeof text - used, "%.20s %llu: ", error->place.part,
                                 (unsigned long long)error->place.number);
    }
    snprintf(text + used, sizeof text - used, "%.*s", (int)(sizeof text - used - 1), error->text);
    error->place.part = NULL;
    memcpy(error->text, text, sizeof text);
    return false;
}

const char *weir_error_line(const struct weir_error *error, char line[WEIR_ERROR_LINE_MAX])
{
    const struct weir_error_place *at = &error->place;
    char where[WEIR_ORIGIN_MAX + 32] = "", part[64] = "";
    if (at->origin[0] != '\0' && at->line > 0)
        snprintf(where, sizeof where, "%s:%u:%u: ", at->origin, at->line, at->column);
    else if (at->origin[0] != '\0')
        snprintf(where, sizeof where, "%s: ", at->origin);
    if (at->part)
        snprintf(part, sizeof part, "%s %llu: ", at->part, (unsigned long long)at->number);
    snprintf(line, WEIR_ERROR_LINE_MAX, "%s%s%s", where, part, error->text);
    return line;
}
