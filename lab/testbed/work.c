/*
 * work.c - see work.h. Every run has a testbed of its own: making one takes a moment, and nothing is
 * left of the run before.
 */
#define _GNU_SOURCE 1
#include "lab/testbed/work.h"

#include <stdlib.h>

#include "lab/spread/work.h"
#include "lab/testbed/guard.h"
#include "lab/testbed/point.h"
#include "lab/testbed/process.h"
#include "run/measures/measures.h"

#define SETTLE_MS 5000u
#define LOOK_MS 20u
#define AROUND_S 4.0  /* what a run takes beside its traffic */
#define HANGS_S 180.0 /* the same at the very most: all that anything here waits for, one after the other */

static bool measure(const struct scenario *scenario, const struct testbed_point *point, struct measures *measures)
{
    struct run_result *result = malloc(sizeof *result); /* too large for a stack */
    *measures = (struct measures){.values = NULL};
    if (result == NULL)
        return false;
    bool made = testbed_result_make(result, scenario, point) && run_measures_make(measures, result);
    run_result_free(result);
    free(result);
    return made;
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

static int run_scenario(const struct run_in_testbed *work, const struct scenario *scenario, int fd)
{
    struct testbed bed = {.scenario = work->plan->file};
    struct testbed_point point = {.records = {.at = NULL}};
    struct measures measures = {.values = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int code;
    snprintf(bed.name, sizeof bed.name, "%s", work->testbed->name);
    if (!testbed_settings_read(&bed.settings, scenario, work->testbed->network, &error))
        code = run_work_fail(fd, &error);
    else if (!make_point(&bed, scenario, &point, &error))
        code = run_work_fail(fd, &error);
    else if (!measure(scenario, &point, &measures) && !weir_fail_memory(&error))
        code = run_work_fail(fd, &error);
    else
        code = run_work_send(fd, scenario, &measures);
    measures_free(&measures);
    testbed_point_free(&point);
    return code;
}

static int testbed_work(void *context, uint32_t run, int fd)
{
    const struct run_in_testbed *work = context;
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int code = run_plan_scenario(work->plan, run, &scenario, &error) ? run_scenario(work, &scenario, fd)
                                                                     : run_work_fail(fd, &error);
    scenario_free(&scenario);
    return code;
}

static void testbed_settle(const struct run_testbed *testbed)
{
    for (uint32_t waited = 0; waited < SETTLE_MS && testbed_is_there(testbed->name); waited += LOOK_MS)
        testbed_pause(LOOK_MS);
}

static struct run_real_time testbed_time(const struct run_plan *plan, const uint32_t *runs, uint32_t count)
{
    struct run_real_time time = {.limit = HANGS_S};
    for (uint32_t i = 0; i < count; i++) {
        struct scenario scenario;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        double seconds = 0;
        if (run_plan_scenario(plan, runs[i], &scenario, &error))
            seconds = testbed_point_seconds(&scenario);
        scenario_free(&scenario);
        time.all += seconds + AROUND_S;
        time.limit = seconds + HANGS_S > time.limit ? seconds + HANGS_S : time.limit;
    }
    return time;
}

struct run_testbed testbed_runs(const char *name, const char *network)
{
    return (struct run_testbed){name, network, testbed_work, testbed_time, testbed_settle};
}
