/*
 * section.c - reading maps by tables: see section.h; showing is in section_show.c.
 */
#include "scenario/keys/section.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool reader_fail(struct reader *reader, const struct node *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(reader->error, WEIR_ERROR_INPUT, format, arguments);
    va_end(arguments);
    return reader_place(reader, at, NULL);
}

bool reader_place(struct reader *reader, const struct node *at, const char *prefix)
{
    if (prefix != NULL)
        weir_fail_within(reader->error, "%s: ", prefix);
    return weir_fail_at(reader->error, at->mark.origin, at->mark.line, at->mark.column);
}

bool reader_goes_on(struct reader *reader)
{
    if (reader->all == NULL)
        return false;
    if (reader->error->code != WEIR_ERROR_NONE)
        error_list_add(reader->all, reader->error);
    *reader->error = (struct weir_error){.code = WEIR_ERROR_NONE};
    return !reader->all->no_memory;
}

bool reader_expect(struct reader *reader, const struct node *node, enum node_kind kind, const char *name)
{
    if (node->kind == kind)
        return true;
    bool nothing = node->kind == NODE_SCALAR && node->text[0] == '\0';
    return reader_fail(reader, node, "%s: %s is here (expected %s)", name,
                       nothing ? "nothing" : node_kind_name(node->kind), node_kind_name(kind));
}

void section_defaults(const struct section *section, void *target, uint32_t kind)
{
    if (section->defaults != NULL)
        section->defaults(target, kind);
    else if (section->initial != NULL)
        memcpy(target, section->initial, section->size);
    else
        memset(target, 0, section->size);
}

static const char *kind_name(const struct section *section, uint32_t kind)
{
    if (section->kind_at != NULL)
        return section->kind_at(kind);
    return section->kinds != NULL ? section->kinds[kind] : NULL;
}

uint32_t section_kind_count(const struct section *section)
{
    uint32_t count = 0;
    while (count < SECTION_KINDS_MAX && kind_name(section, count) != NULL)
        count++;
    return count;
}

struct section_kinds section_kinds(const struct section *section)
{
    struct section_kinds all = {{NULL}};
    uint32_t count = section_kind_count(section);
    for (uint32_t kind = 0; kind < count; kind++)
        all.names[kind] = kind_name(section, kind);
    return all;
}

bool section_key(const struct section *section, uint32_t i, struct key *key)
{
    if (section->key_at != NULL)
        return section->key_at(i, key);
    if (i < section->count)
        *key = section->keys[i];
    return i < section->count;
}

bool section_has(const struct key *key, uint32_t kind)
{
    return key->kinds == 0 || kind == SECTION_ANY_KIND || (key->kinds >> kind & 1);
}

/* A key that has to be in the map is not. `hint` comes behind the message and says what it should be. */
static bool refuse_missing(struct reader *reader, const struct section *section, const struct node *map,
                           const char *key, const char *hint)
{
    weir_fail(reader->error, WEIR_ERROR_MISSING, "%s: '%s' is missing%s", section->name, key, hint);
    snprintf(reader->error->name, sizeof reader->error->name, "%s", key);
    return reader_place(reader, map, NULL);
}

/* The names of the keys of this kind, ending with null. */
static void section_names(const struct section *section, uint32_t kind, const char *names[SECTION_KEYS_MAX])
{
    uint32_t count = 0;
    struct key key;
    if (section_kind_count(section) > 0)
        names[count++] = "kind";
    for (uint32_t i = 0; section_key(section, i, &key) && count < SECTION_KEYS_MAX - 1; i++) {
        bool again = false; /* of another kind */
        for (uint32_t k = 0; k < count && !again; k++)
            again = strcmp(names[k], key.name) == 0;
        if (section_has(&key, kind) && !again)
            names[count++] = key.name;
    }
    names[count] = NULL;
}

/* A value is where a map has to be: its first keys say what it is. */
static bool refuse_value(struct reader *reader, const struct section *section, const struct node *node)
{
    const char *names[SECTION_KEYS_MAX];
    section_names(section, SECTION_ANY_KIND, names);
    return reader_fail(reader, node, "%s: %s is here (expected a map, such as {%s: ..., %s: ...})", section->name,
                       node->text[0] == '\0' ? "nothing" : node_kind_name(node->kind), names[0],
                       names[1] != NULL ? names[1] : "...");
}

bool section_read_kind(struct reader *reader, const struct section *section, const struct node *map, uint32_t *kind)
{
    const struct section_kinds kinds = section_kinds(section);
    const struct key key = {.name = "kind", .kind = KEY_CHOICE, .size = sizeof *kind, .choices = kinds.names};
    if (map->kind == NODE_SCALAR)
        return refuse_value(reader, section, map);
    if (!reader_expect(reader, map, NODE_MAP, section->name))
        return false;
    if (node_find(map, "kind") == NULL)
        return section_check_known(reader, section, map, SECTION_ANY_KIND) &&
               refuse_missing(reader, section, map, "kind", error_hint("", kinds.names).text);
    return section_read_key(reader, &key, map, kind);
}

static bool section_refuse_name(struct reader *reader, const struct section *section, const struct node *child,
                                uint32_t kind)
{
    const char *names[SECTION_KEYS_MAX];
    char having[128] = "";
    struct key key;
    for (uint32_t i = 0; section_key(section, i, &key); i++)
        for (uint32_t k = 0; strcmp(key.name, child->key) == 0 && k < section_kind_count(section); k++)
            if (section_has(&key, k) && strlen(having) + 32 < sizeof having)
                snprintf(having + strlen(having), sizeof having - strlen(having), "%s%s", having[0] != '\0' ? ", " : "",
                         kind_name(section, k));
    if (having[0] != '\0')
        return error_at(reader->error, child->key_mark, "'%s' does not apply to %s of kind %s (it is a key of %s)",
                        child->key, section->name, kind_name(section, kind), having);
    section_names(section, kind, names);
    return error_at(reader->error, child->key_mark, "unknown key '%s' in %s%s", error_text(child->key).text,
                    section->name, error_hint(child->key, names).text);
}

static bool is_known(const struct section *section, const struct node *child, uint32_t kind)
{
    bool known = strcmp(child->key, "kind") == 0 && section_kind_count(section) > 0;
    struct key key;
    for (uint32_t i = 0; !known && section_key(section, i, &key); i++)
        known = section_has(&key, kind) && strcmp(key.name, child->key) == 0;
    return known;
}

bool section_check_known(struct reader *reader, const struct section *section, const struct node *map, uint32_t kind)
{
    bool good = true;
    if (map->kind == NODE_SCALAR)
        return refuse_value(reader, section, map);
    if (!reader_expect(reader, map, NODE_MAP, section->name))
        return false;
    for (const struct node *child = map->first; child != NULL; child = child->next) {
        if (is_known(section, child, kind))
            continue;
        good = section_refuse_name(reader, section, child, kind);
        if (!reader_goes_on(reader))
            return false;
    }
    return good;
}

/* The key is there under a name that was refused, with its own as the suggestion. */
static bool is_misspelt(const struct section *section, const struct node *map, uint32_t kind, const char *key)
{
    const char *names[SECTION_KEYS_MAX];
    size_t count = 0;
    section_names(section, kind, names);
    while (names[count] != NULL)
        count++;
    for (const struct node *child = map->first; child != NULL; child = child->next) {
        const char *near = is_known(section, child, kind) ? NULL : weir_nearest_name(child->key, names, count);
        if (near != NULL && strcmp(near, key) == 0)
            return true;
    }
    return false;
}

bool section_check_names(struct reader *reader, const struct section *section, const struct node *map, uint32_t kind)
{
    bool good = section_check_known(reader, section, map, kind);
    if ((!good && !reader_goes_on(reader)) || map->kind != NODE_MAP)
        return false;
    struct key key;
    for (uint32_t i = 0; section_key(section, i, &key); i++) {
        if (!key.required || !section_has(&key, kind) || node_find(map, key.name) != NULL)
            continue;
        char hint[128];
        /* The first sentence of a help, behind a colon: "Where flows come from." is ": where flows come from". */
        const char *end = strstr(key.help, ". ");
        size_t length =
            end != NULL ? (size_t)(end - key.help) : strlen(key.help) - (key.help[strlen(key.help) - 1] == '.');
        bool word = islower((unsigned char)key.help[1]); /* not "RTT" */
        snprintf(hint, 128, ": %c%.*s", word ? tolower((unsigned char)key.help[0]) : key.help[0], (int)length - 1,
                 key.help + 1);
        good = false;
        if (!is_misspelt(section, map, kind, key.name))
            refuse_missing(reader, section, map, key.name, hint);
        if (!reader_goes_on(reader))
            return false;
    }
    return good;
}

static bool is_real(const struct key *key)
{
    return key->kind == KEY_REAL || key->kind == KEY_FREQUENCY;
}

static void section_store(const struct key *key, void *target, uint32_t tc, int64_t value)
{
    field_store((unsigned char *)target + key->offset + (size_t)tc * key->size, key->size, is_real(key), value);
}

int64_t section_load(const struct key *key, const void *target, uint32_t tc)
{
    return field_load((const unsigned char *)target + key->offset + (size_t)tc * key->size, key->size, is_real(key));
}

static bool read_value(struct reader *reader, const struct key *key, const struct node *node, int64_t *value)
{
    if (!reader_expect(reader, node, NODE_SCALAR, key->name))
        return false;
    if (node->text[0] == '\0')
        return reader_fail(reader, node, "%s: nothing is here (expected a value)", key->name);
    return key_parse(key, &reader->scale, node->text, value, reader->error) || reader_place(reader, node, key->name);
}

/* One value for all classes, or a list of them. */
static bool read_row(struct reader *reader, const struct key *key, const struct node *node, void *target)
{
    int64_t value = 0;
    const struct node *item = node->kind == NODE_LIST ? node->first : node;
    if (node->kind == NODE_LIST && key->shape == KEY_ALL_CLASSES)
        return reader_fail(reader, node, "%s: a list is here (expected one value for all classes)", key->name);
    if (node->kind == NODE_LIST && (node->count == 0 || node->count > reader->classes))
        return reader_fail(reader, node, "%s: %u values (expected 1 to %u, one per class)", key->name, node->count,
                           reader->classes);
    for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++) {
        if (item != NULL && !read_value(reader, key, item, &value))
            return false;
        section_store(key, target, tc, value);
        item = item != NULL && node->kind == NODE_LIST ? item->next : NULL;
    }
    return true;
}

/* "all", "h3" or "h0-h7". */
static bool read_hosts(struct reader *reader, const struct key *key, const struct node *node, void *target)
{
    const struct key host = {.name = key->name, .kind = KEY_HOST};
    uint32_t range[2] = {0, 0};
    if (node->kind == NODE_LIST)
        return reader_fail(reader, node, "%s: a list is here (expected one host h3, a range h0-h7, or all)", key->name);
    if (!reader_expect(reader, node, NODE_SCALAR, key->name))
        return false;
    if (strcmp(node->text, "all") != 0) {
        char first[32];
        size_t length = strcspn(node->text, "-");
        const char *last = node->text[length] == '-' ? node->text + length + 1 : first;
        int64_t from = 0, to = -1;
        snprintf(first, sizeof first, "%.*s", (int)length, node->text);
        if (!key_parse(&host, &reader->scale, first, &from, NULL) ||
            !key_parse(&host, &reader->scale, last, &to, NULL) || to < from)
            return reader_fail(reader, node, "%s: '%s' are no hosts (expected h0-h%u, one of them, a range, or all)",
                               key->name, error_text(node->text).text, reader->scale.hosts - 1);
        range[0] = (uint32_t)from;
        range[1] = (uint32_t)(to - from + 1);
    }
    memcpy((unsigned char *)target + key->offset, range, sizeof range);
    return true;
}

/* "3" or "1-15". */
static bool read_counts(struct reader *reader, const struct key *key, const struct node *node, void *target)
{
    struct key number = *key;
    uint32_t fields[2] = {0, 0};
    int64_t least = 0, most = 0;
    char text[2][32];
    if (!reader_expect(reader, node, NODE_SCALAR, key->name))
        return false;
    size_t length = strcspn(node->text, "-");
    bool range = length > 0 && length < sizeof text[0] && node->text[length] == '-';
    snprintf(text[0], sizeof text[0], "%.*s", (int)length, node->text);
    snprintf(text[1], sizeof text[1], "%s", range ? node->text + length + 1 : "");
    if (!range && !read_value(reader, key, node, &most))
        return false;
    number.word = NULL;
    if (range && (!key_parse(&number, &reader->scale, text[0], &least, reader->error) ||
                  !key_parse(&number, &reader->scale, text[1], &most, reader->error)))
        return reader_place(reader, node, key->name);
    if (least > most)
        return reader_fail(reader, node, "%s: '%s' is backwards (expected the smaller number first)", key->name,
                           error_text(node->text).text);
    fields[0] = (uint32_t)most;
    fields[1] = (uint32_t)(least < most ? least : 0);
    memcpy((unsigned char *)target + key->offset, fields, sizeof fields);
    return true;
}

/* One class or range, or a list of them. */
static bool read_classes(struct reader *reader, const struct key *key, const struct node *node, void *target)
{
    const struct node *item = node->kind == NODE_LIST ? node->first : node;
    struct key within = *key;
    int64_t mask = 0;
    if (within.max >= reader->classes)
        within.max = reader->classes - 1;
    if (item == NULL)
        return reader_fail(reader, node, "%s: the list is empty (expected at least one class)", key->name);
    if (node->kind == NODE_LIST)
        within.word = NULL;
    for (; item != NULL; item = node->kind == NODE_LIST ? item->next : NULL) {
        int64_t some = 0;
        if (!read_value(reader, &within, item, &some))
            return false;
        mask |= some;
    }
    section_store(key, target, 0, mask);
    return true;
}

bool section_read_key(struct reader *reader, const struct key *key, const struct node *map, void *target)
{
    const struct node *node = node_find(map, key->name);
    int64_t value = 0;
    if (node == NULL || key->kind == KEY_OTHER)
        return true;
    if (key->kind == KEY_TEXT) {
        if (!reader_expect(reader, node, NODE_SCALAR, key->name))
            return false;
        size_t length = strlen(node->text);
        if ((int64_t)length < key->min || (int64_t)length > key->max)
            return reader_fail(reader, node, "%s: '%s' is too %s (expected %lld to %lld bytes)", key->name,
                               error_text(node->text).text, (int64_t)length < key->min ? "short" : "long",
                               (long long)key->min, (long long)key->max);
        const char *copy = arena_text(reader->arena, node->text, length);
        if (copy == NULL)
            return weir_fail_memory(reader->error);
        memcpy((unsigned char *)target + key->offset, &copy, sizeof copy);
        return true;
    }
    if (key->kind == KEY_HOSTS)
        return read_hosts(reader, key, node, target);
    if (key->kind == KEY_COUNTS)
        return read_counts(reader, key, node, target);
    if (key->kind == KEY_CLASSES)
        return read_classes(reader, key, node, target);
    if (key->shape != KEY_SINGLE)
        return read_row(reader, key, node, target);
    if (!read_value(reader, key, node, &value))
        return false;
    section_store(key, target, 0, value);
    return true;
}

bool section_read(struct reader *reader, const struct section *section, const struct node *map, uint32_t kind,
                  void *target)
{
    bool good = section_check_names(reader, section, map, kind);
    if ((!good && !reader_goes_on(reader)) || map->kind != NODE_MAP)
        return false;
    struct key key;
    for (uint32_t i = 0; section_key(section, i, &key); i++) {
        if (!section_has(&key, kind) || section_read_key(reader, &key, map, target))
            continue;
        good = false;
        if (!reader_goes_on(reader))
            return false;
    }
    return good;
}

/* The names of a whole file are checked before any value is read: of two mistakes the misspelled name is reported
 * first, since the other often follows from it. */

/* The kind that a map says it has; false: a word that is not a kind. */
static bool find_kind(const struct section *section, const struct node *map, uint32_t *kind)
{
    const struct node *word = node_find(map, "kind");
    const struct section_kinds kinds = section_kinds(section);
    *kind = kinds.names[0] == NULL ? 0 : SECTION_ANY_KIND;
    if (kinds.names[0] == NULL || word == NULL)
        return true;
    for (*kind = 0; kinds.names[*kind] != NULL; ++*kind)
        if (word->kind == NODE_SCALAR && strcmp(kinds.names[*kind], word->text) == 0)
            return true;
    return false;
}

/* The key of that name which holds sections; false: none does. */
static bool find_nesting(const struct section *section, const char *name, struct key *key)
{
    for (uint32_t i = 0; section_key(section, i, key); i++)
        if (key->of != NULL && strcmp(key->name, name) == 0)
            return true;
    return false;
}

bool section_check_nested(struct reader *reader, const struct section *section, const struct node *map)
{
    uint32_t kind;
    if (section->keys_are_paths || map->kind != NODE_MAP || !find_kind(section, map, &kind))
        return true;
    bool good = section_check_known(reader, section, map, kind);
    if (!good && !reader_goes_on(reader))
        return false;
    for (const struct node *child = map->first; child != NULL; child = child->next) {
        struct key key;
        if (!find_nesting(section, child->key, &key))
            continue;
        const struct node *item = key.nesting != KEY_ONE_SECTION ? child->first : child;
        for (; item != NULL; item = key.nesting != KEY_ONE_SECTION ? item->next : NULL) {
            if (section_check_nested(reader, key.of, item))
                continue;
            good = false;
            if (!reader_goes_on(reader))
                return false;
        }
    }
    return good;
}
