/*
 * plan.c - see plan.h. Reading the file is in load.c.
 *
 * Only the id of a run is kept: rebuilding its scenario takes less than keeping a thousand of them.
 */
#define _GNU_SOURCE 1
#include "lab/plan/plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/version.h"
#include "lab/plan/check.h"
#include "lab/plan/guard.h"
#include "lab/store/code.h"

struct run_source plan_source(const struct plan *plan, uint32_t run)
{
    return (struct run_source){
        .experiment = &plan->experiment, .index = run, .files = &plan->files, .threads = plan->threads};
}

bool plan_scenario(const struct plan *plan, uint32_t run, struct scenario *scenario, struct weir_error *error)
{
    const struct run_source source = plan_source(plan, run);
    return run_scenario(scenario, &source, error);
}

/* Each warning once: the runs of a sweep share most of them. */
#define WARNINGS_MAX 16u
struct warnings {
    char *said[WARNINGS_MAX];
    uint32_t count;
};

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

/* The runs of a sweep are made by few codes. */
struct plan_codes {
    char **at;
    uint32_t count;
};

/* What would make the run now; null: out of memory. */
static const char *code_of(struct plan *plan, const struct scenario *scenario)
{
    char text[CODE_MAX] = "";
    const struct sim_config *config = &scenario->config;
    bool real = scenario->testbed.use;
    bool fits = code_add(text, real ? CODE_TESTBED : CODE_SIMULATED, version_of_code(real));
    for (uint32_t tier = 0; tier < config->tier_count; tier++) {
        const struct weir_policy *const sides[] = {config->tiers[tier].mmu.egress, config->tiers[tier].mmu.ingress};
        for (uint32_t i = 0; i < 2; i++)
            fits = fits && (sides[i] == NULL || code_add(text, sides[i]->name, version_of_policy(sides[i])));
    }
    const struct weir_policy *lqd = scenario_is_foreseen(scenario) ? weir_policy_find("lqd") : NULL;
    fits = fits && (lqd == NULL || code_add(text, lqd->name, version_of_policy(lqd)));
    assert(fits);
    struct plan_codes *codes = plan->known_codes;
    for (uint32_t i = codes->count; i-- > 0;)
        if (strcmp(codes->at[i], text) == 0)
            return codes->at[i];
    char **at = realloc(codes->at, (codes->count + (size_t)1) * sizeof *at);
    if (at == NULL)
        return NULL;
    codes->at = at;
    at[codes->count] = strdup(text);
    return at[codes->count] != NULL ? at[codes->count++] : NULL;
}

/* Builds a run as far as it goes without simulating it. */
static int try_run(struct plan *plan, uint32_t run, struct trial *trial)
{
    const struct run_source source = plan_source(plan, run);
    struct run *tried = malloc(sizeof *tried);
    if (tried == NULL)
        return cli_error_memory();
    struct scenario *scenario = &tried->scenario;
    bool good = run_open(tried, &source, NULL);
    bool is_tried = !(plan->in_parts && plan->runs == 1);
    if (good && is_tried && run % plan->experiment.seed_count == 0) /* another seed changes nothing of this */
        good = run_try(tried);
    int code = good ? CLI_OK : cli_report(&tried->error);
    plan->real[run] = good && scenario->testbed.use;
    if (good && !(experiment_run_id(scenario, VERSION_OF_RESULTS, plan->ids[run]) &&
                  note_tags(&trial->tags, &scenario->config) && (plan->codes[run] = code_of(plan, scenario)) != NULL))
        code = cli_error_memory();
    if (code == CLI_OK) {
        struct warnings *warnings = &trial->warnings;
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
    if (code == CLI_OK && plan->keeps && plan->runs == 1) {
        plan->tried = tried;
        return code;
    }
    run_close(tried);
    free(tried);
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

/* A sweep may come to the same configuration twice. */
static int find_first(struct plan *plan)
{
    struct numbered_id *sorted = calloc(plan->runs, sizeof *sorted);
    plan->first = calloc(plan->runs, sizeof *plan->first);
    plan->todo = calloc(plan->runs, sizeof *plan->todo);
    if (sorted == NULL || plan->first == NULL || plan->todo == NULL) {
        free(sorted);
        return cli_error_memory();
    }
    for (uint32_t i = 0; i < plan->runs; i++)
        sorted[i] = (struct numbered_id){plan->ids[i], i};
    qsort(sorted, plan->runs, sizeof *sorted, by_id);
    for (uint32_t i = 0; i < plan->runs; i++) {
        bool same = i > 0 && strcmp(sorted[i - 1].id, sorted[i].id) == 0;
        plan->first[sorted[i].run] = same ? plan->first[sorted[i - 1].run] : sorted[i].run;
    }
    free(sorted);
    return CLI_OK;
}

/* What is chosen at any of its places is to be made once. */
static int find_todo(struct plan *plan)
{
    bool *wanted = calloc(plan->runs, sizeof *wanted);
    if (wanted == NULL)
        return cli_error_memory();
    for (uint32_t i = 0; i < plan->runs; i++)
        if (plan->chosen == NULL || plan->chosen[i])
            wanted[plan->first[i]] = true;
    plan->todo_count = plan->todo_real = 0;
    for (uint32_t i = 0; i < plan->runs; i++) {
        if (!wanted[i])
            continue;
        plan->todo[plan->todo_count++] = i;
        plan->todo_real += plan->real[i];
    }
    free(wanted);
    return CLI_OK;
}

/* The name of the experiment becomes a file name in this folder: it must not lead out of it, nor hide the file. */
static int check_name(const struct plan *plan)
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

static int name_database(struct plan *plan, const char *output)
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

static int try_runs(struct plan *plan)
{
    struct trial trial = {.warnings = {.count = 0}};
    plan->runs = experiment_runs(&plan->experiment);
    plan->ids = calloc(plan->runs, sizeof *plan->ids);
    plan->real = calloc(plan->runs, sizeof *plan->real);
    plan->codes = calloc(plan->runs, sizeof *plan->codes);
    plan->known_codes = calloc(1, sizeof *plan->known_codes);
    bool room = plan->ids != NULL && plan->real != NULL && plan->codes != NULL && plan->known_codes != NULL;
    int code = room ? CLI_OK : cli_error_memory();
    for (uint32_t run = 0; run < plan->runs && code == CLI_OK; run++)
        code = try_run(plan, run, &trial);
    if (code == CLI_OK)
        code = plan_check_measures(plan, &trial.tags);
    for (uint32_t i = 0; i < trial.warnings.count; i++)
        free(trial.warnings.said[i]);
    flow_tags_free(&trial.tags);
    return code;
}

int plan_make(struct plan *plan, const char *file, const struct plan_changes *changes, const char *output)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    *plan = (struct plan){.file = file};
    int code = plan_read(plan, file, changes);
    if (code == CLI_OK && !experiment_read(&plan->experiment, &plan->document, changes->quick, &error))
        code = cli_report(&error);
    plan->threads = changes->threads > 0 ? (uint32_t)changes->threads : plan->experiment.threads;
    plan->in_parts = changes->in_parts;
    plan->keeps = changes->keeps;
    if (code == CLI_OK)
        code = name_database(plan, output);
    if (code == CLI_OK)
        code = plan_check_changes(plan, changes);
    if (code == CLI_OK) {
        struct run_limits limits = plan->experiment.limits;
        limits.time_ps = 0; /* of each run, not of the look at all */
        guard_start(&limits, 1, GUARD_STDERR);
        code = plan_check_base(plan);
        if (code == CLI_OK)
            code = try_runs(plan);
        guard_stop();
    }
    if (code == CLI_OK)
        code = find_first(plan);
    return code == CLI_OK ? find_todo(plan) : code;
}

bool plan_write(const struct plan *plan, struct store *store, struct weir_error *status)
{
    const struct store_plan about = {&plan->experiment, plan->file, version_text(),
                                     (const char(*)[EXPERIMENT_ID_MAX])plan->ids};
    return store_plan(store, &about, status);
}

void plan_free(struct plan *plan)
{
    if (plan->tried != NULL)
        run_close(plan->tried);
    free(plan->tried);
    experiment_free(&plan->experiment);
    document_free(&plan->document);
    free(plan->folder);
    free(plan->database);
    free(plan->ids);
    for (uint32_t i = 0; plan->known_codes != NULL && i < plan->known_codes->count; i++)
        free(plan->known_codes->at[i]);
    if (plan->known_codes != NULL)
        free(plan->known_codes->at);
    free(plan->known_codes);
    free(plan->codes);
    free(plan->first);
    free(plan->chosen);
    free(plan->real);
    free(plan->todo);
    *plan = (struct plan){.file = NULL};
}

int plan_choose(struct plan *plan, const struct plan_selection *only, const struct plan_selection *again)
{
    if (only->count > 0 && again->count > 0)
        return cli_error(CLI_USAGE, "--only %s and --again %s both choose runs (expected --again alone with --only)",
                         only->word[0], again->word[0]);
    if (only->count == 0 && again->count == 0)
        return CLI_OK;
    bool *chosen = calloc(plan->runs, sizeof *chosen);
    int code = chosen == NULL    ? cli_error_memory()
               : only->count > 0 ? plan_find(plan, "--only", only, chosen)
                                 : plan_find(plan, "--again", again, chosen);
    if (code != CLI_OK || only->count == 0) {
        free(chosen);
        return code;
    }
    plan->chosen = chosen;
    return find_todo(plan);
}
