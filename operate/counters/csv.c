/*
 * csv.c - SAI counters in CSV: a line of names, and either a row for each value (object, counter, value) or a row for
 * each object with a column for each counter. An object is "Ethernet0|3", or a port with a column pg or queue.
 */
#include <stdio.h>
#include <string.h>

#include "operate/counters/counters_parts.h"

#define COLUMNS_MAX 256u
#define NAME_MAX_BYTES 128u

enum role { ROLE_OTHER, ROLE_OBJECT, ROLE_INDEX, ROLE_COUNTER, ROLE_VALUE, ROLE_STAT };

struct columns {
    uint32_t count;
    enum role role[COLUMNS_MAX];
    enum counters_kind kind[COLUMNS_MAX]; /* of ROLE_STAT */
    uint32_t index[COLUMNS_MAX];
};

struct field {
    const char *at;
    size_t length;
};

/* The next field of a line, without quotes; a quote within quotes ends nothing here. */
static struct field next_field(const char **at, const char *end)
{
    struct field field = {*at, 0};
    bool quoted = *at < end && **at == '"';
    const char *stop = quoted ? memchr(*at + 1, '"', (size_t)(end - *at - 1)) : memchr(*at, ',', (size_t)(end - *at));
    if (quoted && stop != NULL) {
        field = (struct field){*at + 1, (size_t)(stop - *at - 1)};
        stop = memchr(stop, ',', (size_t)(end - stop));
    } else {
        field.length = (size_t)((stop != NULL ? stop : end) - *at);
    }
    *at = stop != NULL ? stop + 1 : end + 1;
    return field;
}

static void copy(struct field field, char text[NAME_MAX_BYTES])
{
    snprintf(text, NAME_MAX_BYTES, "%.*s", (int)(field.length < NAME_MAX_BYTES ? field.length : NAME_MAX_BYTES - 1),
             field.at);
}

static bool is_one_of(const char *text, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(text, *names) == 0)
            return true;
    return false;
}

static void read_names(struct columns *columns, const char *at, const char *end)
{
    static const char *const objects[] = {"object", "port", "name", "pool", NULL};
    static const char *const indices[] = {"index", "pg", "queue", "priority", NULL};
    while (at <= end && columns->count < COLUMNS_MAX) {
        char name[NAME_MAX_BYTES];
        uint32_t i = columns->count++;
        copy(next_field(&at, end), name);
        columns->kind[i] = counters_of_name(name, &columns->index[i]);
        columns->role[i] = columns->kind[i] != COUNTERS_KINDS                          ? ROLE_STAT
                           : is_one_of(name, objects)                                  ? ROLE_OBJECT
                           : is_one_of(name, indices)                                  ? ROLE_INDEX
                           : strcmp(name, "counter") == 0 || strcmp(name, "stat") == 0 ? ROLE_COUNTER
                           : strcmp(name, "value") == 0                                ? ROLE_VALUE
                                                                                       : ROLE_OTHER;
    }
}

static bool put_value(struct counters *counters, enum counters_kind kind, const char *object, const char *group,
                      uint32_t index, int64_t value)
{
    char name[2 * NAME_MAX_BYTES + 2];
    if (kind == COUNTERS_KINDS)
        return true;
    snprintf(name, sizeof name, counters_is_whole(kind) || group[0] == '\0' ? "%s" : "%s|%s", object, group);
    return counters_put_named(counters, kind, name, index, value);
}

/* Null: all is well; else what is wrong with the line, or "" where memory was short. */
static const char *read_line(struct counters *counters, const struct columns *columns, const char *at, const char *end)
{
    char object[NAME_MAX_BYTES] = "", group[NAME_MAX_BYTES] = "", counter[NAME_MAX_BYTES] = "";
    struct field values[COLUMNS_MAX];
    uint32_t count = 0, index;
    int64_t value;
    for (; at <= end && count < columns->count; count++) {
        values[count] = next_field(&at, end);
        if (columns->role[count] == ROLE_OBJECT)
            copy(values[count], object);
        else if (columns->role[count] == ROLE_INDEX)
            copy(values[count], group);
        else if (columns->role[count] == ROLE_COUNTER)
            copy(values[count], counter);
    }
    if (count < columns->count)
        return "has fewer fields than the first line has names";
    for (uint32_t i = 0; i < count; i++) {
        if ((columns->role[i] != ROLE_VALUE && columns->role[i] != ROLE_STAT) || values[i].length == 0)
            continue;
        if (!counters_read_number(values[i].at, values[i].length, &value))
            return "has a value that is no whole number";
        enum counters_kind kind = columns->kind[i];
        index = columns->index[i];
        if (columns->role[i] == ROLE_VALUE)
            kind = counters_of_name(counter, &index);
        if (!put_value(counters, kind, object, group, index, value))
            return "";
    }
    return NULL;
}

bool counters_add_csv(struct counters *counters, const char *name, const char *text, size_t size,
                      struct weir_error *error)
{
    struct columns columns = {.count = 0};
    const char *at = text, *end = text + size;
    uint32_t objects = 0, values = 0, named = 0;
    for (uint32_t line = 1; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *last = stop != NULL ? stop : end, *next = stop != NULL ? stop + 1 : end;
        while (last > at && (last[-1] == '\r' || last[-1] == ' '))
            last--;
        const char *wrong = NULL;
        if (last > at && *at != '#') {
            if (columns.count == 0)
                read_names(&columns, at, last);
            else
                wrong = read_line(counters, &columns, at, last);
        }
        if (wrong != NULL && wrong[0] == '\0')
            return weir_fail_memory(error);
        if (wrong != NULL) {
            weir_fail(error, WEIR_ERROR_MALFORMED, "'%.*s' %s", last - at < 60 ? (int)(last - at) : 60, at, wrong);
            return weir_fail_at(error, name, line, 1);
        }
        at = next;
    }
    for (uint32_t i = 0; i < columns.count; i++) {
        objects += columns.role[i] == ROLE_OBJECT;
        values += columns.role[i] == ROLE_VALUE || columns.role[i] == ROLE_STAT;
        named += columns.role[i] == ROLE_COUNTER || columns.role[i] == ROLE_STAT;
    }
    if (objects > 0 && values > 0 && named > 0)
        return true;
    weir_fail(error, WEIR_ERROR_INPUT,
              "has no columns of counters (expected object,counter,value, or object and a "
              "column for each counter, named as SAI does: "
              "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES)");
    return weir_fail_at(error, name, 1, 1);
}
