/*
 * plan.c - see plan.h. Reading the file is in load.c.
 *
 * Only the id of a run is kept: rebuilding its scenario takes less than keeping a thousand of them.
 */
#define _GNU_SOURCE 1
#include "experiment/plan.h"

#include <stdlib.h>
#include <string.h>

#include "cli/version.h"
#include "experiment/check.h"
#include "experiment/run.h"
#include "trace/unpack.h"

bool run_plan_scenario(const struct run_plan *plan, uint32_t run, struct scenario *scenario, struct weir_error *error)
{
    const struct scenario_files files = {plan->folder, trace_unpack};
    struct document document = {.origin = NULL};
    *scenario = (struct scenario){.name = NULL};
    bool good =
        experiment_run(&plan->experiment, run, &document, error) && scenario_build(scenario, &document, &files, error);
    document_free(&document);
    return good;
}

/* What the runs of a sweep have in common is said once. */
#define WARNINGS_MAX 16u
struct warnings {
    char *said[WARNINGS_MAX];
    uint32_t count;
};

static void warn(struct warnings *warnings, const struct scenario *scenario)
{
    for (const struct scenario_warning *w = scenario->warnings; w != NULL; w = w->next) {
        uint32_t i = 0;
        while (i < warnings->count && strcmp(warnings->said[i], w->text) != 0)
            i++;
        if (i < warnings->count || warnings->count == WARNINGS_MAX)
            continue;
        cli_error(CLI_OK, "warning: %s", w->text);
        warnings->said[warnings->count] = strdup(w->text);
        warnings->count += warnings->said[warnings->count] != NULL;
    }
}

/* What is learnt of the runs while they are tried. */
struct trial {
    struct warnings warnings;
    struct flow_tags tags; /* of all of them */
};

/* False: out of memory. More tags than there may be in one run are left out. */
static bool note_tags(struct flow_tags *tags, const struct sim_config *config)
{
    bool noted = true;
    uint32_t tag;
    for (uint32_t i = 0; i < config->tag_count && noted; i++)
        noted = flow_tags_find(tags, config->tag_names[i], strlen(config->tag_names[i]), &tag) != FLOW_TAGS_NO_MEMORY;
    return noted;
}

/* Builds a run as far as it goes without simulating it. */
static int try_run(struct run_plan *plan, uint32_t run, struct trial *trial)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    bool good = run_plan_scenario(plan, run, &scenario, &error);
    if (good && run % plan->experiment.seed_count == 0) { /* another seed changes nothing of this */
        struct sim *sim = scenario_create(&scenario, &error);
        good = sim != NULL;
        if (good)
            sim_free(sim);
    }
    int code = good ? CLI_OK : cli_report(&error);
    plan->real[run] = good && scenario.testbed.use;
    if (good && !(experiment_run_id(&scenario, VERSION_OF_RESULTS, plan->ids[run]) &&
                  note_tags(&trial->tags, &scenario.config)))
        code = cli_error_memory();
    if (code == CLI_OK)
        warn(&trial->warnings, &scenario);
    scenario_free(&scenario);
    return code;
}

struct numbered_id {
    const char *id;
    uint32_t run;
};

static int by_id(const void *a, const void *b)
{
    const struct numbered_id *x = a, *y = b;
    int order = strcmp(x->id, y->id);
    return order != 0 ? order : (x->run > y->run) - (x->run < y->run);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* A sweep may come to the same configuration twice. */
static int find_todo(struct run_plan *plan)
{
    struct numbered_id *sorted = calloc(plan->runs, sizeof *sorted);
    plan->todo = calloc(plan->runs, sizeof *plan->todo);
    if (sorted == NULL || plan->todo == NULL) {
        free(sorted);
        return cli_error_memory();
    }
    for (uint32_t i = 0; i < plan->runs; i++)
        sorted[i] = (struct numbered_id){plan->ids[i], i};
    qsort(sorted, plan->runs, sizeof *sorted, by_id);
    for (uint32_t i = 0; i < plan->runs; i++)
        if (i == 0 || strcmp(sorted[i - 1].id, sorted[i].id) != 0)
            plan->todo[plan->todo_count++] = sorted[i].run;
    qsort(plan->todo, plan->todo_count, sizeof *plan->todo, by_number);
    for (uint32_t i = 0; i < plan->todo_count; i++)
        plan->todo_real += plan->real[plan->todo[i]];
    free(sorted);
    return CLI_OK;
}

/* The name of the experiment becomes a file name in this folder: it must not lead out of it, nor hide the file. */
static int check_name(const struct run_plan *plan)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const struct node *name = node_find(plan->experiment.whole, "name");
    if (name == NULL || (name->text[0] != '\0' && name->text[0] != '.' && strchr(name->text, '/') == NULL))
        return CLI_OK;
    error_at(&error, name->mark,
             "name: '%s' cannot name the file of results (expected one without '/' and not with '.' first; or "
             "--output)",
             error_text(name->text).text);
    return cli_report(&error);
}

static int name_database(struct run_plan *plan, const char *output)
{
    bool nameless = strcmp(plan->experiment.name, "-") == 0; /* standard input */
    int code = output == NULL ? check_name(plan) : CLI_OK;
    if (code != CLI_OK)
        return code;
    if (output != NULL)
        plan->database = strdup(output);
    else if (asprintf(&plan->database, "%s%s.db", nameless ? "stdin" : plan->experiment.name,
                      plan->experiment.quick ? "-quick" : "") < 0)
        plan->database = NULL;
    return plan->database != NULL ? CLI_OK : cli_error_memory();
}

static int try_runs(struct run_plan *plan)
{
    struct trial trial = {.warnings = {.count = 0}};
    plan->runs = experiment_runs(&plan->experiment);
    plan->ids = calloc(plan->runs, sizeof *plan->ids);
    plan->real = calloc(plan->runs, sizeof *plan->real);
    int code = plan->ids != NULL && plan->real != NULL ? CLI_OK : cli_error_memory();
    for (uint32_t run = 0; run < plan->runs && code == CLI_OK; run++)
        code = try_run(plan, run, &trial);
    if (code == CLI_OK)
        code = run_check_measures(plan, &trial.tags);
    for (uint32_t i = 0; i < trial.warnings.count; i++)
        free(trial.warnings.said[i]);
    flow_tags_free(&trial.tags);
    return code;
}

int run_plan_make(struct run_plan *plan, const char *file, const struct run_changes *changes, const char *output)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    *plan = (struct run_plan){.file = file};
    int code = run_plan_read(plan, file, changes);
    if (code == CLI_OK && !experiment_read(&plan->experiment, &plan->document, changes->quick, &error))
        code = cli_report(&error);
    if (code == CLI_OK)
        code = name_database(plan, output);
    if (code == CLI_OK)
        code = run_check_changes(plan, changes);
    if (code == CLI_OK)
        code = run_check_base(plan);
    if (code == CLI_OK)
        code = try_runs(plan);
    return code == CLI_OK ? find_todo(plan) : code;
}

bool run_plan_write(const struct run_plan *plan, struct store *store, struct weir_error *status)
{
    const struct store_plan about = {&plan->experiment, plan->file, version_text(),
                                     (const char(*)[EXPERIMENT_ID_MAX])plan->ids};
    return store_plan(store, &about, status);
}

void run_plan_free(struct run_plan *plan)
{
    experiment_free(&plan->experiment);
    document_free(&plan->document);
    free(plan->folder);
    free(plan->database);
    free(plan->ids);
    free(plan->real);
    free(plan->todo);
    *plan = (struct run_plan){.file = NULL};
}

int run_find_only(const struct run_plan *plan, const char *only, uint32_t *run)
{
    uint32_t found = 0;
    size_t length = strlen(only);
    for (uint32_t i = plan->todo_count; i-- > 0;)
        if (strncmp(plan->ids[plan->todo[i]], only, length) == 0) {
            *run = plan->todo[i];
            found++;
        }
    if (found == 0)
        return cli_error(CLI_INPUT, "--only: %s has no run '%s' (see 'weir run --list')", plan->file, only);
    if (found > 1)
        return cli_error(CLI_INPUT, "--only: %u runs of %s start with '%s' (expected more of the id)", found,
                         plan->file, only);
    return CLI_OK;
}
