/*
 * simulator.c - runs packet by packet (sim/): the engine of all runs that ask for no other. Its state is the
 * simulation.
 */
#include "run/foresee.h"
#include "run/run.h"

static bool take_row(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    struct run *run = context;
    struct scenario_rows *rows = &run->scenario.rows;
    if (rows->forest != NULL)
        forest_count(&rows->judged, forest_predict(rows->forest, row->feature), row->lost);
    return run->options.take_row == NULL || run->options.take_row(run->options.rows_context, sw, memory, row);
}

static bool create(struct run *run)
{
    /* What the options ask for that the config of the simulation has to say. */
    struct sim_config *config = &run->scenario.config;
    config->ranks = run->options.ranks;
    config->clock_ns = run->options.profile_ns;
    config->follow = run->options.follow;
    if (run->options.take_row != NULL || run->scenario.rows.forest != NULL) {
        run->training = run->scenario.rows.settings;
        run->training.take = take_row;
        run->training.context = run;
        config->training = &run->training;
    }
    const struct weir_policy *lqd = run->options.lqd ? run_lqd(&run->lqd) : NULL;
    for (uint32_t tier = 0; lqd != NULL && tier < config->tier_count; tier++) {
        config->tiers[tier].mmu.egress = lqd;
        config->tiers[tier].mmu.egress_values = &run->lqd;
    }
    run->state = scenario_create(&run->scenario, &run->error);
    return run->state != NULL;
}

static enum run_end end_of(struct run *run, enum sim_status status)
{
    switch (status) {
    case SIM_DONE:
        return RUN_DONE;
    case SIM_RUNNING:
        return run->end; /* as run_goes_on has left it */
    case SIM_OUT_OF_MEMORY:
        weir_fail_memory(&run->error);
        return RUN_OUT_OF_MEMORY;
    case SIM_UNEVEN:
        return RUN_UNEVEN;
    case SIM_APART:
        break;
    }
    return RUN_FAILED;
}

/* Null where nothing is to be asked. */
static sim_progress_function *progress_of(const struct run *run)
{
    return run->options.progress != NULL || run->deadline > 0 ? run_goes_on : NULL;
}

static enum run_end simulator_make(struct run *run)
{
    bool foresees = !run->options.lqd && !run->foreseen && scenario_is_foreseen(&run->scenario);
    if (foresees) {
        enum sim_status status = run_foresee(&run->scenario, progress_of(run), run, &run->error);
        if (status != SIM_DONE)
            return end_of(run, status);
        run->foreseen = true;
        sim_free(run->state);
        run->state = NULL;
    }
    if (run->state != NULL || create(run))
        return RUN_PAUSED;
    return run->error.code == WEIR_ERROR_MEMORY ? RUN_OUT_OF_MEMORY : RUN_FAILED;
}

static enum run_end simulator_go(struct run *run, weir_ps until)
{
    enum sim_status status = sim_run_until(run->state, until, progress_of(run), run);
    if (status == SIM_UNEVEN || status == SIM_APART)
        run->error = *sim_error(run->state);
    return end_of(run, status);
}

static bool simulator_measure(const struct run *run, struct run_result *result)
{
    return run_result_make(result, &run->scenario, run->state, run->end != RUN_DONE);
}

static void simulator_free(struct run *run)
{
    sim_free(run->state);
}

const struct run_engine run_simulator = {simulator_make, simulator_go, simulator_measure, simulator_free};

bool run_try(struct run *run)
{
    return run->state != NULL || create(run);
}

void run_ask(struct run *run, const struct run_options *options)
{
    run->options = *options;
    if (options->take_row == NULL && options->profile_ns == NULL && options->ranks == NULL && !options->lqd &&
        options->follow == NULL)
        return;
    sim_free(run->state);
    run->state = NULL;
}

struct sim *run_sim(const struct run *run)
{
    return run->options.engine == NULL ? run->state : NULL;
}
