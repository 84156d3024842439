/*
 * axis.c - one axis of the sweep: paths that are set together, their values and what those are called.
 *
 *   policy: {title: Buffer policy, labels: [DT, Occamy], switch.policy: [dt, {name: occamy, alpha: 8}]}
 *
 * Every key that is not the axis's own is a path, so a mistyped key of the axis is found by asking whether the path
 * begins with a key of the scenario.
 */
#include <string.h>

#include "scenario/experiment/reading.h"

#define LABEL_MAX 80u
#define NAME_MAX_BYTES 40u

static const char *const labels_value[] = {"list of names", NULL};

struct axis_keys {
    const char *title;
};

static const struct key axis_keys[] = {
    {.name = "title",
     .kind = KEY_TEXT,
     KEY_FIELD(struct axis_keys, title),
     .min = 1,
     .max = 80,
     .help = "For charts; by default the name of the axis."},
    {.name = "labels",
     .kind = KEY_OTHER,
     .choices = labels_value,
     .help = "What the values are called in tables, charts and claims; by default their own texts, and "
             "`name:parameter=value` for a policy with parameters."},
};

const struct section axis_section = {
    .name = "axis",
    SECTION_KEYS(struct axis_keys, axis_keys),
    .keys_are_paths = true,
    .place = "sweep.AXIS",
    .help = "Every other key is a path as in `--set`, with a list of values or a range. Several paths of one axis go "
            "together: their lists are equally long.",
};

/* A name that expressions and --where can hold. */
static bool is_word(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-";
    size_t length = strlen(text);
    return length > 0 && length <= NAME_MAX_BYTES && strchr(letters, text[0]) != NULL &&
           strspn(text, others) == length && text[length - 1] != '-' && strcmp(text, "and") != 0 &&
           strcmp(text, "or") != 0;
}

/* Tables of results have columns of these names beside those of the axes, and expressions measures. */
static bool is_taken(const char *name)
{
    static const char *const taken[] = {"run",       "seed",   "state",  "digest",     "code",
                                        "hops",      "marked", "end",    "curve",      "x",
                                        "y",         "x_unit", "y_unit", "unfinished", "unfinished_queries",
                                        "sent_bytes"};
    static const char cost[] = "cost_";
    if (strncmp(name, cost, sizeof cost - 1) == 0)
        return true;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (strcmp(taken[i], name) == 0)
            return true;
    return false;
}

static bool is_own_key(const char *key)
{
    for (uint32_t i = 0; i < axis_section.count; i++)
        if (strcmp(axis_section.keys[i].name, key) == 0)
            return true;
    return false;
}

/* Seeds have a key of their own, and sections of an experiment are not in the document of a run. */
static bool can_be_swept(const char *key)
{
    return strcmp(key, "seed") != 0 && strcmp(key, "name") != 0 && !reading_has(key);
}

/* The path begins with a key of the simulation. */
static bool check_path(struct reading *reading, const struct node *path, const char *axis)
{
    char first[64];
    bool known = false;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(path->key, "."), path->key);
    for (uint32_t i = 0; i < top_section.count; i++)
        known = known || strcmp(top_section.keys[i].name, first) == 0;
    if (!known) {
        const char *names[SECTION_KEYS_MAX];
        uint32_t count = 0;
        for (uint32_t i = 0; i < axis_section.count; i++)
            names[count++] = axis_section.keys[i].name;
        for (uint32_t i = 0; i < top_section.count; i++)
            if (can_be_swept(top_section.keys[i].name) && !is_own_key(top_section.keys[i].name))
                names[count++] = top_section.keys[i].name;
        names[count] = NULL;
        return error_at(reading->reader.error, path->key_mark, "unknown key '%s' in axis %s%s", error_text(first).text,
                        axis, error_hint(first, names).text);
    }
    bool seed = strcmp(first, "seed") == 0;
    return can_be_swept(first) ||
           error_at(reading->reader.error, path->key_mark, "axis %s: '%s' cannot be swept (expected %s)", axis, first,
                    seed ? "'seeds' for several seeds" : "a key of the simulation");
}

static bool read_values(struct reading *reading, const struct node *path, struct reading_values *values)
{
    if (path->kind == NODE_LIST) {
        if (path->count == 0)
            return reader_fail(&reading->reader, path, "%s: the list is empty (expected at least one value)",
                               path->key);
        if (path->count > READING_VALUES_MAX)
            return reader_fail(&reading->reader, path, "%s: %u values (expected at most %u)", path->key, path->count,
                               READING_VALUES_MAX);
        values->at = arena_take_array(reading->reader.arena, path->count, sizeof(struct node *));
        if (values->at == NULL)
            return weir_fail_memory(reading->reader.error);
        values->count = 0;
        for (const struct node *item = path->first; item != NULL; item = item->next)
            values->at[values->count++] = item;
        return true;
    }
    if (path->kind == NODE_MAP)
        return reading_of_range(reading, path, values);
    return reader_fail(&reading->reader, path, "%s: a value is here (expected a list of values, or a range)",
                       error_text(path->key).text);
}

/* A value as one word or few. */
struct label {
    char text[LABEL_MAX + 2]; /* room to see that it is too long */
    size_t used;
};

static void label_add(struct label *label, const char *text)
{
    label->used += (size_t)snprintf(label->text + label->used, sizeof label->text - label->used, "%s", text);
    if (label->used >= sizeof label->text)
        label->used = sizeof label->text - 1;
}

static void label_add_node(struct label *label, const struct node *node)
{
    const struct node *name = node->kind == NODE_MAP ? node_find(node, "name") : NULL;
    bool first = true;
    if (node->kind == NODE_SCALAR)
        label_add(label, node->text);
    else if (node->count == 0)
        label_add(label, "none");
    if (name != NULL && name->kind == NODE_SCALAR)
        label_add(label, name->text);
    else
        name = NULL;
    for (const struct node *child = node->first; child != NULL; child = child->next) {
        if (child == name)
            continue;
        label_add(label, !first ? "," : name != NULL ? ":" : "");
        label_add(label, child->key != NULL ? child->key : "");
        label_add(label, child->key != NULL ? "=" : "");
        label_add_node(label, child);
        first = false;
    }
}

static bool check_label(struct reading *reading, const struct axis *axis, uint32_t i, struct mark mark)
{
    const char *label = axis->values[i].label;
    if (label[0] == '\0' || strlen(label) > LABEL_MAX)
        return error_at(reading->reader.error, mark,
                        "axis %s: the label '%s' is too %s (expected 1 to %u bytes in labels)", axis->name,
                        error_text(label).text, label[0] == '\0' ? "short" : "long", LABEL_MAX);
    for (uint32_t k = 0; k < i; k++)
        if (strcmp(axis->values[k].label, label) == 0)
            return error_at(reading->reader.error, mark,
                            "axis %s: two values are called '%s' (expected different ones: see labels)", axis->name,
                            error_text(label).text);
    return true;
}

/* The label as written, else from the value, and the number that it may be. */
static bool read_label(struct reading *reading, const struct node *written, struct axis_value *value, const char **unit)
{
    struct label label = {.used = 0};
    *unit = NULL;
    if (written != NULL && !reader_expect(&reading->reader, written, NODE_SCALAR, "labels"))
        return false;
    if (written != NULL)
        label_add(&label, written->text);
    else
        label_add_node(&label, value->nodes[0]);
    value->label = arena_text(reading->reader.arena, label.text, label.used);
    if (value->label == NULL)
        return weir_fail_memory(reading->reader.error);
    value->numeric = expression_number(value->label, &value->number, unit);
    return true;
}

static bool check_labels(struct reading *reading, const struct node *labels, uint32_t count)
{
    if (labels == NULL)
        return true;
    if (!reader_expect(&reading->reader, labels, NODE_LIST, "labels"))
        return false;
    return labels->count == count ||
           reader_fail(&reading->reader, labels, "labels: %u names for %u values (expected one for each)",
                       labels->count, count);
}

bool reading_of_axis(struct reading *reading, const struct node *map, struct axis *axis)
{
    struct axis_keys keys = {.title = NULL};
    const char **paths = arena_take_array(reading->reader.arena, map->count + 1, sizeof *paths);
    *axis = (struct axis){.name = map->key, .paths = paths};
    if (paths == NULL)
        return weir_fail_memory(reading->reader.error);
    if (!is_word(map->key))
        return error_at(reading->reader.error, map->key_mark,
                        "sweep: '%s' cannot be the name of an axis (expected one word: letters, digits, - and _)",
                        error_text(map->key).text);
    if (is_taken(map->key))
        return error_at(reading->reader.error, map->key_mark,
                        "sweep: '%s' cannot be the name of an axis: results have a column of that name (expected "
                        "another word)",
                        map->key);
    if (!reader_expect(&reading->reader, map, NODE_MAP, map->key) ||
        !section_read_key(&reading->reader, &axis_keys[0], map, &keys))
        return false;
    axis->title = keys.title != NULL ? keys.title : axis->name;
    struct reading_values *lists = arena_take_array(reading->reader.arena, map->count + 1, sizeof *lists);
    if (lists == NULL)
        return weir_fail_memory(reading->reader.error);
    for (const struct node *path = map->first; path != NULL; path = path->next) {
        struct reading_values *list = &lists[axis->path_count];
        if (is_own_key(path->key))
            continue;
        if (!check_path(reading, path, axis->name) || !read_values(reading, path, list))
            return false;
        if (list->count != lists[0].count)
            return reader_fail(&reading->reader, path, "%s: %u values (expected %u, as many as %s has)",
                               error_text(path->key).text, list->count, lists[0].count, error_text(paths[0]).text);
        paths[axis->path_count++] = path->key;
    }
    if (axis->path_count == 0)
        return reader_fail(
            &reading->reader, map,
            "axis %s: nothing is swept (expected a path and its values, such as switch.policy: [dt, lqd])", axis->name);
    /* The lists of all paths, side by side, with their labels. */
    struct arena *arena = reading->reader.arena;
    const struct node *labels = node_find(map, "labels");
    struct axis_value *values = arena_take_array(arena, lists[0].count, sizeof *values);
    if (values == NULL)
        return weir_fail_memory(reading->reader.error);
    axis->values = values;
    axis->count = lists[0].count;
    if (!check_labels(reading, labels, axis->count))
        return false;
    const struct node *written = labels != NULL ? labels->first : NULL;
    for (uint32_t i = 0; i < axis->count; i++) {
        const char *unit;
        const struct node **nodes = arena_take_array(arena, axis->path_count, sizeof *nodes);
        if (nodes == NULL)
            return weir_fail_memory(reading->reader.error);
        for (uint32_t path = 0; path < axis->path_count; path++)
            nodes[path] = lists[path].at[i];
        values[i].nodes = nodes;
        if (!read_label(reading, written, &values[i], &unit) ||
            !check_label(reading, axis, i, written != NULL ? written->mark : nodes[0]->mark))
            return false;
        bool same = unit != NULL && axis->unit != NULL && strcmp(axis->unit, unit) == 0;
        axis->unit = i == 0 || same ? unit : NULL;
        written = written != NULL ? written->next : NULL;
    }
    return true;
}

bool axis_refuse_label(const struct axis *axis, const char *label, struct mark mark, struct weir_error *error)
{
    const char *names[READING_VALUES_MAX + 1];
    for (uint32_t i = 0; i < axis->count; i++)
        names[i] = axis->values[i].label;
    names[axis->count] = NULL;
    return error_at(error, mark, "axis %s has no value '%s'%s", axis->name, error_text(label).text,
                    error_hint(label, names).text);
}
