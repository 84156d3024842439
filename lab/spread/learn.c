/*
 * learn.c - training rows from a scenario, by one run of it with LQD, which removes tails, in every switch; or from a
 * trace.
 */
#include <string.h>

#include "lab/spread/spread.h"
#include "lib/trace/replay.h"

struct learner {
    const struct spread_learning *wanted;
    struct weir_error error;
};

static bool take_row(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    struct learner *learner = context;
    const struct spread_learning *wanted = learner->wanted;
    char name[32];
    if (learner->error.code != WEIR_ERROR_NONE)
        return true;
    scenario_memory_name(sw, memory, name);
    if (wanted->of_switch == NULL || strcmp(wanted->of_switch, name) == 0)
        forest_rows_add(wanted->rows, row->feature, row->lost, &learner->error);
    return true;
}

static int learn_from(struct run *run, const struct plan *plan, struct learner *learner)
{
    int code = spread_begin(run, false);
    if (code != CLI_OK)
        return code;
    struct rows_about about = spread_rows_about(run);
    if (!rows_about_join(learner->wanted->about, learner->wanted->rows, &about, &learner->error))
        return cli_error(CLI_INPUT, "%s: %s", plan->file, learner->error.text);
    code = spread_go(run, false);
    if (code == CLI_OK && learner->error.code != WEIR_ERROR_NONE)
        code = cli_report(&learner->error);
    if (code != CLI_OK)
        return code;
    spread_rows_warn(run);
    return run->end == RUN_STOPPED ? CLI_INTERRUPTED : CLI_OK;
}

int spread_learn(const char *file, const struct spread_learning *wanted)
{
    struct plan plan;
    struct learner learner = {.wanted = wanted};
    const struct plan_selection none = {.count = 0};
    int code = plan_make(&plan, file, wanted->changes, "unused");
    if (code == CLI_OK)
        code = plan_choose(&plan, wanted->only, &none);
    if (code == CLI_OK && plan.todo_count != 1)
        code = cli_error(CLI_INPUT, "%s: has %u runs (expected --only with one; 'weir run --list' shows them)", file,
                         plan.todo_count);
    if (code == CLI_OK) {
        const struct run_source source = plan_source(&plan, plan.todo[0]);
        const struct run_options options = {
            .lqd = true,
            .take_row = take_row,
            .rows_context = &learner,
            .time_s = (double)plan.experiment.limits.time_ps / (double)WEIR_PS_PER_S,
        };
        struct run run;
        code = run_open(&run, &source, &options) ? learn_from(&run, &plan, &learner) : cli_report(&run.error);
        run_close(&run);
    }
    plan_free(&plan);
    return code;
}

/* What a trace gives. */
struct traced {
    const struct spread_learning_trace *wanted;
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

int spread_learn_trace(const char *file, const struct spread_learning_trace *wanted)
{
    struct traced traced = {wanted, {.code = WEIR_ERROR_NONE}};
    const struct replay_rows rows = {open_traced, take_traced, &traced, wanted->average_ps, wanted->gap_bytes, false};
    const struct replay_options how = {.rows = &rows};
    struct replay_report report;
    int code = replay_trace(file, &how, &report);
    replay_report_free(&report);
    return traced.error.code != WEIR_ERROR_NONE ? cli_error(CLI_INPUT, "%s: %s", file, traced.error.text) : code;
}
