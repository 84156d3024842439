/*
 * mistakes.c - see mistakes.h. Reading stops at the first mistake, so the file is read again and again: each time what
 * was wrong or missing is replaced by something that is not complained about, or, where nothing is found, taken out.
 * What then is missing was not forgotten by its author, and is not reported; nor is what refers by name to something
 * that was taken out. Where a whole section had to be made up, what depends on it cannot be judged, and is not.
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
static const char *const values[] = {
    "1",   "8",  "1us",   "1ms",  "10KB", "10Gbps", "h0",         "h1",     "h0-h1", "s0",   "100/s",   "0.5",  "1 - 1",
    "yes", "dt", "cubic", "none", "all",  "single", "lost.total", "incast", "query", "long", "poisson", "line", "bar"};

/* Sections for a file that has none. */
static const char stand_ins[] = "name: stand-in\n"
                                "until: 1ms\n"
                                "topology: {kind: single, hosts: 1024, rate: 10Gbps, delay: 1us}\n"
                                "switch: {buffer: 10MB, policy: dt}\n"
                                "transports: {t: {kind: cubic}}\n"
                                "traffic: [{kind: incast, tag: stand-in, transport: t, sources: h1-h3, destination: "
                                "h0, bytes: 10KB}]\n";

/* What depends on sections above it. */
static const char *const dependent[] = {"traffic", "failures", "routes",  "measure", "slot",
                                        "testbed", "sweep",    "figures", "claims",  "quick"};

struct mistakes {
    const char *file;
    struct document stand_ins;
    bool hidden;                      /* a figure or claim was taken out whole, with whatever else is wrong in it */
    bool made_up;                     /* a section of the file is a stand-in */
    struct run_plan plan;             /* its document is repaired step by step */
    const char *removed[REMOVED_MAX]; /* keys that were taken out, and names of what lost a part */
    const struct node *broken[REMOVED_MAX]; /* what something was taken out of */
    uint32_t removed_count, broken_count;
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
    struct node *section; /* the entry of the whole file that it is in */
    bool by_key;
};

static bool is_at(const struct mark *mark, const struct weir_error_place *place)
{
    return mark->line == place->line && mark->column == place->column && mark->origin != NULL &&
           strcmp(mark->origin, place->origin) == 0;
}

/* The deepest counts; of a mistake that is a missing key, the deepest map. */
static void find_place(struct node *parent, const struct weir_error *error, struct node *section, struct found *found)
{
    for (struct node *child = parent->first; child != NULL; child = child->next) {
        struct node *within = section != NULL ? section : child;
        bool value = is_at(&child->mark, &error->place);
        bool key = child->key != NULL && is_at(&child->key_mark, &error->place);
        if (error->code == WEIR_ERROR_MISSING ? value && child->kind == NODE_MAP : key || value)
            *found = (struct found){parent, child, within, key && !value};
        if (child->kind == NODE_MAP || child->kind == NODE_LIST)
            find_place(child, error, within, found);
    }
}

static bool same_place(const struct weir_error *a, const struct weir_error *b)
{
    return a->code != WEIR_ERROR_NONE && a->place.line == b->place.line && a->place.column == b->place.column;
}

static void note_removed(struct mistakes *mistakes, const char *name)
{
    if (name != NULL && mistakes->removed_count < REMOVED_MAX)
        mistakes->removed[mistakes->removed_count++] = name;
}

/* Others know it by name: an axis that lost a part, an item of traffic that has a tag. */
static void note_broken(struct mistakes *mistakes, const struct found *found)
{
    const struct node *tag = found->node->kind == NODE_MAP ? node_find(found->node, "tag") : NULL;
    if (mistakes->broken_count < REMOVED_MAX)
        mistakes->broken[mistakes->broken_count++] = found->parent;
    if (strcmp(found->section->key, "sweep") == 0 && found->parent != found->section)
        note_removed(mistakes, found->parent->key);
    note_removed(mistakes, tag != NULL && tag->kind == NODE_SCALAR ? tag->text : NULL);
}

/* Takes an entry out of a map, or an item out of a list. */
static void take_out(struct mistakes *mistakes, const struct found *found)
{
    note_broken(mistakes, found);
    if (found->node->key != NULL) {
        note_removed(mistakes, found->node->key);
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

/* A place to fill, and the map that it is in: what is put there should suit the others. */
struct gap {
    struct node *node;
    const struct node *map; /* null: whatever comes next is right */
};

static bool is_child(const struct node *map, const struct weir_error *error)
{
    for (const struct node *child = map->first; child != NULL; child = child->next)
        if (is_at(&child->mark, &error->place) || is_at(&child->key_mark, &error->place))
            return true;
    return is_at(&map->mark, &error->place);
}

/* One value in place of what is written; true: the complaint is gone, and none of its neighbours is complained about.
 */
static bool stands_in(struct mistakes *mistakes, const struct gap *gap, const char *value,
                      const struct weir_error *error)
{
    struct weir_error next;
    gap->node->text = value;
    return read_all(mistakes, &next) || (!same_place(&next, error) && (gap->map == NULL || !is_child(gap->map, &next)));
}

/* The names of the file itself: of axes, transports and tags. */
static bool named_stands_in(struct mistakes *mistakes, const struct gap *gap, const struct weir_error *error)
{
    static const char *const maps[] = {"sweep", "transports"};
    const struct node *root = mistakes->plan.document.root, *traffic = node_find(root, "traffic");
    for (size_t i = 0; i < 2; i++) {
        const struct node *map = node_find(root, maps[i]);
        for (const struct node *child = map != NULL ? map->first : NULL; child != NULL; child = child->next)
            if (child->key != NULL && stands_in(mistakes, gap, child->key, error))
                return true;
    }
    for (const struct node *item = traffic != NULL ? traffic->first : NULL; item != NULL; item = item->next) {
        const struct node *tag = item->kind == NODE_MAP ? node_find(item, "tag") : NULL;
        if (tag != NULL && tag->kind == NODE_SCALAR && stands_in(mistakes, gap, tag->text, error))
            return true;
    }
    return false;
}

/* A value of any kind in place of the node's; true: the complaint is gone. One that suits its neighbours is better. */
static bool value_stands_in(struct mistakes *mistakes, struct node *node, const struct node *map,
                            const struct weir_error *error)
{
    const char *written = node->text;
    const struct gap gaps[] = {{node, map}, {node, NULL}};
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
            if (stands_in(mistakes, &gaps[pass], values[i], error))
                return true;
        if (named_stands_in(mistakes, &gaps[pass], error))
            return true;
    }
    node->text = written;
    return false;
}

/* Something for a key that is missing in the map. */
static bool add_missing(struct mistakes *mistakes, struct node *map, const struct weir_error *error)
{
    struct arena *arena = &mistakes->plan.document.arena;
    const struct node *section = node_find(mistakes->stand_ins.root, error->name);
    const char *key = arena_text(arena, error->name, strlen(error->name));
    struct node *value = NULL;
    if (map == mistakes->plan.document.root && section != NULL) {
        value = node_copy(arena, section);
        mistakes->made_up = mistakes->made_up || section->kind != NODE_SCALAR;
        return key != NULL && node_add_key(map, key, value) != NULL;
    }
    value = node_scalar(arena, "");
    if (key == NULL || node_add_key(map, key, value) == NULL)
        return false;
    value->mark = map->mark;
    if (value_stands_in(mistakes, value, NULL, error))
        return true;
    node_remove(map, key);
    return false;
}

/* False: there is nothing to repair, and reading cannot go on. */
static bool repair(struct mistakes *mistakes, const struct weir_error *error, struct found *found)
{
    struct node *root = mistakes->plan.document.root;
    if (error->code == WEIR_ERROR_MISSING && add_missing(mistakes, found->node != NULL ? found->node : root, error))
        return true;
    if (found->node == NULL)
        return false;
    bool tried = found->node->kind == NODE_SCALAR && !found->by_key;
    if (!tried || !value_stands_in(mistakes, found->node, found->parent, error))
        take_out(mistakes, found);
    return true;
}

/* The word as a whole, in a path or an expression. */
static bool has_word(const char *text, const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = strlen(word);
    for (const char *at = text; length > 0 && (at = strstr(at, word)) != NULL; at++)
        if ((at == text || strchr(letters, at[-1]) == NULL) &&
            (at[length] == '\0' || strchr(letters, at[length]) == NULL))
            return true;
    return false;
}

/* It speaks of something that we took out, or of what is left of it. */
static bool refers_to_removed(const struct mistakes *mistakes, const struct found *found)
{
    const char *text = found->by_key ? found->node->key : found->node->kind == NODE_SCALAR ? found->node->text : "";
    bool refers = false;
    for (uint32_t i = 0; i < mistakes->broken_count; i++)
        refers = refers || found->node == mistakes->broken[i];
    for (uint32_t i = 0; i < mistakes->removed_count; i++)
        refers = refers || has_word(text, mistakes->removed[i]);
    return refers;
}

/* What we took out ourselves is not missing; what depends on a section that we made up cannot be judged. */
static bool is_ours(const struct mistakes *mistakes, const struct weir_error *error, const struct found *found)
{
    bool ours = mistakes->made_up && found->node == NULL && error->code != WEIR_ERROR_MISSING;
    ours = ours || (found->node != NULL && refers_to_removed(mistakes, found));
    for (uint32_t i = 0; error->code == WEIR_ERROR_MISSING && i < mistakes->removed_count; i++)
        ours = ours || strcmp(mistakes->removed[i], error->name) == 0;
    for (size_t i = 0; mistakes->made_up && found->section != NULL && i < sizeof dependent / sizeof dependent[0]; i++)
        ours = ours || strcmp(found->section->key, dependent[i]) == 0;
    return ours;
}

/* A figure or a claim about something that was taken out says nothing any more: it goes as a whole. */
static bool drop_item(struct mistakes *mistakes, const struct found *found)
{
    bool listed = found->section != NULL && found->section->kind == NODE_LIST && found->parent != NULL &&
                  (strcmp(found->section->key, "figures") == 0 || strcmp(found->section->key, "claims") == 0);
    if (!listed || found->parent == found->section || found->parent->key != NULL)
        return false;
    take_out(mistakes, &(struct found){found->section, found->parent, found->section, false});
    mistakes->hidden = true;
    return true;
}

static int find_all(struct mistakes *mistakes)
{
    struct weir_error error, last = {.code = WEIR_ERROR_NONE};
    int code = CLI_OK;
    bool whole = true;
    for (uint32_t i = 0; whole && i < ROUNDS_MAX && mistakes->count < MISTAKES_MAX && !read_all(mistakes, &error);
         i++) {
        struct found found = {NULL, NULL, NULL, false};
        if (error.code == WEIR_ERROR_MEMORY)
            return cli_report(&error);
        if (error.place.line != 0)
            find_place(mistakes->plan.document.root, &error, NULL, &found);
        bool again = same_place(&last, &error) && strcmp(last.text, error.text) == 0;
        bool ours = is_ours(mistakes, &error, &found);
        if (!again && !ours) {
            code = cli_report(&error);
            mistakes->count++;
        }
        last = error;
        whole = !again && ((ours && drop_item(mistakes, &found)) || repair(mistakes, &error, &found));
    }
    if (!whole || mistakes->made_up || mistakes->hidden)
        cli_error(CLI_INPUT, "%s: there may be more: right these first", mistakes->file);
    return code;
}

int mistakes_print(const char *file)
{
    struct mistakes mistakes = {.file = file};
    struct run_changes changes = {.sets = 0};
    struct weir_error error;
    if (!document_read(&mistakes.stand_ins, "stand-in", stand_ins, sizeof stand_ins - 1, &error))
        return cli_report(&error);
    int code = run_plan_read(&mistakes.plan, file, &changes);
    if (code == CLI_OK) {
        code = find_all(&mistakes);
        if (code == CLI_OK)
            cli_print("%s: nothing is wrong", file);
        else if (code == CLI_INPUT)
            cli_error(CLI_INPUT, "%s: %" PRIu32 " mistake%s", file, mistakes.count, mistakes.count == 1 ? "" : "s");
    }
    document_free(&mistakes.stand_ins);
    document_free(&mistakes.plan.document);
    free(mistakes.plan.folder);
    return code;
}
