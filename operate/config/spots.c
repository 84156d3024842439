/*
 * spots.c - lines and columns of the keys of a JSON text, which jansson does not keep. The text has been read as JSON
 * before, so that only strings and brackets have to be told apart.
 */
#include <stdlib.h>
#include <string.h>

#include "operate/config/config_parts.h"

#define LEVELS 3u

struct scan {
    const char *at, *end, *line_start;
    uint32_t line;
};

/* Past the string that begins here. */
static void skip_string(struct scan *scan)
{
    for (scan->at++; scan->at < scan->end && *scan->at != '"'; scan->at++)
        if (*scan->at == '\\')
            scan->at++;
    scan->at++;
}

/* Whether a colon comes next: the string before it is a key. */
static bool is_key(const struct scan *scan)
{
    const char *at = scan->at;
    while (at < scan->end && strchr(" \t\r\n", *at) != NULL && *at != '\0')
        at++;
    return at < scan->end && *at == ':';
}

struct sonic_spot *sonic_spots(struct arena *arena, const char *text, size_t size, uint32_t *count)
{
    struct scan scan = {.at = text, .end = text + size, .line_start = text, .line = 1};
    struct sonic_list list = {.at = NULL};
    uint32_t depth = 0, arrays = 0; /* keys inside of arrays are values to us */
    bool fits = true;
    while (scan.at < scan.end && fits) {
        const char *start = scan.at;
        if (*start == '"') {
            skip_string(&scan);
            if (arrays > 0 || depth > LEVELS || !is_key(&scan))
                continue;
            struct sonic_spot *spot = sonic_list_add(&list, sizeof *spot);
            fits = spot != NULL;
            if (fits)
                *spot = (struct sonic_spot){scan.line, (uint32_t)(start - scan.line_start) + 1};
            continue;
        }
        depth += *start == '{' && arrays == 0;
        depth -= *start == '}' && arrays == 0 && depth > 0;
        arrays += *start == '[';
        arrays -= *start == ']' && arrays > 0;
        scan.at++;
        if (*start == '\n') {
            scan.line++;
            scan.line_start = scan.at;
        }
    }
    struct sonic_spot *spots = fits ? arena_take_array(arena, list.count + 1, sizeof *spots) : NULL;
    if (spots != NULL && list.count > 0)
        memcpy(spots, list.at, list.count * sizeof *spots);
    *count = spots != NULL ? list.count : 0;
    free(list.at);
    return spots;
}
