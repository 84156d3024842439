/*
 * document_json.c - document.h without libyaml, for builds that have none (WebAssembly): JSON, which is YAML too, so
 * that a document that is read here is read the same by document.c. Every scalar stays the text that was written.
 */
#include <string.h>

#include "scenario/yaml/document.h"

#define DEPTH_MAX 16u
#define KEYS_MAX 1000u

struct loader {
    struct arena *arena;
    struct weir_error *error;
    struct mark fixed;  /* of an option; line 0 */
    const char *origin; /* of a file; null: of an option */
    const char *at, *end;
    const char *line_start;
    uint32_t line;
};

static struct mark loader_mark(const struct loader *loader)
{
    if (loader->origin == NULL)
        return loader->fixed;
    return (struct mark){loader->origin, loader->line, (uint32_t)(loader->at - loader->line_start) + 1};
}

static void loader_skip_space(struct loader *loader)
{
    for (; loader->at < loader->end && strchr(" \t\r\n", *loader->at) != NULL && *loader->at != '\0'; loader->at++) {
        if (*loader->at == '\n') {
            loader->line++;
            loader->line_start = loader->at + 1;
        }
    }
}

static bool loader_takes(struct loader *loader, char wanted)
{
    loader_skip_space(loader);
    if (loader->at == loader->end || *loader->at != wanted)
        return false;
    loader->at++;
    return true;
}

static struct node *loader_expected(struct loader *loader, const char *what)
{
    error_at(loader->error, loader_mark(loader), "not valid JSON: %s", what);
    return NULL;
}

/* A text between quotes; of escapes only \" and \\, since other characters are written as they are. */
static char *loader_quoted(struct loader *loader)
{
    const char *from = loader->at;
    while (loader->at < loader->end && *loader->at != '"') {
        if ((unsigned char)*loader->at < ' ' || *loader->at == 0x7f) {
            loader_expected(loader, "a control character in a text (expected printable characters)");
            return NULL;
        }
        loader->at += *loader->at == '\\' && loader->at + 1 < loader->end ? 2 : 1;
    }
    if (loader->at >= loader->end) {
        loader_expected(loader, "a text without its end (expected '\"')");
        return NULL;
    }
    char *text = arena_text(loader->arena, from, (size_t)(loader->at - from)), *to = text;
    loader->at++;
    if (text == NULL) {
        weir_fail_memory(loader->error);
        return NULL;
    }
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\\' && *++c != '"' && *c != '\\') {
            loader_expected(loader, "an escape (expected \\\" or \\\\)");
            return NULL;
        }
        *to++ = *c;
    }
    *to = '\0';
    return text;
}

/* A number, true, false or null, as written. */
static char *loader_word(struct loader *loader)
{
    const char *from = loader->at;
    while (loader->at < loader->end && *loader->at != '\0' && strchr(" \t\r\n,]}:", *loader->at) == NULL)
        loader->at++;
    if (loader->at == from) {
        loader_expected(loader, "expected a value");
        return NULL;
    }
    char *text = arena_text(loader->arena, from, (size_t)(loader->at - from));
    if (text == NULL)
        weir_fail_memory(loader->error);
    return text;
}

static struct node *loader_value(struct loader *loader, uint32_t depth);

static struct node *loader_entry(struct loader *loader, const struct node *map, uint32_t depth)
{
    struct mark mark = loader_mark(loader);
    if (!loader_takes(loader, '"'))
        return loader_expected(loader, "expected a key between quotes");
    char *key = loader_quoted(loader);
    if (key == NULL)
        return NULL;
    if (node_find(map, key) != NULL) {
        error_at(loader->error, mark, "key '%s' is given twice", error_text(key).text);
        return NULL;
    }
    if (map->count >= KEYS_MAX) {
        error_at(loader->error, mark, "too many keys in one map (expected at most %u)", KEYS_MAX);
        return NULL;
    }
    if (!loader_takes(loader, ':'))
        return loader_expected(loader, "expected ':' after a key");
    struct node *value = loader_value(loader, depth);
    if (value != NULL) {
        value->key = key;
        value->key_mark = mark;
    }
    return value;
}

static struct node *loader_collection(struct loader *loader, enum node_kind kind, uint32_t depth)
{
    char end = kind == NODE_MAP ? '}' : ']';
    struct node *node = node_collection(loader->arena, kind);
    if (depth >= DEPTH_MAX)
        return loader_expected(loader, "too deep (expected at most 16 levels)");
    if (node == NULL) {
        weir_fail_memory(loader->error);
        return NULL;
    }
    node->mark = loader_mark(loader);
    if (loader_takes(loader, end))
        return node;
    do {
        loader_skip_space(loader);
        struct node *child = kind == NODE_MAP ? loader_entry(loader, node, depth + 1) : loader_value(loader, depth + 1);
        if (child == NULL)
            return NULL;
        node_add_key(node, child->key, child);
    } while (loader_takes(loader, ','));
    return loader_takes(loader, end) ? node : loader_expected(loader, "expected ',' or the end of the list or map");
}

static struct node *loader_value(struct loader *loader, uint32_t depth)
{
    loader_skip_space(loader);
    struct mark mark = loader_mark(loader);
    if (loader_takes(loader, '{'))
        return loader_collection(loader, NODE_MAP, depth);
    if (loader_takes(loader, '['))
        return loader_collection(loader, NODE_LIST, depth);
    char *text = loader_takes(loader, '"') ? loader_quoted(loader) : loader_word(loader);
    if (text == NULL)
        return NULL;
    struct node *node = node_scalar(loader->arena, text);
    if (node == NULL)
        weir_fail_memory(loader->error);
    else
        node->mark = mark;
    return node;
}

static struct node *loader_run(struct loader *loader)
{
    struct node *root = loader_value(loader, 0);
    loader_skip_space(loader);
    return root == NULL || loader->at == loader->end ? root : loader_expected(loader, "expected nothing more");
}

bool document_read(struct document *document, const char *origin, const char *text, size_t size,
                   struct weir_error *error)
{
    *document = (struct document){.origin = NULL};
    document->origin = arena_text(&document->arena, origin, strlen(origin));
    if (document->origin == NULL)
        return weir_fail_memory(error);
    if (size > DOCUMENT_BYTES_MAX)
        return error_at(error, (struct mark){document->origin, 0, 0}, "too large (expected at most 16 MiB)");
    struct loader loader = {.arena = &document->arena,
                            .error = error,
                            .origin = document->origin,
                            .at = text,
                            .end = text + size,
                            .line_start = text,
                            .line = 1};
    document->root = loader_run(&loader);
    if (document->root != NULL && document->root->kind != NODE_MAP)
        return error_at(error, document->root->mark, "%s is here (expected a map of sections)",
                        node_kind_name(document->root->kind));
    return document->root != NULL;
}

struct node *document_read_value(struct arena *arena, struct mark mark, const char *text, struct weir_error *error)
{
    struct loader loader = {.arena = arena, .error = error, .fixed = mark, .at = text, .end = text + strlen(text)};
    return loader_run(&loader);
}

void document_free(struct document *document)
{
    arena_free(&document->arena);
    document->root = NULL;
}
