/*
 * document.c - YAML to nodes with libyaml's parser, event by event: see document.h.
 *
 * libyaml also has a loader that makes trees, but it resolves aliases, forgets where keys were written and takes the
 * last of two equal keys.
 */
#include "scenario/yaml/document.h"

#include <string.h>
#include <yaml.h>

#define DEPTH_MAX 16u
#define KEYS_MAX 1000u /* of one map: they are compared with one another */
#define SCALARS_MAX 250000u

struct loader {
    yaml_parser_t parser;
    struct arena *arena;
    struct weir_error *error;
    struct mark fixed;  /* of an option; line 0 */
    const char *origin; /* of a file */
    const char *text;
    size_t size;
    bool in_file;
    uint32_t scalars; /* so far */
};

static struct mark loader_mark(const struct loader *loader, yaml_mark_t at)
{
    if (!loader->in_file)
        return loader->fixed;
    return (struct mark){loader->origin, (uint32_t)at.line + 1, (uint32_t)at.column + 1};
}

/* The reader of bytes knows no lines, only how far it came. */
static yaml_mark_t loader_problem_mark(const struct loader *loader)
{
    if (loader->parser.error != YAML_READER_ERROR)
        return loader->parser.problem_mark;
    yaml_mark_t mark = {0, 0, 0};
    for (size_t i = 0; i < loader->parser.problem_offset; i++) {
        mark.column++;
        if (loader->text[i] == '\n') {
            mark.line++;
            mark.column = 0;
        }
    }
    return mark;
}

/* The byte at a mark, whose lines and columns count characters; 0: the end. */
static char byte_at(const struct loader *loader, const yaml_mark_t *mark)
{
    size_t at = 0;
    for (size_t line = 0; line < mark->line && at < loader->size; at++)
        line += loader->text[at] == '\n';
    for (size_t column = 0; at < loader->size; at++) {
        bool goes_on = ((unsigned char)loader->text[at] & 0xc0) == 0x80;
        if (!goes_on && column++ == mark->column)
            return loader->text[at];
    }
    return '\0';
}

/* libyaml's words for the mistakes that people make, in ours. */
static const char *problem_text(const struct loader *loader, const yaml_mark_t *at)
{
    static const char *const known[][2] = {
        {"did not find expected <document start>", "this does not go on from the lines above (see their indentation)"},
        {"could not find expected ':'", "a key without ':' (expected 'key: value', with a blank behind the colon)"},
        {"mapping values are not allowed in this context",
         "a ':' is not possible here (expected 'key: value' with a blank behind the colon, in the line above too; text "
         "with ': ' in quotes)"},
        {"did not find expected key", "no key is here (expected 'key: value', as far to the right as the keys above)"},
        {"did not find expected ',' or '}'", "a map without its end (expected ',' or '}')"},
        {"did not find expected ',' or ']'", "a list without its end (expected ',' or ']')"},
        {"did not find expected '-' indicator", "this is no item of the list above (expected '- ' in its column)"},
        {"block sequence entries are not allowed in this context",
         "an item of a list is not possible here (expected it in a line of its own, or [a, b])"},
        {"found unexpected end of stream", "a quote is not closed (expected another \" or ')"},
        {"found unexpected document indicator", "a quote is not closed (expected another \" or ')"}};
    const char *problem = loader->parser.problem != NULL ? loader->parser.problem : "not valid YAML";
    if (loader->parser.error == YAML_READER_ERROR)
        return problem;
    char here = byte_at(loader, at);
    if (here == '\t')
        return "a tab (YAML indents by blanks: replace it by blanks)";
    if (here == '%' || here == '@' || here == '`')
        return "a text cannot begin with this character (expected quotes around it)";
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i][0], problem) == 0)
            return known[i][1];
    return problem;
}

/* The next event, to be deleted by the caller; false after an error. */
static bool loader_next(struct loader *loader, yaml_event_t *event)
{
    if (yaml_parser_parse(&loader->parser, event))
        return true;
    if (loader->parser.error == YAML_MEMORY_ERROR)
        return weir_fail_memory(loader->error);
    yaml_mark_t at = loader_problem_mark(loader);
    return error_at(loader->error, loader_mark(loader, at), "not valid YAML: %s", problem_text(loader, &at));
}

static bool loader_refuse(struct loader *loader, struct mark mark, const void *anchor, const void *tag)
{
    if (anchor != NULL)
        return error_at(loader->error, mark, "anchors are not possible (expected the value itself)");
    if (tag != NULL)
        return error_at(loader->error, mark, "tags are not possible (expected the value itself)");
    return true;
}

static struct node *loader_scalar(struct loader *loader, const yaml_event_t *event)
{
    struct mark mark = loader_mark(loader, event->start_mark);
    const unsigned char *value = event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (!loader_refuse(loader, mark, event->data.scalar.anchor, event->data.scalar.tag))
        return NULL;
    /* Control characters and what a terminal takes for one: they would reach tables and messages. */
    for (size_t i = 0; i < length; i++)
        if (value[i] < ' ' || value[i] == 0x7f || (value[i] == 0xc2 && i + 1 < length && value[i + 1] < 0xa0)) {
            error_at(loader->error, mark, "a control character in a text (expected printable characters)");
            return NULL;
        }
    if (++loader->scalars > SCALARS_MAX) {
        error_at(loader->error, mark, "more than %u values and keys (expected long lists in files of their own)",
                 SCALARS_MAX);
        return NULL;
    }
    struct node *node = node_collection(loader->arena, NODE_SCALAR);
    char *text = arena_text(loader->arena, (const char *)value, length);
    if (node == NULL || text == NULL) {
        weir_fail_memory(loader->error);
        return NULL;
    }
    node->text = text;
    node->mark = mark;
    return node;
}

static struct node *loader_value(struct loader *loader, const yaml_event_t *event, uint32_t depth);

static bool loader_key(struct loader *loader, struct node *map, const yaml_event_t *event, struct node **key)
{
    struct mark mark = loader_mark(loader, event->start_mark);
    if (event->type == YAML_ALIAS_EVENT)
        return error_at(loader->error, mark, "aliases are not possible (expected the value itself)");
    if (event->type != YAML_SCALAR_EVENT)
        return error_at(loader->error, mark, "a key must be a word");
    *key = loader_scalar(loader, event);
    if (*key == NULL)
        return false;
    const struct node *first = node_find(map, (*key)->text);
    if (first != NULL && loader->in_file)
        return error_at(loader->error, mark, "key '%s' is given twice (first in line %u)",
                        error_text((*key)->text).text, first->key_mark.line);
    if (first != NULL)
        return error_at(loader->error, mark, "key '%s' is given twice", error_text((*key)->text).text);
    if (map->count >= KEYS_MAX)
        return error_at(loader->error, mark, "too many keys in one map (expected at most %u)", KEYS_MAX);
    return true;
}

/* Everything up to the event that ends the collection. */
static bool loader_children(struct loader *loader, struct node *parent, uint32_t depth)
{
    yaml_event_type_t end = parent->kind == NODE_MAP ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    for (;;) {
        yaml_event_t event;
        struct node *key = NULL;
        if (!loader_next(loader, &event))
            return false;
        bool ended = event.type == end;
        bool good = ended || parent->kind == NODE_LIST || loader_key(loader, parent, &event, &key);
        if (good && key != NULL) {
            yaml_event_delete(&event);
            good = loader_next(loader, &event);
            if (!good)
                return false;
        }
        struct node *child = good && !ended ? loader_value(loader, &event, depth) : NULL;
        yaml_event_delete(&event);
        if (ended || !good || child == NULL)
            return ended;
        if (key != NULL)
            child->key_mark = key->mark;
        node_add_key(parent, key != NULL ? key->text : NULL, child);
    }
}

static struct node *loader_collection(struct loader *loader, const yaml_event_t *event, uint32_t depth)
{
    bool is_map = event->type == YAML_MAPPING_START_EVENT;
    const void *anchor = is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    const void *tag = is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    struct mark mark = loader_mark(loader, event->start_mark);
    if (!loader_refuse(loader, mark, anchor, tag))
        return NULL;
    if (depth >= DEPTH_MAX) {
        error_at(loader->error, mark, "too deep (expected at most %u levels)", DEPTH_MAX);
        return NULL;
    }
    struct node *node = node_collection(loader->arena, is_map ? NODE_MAP : NODE_LIST);
    if (node == NULL) {
        weir_fail_memory(loader->error);
        return NULL;
    }
    node->mark = mark;
    return loader_children(loader, node, depth + 1) ? node : NULL;
}

/* The value that starts with `event`, which stays the caller's; null after an error. */
static struct node *loader_value(struct loader *loader, const yaml_event_t *event, uint32_t depth)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return loader_scalar(loader, event);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return loader_collection(loader, event, depth);
    default:
        error_at(loader->error, loader_mark(loader, event->start_mark),
                 "aliases are not possible (expected the value itself)");
        return NULL;
    }
}

/* Skips to the start of the next document's value: the event after it is to be deleted by the caller. */
static bool loader_start(struct loader *loader, yaml_event_t *event)
{
    for (;;) {
        if (!loader_next(loader, event))
            return false;
        if (event->type != YAML_STREAM_START_EVENT && event->type != YAML_DOCUMENT_START_EVENT)
            return true;
        yaml_event_delete(event);
    }
}

/* After the value only the ends of the document and of the stream may come. */
static bool loader_finish(struct loader *loader)
{
    for (bool ended = false; !ended;) {
        yaml_event_t event;
        if (!loader_next(loader, &event))
            return false;
        ended = event.type == YAML_STREAM_END_EVENT;
        bool second = event.type == YAML_DOCUMENT_START_EVENT;
        struct mark mark = loader_mark(loader, event.start_mark);
        yaml_event_delete(&event);
        if (second)
            return error_at(loader->error, mark, "a second document starts here (expected one)");
    }
    return true;
}

static struct node *loader_run(struct loader *loader, const char *text, size_t size)
{
    yaml_event_t event;
    if (!yaml_parser_initialize(&loader->parser)) {
        weir_fail_memory(loader->error);
        return NULL;
    }
    loader->text = text;
    loader->size = size;
    yaml_parser_set_encoding(&loader->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&loader->parser, (const unsigned char *)text, size);
    struct node *root = NULL;
    if (loader_start(loader, &event)) {
        if (event.type == YAML_STREAM_END_EVENT)
            error_at(loader->error, loader_mark(loader, event.start_mark), "nothing is here (expected %s)",
                     loader->in_file ? "a map of sections" : "a value");
        else
            root = loader_value(loader, &event, 0);
        yaml_event_delete(&event);
    }
    if (root != NULL && !loader_finish(loader))
        root = NULL;
    yaml_parser_delete(&loader->parser);
    return root;
}

/* Some editors put it before a file. */
static const char byte_order_mark[] = "\xef\xbb\xbf";

bool document_read(struct document *document, const char *origin, const char *text, size_t size,
                   struct weir_error *error)
{
    *document = (struct document){.origin = NULL};
    document->origin = arena_text(&document->arena, origin, strlen(origin));
    if (document->origin == NULL)
        return weir_fail_memory(error);
    if (size > DOCUMENT_BYTES_MAX)
        return error_at(error, (struct mark){document->origin, 0, 0}, "too large (expected at most 16 MiB)");
    if (size >= sizeof byte_order_mark - 1 && memcmp(text, byte_order_mark, sizeof byte_order_mark - 1) == 0) {
        text += sizeof byte_order_mark - 1;
        size -= sizeof byte_order_mark - 1;
    }
    struct loader loader = {.arena = &document->arena, .error = error, .origin = document->origin, .in_file = true};
    document->root = loader_run(&loader, text, size);
    if (document->root == NULL)
        return false;
    if (document->root->kind != NODE_MAP)
        return error_at(error, document->root->mark, "%s is here (expected a map of sections)",
                        node_kind_name(document->root->kind));
    return true;
}

struct node *document_read_value(struct arena *arena, struct mark mark, const char *text, struct weir_error *error)
{
    struct loader loader = {.arena = arena, .error = error, .fixed = mark};
    return loader_run(&loader, text, strlen(text));
}

void document_free(struct document *document)
{
    arena_free(&document->arena);
    document->root = NULL;
}
