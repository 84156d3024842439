/*
 * mistakes.c - see mistakes.h. Reading stops at the first mistake, so the file is read again and again: each time the
 * value that was wrong is replaced by one that is not complained about, or, where none is found, taken out. What then
 * is missing was not forgotten by its author, and is not reported.
 */
#include "experiment/mistakes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/check.h"
#include "experiment/run.h"
#include "measures/names.h"
#include "trace/unpack.h"

#define MISTAKES_MAX 100u
#define REMOVED_MAX 200u
#define ROUNDS_MAX 300u

/* Values of every kind; the first that silences a complaint stands in for the wrong one. */
static const char *const values[] = {"1",     "1us",  "1ms",   "10KB",   "10Gbps",    "h0",  "h1",
                                     "h0-h1", "s0",   "100/s", "0.5",    "1 - 1",     "yes", "dt",
                                     "cubic", "none", "all",   "single", "lost.total"};

struct mistakes {
    const char *file;
    struct run_plan plan;             /* its document is repaired step by step */
    const char *removed[REMOVED_MAX]; /* keys that were taken out */
    uint32_t removed_count;
    uint32_t count;
};

/* One way of reading: the experiment at a size, then a run for each value of each axis. */
static bool read_size(struct mistakes *mistakes, bool quick, struct weir_error *error)
{
    const struct scenario_files files = {mistakes->plan.folder, trace_unpack};
    struct experiment *experiment = &mistakes->plan.experiment;
    bool good = experiment_read(experiment, &mistakes->plan.document, quick, error);
    uint32_t stride = 1;
    for (uint32_t a = experiment->axis_count; good && a-- > 0;) {
        stride *= experiment->axes[a].count;
    }
    for (uint32_t a = 0; good && a <= experiment->axis_count; a++) {
        uint32_t count = a < experiment->axis_count ? experiment->axes[a].count : 1;
        stride = a < experiment->axis_count ? stride / count : 0;
        for (uint32_t i = a < experiment->axis_count ? 1 : 0; good && i < count; i++) {
            struct document document = {.origin = NULL};
            struct scenario scenario = {.name = NULL};
            good = experiment_run(experiment, i * stride * experiment->seed_count, &document, error) &&
                   scenario_build(&scenario, &document, &files, error);
            if (good && a == experiment->axis_count)
                good = run_check_names(&mistakes->plan, &scenario.tags, error);
            scenario_free(&scenario);
            document_free(&document);
        }
    }
    experiment_free(experiment);
    *experiment = (struct experiment){.name = NULL};
    return good;
}

static bool read_all(struct mistakes *mistakes, struct weir_error *error)
{
    const struct node *quick = node_find(mistakes->plan.document.root, "quick");
    *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    return read_size(mistakes, false, error) && (quick == NULL || read_size(mistakes, true, error));
}

/* Where an entry stands that a place names: by its value or by its key. */
struct found {
    struct node *parent, *node;
    bool by_key;
};

static void find_place(struct node *parent, const struct weir_error_place *place, struct found *found)
{
    for (struct node *child = parent->first; child != NULL; child = child->next) {
        bool key = child->key != NULL && child->key_mark.line == place->line && child->key_mark.column == place->column;
        bool value = child->mark.line == place->line && child->mark.column == place->column;
        if (key || value)
            *found = (struct found){parent, child, key && !value}; /* the deepest counts */
        if (child->kind == NODE_MAP || child->kind == NODE_LIST)
            find_place(child, place, found);
    }
}

static bool same_place(const struct weir_error *a, const struct weir_error *b)
{
    return a->code != WEIR_ERROR_NONE && a->place.line == b->place.line && a->place.column == b->place.column;
}

/* Takes an entry out of a map, or an item out of a list. */
static void take_out(struct mistakes *mistakes, const struct found *found)
{
    if (found->node->key != NULL) {
        if (mistakes->removed_count < REMOVED_MAX)
            mistakes->removed[mistakes->removed_count++] = found->node->key;
        node_remove(found->parent, found->node->key);
        return;
    }
    struct node **at = &found->parent->first, *last = NULL;
    while (*at != NULL && *at != found->node) {
        last = *at;
        at = &(*at)->next;
    }
    if (*at == NULL)
        return;
    *at = found->node->next;
    found->parent->count--;
    if (found->parent->last == found->node)
        found->parent->last = last;
}

/* One value in place of what is written; true: the complaint is gone. */
static bool stands_in(struct mistakes *mistakes, struct node *node, const char *value, const struct weir_error *error)
{
    struct weir_error next;
    node->text = value;
    return read_all(mistakes, &next) || !same_place(&next, error);
}

/* The names of the file itself: of axes, transports and tags. */
static bool named_stands_in(struct mistakes *mistakes, struct node *node, const struct weir_error *error)
{
    static const char *const maps[] = {"sweep", "transports"};
    const struct node *root = mistakes->plan.document.root, *traffic = node_find(root, "traffic");
    for (size_t i = 0; i < 2; i++) {
        const struct node *map = node_find(root, maps[i]);
        for (const struct node *child = map != NULL ? map->first : NULL; child != NULL; child = child->next)
            if (child->key != NULL && stands_in(mistakes, node, child->key, error))
                return true;
    }
    for (const struct node *item = traffic != NULL ? traffic->first : NULL; item != NULL; item = item->next) {
        const struct node *tag = item->kind == NODE_MAP ? node_find(item, "tag") : NULL;
        if (tag != NULL && tag->kind == NODE_SCALAR && stands_in(mistakes, node, tag->text, error))
            return true;
    }
    return false;
}

/* False: there is nothing to repair, and reading cannot go on. */
static bool repair(struct mistakes *mistakes, const struct weir_error *error, bool missing)
{
    struct found found = {NULL, NULL, false};
    if (error->place.line == 0)
        return false;
    find_place(mistakes->plan.document.root, &error->place, &found);
    if (found.node == NULL)
        return false;
    const char *written = found.node->text;
    bool tried = found.node->kind == NODE_SCALAR && !found.by_key && !missing;
    for (size_t i = 0; tried && i < sizeof values / sizeof values[0]; i++)
        if (stands_in(mistakes, found.node, values[i], error))
            return true;
    if (tried && named_stands_in(mistakes, found.node, error))
        return true;
    found.node->text = written;
    take_out(mistakes, &found);
    return true;
}

/* What we took out ourselves is not missing. */
static bool is_ours(const struct mistakes *mistakes, const struct weir_error *error)
{
    if (strstr(error->text, "missing") == NULL)
        return false;
    for (uint32_t i = 0; i < mistakes->removed_count; i++) {
        char quoted[80];
        snprintf(quoted, sizeof quoted, "'%.60s'", mistakes->removed[i]);
        if (strstr(error->text, quoted) != NULL)
            return true;
    }
    return false;
}

static int find_all(struct mistakes *mistakes)
{
    struct weir_error error, last = {.code = WEIR_ERROR_NONE};
    int code = CLI_OK;
    for (uint32_t i = 0; i < ROUNDS_MAX && mistakes->count < MISTAKES_MAX && !read_all(mistakes, &error); i++) {
        if (error.code == WEIR_ERROR_MEMORY)
            return cli_report(&error);
        bool missing = is_ours(mistakes, &error);
        bool again = same_place(&last, &error) && strcmp(last.text, error.text) == 0;
        if (!missing && !again) {
            code = cli_report(&error);
            mistakes->count++;
        }
        last = error;
        if (again || !repair(mistakes, &error, missing)) {
            cli_error(CLI_INPUT, "%s: there may be more: right these first", mistakes->file);
            break;
        }
    }
    return code;
}

int mistakes_print(const char *file)
{
    struct mistakes mistakes = {.file = file};
    struct run_changes changes = {.sets = 0};
    int code = run_plan_read(&mistakes.plan, file, &changes);
    if (code == CLI_OK) {
        code = find_all(&mistakes);
        if (code == CLI_OK)
            cli_print("%s: nothing is wrong", file);
        else if (code == CLI_INPUT)
            cli_error(CLI_INPUT, "%s: %" PRIu32 " mistake%s", file, mistakes.count, mistakes.count == 1 ? "" : "s");
    }
    document_free(&mistakes.plan.document);
    free(mistakes.plan.folder);
    return code;
}
