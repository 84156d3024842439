/*
 * config.c - fills in the structs of a configuration from JSON: see config.h.
 */
#include "operate/config/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/config/config_parts.h"
#include "weir/params.h"

#define LIST_START 16u
#define FIELDS_MAX 64u
#define SHOWN 60 /* characters of a value in a message */

void *sonic_list_add(struct sonic_list *list, size_t size)
{
    if (list->count == list->room) {
        uint32_t room = list->room == 0 ? LIST_START : 2 * list->room;
        void *at = realloc(list->at, room * size);
        if (at == NULL)
            return NULL;
        list->at = at;
        list->room = room;
    }
    void *added = (char *)list->at + size * list->count++;
    memset(added, 0, size);
    return added;
}

void sonic_config_init(struct sonic_config *config)
{
    *config = (struct sonic_config){.files = NULL};
}

void sonic_config_free(struct sonic_config *config)
{
    for (uint32_t i = 0; i < config->file_count; i++)
        json_decref(config->files[i].root);
    for (uint32_t i = 0; i < SONIC_TABLES; i++)
        free(config->of[i].at);
    sonic_index_free(&config->index);
    free(config->rows.at);
    free(config->problems.at);
    free(config->cables.at);
    free(config->files);
    arena_free(&config->arena);
    sonic_config_init(config);
}

/* Bytes of the character that begins here, 1 to 4; 0: none does. */
static size_t character_size(const unsigned char *at)
{
    size_t size = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;
    for (size_t i = 1; i < size; i++)
        if (at[i] >> 6 != 2)
            return 0;
    bool is_long = (size == 2 && at[0] < 0xc2) || (size == 3 && at[0] == 0xe0 && at[1] < 0xa0) ||
                   (size == 4 && (at[0] > 0xf4 || (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f)));
    return is_long || (size == 3 && at[0] == 0xed && at[1] > 0x9f) ? 0 : size;
}

void sonic_clean_text(char *text)
{
    for (size_t size; *text != '\0'; text += size) {
        size = character_size((const unsigned char *)text);
        if (size == 0) {
            *text = '?';
            size = 1;
        }
    }
}

bool sonic_add_problem(struct sonic_config *config, const struct sonic_problem *problem, const char *format, ...)
{
    char text[WEIR_MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sonic_clean_text(text);
    struct sonic_problem *added = sonic_list_add(&config->problems, sizeof *added);
    if (added == NULL)
        return false;
    *added = *problem;
    added->text = arena_text(&config->arena, text, strlen(text));
    return added->text != NULL;
}

bool sonic_read_number(const char *text, int64_t *number)
{
    char *end;
    const char *digits = text[0] == '-' ? text + 1 : text;
    if (!isdigit((unsigned char)digits[0]))
        return false;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno != 0 || *end != '\0' || value == SONIC_ABSENT)
        return false;
    *number = value;
    return true;
}

bool sonic_read_metres(const char *text, double *metres)
{
    size_t whole = strspn(text, "0123456789"), length = whole;
    if (text[whole] == '.')
        length += 1 + strspn(text + whole + 1, "0123456789");
    if (whole == 0 || length > 12 || text[length - 1] == '.' || strcmp(text + length, "m") != 0)
        return false;
    *metres = strtod(text, NULL);
    return *metres <= SONIC_CABLE_MAX_M;
}

/* One entry while it is read. */
struct reading {
    struct sonic_config *config;
    struct sonic_entry *entry;
    const char *field;
    uint32_t spot; /* of the field */
};

static struct sonic_place spot_place(const struct sonic_config *config, uint32_t file, uint32_t spot)
{
    const struct sonic_file *of = &config->files[file];
    struct sonic_place place = {.file = of->name};
    if (spot < of->spot_count) {
        place.line = of->spots[spot].line;
        place.column = of->spots[spot].column;
    }
    return place;
}

/* A field, or with none the entry, cannot be read; true, as far as memory goes: reading goes on. */
static bool unreadable(const struct reading *reading, const char *value, const char *expected)
{
    const struct sonic_entry *entry = reading->entry;
    struct sonic_problem problem = {.kind = SONIC_UNREADABLE,
                                    .place = spot_place(reading->config, entry->file, reading->spot),
                                    .table = sonic_table_name(entry->table),
                                    .key = entry->key,
                                    .field = reading->field};
    return sonic_add_problem(reading->config, &problem, "'%.*s' is not %s", SHOWN, value, expected);
}

/* The part of `text` up to `end`, without blanks around it. */
static const char *part_text(struct sonic_config *config, const char *text, const char *end)
{
    while (text < end && isspace((unsigned char)*text))
        text++;
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    return arena_text(&config->arena, text, (size_t)(end - text));
}

/* "[TABLE|name]" or "name". */
static bool read_name(struct sonic_config *config, const char *text, const char *end, struct sonic_name *name)
{
    const char *bar = memchr(text, '|', (size_t)(end - text));
    name->is_old = end > text && *text == '[' && end[-1] == ']' && bar != NULL;
    name->name = name->is_old ? part_text(config, bar + 1, end - 1) : part_text(config, text, end);
    return name->name != NULL;
}

static uint32_t count_parts(const char *text)
{
    uint32_t count = 1;
    for (; *text != '\0'; text++)
        count += *text == ',';
    return count;
}

static bool read_names(struct sonic_config *config, const char *text, const struct sonic_name **names, uint32_t *count)
{
    uint32_t parts = text[0] == '\0' ? 0 : count_parts(text);
    struct sonic_name *at = arena_take_array(&config->arena, parts + 1, sizeof *at);
    for (uint32_t i = 0; at != NULL && i < parts; i++) {
        const char *end = text + strcspn(text, ",");
        if (!read_name(config, text, end, &at[i]))
            return false;
        text = end + 1;
    }
    *names = at;
    *count = parts;
    return at != NULL;
}

static bool read_priorities(const struct reading *reading, const char *text, uint32_t *mask)
{
    for (const char *at = text; *at != '\0'; at++) {
        bool alone = (at == text || at[-1] == ',') && (at[1] == '\0' || at[1] == ',');
        if (*at >= '0' && *at <= '7' && alone)
            *mask |= 1u << (*at - '0');
        else if (*at != ',' || at == text || at[1] == '\0')
            return unreadable(reading, text, "a list of priorities, such as 3,4");
    }
    return true;
}

uint32_t sonic_find_word(const struct sonic_field *field, const char *text)
{
    for (uint32_t i = 0; field->words[i] != NULL; i++)
        if (strcmp(field->words[i], text) == 0)
            return i + 1;
    return 0;
}

static bool read_word(const struct reading *reading, const struct sonic_field *field, const char *text, uint32_t *word)
{
    char expected[160] = "";
    *word = sonic_find_word(field, text);
    if (*word > 0)
        return true;
    for (uint32_t i = 0; field->words[i] != NULL; i++) {
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s%s", i > 0 ? " or " : "", field->words[i]);
    }
    return unreadable(reading, text, expected);
}

static bool read_count(const struct reading *reading, const char *text, int64_t *count)
{
    int64_t number;
    if (!sonic_read_number(text, &number))
        return unreadable(reading, text, "a number");
    if (number < 0)
        return unreadable(reading, text, "0 or more");
    *count = number;
    return true;
}

static bool read_value(const struct reading *reading, const struct sonic_field *field, const char *text)
{
    void *target = (char *)reading->entry + field->offset;
    struct sonic_config *config = reading->config;
    switch (field->kind) {
    case SONIC_FIELD_COUNT:
        return read_count(reading, text, target);
    case SONIC_FIELD_EXPONENT:
        return sonic_read_number(text, target) || unreadable(reading, text, "a number");
    case SONIC_FIELD_TEXT:
        *(const char **)target = arena_text(&config->arena, text, strlen(text));
        return *(const char **)target != NULL;
    case SONIC_FIELD_WORD:
        return read_word(reading, field, text, target);
    case SONIC_FIELD_NAME:
        return read_name(config, text, text + strlen(text), target);
    case SONIC_FIELD_NAMES:
        return read_names(config, text, target, &((struct sonic_use *)reading->entry)->profile_count);
    case SONIC_FIELD_LANES:
        *(uint32_t *)target = count_parts(text);
        return true;
    case SONIC_FIELD_PRIORITIES:
        return read_priorities(reading, text, target);
    case SONIC_FIELD_IGNORED:
        break;
    }
    return true;
}

/* Every value is a string; a whole number is taken for one. Null: it is something else. */
static const char *value_text(const json_t *value, char number[32])
{
    if (json_is_string(value))
        return json_string_value(value);
    if (!json_is_integer(value))
        return NULL;
    snprintf(number, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return number;
}

static const struct sonic_field *find_field(const struct sonic_table *table, const char *name)
{
    for (const struct sonic_field *field = table->fields; field->name != NULL; field++)
        if (strcmp(field->name, name) == 0)
            return field;
    return NULL;
}

static bool unknown_field(const struct reading *reading, const struct sonic_table *table)
{
    const char *names[FIELDS_MAX];
    size_t count = 0;
    if (table->has_others)
        return true;
    for (const struct sonic_field *field = table->fields; field->name != NULL && count < FIELDS_MAX; field++)
        names[count++] = field->name;
    const char *nearest = reading->field[0] != '\0' ? weir_nearest_name(reading->field, names, count) : NULL;
    struct sonic_problem problem = {.kind = SONIC_UNKNOWN,
                                    .place = spot_place(reading->config, reading->entry->file, reading->spot),
                                    .table = table->name,
                                    .key = reading->entry->key,
                                    .field = reading->field};
    return nearest == NULL ? sonic_add_problem(reading->config, &problem, "the table has no such field")
                           : sonic_add_problem(reading->config, &problem,
                                               "the table has no such field (did you mean '%s'?)", nearest);
}

/* "4": "3" of a map. */
static bool read_map_field(const struct reading *reading, const struct sonic_table *table, const char *text)
{
    struct sonic_map *map = (struct sonic_map *)reading->entry;
    int64_t from, to;
    if (!sonic_read_number(reading->field, &from) || from < 0 || from >= table->map_from)
        return unreadable(reading, reading->field, "a number that this map is from");
    if (!sonic_read_number(text, &to) || to < 0 || to >= table->map_to)
        return unreadable(reading, text, "a number that this map is to");
    map->to[from] = (int8_t)to;
    return true;
}

static bool read_field(struct reading *reading, const struct sonic_table *table, const json_t *value)
{
    char number[32];
    const char *text = value_text(value, number);
    const struct sonic_field *field = table->fields != NULL ? find_field(table, reading->field) : NULL;
    if (table->fields != NULL && field == NULL)
        return unknown_field(reading, table);
    if (field != NULL && field->kind == SONIC_FIELD_IGNORED)
        return true;
    if (text == NULL)
        return unreadable(reading, json_is_object(value) ? "{...}" : "this", "a string");
    if (field != NULL)
        return read_value(reading, field, text);
    if (reading->entry->table != SONIC_CABLE_LENGTH)
        return read_map_field(reading, table, text);
    double metres;
    if (!sonic_read_metres(text, &metres))
        return unreadable(reading, text, "a length in metres, such as 300m");
    struct sonic_cable *cable = sonic_list_add(&reading->config->cables, sizeof *cable);
    if (cable == NULL)
        return false;
    *cable = (struct sonic_cable){.entry = *reading->entry, .port = reading->field, .metres = metres};
    cable->entry.field_spot = reading->spot;
    return true;
}

/* "3", "3-4": of so many groups. */
static bool read_groups(const char *text, uint32_t groups, struct sonic_key *key)
{
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    unsigned long first = strtoul(text, &end, 10), last = first;
    if (*end == '-' && isdigit((unsigned char)end[1]))
        last = strtoul(end + 1, &end, 10);
    key->first = (uint32_t)first;
    key->last = (uint32_t)last;
    return *end == '\0' && first <= last && last < groups;
}

/* "Ethernet0,Ethernet4|3-4", "host|asic0|Ethernet0|3". */
static bool read_key(const struct reading *reading, const struct sonic_table *table)
{
    struct sonic_config *config = reading->config;
    struct sonic_key *key = (struct sonic_key *)((char *)reading->entry + table->key_offset);
    const char *text = reading->entry->key, *bar = strrchr(text, '|');
    const char *end = text + strlen(text), *start = text;
    if (table->shape == SONIC_KEY_GROUPS) {
        if (bar == NULL || !read_groups(bar + 1, table->groups, key))
            return unreadable(reading, text,
                              table->groups == SONIC_PRIORITIES
                                  ? "a key of a port and its groups, of 0 to 7, such as Ethernet0|3-4"
                                  : "a key of a port and its queues, of 0 to 15, such as Ethernet0|3-4");
        end = bar;
    }
    for (const char *at = text; at < end; at++)
        if (*at == '|')
            start = at + 1;
    key->is_remote = start > text;
    char *ports = arena_text(&config->arena, start, (size_t)(end - start));
    uint32_t count = ports != NULL ? count_parts(ports) : 0;
    const char **names = arena_take_array(&config->arena, count + 1, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        const char *stop = ports + strcspn(ports, ",");
        names[i] = part_text(config, ports, stop);
        if (names[i] == NULL)
            return false;
        ports += stop - ports + 1;
    }
    key->ports = names;
    key->count = count;
    return ports != NULL && names != NULL;
}

static void set_absent(struct sonic_entry *entry, const struct sonic_table *table)
{
    if (table->map_from > 0)
        memset(((struct sonic_map *)entry)->to, -1, SONIC_MAP_MAX);
    for (const struct sonic_field *field = table->fields; field != NULL && field->name != NULL; field++)
        if (field->kind == SONIC_FIELD_COUNT || field->kind == SONIC_FIELD_EXPONENT)
            *(int64_t *)((char *)entry + field->offset) = SONIC_ABSENT;
    if (entry->table == SONIC_PORT)
        ((struct sonic_port *)entry)->cable_m = -1;
}

/* Ports of the key of the last entry. */
static bool index_key(struct sonic_config *config, enum sonic_table_id table, const struct sonic_key *key)
{
    for (uint32_t i = 0; i < key->count; i++)
        if (!sonic_index_add(config, table, key->ports[i], true))
            return false;
    return true;
}

static bool read_entry(struct sonic_config *config, const struct sonic_entry *about, json_t *fields)
{
    const struct sonic_table *table = &sonic_tables[about->table];
    struct sonic_entry own = *about;
    struct reading reading = {.config = config, .entry = &own, .spot = about->spot};
    const char *field;
    json_t *value;
    if (!json_is_object(fields))
        return unreadable(&reading, about->key, "an entry with fields");
    /* Entries of one file differ; only another file may have the same one. */
    if (config->file_count > 1 && sonic_find(config, about->table, about->key) != NULL)
        return unreadable(&reading, about->key, "new: another file of this configuration has it");
    if (about->table == SONIC_PORT && config->of[SONIC_PORT].count == SONIC_PORTS_MAX)
        return unreadable(&reading, about->key, "read: there are too many ports");
    struct sonic_entry *entry = sonic_list_add(&config->of[about->table], table->size);
    if (entry == NULL)
        return false;
    *entry = *about;
    entry->fields = fields;
    set_absent(entry, table);
    reading.entry = entry;
    if (table->shape != SONIC_KEY_NAME) {
        if (!read_key(&reading, table))
            return false;
        if (((const struct sonic_key *)((const char *)entry + table->key_offset))->count == 0) {
            config->of[about->table].count--; /* nobody knows whose it is */
            return true;
        }
        if (!index_key(config, about->table, (const void *)((const char *)entry + table->key_offset)))
            return false;
    }
    if (!sonic_index_add(config, about->table, about->key, false))
        return false;
    json_object_foreach(fields, field, value)
    {
        reading.field = field;
        reading.spot++;
        if (!read_field(&reading, table, value))
            return false;
    }
    return true;
}

/* Keys of the two levels below, which the spots count too. */
static uint32_t count_keys(const json_t *table)
{
    const char *key;
    json_t *fields;
    uint32_t count = (uint32_t)json_object_size(table);
    json_object_foreach((json_t *)table, key, fields) count += (uint32_t)json_object_size(fields);
    return count;
}

static bool read_table(struct sonic_config *config, const char *name, json_t *entries, uint32_t spot)
{
    uint32_t id = 0, file = config->file_count - 1;
    struct sonic_problem problem = {
        .kind = SONIC_UNREAD, .place = spot_place(config, file, spot), .table = name, .key = NULL};
    while (id < SONIC_TABLES && strcmp(sonic_tables[id].name, name) != 0)
        id++;
    if (id == SONIC_TABLES && strncmp(name, "CBFC", 4) == 0)
        return sonic_add_problem(config, &problem,
                                 "%zu entries are not read: credits of CBFC, for which SONiC has published no table",
                                 json_object_size(entries));
    if (id == SONIC_TABLES)
        return sonic_add_problem(config, &problem, "%zu entries are not read: not a table about buffers",
                                 json_object_size(entries));
    if (!json_is_object(entries)) {
        problem.kind = SONIC_UNREADABLE;
        return sonic_add_problem(config, &problem, "the table is no object");
    }
    struct sonic_entry about = {.table = (enum sonic_table_id)id, .file = file, .spot = spot + 1};
    json_t *fields;
    json_object_foreach(entries, about.key, fields)
    {
        if (!read_entry(config, &about, fields))
            return false;
        about.spot += 1 + (uint32_t)json_object_size(fields);
    }
    return true;
}

static struct sonic_file *add_file(struct sonic_config *config, const char *name)
{
    struct sonic_file *files = realloc(config->files, (config->file_count + 1) * sizeof *files);
    if (files == NULL)
        return NULL;
    config->files = files;
    struct sonic_file *file = &files[config->file_count];
    *file = (struct sonic_file){.name = arena_text(&config->arena, name, strlen(name))};
    if (file->name == NULL)
        return NULL;
    config->file_count++;
    return file;
}

static bool has_table(const json_t *root)
{
    for (uint32_t id = 0; id < SONIC_TABLES; id++)
        if (json_object_get(root, sonic_tables[id].name) != NULL)
            return true;
    return false;
}

bool sonic_config_add_json(struct sonic_config *config, const char *name, const char *text, size_t size,
                           struct weir_error *error)
{
    json_error_t bad;
    struct sonic_file *file = add_file(config, name);
    if (file == NULL)
        return weir_fail_memory(error);
    file->root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &bad);
    if (file->root == NULL) /* jansson takes a lack of memory for a wrong token: a mistake of the text is there twice */
        file->root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &bad);
    if (file->root == NULL && bad.text[0] == '\0')
        return weir_fail_memory(error);
    if (file->root == NULL) {
        weir_fail(error, WEIR_ERROR_MALFORMED, "no JSON: %s", bad.text);
        return weir_fail_at(error, name, bad.line > 0 ? (uint32_t)bad.line : 0,
                            bad.column > 0 ? (uint32_t)bad.column : 0);
    }
    if (!json_is_object(file->root) || !has_table(file->root)) {
        weir_fail(error, WEIR_ERROR_INPUT,
                  "has no table about buffers (expected config_db.json, buffers.json or "
                  "qos.json: an object with BUFFER_POOL, PORT_QOS_MAP, ...)");
        return weir_fail_at(error, name, 0, 0);
    }
    file->spots = sonic_spots(&config->arena, text, size, &file->spot_count);
    if (file->spots == NULL)
        return weir_fail_memory(error);
    const char *table;
    json_t *entries;
    uint32_t spot = 0;
    json_object_foreach(file->root, table, entries)
    {
        if (!read_table(config, table, entries, spot))
            return weir_fail_memory(error);
        spot += 1 + count_keys(entries);
    }
    return true;
}

/* A port that PORT does not have. */
static bool add_named_port(struct sonic_config *config, const struct sonic_entry *by, const char *name)
{
    if (sonic_find_port(config, name) != NULL || config->of[SONIC_PORT].count == SONIC_PORTS_MAX)
        return true;
    struct sonic_port *port = sonic_list_add(&config->of[SONIC_PORT], sizeof *port);
    if (port == NULL)
        return false;
    port->entry = (struct sonic_entry){.table = SONIC_PORT, .key = name, .file = by->file, .spot = by->spot};
    port->speed_mbps = port->mtu = SONIC_ABSENT;
    port->cable_m = -1;
    port->name = name;
    return sonic_index_add(config, SONIC_PORT, name, false);
}

static bool add_ports_of_keys(struct sonic_config *config, enum sonic_table_id table)
{
    for (uint32_t i = 0; i < config->of[table].count; i++) {
        const struct sonic_entry *entry =
            (const void *)((const char *)config->of[table].at + i * sonic_tables[table].size);
        const struct sonic_key *key = (const void *)((const char *)entry + sonic_tables[table].key_offset);
        for (uint32_t p = 0; p < key->count && !key->is_remote; p++)
            if (strcmp(key->ports[p], "global") != 0 && strcmp(key->ports[p], "GLOBAL") != 0 &&
                !add_named_port(config, entry, key->ports[p]))
                return false;
    }
    return true;
}

bool sonic_config_finish(struct sonic_config *config, struct weir_error *error)
{
    static const enum sonic_table_id naming[] = {SONIC_BUFFER_PG, SONIC_BUFFER_QUEUE, SONIC_PORT_QOS_MAP};
    const struct sonic_cable *cables = config->cables.at;
    for (uint32_t i = 0; i < config->of[SONIC_PORT].count; i++) {
        struct sonic_port *port = SONIC_AT(config, sonic_port, SONIC_PORT, i);
        port->name = port->entry.key;
    }
    if (config->of[SONIC_PORT].count == 0) {
        for (uint32_t i = 0; i < config->cables.count; i++)
            if (!add_named_port(config, &cables[i].entry, cables[i].port))
                return weir_fail_memory(error);
        for (uint32_t i = 0; i < sizeof naming / sizeof naming[0]; i++)
            if (!add_ports_of_keys(config, naming[i]))
                return weir_fail_memory(error);
    }
    for (uint32_t i = 0; i < config->cables.count; i++) {
        struct sonic_port *port = sonic_find_port(config, cables[i].port);
        if (port != NULL) {
            port->cable = &cables[i];
            port->cable_m = cables[i].metres;
        }
    }
    return true;
}

struct sonic_port *sonic_find_port(const struct sonic_config *config, const char *name)
{
    return (struct sonic_port *)(uintptr_t)sonic_find(config, SONIC_PORT, name);
}

const struct sonic_pool *sonic_find_pool(const struct sonic_config *config, const char *name)
{
    return sonic_find(config, SONIC_BUFFER_POOL, name);
}

const struct sonic_profile *sonic_find_profile(const struct sonic_config *config, const char *name)
{
    return sonic_find(config, SONIC_BUFFER_PROFILE, name);
}

struct sonic_place sonic_entry_place(const struct sonic_config *config, const struct sonic_entry *entry,
                                     const char *field)
{
    uint32_t spot = entry->field_spot > 0 && field != NULL ? entry->field_spot : entry->spot;
    const char *name;
    json_t *value;
    if (spot == entry->spot && field != NULL && entry->fields != NULL &&
        json_object_get(entry->fields, field) != NULL) {
        json_object_foreach(entry->fields, name, value)
        {
            spot++;
            if (strcmp(name, field) == 0)
                break;
        }
    }
    return spot_place(config, entry->file, spot);
}

bool sonic_is_dynamic(const struct sonic_config *config)
{
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_DEVICE_METADATA); i++) {
        uint32_t model = SONIC_AT(config, sonic_device, SONIC_DEVICE_METADATA, i)->model;
        if (model != SONIC_MODEL_NONE)
            return model == SONIC_MODEL_DYNAMIC;
    }
    /* A bare buffers.json does not say; only the dynamic model has these. */
    return SONIC_COUNT(config, SONIC_DEVICE_METADATA) == 0 && SONIC_COUNT(config, SONIC_LOSSLESS_PARAMETER) > 0;
}

bool sonic_is_null(const struct sonic_name *profile)
{
    return profile->name != NULL && strcmp(profile->name, "NULL") == 0;
}

bool sonic_wred_marks(const struct sonic_wred *wred, enum sonic_colour colour)
{
    static const uint8_t marked[] = {
        /* bits of colours, by enum sonic_ecn */
        [SONIC_ECN_GREEN] = 1,     [SONIC_ECN_YELLOW] = 2,     [SONIC_ECN_RED] = 4, [SONIC_ECN_GREEN_YELLOW] = 3,
        [SONIC_ECN_GREEN_RED] = 5, [SONIC_ECN_YELLOW_RED] = 6, [SONIC_ECN_ALL] = 7};
    return marked[wred->ecn] >> colour & 1;
}

bool sonic_wred_drops(const struct sonic_wred *wred, enum sonic_colour colour)
{
    return wred->drops[colour] == 1;
}

json_t *sonic_config_tree(const struct sonic_config *config)
{
    json_t *tree = json_object(), *entries, *fields;
    const char *table, *key;
    for (uint32_t i = 0; i < config->file_count; i++) {
        json_object_foreach(config->files[i].root, table, entries)
        {
            json_t *into = json_object_get(tree, table);
            if (into == NULL || !json_is_object(into) || !json_is_object(entries)) {
                if (json_object_set_new(tree, table, json_deep_copy(entries)) != 0)
                    goto fail;
                continue;
            }
            json_object_foreach(entries, key,
                                fields) if (json_object_get(into, key) == NULL &&
                                            json_object_set_new(into, key, json_deep_copy(fields)) != 0) goto fail;
        }
    }
    return tree;
fail:
    json_decref(tree);
    return NULL;
}

bool sonic_config_again(struct sonic_config *config, const struct sonic_config *as, const json_t *tree,
                        struct weir_error *error)
{
    char *text = json_dumps(tree, 0);
    if (text == NULL)
        return weir_fail_memory(error);
    bool good = sonic_config_add_json(config, "changed", text, strlen(text), error);
    free(text);
    const struct sonic_row *rows = as->rows.at;
    for (uint32_t i = 0; good && i < as->rows.count; i++) {
        struct sonic_row *row = sonic_list_add(&config->rows, sizeof *row);
        if (row == NULL)
            return weir_fail_memory(error);
        *row = rows[i];
        row->file = arena_text(&config->arena, rows[i].file, strlen(rows[i].file));
    }
    config->has_lookup = as->has_lookup;
    config->lookup = as->lookup != NULL ? arena_text(&config->arena, as->lookup, strlen(as->lookup)) : NULL;
    return good && sonic_config_finish(config, error);
}
