/*
 * test_run.c - a run as a value: what goes in, why it ends, and that steps, stops and options change no result.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "tests/support/error_line.h"

#define SCENE                                                                                                          \
    "until: 40ms\n"                                                                                                    \
    "topology: {kind: single, hosts: 4, rate: 10Gbps, delay: 1us}\n"                                                   \
    "switch: {buffer: 60KB, policy: %s}\n"                                                                             \
    "transports: {t: {kind: udp, rate: 10Gbps}}\n"                                                                     \
    "traffic: [{kind: incast, transport: t, sources: h0-h2, destination: h3, bytes: 30MB}]\n"

static bool open_text(struct run *run, const char *text, const struct run_options *options)
{
    const struct run_source source = {.text = text, .size = strlen(text), .origin = "test.yaml"};
    return run_open(run, &source, options);
}

static void open_scene(struct run *run, const char *policy, const struct run_options *options)
{
    char text[1024];
    snprintf(text, sizeof text, SCENE, policy);
    if (!open_text(run, text, options))
        fail_msg("%s", ERROR_LINE(&run->error));
}

static uint64_t digest_of(const char *policy)
{
    struct run run;
    open_scene(&run, policy, NULL);
    assert_int_equal(run_go(&run, WEIR_NEVER), RUN_DONE);
    uint64_t digest = sim_digest(run_sim(&run));
    run_close(&run);
    return digest;
}

static void run_open__a_mistake_has_its_place(void **state)
{
    struct run run;
    (void)state;
    assert_false(open_text(&run, "until: 1ms\ntopolgy: 3\n", NULL));
    assert_non_null(strstr(ERROR_LINE(&run.error), "test.yaml:2:1"));
    run_close(&run);
}

static void run_go__steps_change_nothing(void **state)
{
    struct run run;
    enum run_end end = RUN_PAUSED;
    uint32_t steps = 0;
    (void)state;
    open_scene(&run, "dt", NULL);
    for (weir_ps until = 0; end == RUN_PAUSED; steps++)
        end = run_go(&run, until += 200 * WEIR_PS_PER_US);
    assert_int_equal(end, RUN_DONE);
    assert_true(steps > 5);
    assert_int_equal(run_go(&run, WEIR_NEVER), RUN_DONE);
    assert_int_equal(sim_digest(run_sim(&run)), digest_of("dt"));
    run_close(&run);
}

static void run_try__is_the_simulation_that_goes(void **state)
{
    struct run run;
    (void)state;
    open_scene(&run, "dt", NULL);
    assert_true(run_try(&run));
    const struct sim *tried = run_sim(&run);
    run_ask(&run, &(struct run_options){.time_s = 5});
    assert_int_equal(run_begin(&run), RUN_PAUSED);
    assert_ptr_equal(run_sim(&run), tried);
    assert_int_equal(run_go(&run, WEIR_NEVER), RUN_DONE);
    assert_int_equal(sim_digest(run_sim(&run)), digest_of("dt"));
    run_close(&run);
}

static bool stop(void *context, const struct sim_progress *progress)
{
    uint32_t *asked = context;
    (void)progress;
    return ++*asked > 1;
}

static void run_go__stopped_and_on(void **state)
{
    struct run run;
    uint32_t asked = 0;
    const struct run_options options = {.progress = stop, .context = &asked};
    (void)state;
    open_scene(&run, "dt", &options);
    assert_int_equal(run_go(&run, WEIR_NEVER), RUN_STOPPED);
    assert_int_equal(run_go(&run, WEIR_NEVER), RUN_DONE);
    assert_int_equal(sim_digest(run_sim(&run)), digest_of("dt"));
    run_close(&run);
}

/* Every look at it takes a second. */
static double slow_clock(void)
{
    static double now;
    return now += 1;
}

static void run_go__late(void **state)
{
    struct run run;
    const struct run_options options = {.clock = slow_clock, .time_s = 0.5};
    (void)state;
    open_scene(&run, "dt", &options);
    assert_int_equal(run_go(&run, WEIR_NEVER), RUN_LATE);
    assert_true(run.seconds > 0.5);
    assert_int_equal(run_go(&run, WEIR_NEVER), RUN_LATE);
    run_close(&run);
}

/* What LQD loses is known before the first packet, and the first run may be stopped like the second. */
static void run_begin__foresees(void **state)
{
    static const char credence[] = "credence, oracle: {answers: perfect}";
    struct run run;
    uint32_t asked = 0;
    const struct run_options options = {.progress = stop, .context = &asked};
    (void)state;
    open_scene(&run, credence, &options);
    assert_int_equal(run_begin(&run), RUN_STOPPED);
    assert_null(run_sim(&run));
    assert_int_equal(run_begin(&run), RUN_PAUSED);
    assert_true(run.foreseen);
    assert_int_equal(run_go(&run, WEIR_NEVER), RUN_DONE);
    assert_int_equal(sim_digest(run_sim(&run)), digest_of(credence));
    run_close(&run);
}

static bool count_row(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    uint64_t *lost = context;
    (void)sw, (void)memory;
    *lost += row->lost;
    return true;
}

static uint64_t rows_lost(const char *policy)
{
    struct run run;
    uint64_t lost = 0;
    const struct run_options options = {.lqd = true, .take_row = count_row, .rows_context = &lost};
    open_scene(&run, policy, &options);
    assert_int_equal(run_go(&run, WEIR_NEVER), RUN_DONE);
    run_close(&run);
    return lost;
}

static void run_go__rows_of_lqd_whatever_the_policy(void **state)
{
    (void)state;
    assert_true(rows_lost("dt") > 0);
    assert_int_equal(rows_lost("dt"), rows_lost("cs"));
}

/* An engine that is no simulator: it counts how it was used. */
static enum run_end make(struct run *run)
{
    run->state = run->options.engine_context;
    return RUN_PAUSED;
}

static enum run_end go(struct run *run, weir_ps until)
{
    uint32_t *gone = run->state;
    (*gone)++;
    return until == WEIR_NEVER ? RUN_DONE : RUN_PAUSED;
}

static bool measure(const struct run *run, struct run_result *result)
{
    *result = (struct run_result){.scenario = &run->scenario, .digest = *(uint32_t *)run->state};
    return true;
}

static void release(struct run *run)
{
    uint32_t *gone = run->state;
    *gone += 100;
}

static void run_go__by_another_engine(void **state)
{
    const struct run_engine engine = {make, go, measure, release};
    uint32_t gone = 0;
    const struct run_options options = {.engine = &engine, .engine_context = &gone};
    struct run_result result;
    struct run run;
    (void)state;
    open_scene(&run, "dt", &options);
    assert_int_equal(run_go(&run, 0), RUN_PAUSED);
    assert_int_equal(run_go(&run, WEIR_NEVER), RUN_DONE);
    assert_null(run_sim(&run));
    assert_true(run_measure(&run, &result));
    assert_int_equal(result.digest, 2);
    run_close(&run);
    assert_int_equal(gone, 102);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_open__a_mistake_has_its_place),
        cmocka_unit_test(run_go__steps_change_nothing),
        cmocka_unit_test(run_try__is_the_simulation_that_goes),
        cmocka_unit_test(run_go__stopped_and_on),
        cmocka_unit_test(run_go__late),
        cmocka_unit_test(run_begin__foresees),
        cmocka_unit_test(run_go__rows_of_lqd_whatever_the_policy),
        cmocka_unit_test(run_go__by_another_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
