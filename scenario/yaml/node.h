/*
 * node.h - a document as a tree: scalars, lists and maps, each knowing where it was written. Reading YAML makes such a
 * tree (document.h), --set edits it, the typed pass (section.h) reads it, and what came out of that pass is a tree
 * again, which can be printed.
 */
#ifndef SCENARIO_YAML_NODE_H
#define SCENARIO_YAML_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "scenario/yaml/arena.h"

enum node_kind {
    NODE_NONE, /* a place in a map that nothing was put in */
    NODE_SCALAR,
    NODE_LIST,
    NODE_MAP
};

/* Where something was written. */
struct mark {
    const char *origin;    /* a file name, or an option of the command line as typed */
    uint32_t line, column; /* from 1; 0 in an option */
};

struct node {
    enum node_kind kind;
    struct mark mark;
    const char *key; /* of an entry of a map, else null */
    struct mark key_mark;
    const char *text;          /* of a scalar, without control characters */
    struct node *first, *last; /* children, in the order written */
    struct node *next;
    uint32_t count;
};

/* Each returns null when memory is short; the adding ones also take a null child for that, and parent. */
struct node *node_scalar(struct arena *arena, const char *text);
struct node *node_collection(struct arena *arena, enum node_kind kind);
struct node *node_add(struct node *parent, struct node *child);
struct node *node_add_key(struct node *map, const char *key, struct node *child);

/* The entry of a map; null: there is none. */
struct node *node_find(const struct node *map, const char *key);

/* Puts `value` where `old` stands, with the key of `old`. */
void node_replace(struct node *old, const struct node *value);

/* The entry is taken out of the map, if it is there. */
void node_remove(struct node *map, const char *key);

/* All of it in `arena`, marks and keys too; null: out of memory. */
struct node *node_copy(struct arena *arena, const struct node *node);

/* Same structure and texts, wherever they were written. */
bool node_equal(const struct node *a, const struct node *b);

/* "a value", "a list", "a map", for messages. */
const char *node_kind_name(enum node_kind kind);

/* As YAML that reads back as the same tree. */
void node_print(const struct node *node, FILE *out);
char *node_text(const struct node *node); /* to be freed; null: out of memory */

#endif
