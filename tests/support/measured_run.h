/*
 * measured_run.h - a scenario as text, run to its end, and what was measured; or the test fails.
 */
#ifndef TESTS_SUPPORT_MEASURED_RUN_H
#define TESTS_SUPPORT_MEASURED_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/measures/measures.h"
#include "tests/support/error_line.h"

#define NETWORK                                                                                                        \
    "until: 20us\n"                                                                                                    \
    "topology: {kind: single, hosts: 3, rate: 8Gbps, delay: 0ps}\n"                                                    \
    "wire: {mss: 90B, header: 10B, ack: 10B, gap: 0B}\n"                                                               \
    "switch: {buffer: 300B, policy: cs}\n"                                                                             \
    "transports: {u: {kind: udp, rate: 8Gbps}}\n"

/* Ten packets from each of two hosts; those of b arrive a picosecond later. */
#define TWO_SENDERS                                                                                                    \
    "traffic:\n"                                                                                                       \
    "- {kind: long, transport: u, tag: a, sources: h0, destinations: h2, bytes: 900B}\n"                               \
    "- {kind: long, transport: u, tag: b, sources: h1, destinations: h2, bytes: 900B, from: 1ps}\n"

struct run {
    struct scenario scenario;
    struct sim *sim;
    struct run_result *result;
    struct measures measures;
};

static inline void run(struct run *run, const char *text)
{
    struct document document;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    bool good = document_read(&document, "f", text, strlen(text), &error) &&
                scenario_build(&run->scenario, &document, NULL, &error);
    document_free(&document);
    run->sim = good ? scenario_create(&run->scenario, &error) : NULL;
    if (run->sim == NULL)
        fail_msg("%s", ERROR_LINE(&error));
    assert_int_equal(sim_run(run->sim, NULL, NULL), SIM_DONE);
    run->result = malloc(sizeof *run->result);
    assert_non_null(run->result);
    assert_true(run_result_make(run->result, &run->scenario, run->sim, false));
    assert_true(run_measures_make(&run->measures, run->result));
}

static inline void done(struct run *run)
{
    measures_free(&run->measures);
    run_result_free(run->result);
    free(run->result);
    sim_free(run->sim);
    scenario_free(&run->scenario);
}

#endif
