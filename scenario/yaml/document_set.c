/*
 * document_set.c - "switch.policy.alpha=0.5" into a tree: the path is walked, maps that are missing on the way are
 * added, and the last step is replaced. The command line's --set, sweeps and the quick size all come here. Whether the
 * names mean anything is for the typed pass to say; known here are only that `policy: dt` is short for
 * `policy: {name: dt}`, and `headroom` likewise, so that a parameter can be set in both, and that an item of a list is
 * called by its tag, or else by its kind, which is then its tag.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/yaml/document.h"
#include "weir/params.h"

#define STEPS_MAX 12u

#define NAMES_MAX 32u

/* Walks or makes one step. */
struct setter {
    struct arena *arena;
    struct weir_error *error;
    struct mark mark;
};

/* What an item of a list may be called besides its number; null: nothing. */
static const char *item_name(const struct node *item)
{
    if (item->kind != NODE_MAP)
        return NULL;
    const struct node *name = node_find(item, "tag");
    if (name == NULL)
        name = node_find(item, "kind");
    return name != NULL && name->kind == NODE_SCALAR ? name->text : NULL;
}

static struct node *setter_no_number(struct setter *setter, const struct node *list, const char *step)
{
    error_at(setter->error, setter->mark, "no item '%s' (expected a number below %u, the length of the list)",
             error_text(step).text, list->count);
    return NULL;
}

static struct node *setter_named_item(struct setter *setter, const struct node *list, const char *name)
{
    struct node *found = NULL;
    for (struct node *item = list->first; item != NULL; item = item->next) {
        if (item_name(item) == NULL || strcmp(item_name(item), name) != 0)
            continue;
        if (found != NULL) {
            error_at(setter->error, setter->mark, "several items are '%s' (expected a number below %u)",
                     error_text(name).text, list->count);
            return NULL;
        }
        found = item;
    }
    if (found != NULL)
        return found;
    const char *names[NAMES_MAX + 1];
    uint32_t count = 0;
    for (const struct node *item = list->first; item != NULL && count < NAMES_MAX; item = item->next)
        if (item_name(item) != NULL)
            names[count++] = item_name(item);
    names[count] = NULL;
    if (weir_nearest_name(name, names, count) == NULL)
        return setter_no_number(setter, list, name);
    error_at(setter->error, setter->mark, "no item '%s'%s", error_text(name).text, error_hint(name, names).text);
    return NULL;
}

/* The key of something that has a name and parameters. */
static bool is_policy(const char *key)
{
    return key != NULL && (strcmp(key, "policy") == 0 || strcmp(key, "headroom") == 0);
}

/* A value becomes a map that has it as its name. */
static bool setter_spell_out(struct setter *setter, struct node *value)
{
    struct node *map = node_collection(setter->arena, NODE_MAP);
    struct node *name = node_scalar(setter->arena, value->text);
    if (node_add_key(map, "name", name) == NULL)
        return weir_fail_memory(setter->error);
    name->mark = value->mark;
    map->mark = value->mark;
    node_replace(value, map);
    return true;
}

/* The child of `at` that the step names; a map gets one when it has none. */
static struct node *setter_step(struct setter *setter, struct node *at, const char *step)
{
    if (step[0] == '\0') {
        error_at(setter->error, setter->mark, "an empty name in the path (expected key.path=value)");
        return NULL;
    }
    if (at->kind == NODE_NONE) /* made by the step before */
        at->kind = NODE_MAP;
    if (at->kind == NODE_LIST) {
        if (strspn(step, "0123456789") != strlen(step))
            return setter_named_item(setter, at, step);
        unsigned long index = strlen(step) < 9 ? strtoul(step, NULL, 10) : ULONG_MAX;
        if (index >= at->count)
            return setter_no_number(setter, at, step);
        struct node *item = at->first;
        while (index-- > 0)
            item = item->next;
        return item;
    }
    if (at->kind == NODE_SCALAR && is_policy(at->key) && !setter_spell_out(setter, at))
        return NULL;
    if (at->kind != NODE_MAP) {
        error_at(setter->error, setter->mark, "'%s' is a value and has no key '%s'",
                 error_text(at->key != NULL ? at->key : "item").text, error_text(step).text);
        return NULL;
    }
    struct node *child = node_find(at, step);
    if (child != NULL)
        return child;
    child = node_collection(setter->arena, NODE_NONE);
    if (child == NULL) {
        weir_fail_memory(setter->error);
        return NULL;
    }
    child->mark = child->key_mark = setter->mark;
    return node_add_key(at, step, child);
}

bool document_put(struct arena *arena, struct node *root, const struct document_change *change,
                  struct weir_error *error)
{
    struct setter setter = {arena, error, change->mark};
    struct node *at = root;
    uint32_t steps = 0;
    char *path = arena_text(arena, change->path, strlen(change->path));
    struct node *value = node_copy(arena, change->value);
    if (path == NULL || value == NULL)
        return weir_fail_memory(error);
    for (char *step = path, *next; step != NULL; step = next) {
        next = strchr(step, '.');
        if (next != NULL)
            *next++ = '\0';
        if (++steps > STEPS_MAX)
            return error_at(error, change->mark, "the path is too long (expected at most %u names)", STEPS_MAX);
        at = setter_step(&setter, at, step);
        if (at == NULL)
            return false;
    }
    node_replace(at, value);
    at->key_mark = change->mark;
    return true;
}

static bool is_null(const char *text)
{
    return strcmp(text, "null") == 0 || strcmp(text, "~") == 0;
}

bool document_set(struct document *document, const char *option, const char *assignment, struct weir_error *error)
{
    size_t length = strlen(option) + strlen(assignment) + 2;
    char *origin = arena_take(&document->arena, length);
    char *path = arena_text(&document->arena, assignment, strlen(assignment));
    if (origin == NULL || path == NULL)
        return weir_fail_memory(error);
    snprintf(origin, length, "%s %s", option, assignment);
    const struct mark mark = {origin, 0, 0};
    char *equals = strchr(path, '=');
    if (equals == NULL)
        return error_at(error, mark, "no value (expected key.path=value)");
    *equals = '\0';
    if (is_null(equals + 1)) {
        /* Takes away what is at the path, so that it is as if the file did not say it. */
        char *last = strrchr(path, '.');
        const struct node *at = document_find(document->root, path);
        if (at == NULL)
            return error_at(error, mark, "nothing is there to take away");
        if (last != NULL)
            *last = '\0';
        struct node *map =
            last != NULL ? (struct node *)(uintptr_t)document_find(document->root, path) : document->root;
        if (map->kind != NODE_MAP)
            return error_at(error, mark, "an item of a list stays (expected a key)");
        node_remove(map, at->key);
        return true;
    }
    const struct node *value = document_read_value(&document->arena, mark, equals + 1, error);
    return value != NULL &&
           document_put(&document->arena, document->root, &(struct document_change){mark, path, value}, error);
}

/* The child that a step of `length` bytes names, without adding any. */
static const struct node *find_step(const struct node *at, const char *step, size_t length)
{
    uint32_t index = 0;
    for (const struct node *child = at->first; child != NULL; child = child->next, index++) {
        char number[16];
        snprintf(number, sizeof number, "%u", index);
        const char *name = at->kind == NODE_LIST ? item_name(child) : child->key;
        bool named = name != NULL && strlen(name) == length && strncmp(name, step, length) == 0;
        bool counted = at->kind == NODE_LIST && strlen(number) == length && strncmp(number, step, length) == 0;
        if (named || counted)
            return child;
    }
    return NULL;
}

const struct node *document_find(const struct node *root, const char *path)
{
    const struct node *at = root;
    for (size_t length; at != NULL && *path != '\0' && *path != '='; path += length) {
        path += *path == '.';
        length = strcspn(path, ".=");
        at = find_step(at, path, length);
    }
    return at;
}
