/*
 * quick.c - the quick size of an experiment: `quick` is a map of paths and values, set in the document before anything
 * else is read. "sweep.AXIS" replaces an axis as a whole, in its place. What the axis does not say again stays: its
 * title, and the labels of values that it had before.
 */
#include <string.h>

#include "scenario/experiment/reading.h"

static bool same_paths(const struct axis *a, const struct axis *b)
{
    if (a->path_count != b->path_count)
        return false;
    for (uint32_t i = 0; i < a->path_count; i++)
        if (strcmp(a->paths[i], b->paths[i]) != 0)
            return false;
    return true;
}

/* Items of different lists are compared as they are; keys of entries would not matter, but these have none. */
static bool same_value(const struct axis *axis, const struct axis_value *a, const struct axis_value *b)
{
    for (uint32_t i = 0; i < axis->path_count; i++)
        if (!node_equal(a->nodes[i], b->nodes[i]))
            return false;
    return true;
}

static const char *label_of(const struct axis *full, const struct axis *reduced, uint32_t value)
{
    for (uint32_t i = 0; i < full->count && same_paths(full, reduced); i++)
        if (same_value(full, &full->values[i], &reduced->values[value]))
            return full->values[i].label;
    return reduced->values[value].label;
}

/* Writes the labels out, so that the whole reads back as the same experiment. */
static bool keep_labels(struct reading *reading, const struct node *full_map, struct node *map)
{
    struct axis full, reduced;
    struct arena *arena = reading->reader.arena;
    struct node *labels = node_collection(arena, NODE_LIST);
    if (node_find(map, "labels") != NULL || node_find(full_map, "labels") == NULL)
        return true;
    if (!reading_of_axis(reading, full_map, &full) || !reading_of_axis(reading, map, &reduced))
        return false;
    for (uint32_t i = 0; i < reduced.count; i++) {
        struct node *label = node_scalar(arena, label_of(&full, &reduced, i));
        if (node_add(labels, label) == NULL)
            return weir_fail_memory(reading->reader.error);
        label->mark = reduced.values[i].nodes[0]->mark;
    }
    return node_add_key(map, "labels", labels) != NULL || weir_fail_memory(reading->reader.error);
}

static bool keep_title(struct reading *reading, const struct node *full_map, struct node *map)
{
    const struct node *title = node_find(full_map, "title");
    if (title == NULL || node_find(map, "title") != NULL)
        return true;
    return node_add_key(map, "title", node_copy(reading->reader.arena, title)) != NULL ||
           weir_fail_memory(reading->reader.error);
}

static bool replace_axis(struct reading *reading, const struct node *change, const char *name)
{
    const struct node *sweep = node_find(reading->whole, "sweep");
    const char *names[EXPERIMENT_AXES_MAX + 1] = {NULL};
    uint32_t count = 0;
    bool is_map = sweep != NULL && sweep->kind == NODE_MAP;
    for (const struct node *axis = is_map ? sweep->first : NULL; axis != NULL; axis = axis->next)
        if (count < EXPERIMENT_AXES_MAX)
            names[count++] = axis->key;
    struct node *old = is_map ? node_find(sweep, name) : NULL;
    if (old == NULL)
        return error_at(reading->reader.error, change->key_mark, "quick: no axis '%s' in the sweep%s",
                        error_text(name).text, error_hint(name, names).text);
    if (!reader_expect(&reading->reader, change, NODE_MAP, change->key))
        return false;
    struct node *map = node_copy(reading->reader.arena, change);
    if (map == NULL)
        return weir_fail_memory(reading->reader.error);
    map->key = old->key;
    if (old->kind == NODE_MAP && (!keep_title(reading, old, map) || !keep_labels(reading, old, map)))
        return false;
    node_replace(old, map);
    return true;
}

bool reading_make_quick(struct reading *reading, const struct node *quick)
{
    static const char sweep[] = "sweep.";
    struct reader *reader = &reading->reader;
    bool good = true;
    for (const struct node *change = quick->first; change != NULL; change = change->next) {
        const struct document_change plain = {change->key_mark, change->key, change};
        bool made = false;
        if (strncmp(change->key, sweep, sizeof sweep - 1) == 0)
            made = replace_axis(reading, change, change->key + sizeof sweep - 1);
        else if (strcmp(change->key, "quick") == 0 || strncmp(change->key, "quick.", 6) == 0)
            error_at(reader->error, change->key_mark, "quick: '%s' cannot be changed here",
                     error_text(change->key).text);
        else
            made = document_put(reader->arena, reading->whole, &plain, reader->error);
        good = good && made;
        if (!made && !reader_goes_on(reader))
            return false;
    }
    return good;
}
