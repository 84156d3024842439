/*
 * check.c - see check.h.
 */
#include "lab/plan/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run/measures/names.h"

/* True when the file has a value for everything that the axis sets. */
static bool has_base(const struct plan *plan, const struct axis *axis)
{
    bool all = axis->path_count > 0;
    for (uint32_t i = 0; i < axis->path_count && all; i++)
        all = document_find(plan->experiment.base, axis->paths[i]) != NULL;
    return all;
}

int plan_check_base(const struct plan *plan)
{
    int code = CLI_OK;
    for (uint32_t axis = 0; axis < plan->experiment.axis_count && code == CLI_OK; axis++)
        if (has_base(plan, &plan->experiment.axes[axis])) {
            /* The first run, but with what the file itself says in the place of one axis. */
            struct experiment without = plan->experiment; /* shares its memory, and is not freed */
            struct document document = {.origin = NULL};
            struct scenario scenario = {.name = NULL};
            struct weir_error error = {.code = WEIR_ERROR_NONE};
            without.axes[axis].path_count = 0;
            bool good = experiment_run(&without, 0, &document, &error) &&
                        scenario_build(&scenario, &document, &plan->files, &error);
            scenario_free(&scenario);
            document_free(&document);
            code = good ? CLI_OK : cli_report(&error);
        }
    return code;
}

static bool is_inside(const struct node *node, const struct node *of)
{
    bool inside = node == of;
    for (const struct node *child = of->first; child != NULL && !inside; child = child->next)
        inside = is_inside(node, child);
    return inside;
}

int plan_check_changes(const struct plan *plan, const struct plan_changes *changes)
{
    const struct node *base = plan->experiment.base;
    for (uint32_t a = 0; a < plan->experiment.axis_count; a++) {
        const struct axis *axis = &plan->experiment.axes[a];
        for (uint32_t p = 0; p < axis->path_count; p++) {
            const struct node *swept = document_find(base, axis->paths[p]);
            for (uint32_t i = 0; i < changes->sets && swept != NULL; i++) {
                const struct node *set = document_find(base, changes->set[i]);
                if (set != NULL && is_inside(set, swept))
                    return cli_error(CLI_INPUT,
                                     "--set %s: the axis '%s' sweeps %s (change the axis instead: --set sweep.%s=...)",
                                     changes->set[i], axis->name, axis->paths[p], axis->name);
            }
        }
    }
    return CLI_OK;
}

struct measure_check {
    struct run_measure_names names;
    struct weir_error *error;
    struct error_list *all; /* every mistake; else null */
    bool any_tag;           /* the tags are not known */
};

/* What a name that begins with a tag has for one; false: it has none, or it is too long for any. */
static bool own_tag(const char *measure, char tag[RUN_MEASURE_NAME_MAX])
{
    size_t length = strcspn(measure, ".");
    if (measure[length] != '.' || length >= RUN_MEASURE_NAME_MAX)
        return false;
    memcpy(tag, measure, length);
    tag[length] = '\0';
    return true;
}

static bool judge_measure(struct measure_check *check, const struct experiment_measure *measure)
{
    char nearest[RUN_MEASURE_NAME_MAX];
    char tag[RUN_MEASURE_NAME_MAX];
    const char *const tags_of_name[] = {tag};
    if (check->any_tag && !own_tag(measure->name, tag))
        return true;
    if (check->any_tag)
        check->names = (struct run_measure_names){tags_of_name, 1, false};
    check->names.curves = measure->curve;
    if (run_measure_known(&check->names, measure->name))
        return true;
    const char *kind = measure->curve ? "curve" : "measure";
    if (run_measure_nearest(&check->names, measure->name, nearest))
        return error_at(check->error, measure->mark, "unknown %s '%s' (did you mean '%s'?)", kind,
                        error_text(measure->name).text, nearest);
    if (check->any_tag) /* the list would be of one that may not be */
        return error_at(check->error, measure->mark, "unknown %s '%s' (weir measures lists the names)", kind,
                        error_text(measure->name).text);
    char tags[200] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < check->names.tag_count && used < sizeof tags; i++)
        used += (size_t)snprintf(tags + used, sizeof tags - used, "%s%s", i > 0 ? ", " : "",
                                 error_text(check->names.tags[i]).text);
    return error_at(check->error, measure->mark, "unknown %s '%s' (the tags are %s; weir measures lists the names)",
                    kind, error_text(measure->name).text, tags);
}

static bool check_measure(void *context, const struct experiment_measure *measure)
{
    struct measure_check *check = context;
    bool good = judge_measure(check, measure);
    if (!good && check->all != NULL)
        error_list_add(check->all, check->error);
    return good || check->all != NULL;
}

/* Adds every measure that figures and claims name and no run can have. */
static void plan_check_names(const struct plan *plan, const struct scenario *scenario, struct error_list *all)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const struct flow_tags *tags = &scenario->tags;
    struct measure_check check = {
        {(const char *const *)tags->names, tags->count, false}, &error, all, !scenario->tags_known};
    experiment_each_measure(&plan->experiment, check_measure, &check);
}

int plan_check_measures(const struct plan *plan, const struct flow_tags *tags)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct measure_check check = {{(const char *const *)tags->names, tags->count, false}, &error, NULL, false};
    return experiment_each_measure(&plan->experiment, check_measure, &check) ? CLI_OK : cli_report(&error);
}

struct mistakes {
    struct plan plan;
    struct error_list all;
    bool unread; /* an axis has a mistake: what it would have set may be missing */
};

static void check_run(struct mistakes *mistakes, uint32_t run, bool names)
{
    struct document document = {.origin = NULL};
    struct scenario scenario = {.name = NULL};
    mistakes->unread =
        !experiment_run_all(&mistakes->plan.experiment, run, &document, &mistakes->all) || mistakes->unread;
    if (document.root != NULL)
        scenario_build_all(&scenario, &document, &mistakes->plan.files, &mistakes->all);
    if (names)
        plan_check_names(&mistakes->plan, &scenario, &mistakes->all);
    scenario_free(&scenario);
    document_free(&document);
}

static void check_size(struct mistakes *mistakes, bool quick)
{
    struct experiment *experiment = &mistakes->plan.experiment;
    experiment_read_all(experiment, &mistakes->plan.document, quick, &mistakes->all);
    if (experiment->base != NULL)
        check_run(mistakes, 0, true);
    for (uint32_t a = 0, stride = experiment->point_count; experiment->base != NULL && a < experiment->axis_count;
         a++) {
        stride /= experiment->axes[a].count;
        mistakes->unread = mistakes->unread || experiment->axes[a].unread;
        for (uint32_t i = 1; i < experiment->axes[a].count; i++)
            check_run(mistakes, i * stride * experiment->seed_count, false);
    }
    experiment_free(experiment);
}

/* Some axis of the file sets a key of that name. */
static bool is_swept(const struct node *root, const char *name)
{
    const struct node *sweep = node_find(root, "sweep");
    bool map = sweep != NULL && sweep->kind == NODE_MAP;
    for (const struct node *axis = map ? sweep->first : NULL; axis != NULL; axis = axis->next)
        for (const struct node *path = axis->kind == NODE_MAP ? axis->first : NULL; path != NULL; path = path->next) {
            const char *dot = strrchr(path->key, '.');
            if (strcmp(dot != NULL ? dot + 1 : path->key, name) == 0)
                return true;
        }
    return false;
}

/* Prints the list, and how many there are. */
static int print_all(struct mistakes *mistakes, const char *file)
{
    uint32_t count = 0;
    int code = CLI_OK;
    if (mistakes->all.no_memory)
        return cli_report(&(struct weir_error){.code = WEIR_ERROR_MEMORY, .text = "out of memory"});
    error_list_sort(&mistakes->all);
    for (uint32_t i = 0; i < mistakes->all.count; i++) {
        const struct weir_error *error = &mistakes->all.at[i];
        if (mistakes->unread && error->code == WEIR_ERROR_MISSING &&
            is_swept(mistakes->plan.document.root, error->name))
            continue;
        code = cli_report(error);
        count++;
    }
    if (count == 0)
        cli_print("%s: nothing is wrong", file);
    else
        cli_error(CLI_INPUT, "%s: %" PRIu32 " mistake%s", file, count, count == 1 ? "" : "s");
    return code;
}

int plan_print_mistakes(const char *file)
{
    struct mistakes mistakes = {.all = {.at = NULL}};
    struct plan_changes changes = {.sets = 0};
    int code = plan_read(&mistakes.plan, file, &changes);
    if (code == CLI_OK) {
        const struct node *quick = node_find(mistakes.plan.document.root, "quick");
        check_size(&mistakes, false);
        if (quick != NULL && quick->kind == NODE_MAP)
            check_size(&mistakes, true);
        code = print_all(&mistakes, file);
    }
    error_list_free(&mistakes.all);
    document_free(&mistakes.plan.document);
    free(mistakes.plan.folder);
    return code;
}
