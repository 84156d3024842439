/*
 * text.c - forests as text: small, versioned, checked by a digest.
 *
 *   weir-forest 1
 *   counters real
 *   average 24000000              time constant of the averages, ps; 0: unknown
 *   trees 4
 *   tree 3                        and so many nodes follow
 *   split queue 120000 1          at most 120000 bytes: node 1 of this tree, else node 2
 *   leaf -9007199254740992        (p - 1/2) 2^54
 *   leaf 4503599627370496
 *   ...
 *   end 0123456789abcdef          forest_digest
 *
 * `#` starts a comment that reaches to the end of its line. The digest is of the content, so a comment may be added
 * by hand, but not a number changed: a model that is not the one that was trained should not look like it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "forest.h"

#define VERSION 1
#define LINE_BYTES 128u
#define WORDS_MAX 4u

struct reader {
    FILE *in;
    const char *name;
    struct weir_error *error;
    uint32_t line, column; /* of what is being read */
    char text[LINE_BYTES];
    char *word[WORDS_MAX];
    uint32_t words;
};

static bool fail(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct reader *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(r->error, WEIR_ERROR_MALFORMED, format, arguments);
    va_end(arguments);
    return weir_fail_at(r->error, r->name, r->line, r->column);
}

/* The next line that has words; false at the end of the file, or for a line that cannot be read. */
static bool next_line(struct reader *r)
{
    do {
        if (!fgets(r->text, sizeof r->text, r->in)) {
            r->column = 1;
            if (!ferror(r->in))
                return fail(r, "ends before its last line, \"end\"");
            weir_fail(r->error, WEIR_ERROR_READ, "cannot be read: %s", strerror(errno));
            return weir_fail_at(r->error, r->name, 0, 0);
        }
        r->line++;
        r->column = 1;
        if (!strchr(r->text, '\n') && !feof(r->in))
            return fail(r, "the line is longer than %u characters, or has no end", LINE_BYTES - 2);
        r->text[strcspn(r->text, "#\r\n")] = '\0';
        r->words = 0;
        char *rest = NULL;
        for (char *word = strtok_r(r->text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
            if (r->words == WORDS_MAX)
                return fail(r, "more than %u words", WORDS_MAX);
            r->word[r->words++] = word;
        }
    } while (r->words == 0);
    return true;
}

/* The next line begins with this key and has this many words in all. */
static bool next_key(struct reader *r, const char *key, uint32_t words)
{
    if (!next_line(r))
        return false;
    if (strcmp(r->word[0], key) != 0 || r->words != words)
        return fail(r, "\"%s\" with %" PRIu32 " value%s expected here", key, words - 1, words == 2 ? "" : "s");
    return true;
}

static const char *word_at(struct reader *r, uint32_t word)
{
    r->column = (uint32_t)(r->word[word] - r->text) + 1;
    return r->word[word];
}

static bool read_integer(struct reader *r, uint32_t word, int64_t min, int64_t max, int64_t *value)
{
    const char *text = word_at(r, word);
    char *end = NULL;
    errno = 0;
    long long parsed = strtoll(text, &end, 10);
    if (errno == ERANGE || *end != '\0' || end == text || parsed < min || parsed > max)
        return fail(r, "\"%s\" is not a number from %" PRId64 " to %" PRId64, text, min, max);
    *value = parsed;
    return true;
}

static bool read_choice(struct reader *r, uint32_t word, const char *const names[], uint32_t count, uint32_t *choice)
{
    const char *text = word_at(r, word);
    for (*choice = 0; *choice < count; (*choice)++)
        if (strcmp(text, names[*choice]) == 0)
            return true;
    return fail(r, "\"%s\" is unknown (expected %s … %s)", text, names[0], names[count - 1]);
}

/* Read before the number of nodes is known; the arrays grow tree by tree. */
struct growing {
    struct forest head;
    struct forest_tree *tree;
    struct forest_node *node;
    int64_t *lean;
    uint32_t capacity;
};

static bool grow(struct reader *r, struct growing *g, uint32_t nodes)
{
    if (nodes <= g->capacity)
        return true;
    uint32_t capacity = g->capacity * 2 > nodes ? g->capacity * 2 : nodes;
    struct forest_node *node = realloc(g->node, capacity * sizeof *node);
    if (node)
        g->node = node;
    int64_t *lean = realloc(g->lean, capacity * sizeof *lean);
    if (lean)
        g->lean = lean;
    if (!node || !lean)
        return weir_fail_memory(r->error);
    g->capacity = capacity;
    return true;
}

/* Node `at` of all, in a tree that begins at `root` and ends before `end`. */
static bool read_node(struct reader *r, struct growing *g, uint32_t at, uint32_t root, uint32_t end)
{
    if (!next_line(r))
        return false;
    struct forest_node *node = &g->node[at];
    g->lean[at] = 0;
    if (strcmp(r->word[0], "leaf") == 0 && r->words == 2) {
        *node = (struct forest_node){.limit = FOREST_LEAF_LIMIT, .child = at};
        return read_integer(r, 1, -FOREST_LEAN_ONE / 2, FOREST_LEAN_ONE / 2, &g->lean[at]);
    }
    if (strcmp(r->word[0], "split") != 0 || r->words != 4)
        return fail(r, "\"split FEATURE LIMIT CHILD\" or \"leaf LEAN\" expected here: the tree has %" PRIu32 " nodes",
                    end - root);
    const char *names[WEIR_FEATURE_COUNT];
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
        names[f] = forest_feature_name((enum weir_feature)f);
    int64_t child = 0;
    if (!read_choice(r, 1, names, WEIR_FEATURE_COUNT, &node->feature) ||
        !read_integer(r, 2, INT64_MIN, FOREST_LEAF_LIMIT - 1, &node->limit) ||
        !read_integer(r, 3, 0, FOREST_NODES_MAX, &child))
        return false;
    if (child <= at - root || child + 1 >= end - root)
        return fail(r, "node %" PRIu32 ": its children are not behind it in the same tree", at - root);
    node->child = root + (uint32_t)child;
    return true;
}

static bool read_tree(struct reader *r, struct growing *g, uint32_t t)
{
    int64_t count = 0;
    if (!next_key(r, "tree", 2) || !read_integer(r, 1, 1, FOREST_NODES_MAX - g->head.nodes, &count))
        return false;
    uint32_t root = g->head.nodes;
    uint32_t end = root + (uint32_t)count;
    g->tree[t] = (struct forest_tree){.root = root};
    for (uint32_t at = root; at < end; at++)
        if (!grow(r, g, at + 1) || !read_node(r, g, at, root, end))
            return false;
    g->head.nodes = end;
    return true;
}

static bool read_head(struct reader *r, struct growing *g)
{
    int64_t version = 0, trees = 0, average_ps = 0;
    uint32_t counters = 0;
    if (!next_line(r))
        return false;
    if (r->words != 2 || strcmp(r->word[0], "weir-forest") != 0)
        return fail(r, "is not a forest (its first line is \"weir-forest %d\")", VERSION);
    if (!read_integer(r, 1, 0, INT32_MAX, &version))
        return false;
    if (version != VERSION)
        return fail(r, "version %" PRId64 " cannot be read (this program reads version %d)", version, VERSION);
    const char *counter_names[] = {forest_counters_name(FOREST_COUNTERS_REAL),
                                   forest_counters_name(FOREST_COUNTERS_VIRTUAL)};
    if (!next_key(r, "counters", 2) || !read_choice(r, 1, counter_names, 2, &counters))
        return false;
    if (!next_key(r, "average", 2) || !read_integer(r, 1, 0, INT64_MAX, &average_ps))
        return false;
    if (!next_key(r, "trees", 2) || !read_integer(r, 1, 1, FOREST_TREES_MAX, &trees))
        return false;
    g->head.counters = (enum forest_counters)counters;
    g->head.average_ps = average_ps;
    g->head.trees = (uint32_t)trees;
    g->tree = calloc(g->head.trees, sizeof *g->tree);
    return g->tree || weir_fail_memory(r->error);
}

static bool read_end(struct reader *r, const struct forest *forest)
{
    if (!next_key(r, "end", 2))
        return false;
    char expected[20];
    snprintf(expected, sizeof expected, "%016" PRIx64, forest_digest(forest));
    if (strcmp(r->word[1], expected) != 0)
        return fail(r, "the digest is not that of the trees above: the file was changed");
    return true;
}

/* Null: no memory, or the nodes form no trees. */
static struct forest *finish(struct reader *r, const struct growing *g)
{
    struct forest *forest = forest_new(g->head.trees, g->head.nodes);
    if (!forest) {
        weir_fail_memory(r->error);
        return NULL;
    }
    forest->counters = g->head.counters;
    forest->average_ps = g->head.average_ps;
    memcpy(forest->tree, g->tree, forest->trees * sizeof *forest->tree);
    memcpy(forest->node, g->node, forest->nodes * sizeof *forest->node);
    memcpy(forest->lean, g->lean, forest->nodes * sizeof *forest->lean);
    if (forest_seal(forest, r->error) && read_end(r, forest)) {
        forest->base.about.digest = forest_digest(forest);
        return forest;
    }
    weir_fail_at(r->error, r->name, 0, 0);
    forest_free(forest);
    return NULL;
}

struct forest *forest_read(FILE *in, const char *name, struct weir_error *error)
{
    struct reader r = {.in = in, .name = name, .error = error};
    struct growing g = {0};
    bool whole = read_head(&r, &g);
    for (uint32_t t = 0; whole && t < g.head.trees; t++)
        whole = read_tree(&r, &g, t);
    struct forest *forest = whole ? finish(&r, &g) : NULL;
    free(g.tree);
    free(g.node);
    free(g.lean);
    return forest;
}

struct forest *forest_open(const char *path, struct weir_error *error)
{
    struct stat about;
    bool pipe = lstat(path, &about) == 0 && S_ISFIFO(about.st_mode); /* opening it would wait for a writer */
    FILE *in = pipe ? NULL : fopen(path, "r");
    if (!in) {
        weir_fail(error, WEIR_ERROR_READ, "cannot be read: %s", pipe ? "is a pipe" : strerror(errno));
        weir_fail_at(error, path, 0, 0);
        return NULL;
    }
    struct forest *forest = forest_read(in, path, error);
    fclose(in);
    return forest;
}

bool forest_write(const struct forest *forest, FILE *out)
{
    fprintf(out, "weir-forest %d\ncounters %s\naverage %" PRId64 "\ntrees %" PRIu32 "\n", VERSION,
            forest_counters_name(forest->counters), forest->average_ps, forest->trees);
    for (uint32_t t = 0; t < forest->trees; t++) {
        uint32_t root = forest->tree[t].root;
        uint32_t end = t + 1 < forest->trees ? forest->tree[t + 1].root : forest->nodes;
        fprintf(out, "tree %" PRIu32 "\n", end - root);
        for (uint32_t at = root; at < end; at++) {
            const struct forest_node *node = &forest->node[at];
            if (forest_is_leaf(node))
                fprintf(out, "leaf %" PRId64 "\n", forest->lean[at]);
            else
                fprintf(out, "split %s %" PRId64 " %" PRIu32 "\n",
                        forest_feature_name((enum weir_feature)node->feature), node->limit, node->child - root);
        }
    }
    fprintf(out, "end %016" PRIx64 "\n", forest_digest(forest));
    return !ferror(out);
}
