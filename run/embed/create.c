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
    EMBED_ASSERT(source != NULL, "the source is null");
    size_t size = source->size < sizeof *known ? source->size : sizeof *known;
    *known = (struct weir_sim_source){.size = 0};
    if (source->size <= offsetof(struct weir_sim_source, text))
        return weir_fail(error, WEIR_ERROR_INPUT, "the source has no size (expected .size = sizeof source)");
    memcpy(known, source, size);
    if (known->text == NULL)
        return weir_fail(error, WEIR_ERROR_INPUT, "the source has no text (expected a scenario)");
    for (uint32_t i = 0; i < known->set_count; i++)
        if (known->set == NULL || known->set[i] == NULL)
            return weir_fail(error, WEIR_ERROR_INPUT, "the source has no change %u (expected .set_count = %u of them)",
                             i, known->set_count);
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
    struct weir_error unwanted;
    error = error != NULL ? error : &unwanted;
    bool good = read_source(&known, source, error) && read_experiment(&experiment, &known, error);
    uint32_t runs = good ? experiment_runs(&experiment) : 0;
    experiment_free(&experiment);
    return runs;
}

bool weir_sim_run_name(const struct weir_sim_source *source, char name[256], struct weir_error *error)
{
    struct experiment experiment = {.name = NULL};
    struct weir_sim_source known;
    struct weir_error unwanted;
    EMBED_ASSERT(name != NULL, "there is no room for the name");
    error = error != NULL ? error : &unwanted;
    bool good = read_source(&known, source, error) && read_experiment(&experiment, &known, error);
    if (good)
        experiment_run_name(&experiment, known.run, name);
    experiment_free(&experiment);
    return good;
}

static bool goes_on(void *context, const struct sim_progress *progress)
{
    struct weir_sim *self = context;
    (void)progress;
    return !atomic_load(&self->stop);
}

static bool open_run(struct weir_sim *self, const struct weir_sim_source *source, struct weir_error *error)
{
    const struct scenario_files files = {source->folder, trace_unpack};
    const struct run_options options = {.progress = goes_on, .context = self};
    struct experiment experiment = {.name = NULL};
    const struct run_source run = {
        .experiment = &experiment, .index = source->run, .files = source->folder != NULL ? &files : NULL};
    bool good = read_experiment(&experiment, source, error);
    if (good && !run_open(&self->run, &run, &options)) {
        *error = self->run.error;
        good = false;
    }
    experiment_free(&experiment);
    return good;
}

static bool take_packet(void *context, const struct sim_packet_event *event)
{
    struct weir_sim *self = context;
    if (self->packet_count == self->packet_room) {
        uint32_t room = self->packet_room > 0 ? 2 * self->packet_room : 1024;
        struct sim_packet_event *packets =
            room > self->packet_room ? realloc(self->packets, room * sizeof *packets) : NULL;
        if (packets == NULL)
            return false;
        self->packets = packets;
        self->packet_room = room;
    }
    self->packets[self->packet_count++] = *event;
    return true;
}

static bool follow(struct weir_sim *self, const char *text, struct weir_error *error)
{
    if (!run_follow_read(&self->follow, &self->run.scenario, text, error))
        return false;
    self->follow.follow.take = take_packet;
    self->follow.follow.context = self;
    self->run.options.follow = &self->follow.follow;
    return run_neighbours_make(&self->neighbours, &self->run.scenario.topology) || weir_fail_memory(error);
}

static bool build(struct weir_sim *self, const struct weir_sim_source *source, struct weir_error *error)
{
    struct weir_sim_source known;
    if (!read_source(&known, source, error) || !open_run(self, &known, error))
        return false;
    if (self->run.scenario.testbed.use)
        return weir_fail(error, WEIR_ERROR_INPUT, "testbed.use: real packets need `weir testbed run` (expected no)");
    if (known.follow != NULL && !follow(self, known.follow, error))
        return false;
    self->config = node_text(self->run.scenario.effective);
    if (self->config == NULL || !experiment_run_id(&self->run.scenario, VERSION_OF_RESULTS, self->id))
        return weir_fail_memory(error);
    bool made = run_try(&self->run);
    if (!made)
        *error = self->run.error;
    return made;
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
    atomic_init(&self->alive, EMBED_ALIVE);
    atomic_init(&self->calls, 0);
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
    {
        EMBED_CALL(self);
        embed_forget(self);
        run_close(&self->run);
        free(self->timers.at);
        free(self->config);
        free(self->packets);
        run_neighbours_free(&self->neighbours);
    }
    self->alive = 0;
    free(self);
}

enum weir_sim_state embed_go(struct weir_sim *self, weir_ps until, bool to_event, struct weir_error *error)
{
    if (self->state == WEIR_SIM_FAILED && error != NULL)
        *error = self->run.error;
    if (self->state != WEIR_SIM_RUNNING || atomic_exchange(&self->stop, false))
        return self->state;
    embed_forget(self);
    sim_stop_at_ends(run_sim(&self->run), to_event);
    enum run_end end = run_go(&self->run, until);
    if (end != RUN_DONE && end != RUN_PAUSED && end != RUN_STOPPED) {
        self->state = WEIR_SIM_FAILED;
        if (error != NULL)
            *error = self->run.error;
        return self->state;
    }
    weir_ps now = sim_totals(run_sim(&self->run)).now, reached = now, ended;
    if (end != RUN_DONE && !atomic_exchange(&self->stop, false))
        reached = to_event && sim_first_end(run_sim(&self->run), &ended) ? ended : until;
    self->now_ps = end == RUN_DONE || reached > self->now_ps ? reached : self->now_ps;
    self->state = end == RUN_DONE ? WEIR_SIM_DONE : WEIR_SIM_RUNNING;
    return self->state;
}

enum weir_sim_state weir_sim_step(struct weir_sim *self, weir_ps until, struct weir_error *error)
{
    EMBED_CALL(self);
    return embed_go(self, until, false, error);
}

void weir_sim_stop(struct weir_sim *self)
{
    EMBED_ASSERT(self != NULL && self->alive == EMBED_ALIVE, "the simulation is null, or was freed");
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
