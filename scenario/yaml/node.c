/*
 * node.c - trees of nodes: see node.h.
 */
#include "scenario/yaml/node.h"

#include <string.h>

#include "scenario/yaml/text_stream.h"

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

void node_remove(struct node *map, const char *key)
{
    struct node *before = NULL;
    for (struct node *child = map->first; child != NULL; before = child, child = child->next) {
        if (strcmp(child->key, key) != 0)
            continue;
        if (before != NULL)
            before->next = child->next;
        else
            map->first = child->next;
        if (map->last == child)
            map->last = before;
        map->count--;
        return;
    }
}

/* Most nodes of a tree have the same origin: the last one that was copied is remembered. */
struct copier {
    struct arena *arena;
    const char *origin, *copied;
};

static bool copy_mark(struct copier *copier, struct mark *mark)
{
    if (mark->origin == NULL)
        return true;
    if (copier->origin != mark->origin) {
        copier->origin = mark->origin;
        copier->copied = arena_text(copier->arena, mark->origin, strlen(mark->origin));
    }
    mark->origin = copier->copied;
    return mark->origin != NULL;
}

static bool copy_text(struct copier *copier, const char **text)
{
    if (*text != NULL)
        *text = arena_text(copier->arena, *text, strlen(*text));
    return *text != NULL;
}

static struct node *copy_node(struct copier *copier, const struct node *node)
{
    struct node *copy = node_collection(copier->arena, node->kind);
    if (copy == NULL)
        return NULL;
    copy->mark = node->mark;
    copy->key_mark = node->key_mark;
    copy->text = node->text;
    if (!copy_mark(copier, &copy->mark) || !copy_mark(copier, &copy->key_mark) ||
        (node->text != NULL && !copy_text(copier, &copy->text)))
        return NULL;
    for (const struct node *child = node->first; child != NULL; child = child->next) {
        const char *key = child->key;
        if ((key != NULL && !copy_text(copier, &key)) || node_add_key(copy, key, copy_node(copier, child)) == NULL)
            return NULL;
    }
    return copy;
}

struct node *node_copy(struct arena *arena, const struct node *node)
{
    struct copier copier = {.arena = arena};
    return copy_node(&copier, node);
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

/* A tree as YAML text: maps in block style, lists of maps as "- " items, lists of scalars in one line. A text that
 * YAML could take for something else is put in double quotes; trees hold no control characters, so quotes and
 * backslashes are all there is to escape. */

#define PRINT_INDENT 2

static bool print_is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+ -";
    size_t length = strlen(text);
    if (length == 0 || strspn(text, plain) != length || text[length - 1] == ' ')
        return false;
    return strchr(" %-", text[0]) == NULL && strcmp(text, "---") != 0 && strcmp(text, "...") != 0;
}

static void print_text(const char *text, FILE *out)
{
    if (print_is_plain(text)) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        putc(*text, out);
    }
    putc('"', out);
}

static bool print_in_line(const struct node *node)
{
    if (node->kind == NODE_SCALAR || node->count == 0)
        return true;
    for (const struct node *child = node->first; child != NULL; child = child->next)
        if (child->kind == NODE_MAP || !print_in_line(child))
            return false;
    return node->kind == NODE_LIST;
}

static void print_line(const struct node *node, FILE *out)
{
    if (node->kind == NODE_SCALAR) {
        print_text(node->text, out);
        return;
    }
    fputs(node->kind == NODE_LIST ? "[" : "{", out);
    for (const struct node *child = node->first; child != NULL; child = child->next) {
        print_line(child, out);
        fputs(child->next != NULL ? ", " : "", out);
    }
    fputs(node->kind == NODE_LIST ? "]" : "}", out);
}

/* `started`: the first line has its indent already, after a "- ". */
static void print_block(const struct node *node, int indent, bool started, FILE *out)
{
    for (const struct node *child = node->first; child != NULL; child = child->next) {
        if (child->kind == NODE_NONE)
            continue;
        fprintf(out, "%*s", started ? 0 : indent, "");
        started = false;
        if (node->kind == NODE_MAP) {
            print_text(child->key, out);
            putc(':', out);
        } else {
            fputs("- ", out);
        }
        if (print_in_line(child)) {
            fputs(node->kind == NODE_MAP ? " " : "", out);
            print_line(child, out);
            putc('\n', out);
        } else if (node->kind == NODE_MAP) {
            putc('\n', out);
            print_block(child, indent + PRINT_INDENT, false, out);
        } else {
            print_block(child, indent + PRINT_INDENT, true, out);
        }
    }
}

void node_print(const struct node *node, FILE *out)
{
    print_block(node, 0, false, out);
}

char *node_text(const struct node *node)
{
    struct text_stream stream;
    if (!text_stream_open(&stream))
        return NULL;
    node_print(node, stream.out);
    return text_stream_close(&stream);
}
