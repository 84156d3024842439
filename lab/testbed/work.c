/*
 * work.c - see work.h. Every run has its own testbed: making one takes a moment, and nothing is
 * left of the run before.
 */
#define _GNU_SOURCE 1
#include "lab/testbed/work.h"

#include <stdlib.h>

#include "lab/testbed/guard.h"
#include "lab/testbed/point.h"
#include "lab/testbed/process.h"

#define SETTLE_MS 5000u
#define LOOK_MS 20u
#define AROUND_S 4.0  /* what a run takes beside its traffic */
#define HANGS_S 180.0 /* the same at the very most: all that anything here waits for, one after the other */

/* The state of a run in the testbed. */
struct testbed_run {
    struct testbed bed;
    struct testbed_point point;
};

static enum run_end end_of(const struct run *run, bool good, enum run_end end)
{
    return good ? end : run->error.code == WEIR_ERROR_MEMORY ? RUN_OUT_OF_MEMORY : RUN_FAILED;
}

static enum run_end make(struct run *run)
{
    const struct spread_in_testbed *work = run->options.engine_context;
    struct testbed_run *state = calloc(1, sizeof *state);
    if (state == NULL)
        return end_of(run, weir_fail_memory(&run->error), RUN_PAUSED);
    run->state = state;
    state->bed.scenario = work->plan->file;
    snprintf(state->bed.name, sizeof state->bed.name, "%s", work->testbed->name);
    bool good = testbed_settings_read(&state->bed.settings, &run->scenario, work->testbed->network, &run->error);
    return end_of(run, good, RUN_PAUSED);
}

/* Up, traffic, down; the guard is there for the case that this process does not get so far. */
static bool make_point(struct testbed *bed, const struct scenario *scenario, struct testbed_point *point,
                       struct weir_error *error)
{
    struct testbed_guard guard;
    char *text = node_text(scenario->effective);
    if (text == NULL)
        return weir_fail_memory(error);
    bool done = testbed_guard_set(&guard, bed->name, error);
    if (done) {
        done = testbed_up(bed, text, error) && testbed_point_run(point, bed, scenario, error);
        if (testbed_down(bed->name))
            testbed_guard_lift(&guard); /* else it tries again when this process has ended */
    }
    free(text);
    return done;
}

static enum run_end go(struct run *run, weir_ps until)
{
    struct testbed_run *state = run->state;
    (void)until; /* packets do not wait */
    return end_of(run, make_point(&state->bed, &run->scenario, &state->point, &run->error), RUN_DONE);
}

static bool measure(const struct run *run, struct run_result *result)
{
    const struct testbed_run *state = run->state;
    return testbed_result_make(result, &run->scenario, &state->point);
}

static void release(struct run *run)
{
    struct testbed_run *state = run->state;
    testbed_point_free(&state->point);
    free(state);
}

static const struct run_engine engine = {make, go, measure, release};

static void testbed_settle(const struct spread_testbed *testbed)
{
    for (uint32_t waited = 0; waited < SETTLE_MS && testbed_is_there(testbed->name); waited += LOOK_MS)
        testbed_pause(LOOK_MS);
}

static struct spread_real_time testbed_time(const struct plan *plan, const uint32_t *runs, uint32_t count)
{
    struct spread_real_time time = {.limit = HANGS_S};
    for (uint32_t i = 0; i < count; i++) {
        struct scenario scenario;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        double seconds = 0;
        if (plan_scenario(plan, runs[i], &scenario, &error))
            seconds = testbed_point_seconds(&scenario);
        scenario_free(&scenario);
        time.all += seconds + AROUND_S;
        time.limit = seconds + HANGS_S > time.limit ? seconds + HANGS_S : time.limit;
    }
    return time;
}

struct spread_testbed testbed_runs(const char *name, const char *network)
{
    return (struct spread_testbed){name, network, &engine, testbed_time, testbed_settle};
}
