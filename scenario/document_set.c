/*
 * document_set.c - "switch.policy.alpha=0.5" into a tree: the path is walked, maps that are missing on the way are
 * added, and the last step is replaced. Whether the names mean anything is for the typed pass to say; only that
 * `policy: dt` is short for `policy: {name: dt}` is known here, so that a parameter can be set in both.
 */
#include <stdlib.h>
#include <string.h>

#include "scenario/document.h"

#define STEPS_MAX 12u

/* Walks or makes one step. */
struct setter {
    struct document *document;
    struct scenario_error *error;
    struct mark mark;
    char *path; /* written to: dots become ends of texts */
};

static struct node *setter_fail(struct setter *setter)
{
    error_memory(setter->error);
    return NULL;
}

static struct node *setter_item(struct setter *setter, const struct node *list, const char *step)
{
    bool number = step[0] != '\0' && strspn(step, "0123456789") == strlen(step) && strlen(step) < 9;
    unsigned long index = number ? strtoul(step, NULL, 10) : 0;
    if (!number || index >= list->count) {
        error_at(setter->error, setter->mark, "no item '%s' (expected a number below %u, the length of the list)",
                 error_text(step).text, list->count);
        return NULL;
    }
    struct node *item = list->first;
    while (index-- > 0)
        item = item->next;
    return item;
}

/* A value becomes a map that has it as its name. */
static bool setter_spell_out(struct setter *setter, struct node *value)
{
    struct node *map = node_collection(&setter->document->arena, NODE_MAP);
    struct node *name = node_scalar(&setter->document->arena, value->text);
    if (node_add_key(map, "name", name) == NULL)
        return error_memory(setter->error);
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
    if (at->kind == NODE_LIST)
        return setter_item(setter, at, step);
    if (at->kind == NODE_SCALAR && at->key != NULL && strcmp(at->key, "policy") == 0 && !setter_spell_out(setter, at))
        return NULL;
    if (at->kind != NODE_MAP) {
        error_at(setter->error, setter->mark, "'%s' has no keys, it is a value: there is no '%s' in it",
                 error_text(at->key != NULL ? at->key : "item").text, error_text(step).text);
        return NULL;
    }
    struct node *child = node_find(at, step);
    if (child != NULL)
        return child;
    child = node_collection(&setter->document->arena, NODE_NONE);
    if (child == NULL)
        return setter_fail(setter);
    child->mark = child->key_mark = setter->mark;
    return node_add_key(at, step, child);
}

static bool setter_run(struct setter *setter, const char *value)
{
    struct node *at = setter->document->root;
    uint32_t steps = 0;
    for (char *step = setter->path, *next; step != NULL; step = next) {
        next = strchr(step, '.');
        if (next != NULL)
            *next++ = '\0';
        if (++steps > STEPS_MAX)
            return error_at(setter->error, setter->mark, "the path is too long (expected at most %u names)", STEPS_MAX);
        at = setter_step(setter, at, step);
        if (at == NULL)
            return false;
    }
    struct node *node = document_read_value(&setter->document->arena, setter->mark, value, setter->error);
    if (node == NULL)
        return false;
    node_replace(at, node);
    at->key_mark = setter->mark;
    return true;
}

bool document_set(struct document *document, const char *option, const char *assignment, struct scenario_error *error)
{
    struct setter setter = {document, error, {NULL, 0, 0}, NULL};
    size_t length = strlen(option) + strlen(assignment) + 2;
    char *origin = arena_take(&document->arena, length);
    char *copy = arena_text(&document->arena, assignment, strlen(assignment));
    if (origin == NULL || copy == NULL)
        return error_memory(error);
    snprintf(origin, length, "%s %s", option, assignment);
    setter.mark.origin = origin;
    char *equals = strchr(copy, '=');
    if (equals == NULL)
        return error_at(error, setter.mark, "no value (expected key.path=value)");
    *equals = '\0';
    setter.path = copy;
    return setter_run(&setter, equals + 1);
}
