/*
 * run.c - see run.h: what all engines have in common.
 */
#include "run/run.h"
#include "weir/switch.h"

#include <stdlib.h>

static const struct run_engine *engine_of(const struct run *run)
{
    return run->options.engine != NULL ? run->options.engine : &run_simulator;
}

bool run_scenario(struct scenario *scenario, const struct run_source *source, struct weir_error *error)
{
    struct document document = {.origin = NULL};
    *scenario = (struct scenario){.name = NULL};
    bool read = source->experiment != NULL
                    ? experiment_run(source->experiment, source->index, &document, error)
                    : document_read(&document, source->origin, source->text, source->size, error);
    bool good = read && scenario_build(scenario, &document, source->files, error);
    if (source->threads > 0)
        scenario->config.threads = source->threads;
    document_free(&document);
    return good;
}

bool run_open(struct run *run, const struct run_source *source, const struct run_options *options)
{
    *run = (struct run){.end = RUN_PAUSED};
    if (options != NULL)
        run->options = *options;
    return run_scenario(&run->scenario, source, &run->error);
}

void run_close(struct run *run)
{
    if (run->state != NULL)
        engine_of(run)->free(run);
    scenario_free(&run->scenario);
    *run = (struct run){.end = RUN_PAUSED};
}

bool run_goes_on(void *context, const struct sim_progress *progress)
{
    struct run *run = context;
    const struct run_options *options = &run->options;
    if (options->progress != NULL && !options->progress(options->context, progress))
        run->end = RUN_STOPPED;
    if (run->deadline > 0 && options->clock() > run->deadline)
        run->end = RUN_LATE;
    return run->end == RUN_PAUSED;
}

/* Makes the run, or goes on with it, within its time. */
static void proceed(struct run *run, bool begin, weir_ps until)
{
    const struct run_options *options = &run->options;
    double started = options->clock != NULL ? options->clock() : 0;
    run->deadline = options->clock != NULL && options->time_s > 0 ? started + options->time_s : 0;
    run->end = RUN_PAUSED;
    run->end = begin ? engine_of(run)->make(run) : engine_of(run)->go(run, until);
    run->begun = run->begun || run->end == RUN_PAUSED;
    if (!begin && options->clock != NULL)
        run->seconds += options->clock() - started;
}

enum run_end run_begin(struct run *run)
{
    if (!run->begun && (run->end == RUN_PAUSED || run->end == RUN_STOPPED))
        proceed(run, true, 0);
    return run->end;
}

enum run_end run_go(struct run *run, weir_ps until)
{
    if (run_begin(run) == RUN_PAUSED || (run->begun && run->end == RUN_STOPPED))
        proceed(run, false, until);
    return run->end;
}

bool run_measure(const struct run *run, struct run_result *result)
{
    return engine_of(run)->measure(run, result) &&
           (engine_of(run) != &run_simulator || !run->scenario.slot.has || run_slotted.measure(run, result));
}

bool run_measures(const struct run *run, struct measures *measures)
{
    struct run_result *result = malloc(sizeof *result); /* too large for a stack */
    *measures = (struct measures){.values = NULL};
    if (result == NULL)
        return false;
    bool made = run_measure(run, result) && run_measures_make(measures, result);
    run_result_free(result);
    free(result);
    return made;
}

bool run_trace_begin(struct run_trace *trace, const struct run *run, uint32_t sw, uint32_t memory)
{
    const struct sim *sim = run_sim(run);
    weir_bps *rates = calloc(sim_switch_ports(sim, sw), sizeof *rates);
    struct weir_trace *to = NULL;
    if (rates == NULL)
        return false;
    struct weir_mmu_config config = sim_memory_config(sim, sw, memory, rates);
    bool begun = trace->begin(trace->context, &config, &to);
    free(rates);
    if (!begun)
        return false;
    trace->mmu = weir_switch_mmu(sim_switch(sim, sw), memory);
    weir_mmu_set_trace(trace->mmu, to);
    return true;
}

bool run_trace_end(struct run_trace *trace)
{
    weir_mmu_set_trace(trace->mmu, NULL);
    return trace->end(trace->context, trace->mmu);
}
