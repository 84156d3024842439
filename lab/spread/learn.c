/*
 * learn.c - training rows from a scenario, by one run of it with LQD, which removes tails, in every switch; or from a
 * trace.
 */
#include <assert.h>
#include <string.h>

#include "lab/spread/run.h"
#include "lib/trace/replay.h"

struct learner {
    const struct run_learning *wanted;
    struct weir_error error;
};

static bool take_row(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    struct learner *learner = context;
    const struct run_learning *wanted = learner->wanted;
    char name[32];
    if (learner->error.code != WEIR_ERROR_NONE)
        return true;
    scenario_memory_name(sw, memory, name);
    if (wanted->of_switch == NULL || strcmp(wanted->of_switch, name) == 0)
        forest_rows_add(wanted->rows, row->feature, row->lost, &learner->error);
    return true;
}

static void take_lqd(struct sim_config *config, struct weir_values *values)
{
    const struct weir_policy *lqd = weir_policy_find("lqd");
    weir_values_init(values, lqd);
    bool known = weir_values_set(values, lqd, "remove", "tail", NULL);
    assert(known);
    (void)known;
    for (uint32_t tier = 0; tier < config->tier_count; tier++) {
        config->tiers[tier].mmu.egress = lqd;
        config->tiers[tier].mmu.egress_values = values;
    }
}

static int simulate(const struct run_plan *plan, struct scenario *scenario, struct learner *learner)
{
    struct weir_values values;
    struct sim_training training = scenario->rows.settings;
    bool interrupted = false;
    training.take = take_row;
    training.context = learner;
    scenario->config.training = &training;
    take_lqd(&scenario->config, &values);
    struct weir_error error;
    struct sim *sim = scenario_create(scenario, &error);
    if (sim == NULL)
        return cli_report(&error);
    struct rows_about about = run_rows_about(scenario, sim);
    int code = CLI_OK;
    if (!rows_about_join(learner->wanted->about, learner->wanted->rows, &about, &learner->error))
        code = cli_error(CLI_INPUT, "%s: %s", plan->file, learner->error.text);
    if (code == CLI_OK)
        code = run_simulate(sim, (double)plan->experiment.limits.time_ps / (double)WEIR_PS_PER_S, false, &interrupted);
    if (code == CLI_OK && learner->error.code != WEIR_ERROR_NONE)
        code = cli_report(&learner->error);
    if (code == CLI_OK)
        run_rows_warn(sim);
    sim_free(sim);
    return code == CLI_OK && interrupted ? RUN_INTERRUPTED : code;
}

int run_learn(const char *file, const struct run_learning *wanted)
{
    struct run_plan plan;
    struct scenario scenario = {.name = NULL};
    struct learner learner = {.wanted = wanted};
    const struct run_selection none = {.count = 0};
    int code = run_plan_make(&plan, file, wanted->changes, "unused");
    if (code == CLI_OK)
        code = run_plan_choose(&plan, wanted->only, &none);
    if (code == CLI_OK && plan.todo_count != 1)
        code = cli_error(CLI_INPUT, "%s: has %u runs (expected --only with one; 'weir run --list' shows them)", file,
                         plan.todo_count);
    if (code == CLI_OK)
        code = run_plan_scenario(&plan, plan.todo[0], &scenario, &learner.error) ? simulate(&plan, &scenario, &learner)
                                                                                 : cli_report(&learner.error);
    scenario_free(&scenario);
    run_plan_free(&plan);
    return code;
}

/* What a trace gives. */
struct traced {
    const struct run_learning_trace *wanted;
    struct weir_error error;
};

static bool open_traced(void *context, uint32_t ports)
{
    struct traced *traced = context;
    const struct rows_about about = {FOREST_COUNTERS_REAL, traced->wanted->average_ps, ports};
    return rows_about_join(traced->wanted->about, traced->wanted->rows, &about, &traced->error);
}

static bool take_traced(void *context, const struct weir_training_row *row)
{
    struct traced *traced = context;
    return forest_rows_add(traced->wanted->rows, row->feature, row->lost, &traced->error);
}

int run_learn_trace(const char *file, const struct run_learning_trace *wanted)
{
    struct traced traced = {wanted, {.code = WEIR_ERROR_NONE}};
    const struct replay_rows rows = {open_traced, take_traced, &traced, wanted->average_ps, wanted->gap_bytes, false};
    const struct replay_options how = {.rows = &rows};
    struct replay_report report;
    int code = replay_trace(file, &how, &report);
    replay_report_free(&report);
    return traced.error.code != WEIR_ERROR_NONE ? cli_error(CLI_INPUT, "%s: %s", file, traced.error.text) : code;
}
