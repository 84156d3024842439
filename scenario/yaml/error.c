/*
 * error.c - see error.h.
 */
#include "scenario/yaml/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "weir/params.h"

#define SHOWN_MAX 48 /* bytes of a wrong text that a error repeats */

bool error_at(struct weir_error *error, struct mark mark, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(error, WEIR_ERROR_INPUT, format, arguments);
    va_end(arguments);
    return weir_fail_at(error, mark.origin, mark.line, mark.column);
}

struct error_text error_text(const char *text)
{
    struct error_text shown;
    size_t length = strlen(text), kept = length;
    if (length > SHOWN_MAX) /* a UTF-8 sequence stays whole */
        for (kept = SHOWN_MAX; kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80; kept--)
            continue;
    snprintf(shown.text, sizeof shown.text, "%.*s%s", (int)kept, text, kept < length ? "..." : "");
    return shown;
}

struct error_hint error_hint(const char *typed, const char *const *names)
{
    struct error_hint hint = {.near = false};
    size_t count = 0;
    while (names[count] != NULL)
        count++;
    const char *nearest = typed[0] != '\0' ? weir_nearest_name(typed, names, count) : NULL;
    if (nearest != NULL) {
        snprintf(hint.text, sizeof hint.text, " (did you mean '%s'?)", nearest);
        hint.near = true;
        return hint;
    }
    size_t used = (size_t)snprintf(hint.text, sizeof hint.text, " (expected ");
    for (size_t i = 0; i < count && used + strlen(names[i]) + 6 < sizeof hint.text; i++)
        used += (size_t)snprintf(hint.text + used, sizeof hint.text - used, "%s%s", i > 0 ? ", " : "", names[i]);
    snprintf(hint.text + used, sizeof hint.text - used, count > 0 ? ")" : "none)");
    return hint;
}
