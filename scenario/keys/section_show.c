/*
 * section_show.c - structs as maps and texts, by the same tables that read them.
 */
#include <string.h>

#include "scenario/keys/section.h"

static uint32_t row_values(const struct reader *reader, const struct key *key, const void *target)
{
    uint32_t count = key->shape == KEY_PER_CLASS ? reader->classes : 1;
    while (count > 1 && section_load(key, target, count - 1) == section_load(key, target, count - 2))
        count--;
    return count;
}

static struct node *show_row(struct reader *reader, const struct key *key, const void *target)
{
    char text[64];
    uint32_t count = row_values(reader, key, target);
    struct node *list = count > 1 ? node_collection(reader->arena, NODE_LIST) : NULL;
    for (uint32_t tc = 0; tc < count; tc++) {
        key_format(key, &reader->scale, section_load(key, target, tc), text);
        struct node *value = node_scalar(reader->arena, text);
        if (count == 1)
            return value;
        if (node_add(list, value) == NULL)
            return NULL;
    }
    return list;
}

static const char *hosts_text(const struct key *key, const void *target, char text[64])
{
    uint32_t range[2];
    memcpy(range, (const unsigned char *)target + key->offset, sizeof range);
    if (range[1] == 0)
        return "all";
    if (range[1] == 1)
        snprintf(text, 64, "h%u", range[0]);
    else
        snprintf(text, 64, "h%u-h%u", range[0], range[0] + range[1] - 1);
    return text;
}

static const char *counts_text(const struct key *key, const void *target, char text[64])
{
    uint32_t fields[2];
    memcpy(fields, (const unsigned char *)target + key->offset, sizeof fields);
    if (fields[1] > 0)
        snprintf(text, 64, "%u-%u", fields[1], fields[0]);
    else
        key_format(key, &(struct key_scale){.hosts = 0}, fields[0], text);
    return text;
}

/* One stretch of classes as a value, several as a list. */
static struct node *show_classes(struct reader *reader, const struct key *key, const void *target)
{
    char text[64];
    uint32_t mask = (uint32_t)section_load(key, target, 0);
    if (mask == 0) {
        key_format(key, &reader->scale, 0, text);
        return node_scalar(reader->arena, text);
    }
    key_format_stretch(&mask, text);
    if (mask == 0)
        return node_scalar(reader->arena, text);
    struct node *list = node_collection(reader->arena, NODE_LIST);
    for (;;) {
        if (node_add(list, node_scalar(reader->arena, text)) == NULL)
            return NULL;
        if (mask == 0)
            return list;
        key_format_stretch(&mask, text);
    }
}

static const char *text_of(const struct key *key, const void *target)
{
    const char *text;
    memcpy(&text, (const unsigned char *)target + key->offset, sizeof text);
    return text;
}

static struct node *show_key(struct reader *reader, const struct key *key, const void *target)
{
    char text[64];
    if (key->kind == KEY_TEXT)
        return node_scalar(reader->arena, text_of(key, target));
    if (key->kind == KEY_HOSTS)
        return node_scalar(reader->arena, hosts_text(key, target, text));
    if (key->kind == KEY_COUNTS)
        return node_scalar(reader->arena, counts_text(key, target, text));
    if (key->kind == KEY_CLASSES)
        return show_classes(reader, key, target);
    return show_row(reader, key, target);
}

/* A later key that holds its default; of KEY_OTHER: its reader says whether it is shown. */
static bool is_silent(const struct key *key, const void *target, const void *usual)
{
    return key->later && (key->kind == KEY_OTHER || section_load(key, target, 0) == section_load(key, usual, 0));
}

struct node *section_show(struct reader *reader, const struct section *section, uint32_t kind, const void *target)
{
    struct node *map = node_collection(reader->arena, NODE_MAP);
    void *usual = arena_take(reader->arena, section->size);
    if (usual == NULL)
        return NULL;
    section_defaults(section, usual, kind);
    const struct section_kinds kinds = section_kinds(section);
    struct key key;
    if (kinds.names[0] != NULL && node_add_key(map, "kind", node_scalar(reader->arena, kinds.names[kind])) == NULL)
        return NULL;
    for (uint32_t i = 0; section_key(section, i, &key); i++) {
        bool absent = key.kind == KEY_TEXT && text_of(&key, target) == NULL;
        if (!section_has(&key, kind) || is_silent(&key, target, usual))
            continue;
        struct node *child = key.kind == KEY_OTHER || absent ? node_collection(reader->arena, NODE_NONE)
                                                             : show_key(reader, &key, target);
        if (node_add_key(map, key.name, child) == NULL)
            return NULL;
    }
    return map;
}

bool section_put(struct reader *reader, struct node *map, const char *key, const struct node *node)
{
    if (map == NULL || node == NULL)
        return weir_fail_memory(reader->error);
    struct node *place = node_find(map, key);
    if (place == NULL) {
        place = node_collection(reader->arena, NODE_NONE);
        if (node_add_key(map, key, place) == NULL)
            return weir_fail_memory(reader->error);
    }
    node_replace(place, node);
    return true;
}

void section_text(const struct reader *reader, const struct key *key, const void *target, char text[128])
{
    char value[64];
    size_t used = 0;
    text[0] = '\0';
    if (key->kind == KEY_TEXT) {
        const char *own = text_of(key, target);
        snprintf(text, 128, "%s", own != NULL ? own : "none");
        return;
    }
    if (key->kind == KEY_HOSTS) {
        snprintf(text, 128, "%s", hosts_text(key, target, value));
        return;
    }
    if (key->kind == KEY_COUNTS) {
        snprintf(text, 128, "%s", counts_text(key, target, value));
        return;
    }
    for (uint32_t tc = 0; tc < row_values(reader, key, target) && used < 128; tc++) {
        key_format(key, &reader->scale, section_load(key, target, tc), value);
        used += (size_t)snprintf(text + used, 128 - used, "%s%s", tc > 0 ? ", " : "", value);
    }
}
