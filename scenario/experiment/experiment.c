/*
 * experiment.c - a document to an experiment: see experiment.h. Its sections have files of their own (reading.h); here
 * is their order, and what an experiment is without any of them: one run.
 *
 * A document with a quick size is read at both sizes, whichever is asked for, so that a mistake in either is found the
 * first time that the file is used.
 */
#include "scenario/experiment/experiment.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/experiment/reading.h"

#define SEEDS_MAX 100000u

static const struct key seeds_key = {
    .name = "seeds", .kind = KEY_COUNT, .size = sizeof(uint32_t), .min = 1, .max = SEEDS_MAX};
static const struct key threads_key = {
    .name = "threads", .kind = KEY_COUNT, .size = sizeof(uint32_t), .min = 1, .max = SIM_THREADS_MAX};

const char *experiment_file_name(struct arena *arena, const char *origin)
{
    const char *slash = strrchr(origin, '/');
    const char *start = slash != NULL ? slash + 1 : origin;
    const char *dot = strrchr(start, '.');
    return arena_text(arena, start, dot != NULL && dot > start ? (size_t)(dot - start) : strlen(start));
}

#define SEEDS_LEAST 5u /* of a sweep until decided; with fewer there is no anytime interval */

/* `10`, or `until decided, at most 200`, or `10 until decided, at most 200`. */
static bool read_seeds(struct reading *reading)
{
    static const char until[] = "until decided, at most ";
    struct experiment *experiment = reading->experiment;
    const struct node *node = node_find(reading->whole, "seeds");
    const char *found = node != NULL && node->kind == NODE_SCALAR ? strstr(node->text, "until") : NULL;
    if (found == NULL) {
        bool good = section_read_key(&reading->reader, &seeds_key, reading->whole, &experiment->seed_count);
        experiment->seed_least = experiment->seed_count;
        return good;
    }
    char *end = NULL;
    unsigned long first = SEEDS_LEAST, most = 0;
    bool good = strncmp(found, until, sizeof until - 1) == 0 && found[sizeof until - 1] >= '0' &&
                found[sizeof until - 1] <= '9';
    if (good && found > node->text) {
        first = strtoul(node->text, &end, 10);
        good = end != node->text && end + strspn(end, " ") == found;
    }
    if (good) {
        most = strtoul(found + sizeof until - 1, &end, 10);
        good = *end == '\0' && first >= SEEDS_LEAST && first <= most && most <= SEEDS_MAX;
    }
    if (!good)
        return reader_fail(&reading->reader, node,
                           "seeds: '%s' is no number of seeds (expected one, or `until decided, at most N` with %u to "
                           "%u, or `K until decided, at most N` to begin with K of them)",
                           error_text(node->text).text, SEEDS_LEAST, SEEDS_MAX);
    experiment->until_decided = true;
    experiment->seed_least = (uint32_t)first;
    experiment->seed_count = (uint32_t)most;
    return true;
}

static bool read_top(struct reading *reading)
{
    struct experiment *experiment = reading->experiment;
    struct scenario_top top;
    section_defaults(&top_section, &top, 0);
    experiment->seed_count = experiment->seed_least = experiment->threads = 1;
    bool good = true;
    for (uint32_t i = 0; i < top_section.count; i++) {
        if (section_read_key(&reading->reader, &top_section.keys[i], reading->whole, &top))
            continue;
        good = false;
        if (!reader_goes_on(&reading->reader))
            return false;
    }
    if (!read_seeds(reading) ||
        !section_read_key(&reading->reader, &threads_key, reading->whole, &experiment->threads)) {
        good = false;
        if (!reader_goes_on(&reading->reader))
            return false;
    }
    if (top.seed > (uint64_t)INT64_MAX - (experiment->seed_count - 1))
        return reader_fail(&reading->reader, node_find(reading->whole, "seed"),
                           "seed: too large for %u seeds (expected at most %lld)", experiment->seed_count,
                           (long long)(INT64_MAX - (experiment->seed_count - 1)));
    experiment->name =
        top.name != NULL ? top.name : experiment_file_name(reading->reader.arena, reading->whole->mark.origin);
    experiment->title = top.title;
    experiment->first_seed = top.seed;
    return experiment->name != NULL ? good : weir_fail_memory(reading->reader.error);
}

static bool reading_of_sweep(struct reading *reading)
{
    struct experiment *experiment = reading->experiment;
    const struct node *sweep = node_find(reading->whole, "sweep");
    bool good = true;
    experiment->point_count = 1;
    if (sweep == NULL)
        return true;
    if (!reader_expect(&reading->reader, sweep, NODE_MAP, "sweep"))
        return false;
    if (sweep->count == 0 || sweep->count > EXPERIMENT_AXES_MAX)
        return reader_fail(&reading->reader, sweep, "sweep: %u axes (expected 1 to %u)", sweep->count,
                           EXPERIMENT_AXES_MAX);
    for (const struct node *map = sweep->first; map != NULL; map = map->next) {
        struct axis *axis = &experiment->axes[experiment->axis_count++];
        if (!reading_of_axis(reading, map, axis)) {
            static const struct axis_value nothing = {.label = ""};
            *axis = (struct axis){.name = map->key, .title = map->key, .values = &nothing, .count = 1, .unread = true};
            good = false;
            if (!reader_goes_on(&reading->reader))
                return false;
        }
        uint64_t runs = (uint64_t)experiment->point_count * axis->count * experiment->seed_count;
        if (runs > EXPERIMENT_RUNS_MAX)
            return error_at(reading->reader.error, map->key_mark,
                            "sweep: %llu runs with this axis (expected at most %u)", (unsigned long long)runs,
                            EXPERIMENT_RUNS_MAX);
        experiment->point_count *= axis->count;
    }
    return good;
}

static bool make_base(struct reading *reading)
{
    struct node *base = node_copy(reading->reader.arena, reading->whole);
    if (base == NULL)
        return weir_fail_memory(reading->reader.error);
    for (uint32_t i = 0; i < top_section.count; i++)
        if (reading_has(top_section.keys[i].name))
            node_remove(base, top_section.keys[i].name);
    reading->experiment->base = base;
    return true;
}

/* Paths that lead nowhere and keys that do not exist are found before the first run. */
static bool check_first_run(struct reading *reading)
{
    struct document document;
    if (reading->reader.all != NULL) /* who wants all mistakes looks at every run */
        return true;
    bool good = experiment_run(reading->experiment, 0, &document, reading->reader.error) &&
                section_check_names(&reading->reader, &top_section, document.root, 0);
    document_free(&document);
    return good;
}

/* The whole at the size that is asked for. */
static bool choose_size(struct reading *reading, const struct document *document, bool quick)
{
    struct experiment *experiment = reading->experiment;
    const struct node *part = node_find(document->root, "quick");
    bool used = part != NULL && part->kind == NODE_SCALAR && strcmp(part->text, "used") == 0;
    experiment->quick = quick || used;
    if (quick && part == NULL)
        return error_at(reading->reader.error, (struct mark){document->origin, 0, 0},
                        "no quick size (expected a section 'quick')");
    if (part != NULL && !used && !reader_expect(&reading->reader, part, NODE_MAP, "quick"))
        return false;
    node_remove(reading->whole, "quick");
    if (quick && !used && !reading_make_quick(reading, part))
        return false;
    if (!experiment->quick)
        return true;
    node_remove(reading->whole, "quick");
    struct node *note = node_scalar(reading->reader.arena, "used");
    if (note != NULL)
        note->mark = note->key_mark = reading->whole->mark;
    return node_add_key(reading->whole, "quick", note) != NULL || weir_fail_memory(reading->reader.error);
}

/* The names of the whole file. */
static bool check_names(struct reading *reading)
{
    return section_check_nested(&reading->reader, &top_section, reading->whole);
}

static bool read_size(struct experiment *experiment, const struct document *document, bool quick,
                      struct weir_error *error, struct error_list *all)
{
    typedef bool read_section(struct reading * reading);
    static read_section *const readers[] = {check_names,      read_top,           reading_of_limits,
                                            reading_of_paper, reading_of_sweep,   make_base,
                                            check_first_run,  reading_of_figures, reading_of_claims};
    *experiment = (struct experiment){.name = NULL};
    *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    struct reading reading = {.reader = {.arena = &experiment->arena, .error = error, .all = all, .classes = 1},
                              .experiment = experiment};
    reading.whole = node_copy(&experiment->arena, document->root);
    if (reading.whole == NULL)
        return weir_fail_memory(error);
    if (!setting_begin(&experiment->arena, reading.whole, error))
        return false;
    experiment->whole = reading.whole;
    bool good = choose_size(&reading, document, quick);
    if (!good && !reader_goes_on(&reading.reader))
        return false;
    for (uint32_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (readers[i](&reading))
            continue;
        good = false;
        if (!reader_goes_on(&reading.reader))
            return false;
    }
    return good;
}

bool experiment_read(struct experiment *experiment, const struct document *document, bool quick,
                     struct weir_error *error)
{
    const struct node *sizes = node_find(document->root, "quick");
    *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    if (sizes != NULL && sizes->kind == NODE_MAP) {
        bool good = read_size(experiment, document, !quick, error, NULL);
        experiment_free(experiment);
        if (!good)
            return false;
    }
    return read_size(experiment, document, quick, error, NULL);
}

bool experiment_read_all(struct experiment *experiment, const struct document *document, bool quick,
                         struct error_list *all)
{
    struct weir_error error;
    return read_size(experiment, document, quick, &error, all);
}

void experiment_free(struct experiment *experiment)
{
    arena_free(&experiment->arena);
    *experiment = (struct experiment){.name = NULL};
}

/* The names of results that an experiment uses, so that code that knows the names of measures can find a misspelled
 * one before the first run. */

struct walk {
    experiment_visit *visit;
    void *context;
    struct mark mark;
};

static bool walk_expression(const struct walk *walk, const struct expression *e)
{
    if (e == NULL)
        return true;
    if (e->kind == EXPRESSION_MEASURE)
        return walk->visit(walk->context, &(struct experiment_measure){e->name, false, walk->mark});
    return walk_expression(walk, e->left) && walk_expression(walk, e->right);
}

static bool walk_figure(const struct walk *walk, const struct figure *figure)
{
    if (figure->kind == FIGURE_CDF)
        return walk->visit(walk->context, &(struct experiment_measure){figure->curve, true, walk->mark});
    return walk_expression(walk, figure->y);
}

bool experiment_each_measure(const struct experiment *experiment, experiment_visit *visit, void *context)
{
    bool going = true;
    for (uint32_t i = 0; i < experiment->figure_count && going; i++) {
        const struct walk walk = {visit, context, experiment->figures[i].value_mark};
        going = walk_figure(&walk, &experiment->figures[i]);
    }
    for (uint32_t i = 0; i < experiment->claim_count && going; i++) {
        const struct walk walk = {visit, context, experiment->claims[i].value_mark};
        going =
            walk_expression(&walk, experiment->claims[i].value) && walk_expression(&walk, experiment->claims[i].needs);
    }
    return going;
}
