/*
 * test_config_draws.c - what depends on the seed: what is told of a scenario, and what two seeds give.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/read/scenario.h"
#include "tests/support/error_line.h"

#define PAIRS "kind: long, bytes: 100KB, sources: h0-h3, destinations: h7"
#define ONE "kind: long, sources: h0, destinations: h7"
#define TIES "the order of simultaneous events"
#define MANY "kind: long, sources: h0-h3, destinations: h7"

static uint64_t digest_of(struct scenario *scenario, uint64_t seed)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    scenario->config.seed = seed;
    struct sim *sim = scenario_create(scenario, &error);
    if (sim == NULL)
        fail_msg("%s", ERROR_LINE(&error));
    assert_int_equal(sim_run(sim, NULL, NULL), SIM_DONE);
    uint64_t digest = sim_digest(sim);
    sim_free(sim);
    return digest;
}

static void check(const char *text, const char *expected)
{
    struct document document;
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!document_read(&document, "f.yaml", text, strlen(text), &error) ||
        !scenario_build(&scenario, &document, NULL, &error))
        fail_msg("%s\n%s", ERROR_LINE(&error), text);
    const char *what = sim_config_draws(&scenario.config);
    bool differ = digest_of(&scenario, 1) != digest_of(&scenario, 2);
    if (strcmp(what != NULL ? what : "nothing", expected) != 0)
        fail_msg("%s: draws %s (expected %s)", text, what != NULL ? what : "nothing", expected);
    bool perhaps = what != NULL && strcmp(what, TIES) == 0; /* two events may never be at the same moment */
    if (differ != (what != NULL) && !perhaps)
        fail_msg("%s: two seeds %s", text, differ ? "differ" : "are the same");
    scenario_free(&scenario);
    document_free(&document);
}

static void sim_config_draws__as_two_seeds_do(void **state)
{
    static const struct {
        const char *transport, *traffic, *ecn, *what;
    } cases[] = {
        {"kind: dctcp", MANY, "kind: none", TIES},
        {"kind: dctcp", MANY, "kind: red, low: 3KB, high: 30KB, chance: 50%", "ECN marks"},
        {"kind: dctcp", MANY, "kind: step, low: 30KB", TIES},
        {"kind: cubic", "kind: long, bytes: 100KB", "kind: none", "receivers"},
        {"kind: cubic", "kind: long, bytes: 100KB, pattern: one-to-one, sources: h0-h3, destinations: h4-h7",
         "kind: none", TIES},
        {"kind: cubic", "kind: long, bytes: 100KB, pattern: permutation", "kind: none", "receivers"},
        {"kind: cubic", "kind: poisson, sizes: websearch, load: 50%", "kind: none", "arrivals"},
        {"kind: cubic", "kind: query, bytes: 40KB, fan_out: 3, rate: 10000/s", "kind: none", "arrivals"},
        {"kind: cubic", "kind: query, bytes: 40KB, fan_out: 3, rate: 10000/s, periodic: yes", "kind: none",
         "the order of responders"},
        {"kind: cubic", "kind: incast, bytes: 400KB, destination: h0, fan_out: 3", "kind: none",
         "the order of responders"},
        {"kind: cubic", "kind: incast, bytes: 400KB, destination: h0, fan_out: 2-5", "kind: none", "fan-outs"},
        {"kind: cubic", "kind: incast, bytes: 400KB, sources: h1, destination: h0", "kind: none", "nothing"},
        {"kind: cubic", ONE, "kind: none", "nothing"},
        {"kind: udp, rate: 3Gbps", ONE, "kind: none", "nothing"},
        {"kind: cubic", ONE ", concurrency: 2", "kind: none", TIES},
        {"kind: cubic", "kind: incast, sizes: websearch, sources: h1, destination: h0", "kind: none", "sizes"},
        {"kind: cubic", "kind: all-to-all, bytes: 10KB, rounds: 1", "kind: none", "the order of receivers"},
        {"kind: cubic", "kind: all-reduce, bytes: 10KB, rounds: 1", "kind: none", TIES},
        {"kind: udp, rate: 1Gbps", MANY, "kind: none", TIES},
        {"kind: udp, rate: 1Gbps, poisson: yes", MANY, "kind: none", "packets"},
        {"kind: udp, rate: 1Gbps, exponential_sizes: yes", MANY, "kind: none", "packets"},
        {"kind: udp, rate: 1Gbps, on: 100us, off: 100us", MANY, "kind: none", TIES},
        {"kind: udp, rate: 1Gbps, on: 100us, off: 100us, exponential_periods: yes", MANY, "kind: none", "packets"},
        {"kind: cubic, class: 0-1", PAIRS, "kind: none", "classes of flows"},
        {"kind: cubic, class: 1", PAIRS, "kind: none", TIES},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "until: 3ms\ntopology: {kind: single, hosts: 8, rate: 1Gbps}\n"
                 "switch: {buffer: 100KB, policy: dt, classes: 2, ecn: {%s}}\n"
                 "transports: {t: {%s}}\ntraffic: [{tag: x, transport: t, %s}]\n",
                 cases[i].ecn, cases[i].transport, cases[i].traffic);
        check(text, cases[i].what);
    }
}

/* One flow between two racks: only its way can differ. */
static void sim_config_draws__paths(void **state)
{
    static const char text[] = "until: 1ms\ntopology: {kind: leaf-spine, leaves: 2, spines: %s, hosts_per_leaf: 1}\n%s"
                               "switch: {buffer: 100KB, policy: dt}\ntransports: {t: {kind: cubic}}\n"
                               "traffic: [{kind: long, tag: x, transport: t, sources: h0, destinations: h1}]\n";
    static const struct {
        const char *spines, *routing, *what;
    } cases[] = {{"16", "", "paths"}, {"16", "routing: {ecmp_seed: 3}\n", "nothing"}, {"1", "", "nothing"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char scenario[1024];
        snprintf(scenario, sizeof scenario, text, cases[i].spines, cases[i].routing);
        check(scenario, cases[i].what);
    }
}

/* One flow and no choice: only its host's clock can differ. */
static void sim_config_draws__clocks(void **state)
{
    static const char *const hosts[] = {"jitter: 100ns", "drift: 100"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "until: 3ms\ntopology: {kind: single, hosts: 8, rate: 1Gbps}\nswitch: {buffer: 100KB, policy: dt}\n"
                 "host: {%s}\ntransports: {t: {kind: cubic}}\ntraffic: [{tag: x, transport: t, %s}]\n",
                 hosts[i], ONE ", bytes: 100KB");
        check(text, "the clocks of hosts");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sim_config_draws__as_two_seeds_do),
                                       cmocka_unit_test(sim_config_draws__paths),
                                       cmocka_unit_test(sim_config_draws__clocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
