/*
 * document.h - YAML text to a tree of nodes, and changes to that tree from the command line.
 *
 * Strict: one document whose root is a map, no anchors, aliases or tags, no key twice, no control characters. Nothing
 * is interpreted: every scalar stays text, until the typed pass knows what it is to be.
 */
#ifndef SCENARIO_YAML_DOCUMENT_H
#define SCENARIO_YAML_DOCUMENT_H

#include "scenario/yaml/error.h"

#define DOCUMENT_BYTES_MAX ((size_t)16 << 20)

struct document {
    struct arena arena;
    struct node *root;
    const char *origin; /* the file's name */
};

/* False after an error; release with document_free either way. The text may be released afterwards. */
bool document_read(struct document *document, const char *origin, const char *text, size_t size,
                   struct weir_error *error);

/* "key.path=value" replaces or adds what is at the path; an item of a list is named by its number, from 0, or by its
 * tag. The value is YAML; null takes away what is there. `option` goes before it in messages: "--set". */
bool document_set(struct document *document, const char *option, const char *assignment, struct weir_error *error);

/* A value for what is at a path, and where that was said. */
struct document_change {
    struct mark mark; /* of the path */
    const char *path; /* "switch.policy.alpha" */
    const struct node *value;
};

/* The same with a value that is already read, of which a copy is put into the tree. */
bool document_put(struct arena *arena, struct node *root, const struct document_change *change,
                  struct weir_error *error);

/* What is at a path, up to its end or a '='; null: nothing is. */
const struct node *document_find(const struct node *root, const char *path);

void document_free(struct document *document);

/* One value of YAML, for document_set: a node of `arena`, every mark of which is `mark`. */
struct node *document_read_value(struct arena *arena, struct mark mark, const char *text, struct weir_error *error);

#endif
