/*
 * node.c - trees of nodes: see node.h; printing is in node_print.c.
 */
#include "scenario/node.h"

#include <string.h>

struct node *node_scalar(struct arena *arena, const char *text)
{
    struct node *node = node_collection(arena, NODE_SCALAR);
    char *copy = arena_text(arena, text, strlen(text));
    if (node == NULL || copy == NULL)
        return NULL;
    node->text = copy;
    return node;
}

struct node *node_collection(struct arena *arena, enum node_kind kind)
{
    struct node *node = arena_take(arena, sizeof *node);
    if (node != NULL)
        node->kind = kind;
    return node;
}

struct node *node_add(struct node *parent, struct node *child)
{
    if (parent == NULL || child == NULL)
        return NULL;
    if (parent->last != NULL)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
    return child;
}

struct node *node_add_key(struct node *map, const char *key, struct node *child)
{
    if (child != NULL)
        child->key = key;
    return node_add(map, child);
}

struct node *node_find(const struct node *map, const char *key)
{
    struct node *child = map->first;
    while (child != NULL && strcmp(child->key, key) != 0)
        child = child->next;
    return child;
}

void node_replace(struct node *old, const struct node *value)
{
    struct node *next = old->next;
    const char *key = old->key;
    struct mark key_mark = old->key_mark;
    *old = *value;
    old->next = next;
    old->key = key;
    old->key_mark = key_mark;
}

static bool node_same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

bool node_equal(const struct node *a, const struct node *b)
{
    if (a->kind != b->kind || a->count != b->count || !node_same_text(a->text, b->text) ||
        !node_same_text(a->key, b->key))
        return false;
    const struct node *x = a->first, *y = b->first;
    for (; x != NULL; x = x->next, y = y->next)
        if (!node_equal(x, y))
            return false;
    return true;
}

const char *node_kind_name(enum node_kind kind)
{
    static const char *const names[] = {"nothing", "a value", "a list", "a map"};
    return names[kind];
}
