/*
 * error.c - see error.h.
 */
#include "scenario/yaml/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Negative: the first stands before the second. */
static int compare_places(const struct weir_error *left, const struct weir_error *right)
{
    const struct weir_error_place *a = &left->place, *b = &right->place;
    int origin = strcmp(a->origin, b->origin);
    if (origin != 0)
        return origin;
    return a->line != b->line ? (a->line < b->line ? -1 : 1) : (a->column > b->column) - (a->column < b->column);
}

void error_list_add(struct error_list *list, const struct weir_error *error)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (compare_places(&list->at[i], error) == 0 && strcmp(list->at[i].text, error->text) == 0)
            return;
    if (list->at == NULL)
        list->at = calloc(ERROR_LIST_MAX, sizeof *list->at);
    list->no_memory = list->no_memory || list->at == NULL || error->code == WEIR_ERROR_MEMORY;
    if (!list->no_memory && list->count < ERROR_LIST_MAX)
        list->at[list->count++] = *error;
}

/* Of one place, the order in which they were found stays. */
void error_list_sort(struct error_list *list)
{
    for (uint32_t i = 1; i < list->count; i++) {
        struct weir_error error = list->at[i];
        uint32_t to = i;
        for (; to > 0 && compare_places(&list->at[to - 1], &error) > 0; to--)
            list->at[to] = list->at[to - 1];
        list->at[to] = error;
    }
}

void error_list_free(struct error_list *list)
{
    free(list->at);
    *list = (struct error_list){.at = NULL};
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
