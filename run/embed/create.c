/*
 * create.c - from a text to a simulation, and on to its end. See embed.h.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/version.h"
#include "lib/plugin/plugin.h"
#include "lib/trace/unpack.h"
#include "run/embed/embed.h"

/* The source as this version knows it, whatever version the program was compiled with. */
static bool read_source(struct weir_sim_source *known, const struct weir_sim_source *source, struct weir_error *error)
{
    size_t size = source->size < sizeof *known ? source->size : sizeof *known;
    *known = (struct weir_sim_source){.size = 0};
    if (source->size <= offsetof(struct weir_sim_source, text))
        return weir_fail(error, WEIR_ERROR_INPUT, "the source has no size (expected .size = sizeof source)");
    memcpy(known, source, size);
    if (known->text == NULL)
        return weir_fail(error, WEIR_ERROR_INPUT, "the source has no text (expected a scenario)");
    if (known->origin == NULL)
        known->origin = "scenario";
    return true;
}

static bool read_experiment(struct experiment *experiment, const struct weir_sim_source *source,
                            struct weir_error *error)
{
    struct document document = {.origin = NULL};
    bool good = document_read(&document, source->origin, source->text, strlen(source->text), error);
    for (uint32_t i = 0; i < source->set_count && good; i++)
        good = document_set(&document, "set", source->set[i], error);
    good = good && experiment_read(experiment, &document, false, error);
    document_free(&document);
    if (good && source->run >= experiment_runs(experiment))
        good = weir_fail(error, WEIR_ERROR_RANGE, "run %u: there are %u, counted from 0", source->run,
                         experiment_runs(experiment));
    return good;
}

uint32_t weir_sim_runs(const struct weir_sim_source *source, struct weir_error *error)
{
    struct experiment experiment = {.name = NULL};
    struct weir_sim_source known;
    bool good = read_source(&known, source, error) && read_experiment(&experiment, &known, error);
    uint32_t runs = good ? experiment_runs(&experiment) : 0;
    experiment_free(&experiment);
    return runs;
}

bool weir_sim_run_name(const struct weir_sim_source *source, char name[256], struct weir_error *error)
{
    struct experiment experiment = {.name = NULL};
    struct weir_sim_source known;
    bool good = read_source(&known, source, error) && read_experiment(&experiment, &known, error);
    if (good)
        experiment_run_name(&experiment, known.run, name);
    experiment_free(&experiment);
    return good;
}

static bool read_scenario(struct scenario *scenario, const struct weir_sim_source *source, struct weir_error *error)
{
    const struct scenario_files files = {source->folder, trace_unpack};
    struct experiment experiment = {.name = NULL};
    struct document document = {.origin = NULL};
    bool good = read_experiment(&experiment, source, error) &&
                experiment_run(&experiment, source->run, &document, error) &&
                scenario_build(scenario, &document, source->folder != NULL ? &files : NULL, error);
    document_free(&document);
    experiment_free(&experiment);
    return good;
}

static bool judge_row(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    struct scenario_rows *rows = context;
    (void)sw, (void)memory;
    forest_count(&rows->judged, forest_predict(rows->forest, row->feature), row->lost);
    return true;
}

/* Before the simulation is made: a forest that is judged by rows needs them. */
static void ask_rows(struct weir_sim *self)
{
    if (self->scenario.rows.forest == NULL)
        return;
    self->training = self->scenario.rows.settings;
    self->training.take = judge_row;
    self->training.context = &self->scenario.rows;
    self->scenario.config.training = &self->training;
}

static bool build(struct weir_sim *self, const struct weir_sim_source *source, struct weir_error *error)
{
    struct weir_sim_source known;
    if (!read_source(&known, source, error) || !read_scenario(&self->scenario, &known, error))
        return false;
    if (self->scenario.testbed.use)
        return weir_fail(error, WEIR_ERROR_INPUT, "testbed.use: real packets need `weir testbed run` (expected no)");
    self->config = node_text(self->scenario.effective);
    if (self->config == NULL || !experiment_run_id(&self->scenario, VERSION_OF_RESULTS, self->id))
        return weir_fail_memory(error);
    self->foreseen = !scenario_is_foreseen(&self->scenario);
    ask_rows(self);
    self->sim = scenario_create(&self->scenario, error);
    return self->sim != NULL;
}

struct weir_sim *weir_sim_create(const struct weir_sim_source *source, struct weir_error *error)
{
    struct weir_error unwanted;
    struct weir_sim *self = calloc(1, sizeof *self);
    error = error != NULL ? error : &unwanted;
    if (self == NULL) {
        weir_fail_memory(error);
        return NULL;
    }
    atomic_init(&self->stop, false);
    if (!build(self, source, error)) {
        weir_sim_free(self);
        return NULL;
    }
    return self;
}

void weir_sim_free(struct weir_sim *self)
{
    if (self == NULL)
        return;
    embed_forget(self);
    sim_free(self->sim);
    scenario_free(&self->scenario);
    free(self->config);
    free(self);
}

static bool goes_on(void *context, const struct sim_progress *progress)
{
    struct weir_sim *self = context;
    (void)progress;
    return !atomic_load(&self->stop);
}

static enum weir_sim_state fail(struct weir_sim *self, struct weir_error *error)
{
    self->state = WEIR_SIM_FAILED;
    if (error != NULL)
        *error = self->error;
    return self->state;
}

/* What LQD loses is known before the simulation that asks about it is made. */
static enum sim_status foresee(struct weir_sim *self)
{
    enum sim_status status = scenario_foresee(&self->scenario, goes_on, self, &self->error);
    if (status != SIM_DONE)
        return status;
    sim_free(self->sim);
    self->sim = scenario_create(&self->scenario, &self->error);
    self->foreseen = self->sim != NULL;
    return self->foreseen ? SIM_DONE : SIM_UNEVEN;
}

static enum sim_status run(struct weir_sim *self, weir_ps until)
{
    enum sim_status status = sim_run_until(self->sim, until, goes_on, self);
    if (status == SIM_UNEVEN)
        self->error = *sim_error(self->sim);
    return status;
}

enum weir_sim_state weir_sim_step(struct weir_sim *self, weir_ps until, struct weir_error *error)
{
    if (self->state == WEIR_SIM_FAILED)
        return fail(self, error);
    if (self->state == WEIR_SIM_DONE || atomic_exchange(&self->stop, false))
        return self->state;
    embed_forget(self);
    enum sim_status status = self->foreseen ? SIM_DONE : foresee(self);
    if (status == SIM_DONE)
        status = run(self, until);
    if (status == SIM_OUT_OF_MEMORY)
        weir_fail_memory(&self->error);
    if (status == SIM_OUT_OF_MEMORY || status == SIM_UNEVEN)
        return fail(self, error);
    bool stopped = status == SIM_RUNNING && atomic_exchange(&self->stop, false);
    struct sim_progress totals = sim_totals(self->sim);
    weir_ps reached = status == SIM_DONE || stopped ? totals.now : until;
    self->now_ps = status == SIM_DONE || reached > self->now_ps ? reached : self->now_ps;
    self->state = status == SIM_DONE ? WEIR_SIM_DONE : WEIR_SIM_RUNNING;
    return self->state;
}

void weir_sim_stop(struct weir_sim *self)
{
    atomic_store(&self->stop, true);
}

bool weir_sim_load_policies(const char *path, struct weir_error *error)
{
    return plugin_load(path, error);
}

bool weir_sim_add_policy(const struct weir_policy *policy, struct weir_error *error)
{
    return plugin_add(policy, error);
}

const struct weir_policy *weir_sim_find_policy(const char *name)
{
    return plugin_policy_find(name);
}
