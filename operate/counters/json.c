/*
 * json.c - SAI counters in JSON. Any object whose members have names of counters is a set of values; its object is
 * named by the key above it ("Ethernet0|3"), or by its members port (object, name) and pg (queue, index). A dump of
 * COUNTERS_DB has OIDs for keys, and maps from names to them; a dump of STATE_DB has the numbers by which telemetry
 * knows objects.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/counters/counters_parts.h"

#define DEPTH_MAX 8u
#define SESSION "HIGH_FREQUENCY_TELEMETRY_SESSION|"

static const char *const maps[] = {"COUNTERS_PORT_NAME_MAP", "COUNTERS_QUEUE_NAME_MAP", "COUNTERS_PG_NAME_MAP",
                                   "COUNTERS_BUFFER_POOL_NAME_MAP"};

static bool read_value(const json_t *value, int64_t *number)
{
    if (json_is_integer(value)) {
        *number = json_integer_value(value);
        return *number >= 0;
    }
    return json_is_string(value) && counters_read_number(json_string_value(value), json_string_length(value), number);
}

static const char *text_of(const json_t *object, const char *const *names)
{
    for (; *names != NULL; names++) {
        const json_t *value = json_object_get(object, *names);
        if (json_is_string(value))
            return json_string_value(value);
    }
    return NULL;
}

/* The group of a record: pg, queue or index, as a number or a text. */
static const char *group_of(const json_t *object, char text[24])
{
    static const char *const names[] = {"pg", "queue", "index", "priority"};
    int64_t number;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (read_value(json_object_get(object, names[i]), &number)) {
            snprintf(text, 24, "%lld", (long long)number);
            return text;
        }
    return NULL;
}

static bool read_values(struct counters *counters, const char *name, const json_t *object)
{
    static const char *const names[] = {"object", "name", "port", "pool", NULL};
    const char *own = text_of(object, names), *member;
    char digits[24], whole[256];
    const char *group = own != NULL ? group_of(object, digits) : NULL;
    json_t *value;
    int64_t number;
    uint32_t index;
    name = own != NULL ? own : name;
    json_object_foreach((json_t *)(uintptr_t)object, member, value)
    {
        enum counters_kind kind = counters_of_name(member, &index);
        if (kind == COUNTERS_KINDS || name == NULL || !read_value(value, &number))
            continue;
        snprintf(whole, sizeof whole, group != NULL && !counters_is_whole(kind) ? "%.200s|%s" : "%.200s", name,
                 group != NULL ? group : "");
        if (!counters_put_named(counters, kind, whole, index, number))
            return false;
    }
    return true;
}

/* Members of an entry of a database: in "value", or at once. */
static json_t *fields_of(json_t *entry)
{
    json_t *value = json_object_get(entry, "value");
    return json_is_object(value) ? value : entry;
}

static bool walk(struct counters *counters, const char *name, json_t *node, uint32_t depth)
{
    const char *key;
    json_t *child;
    size_t i;
    if (depth == DEPTH_MAX)
        return true;
    if (json_is_array(node)) {
        json_array_foreach(node, i, child) if (!walk(counters, name, child, depth + 1)) return false;
        return true;
    }
    if (!json_is_object(node))
        return true;
    if (!read_values(counters, name, node))
        return false;
    json_object_foreach(node, key, child)
    {
        /* "value" and the like are no names of objects */
        const char *below = strcmp(key, "value") == 0 && name != NULL ? name : key;
        if ((json_is_object(child) || json_is_array(child)) && !walk(counters, below, child, depth + 1))
            return false;
    }
    return true;
}

/* A dump of COUNTERS_DB: of every name the entries of its OID. */
static bool read_database(struct counters *counters, json_t *root)
{
    static const char *const tables[] = {"COUNTERS", "PERIODIC_WATERMARKS", "USER_WATERMARKS", "PERSISTENT_WATERMARKS"};
    for (size_t m = 0; m < sizeof maps / sizeof maps[0]; m++) {
        const char *name;
        json_t *oid;
        json_object_foreach(fields_of(json_object_get(root, maps[m])), name, oid)
        {
            for (size_t t = 0; t < sizeof tables / sizeof tables[0] && json_is_string(oid); t++) {
                char key[160];
                snprintf(key, sizeof key, "%s:%.120s", tables[t], json_string_value(oid));
                json_t *entry = json_object_get(root, key);
                if (json_is_object(entry) && !read_values(counters, name, fields_of(entry)))
                    return false;
            }
        }
    }
    return true;
}

/* The next of "a,b", or of an array. Null: there is none. */
static const char *part_of(const json_t *list, size_t which, char text[128])
{
    if (json_is_array(list)) {
        int64_t number;
        const json_t *value = json_array_get(list, which);
        if (json_is_string(value))
            snprintf(text, 128, "%s", json_string_value(value));
        else if (read_value(value, &number))
            snprintf(text, 128, "%lld", (long long)number);
        else
            return NULL;
        return text;
    }
    const char *at = json_is_string(list) ? json_string_value(list) : NULL;
    for (; at != NULL && which > 0; which--) {
        at = strchr(at, ',');
        at = at != NULL ? at + 1 : NULL;
    }
    if (at == NULL || *at == '\0')
        return NULL;
    snprintf(text, 128, "%.*s", (int)(strcspn(at, ",") < 127 ? strcspn(at, ",") : 127), at);
    return text;
}

/* "HIGH_FREQUENCY_TELEMETRY_SESSION|profile|QUEUE": object_names and object_ids, one for each other. */
static bool read_session(struct counters *counters, const char *key, json_t *entry)
{
    const char *group = strrchr(key, '|') + 1;
    uint32_t type = strcmp(group, "PORT") == 0                                               ? SAI_PORT
                    : strstr(group, "QUEUE") != NULL                                         ? SAI_QUEUE
                    : strstr(group, "POOL") != NULL                                          ? SAI_POOL
                    : strstr(group, "PG") != NULL || strstr(group, "PRIORITY_GROUP") != NULL ? SAI_GROUP
                                                                                             : 0;
    const json_t *names = json_object_get(fields_of(entry), "object_names");
    const json_t *ids = json_object_get(fields_of(entry), "object_ids");
    char name[128], id[128];
    int64_t number;
    for (size_t i = 0; part_of(names, i, name) != NULL && part_of(ids, i, id) != NULL; i++) {
        if (!counters_read_number(id, strlen(id), &number) || number > UINT16_MAX)
            continue;
        struct counters_label *label = sonic_list_add(&counters->labels, sizeof *label);
        if (label == NULL)
            return false;
        *label = (struct counters_label){
            .type = type, .number = (uint32_t)number, .object = arena_text(&counters->arena, name, strlen(name))};
        if (label->object == NULL)
            return false;
    }
    return true;
}

bool counters_add_json(struct counters *counters, const char *name, const char *text, size_t size,
                       struct weir_error *error)
{
    json_error_t bad;
    uint32_t before = counters->values, labels = counters->labels.count;
    json_t *root = json_loadb(text, size, 0, &bad);
    if (root == NULL) {
        weir_fail(error, WEIR_ERROR_MALFORMED, "no JSON: %s", bad.text);
        return weir_fail_at(error, name, bad.line > 0 ? (uint32_t)bad.line : 0,
                            bad.column > 0 ? (uint32_t)bad.column : 0);
    }
    bool is_database = false, good = true;
    for (size_t m = 0; m < sizeof maps / sizeof maps[0]; m++)
        is_database |= json_is_object(json_object_get(root, maps[m]));
    const char *key;
    json_t *entry;
    if (json_is_object(root))
        json_object_foreach(root, key, entry) if (good && strncmp(key, SESSION, strlen(SESSION)) == 0) good =
            read_session(counters, key, entry);
    if (good)
        good = is_database ? read_database(counters, root) : walk(counters, NULL, root, 0);
    json_decref(root);
    if (!good)
        return weir_fail_memory(error);
    if (counters->values > before || counters->labels.count > labels)
        return true;
    weir_fail(error, WEIR_ERROR_INPUT,
              "has no counter that is known here (expected objects such as {\"Ethernet0|3\": "
              "{\"SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES\": 1234}}, or a dump of COUNTERS_DB with its "
              "COUNTERS_..._NAME_MAP)");
    return weir_fail_at(error, name, 0, 0);
}
