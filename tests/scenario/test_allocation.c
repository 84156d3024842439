/*
 * test_allocation.c - what reading an experiment does when memory runs short: every block of an arena fails in
 * turn, and the document grows by a little each time, so that the blocks end at other places.
 */
#include "scenario/read/scenario.h"
#include "tests/support/error_line.h"
#include "tests/support/experiment_text.h"
#include "tests/support/failing_alloc.h"

#define LARGEST 40u

static void make_text(uint32_t more, char text[8192])
{
    size_t used = (size_t)snprintf(text, 8192, "%s%s", BASE, SWEEP CLAIMS QUICK "wire: {mss: 1460B}\nfailures: []\n");
    used += (size_t)snprintf(text + used, 8192 - used, "measure:\n  probes:\n    - {at: s0, to: h0}\n");
    for (uint32_t i = 0; i < more; i++)
        used += (size_t)snprintf(text + used, 8192 - used, "    - {at: s0, to: h%u}\n", i % 4);
}

/* Reads the experiment and makes a run; whether that could be done. */
static bool work(const struct document *document, bool quick, struct weir_error *error)
{
    struct experiment experiment;
    struct document run = {.root = NULL};
    bool good = experiment_read(&experiment, document, quick, error) && experiment_run(&experiment, 1, &run, error);
    document_free(&run);
    experiment_free(&experiment);
    return good;
}

static void experiment_read__memory_runs_short(void **state)
{
    char text[8192];
    (void)state;
    for (uint32_t more = 0; more < LARGEST; more++) {
        struct document document;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        make_text(more, text);
        assert_true(document_read(&document, "f", text, strlen(text), &error));
        bool failed = true;
        for (uint64_t n = 1; failed; n++) {
            failing_alloc_start(n);
            bool good = work(&document, more & 1, &error);
            failed = failing_alloc_stop();
            assert_int_equal(good, !failed);
            assert_int_equal(error.code == WEIR_ERROR_MEMORY, failed);
            assert_int_equal(failing_alloc_held(), 0);
        }
        document_free(&document);
    }
}

/* A software switch with `more` addresses; whether it could be built and a parameter be changed. */
static bool work_switch(const struct document *document, struct weir_error *error)
{
    const struct scenario_parameter change = {.origin = "set", .name = "alpha", .value = "[1, 2]"};
    struct scenario scenario;
    bool good = scenario_build_switch(&scenario, document, NULL, error);
    if (good) {
        struct weir_values values = scenario.policy_values[0];
        good = scenario_set_parameter(&scenario, &change, &values, error);
        assert_int_equal(values.of[0][1], (good ? 2 : 8) * WEIR_Q16_ONE);
    }
    scenario_free(&scenario);
    return good;
}

static void scenario_build_switch__memory_runs_short(void **state)
{
    char text[8192];
    (void)state;
    for (uint32_t more = 1; more < LARGEST; more++) {
        struct document document;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        size_t used = (size_t)snprintf(text, sizeof text, "%s",
                                       "topology: {kind: single, hosts: 2}\n"
                                       "switch: {buffer: 1MB, classes: 2, policy: {name: dt, alpha: 8}}\n"
                                       "dataplane:\n"
                                       "  devices: [net_null0, net_null1]\n"
                                       "  dscp: {1: [1, 3, 5]}\n"
                                       "  cpus: {rx: [0, 2], forwarding: 0, tx: 0-1, expulsion: 0}\n"
                                       "  addresses:\n");
        for (uint32_t i = 0; i < more; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "    \"02:00:00:00:00:%02x\": 1\n", i);
        assert_true(document_read(&document, "f", text, strlen(text), &error));
        bool failed = true;
        for (uint64_t n = 1; failed; n++) {
            failing_alloc_start(n);
            bool good = work_switch(&document, &error);
            failed = failing_alloc_stop();
            if (!good && !failed)
                fail_msg("%s", ERROR_LINE(&error));
            assert_int_equal(good, !failed);
            assert_int_equal(error.code == WEIR_ERROR_MEMORY, failed);
            assert_int_equal(failing_alloc_held(), 0);
        }
        document_free(&document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(experiment_read__memory_runs_short),
                                       cmocka_unit_test(scenario_build_switch__memory_runs_short)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
