/*
 * mistakes.c - see mistakes.h. The readers of scenario files go on after a mistake (scenario/keys/section.h); here they
 * are asked for both sizes of the experiment and for a run with each value of each axis.
 */
#include "lab/plan/mistakes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lab/plan/check.h"
#include "run/measures/names.h"

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
