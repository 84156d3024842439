/*
 * run_check.c - see run_check.h.
 */
#include "run_check.h"

#include <string.h>

#include "cmd_run.h"
#include "run_measure_names.h"

int run_check_base(const struct run_plan *plan)
{
    const struct scenario_files files = {plan->folder, run_unpack};
    const struct document base = {.root = (struct node *)plan->experiment.base, .origin = plan->file}; /* only read */
    struct scenario scenario;
    struct scenario_error error = {.memory = false};
    bool good = plan->experiment.axis_count == 0 || scenario_build(&scenario, &base, &files, &error);
    if (plan->experiment.axis_count > 0)
        scenario_free(&scenario);
    return good || error.missing ? CLI_OK : run_report(&error);
}

/* True when the path of "path=value" is at or below `above`. */
static bool is_below(const char *assignment, const char *above)
{
    size_t length = strlen(above);
    return strncmp(assignment, above, length) == 0 && (assignment[length] == '=' || assignment[length] == '.');
}

int run_check_changes(const struct run_plan *plan, const struct run_changes *changes)
{
    for (uint32_t a = 0; a < plan->experiment.axis_count; a++) {
        const struct axis *axis = &plan->experiment.axes[a];
        for (uint32_t p = 0; p < axis->path_count; p++) {
            for (uint32_t i = 0; i < changes->sets; i++) {
                if (is_below(changes->set[i], axis->paths[p]))
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
    struct scenario_error error;
};

static bool check_measure(void *context, const struct experiment_measure *measure)
{
    struct measure_check *check = context;
    char nearest[RUN_MEASURE_NAME_MAX];
    check->names.curves = measure->curve;
    if (run_measure_known(&check->names, measure->name))
        return true;
    const char *kind = measure->curve ? "curve" : "measure";
    if (run_measure_nearest(&check->names, measure->name, nearest))
        return error_at(&check->error, measure->mark, "unknown %s '%s' (did you mean '%s'?)", kind,
                        error_text(measure->name).text, nearest);
    return error_at(&check->error, measure->mark, "unknown %s '%s' (expected one of docs/measures.md)", kind,
                    error_text(measure->name).text);
}

int run_check_measures(const struct run_plan *plan, const struct flow_tags *tags)
{
    struct measure_check check = {.names = {(const char *const *)tags->names, tags->count, false}};
    return experiment_each_measure(&plan->experiment, check_measure, &check) ? CLI_OK : run_report(&check.error);
}
