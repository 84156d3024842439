/*
 * embedded.h - a scenario as text in a struct weir_sim, or the test fails.
 */
#ifndef TESTS_SUPPORT_EMBEDDED_H
#define TESTS_SUPPORT_EMBEDDED_H

#include "tests/support/measured_run.h"
#include "weir/sim.h"

#define INCAST                                                                                                         \
    "until: 8ms\n"                                                                                                     \
    "seed: 3\n"                                                                                                        \
    "topology: {kind: single, hosts: 9, rate: 10Gbps, delay: 5us}\n"                                                   \
    "switch: {buffer: 100KB, policy: {name: dt, alpha: 1}}\n"                                                          \
    "transports: {t: {kind: dctcp, min_rto: 1ms}}\n"                                                                   \
    "traffic:\n"                                                                                                       \
    "- {kind: incast, tag: burst, transport: t, sources: h1-h8, destination: h0, bytes: 400KB, rounds: 2, interval: "  \
    "4ms}\n"                                                                                                           \
    "measure: {probes: [{at: s0, to: h0, interval: 1us}]}\n"

static inline struct weir_sim *embedded(const char *text)
{
    const struct weir_sim_source source = {.size = sizeof source, .text = text};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct weir_sim *sim = weir_sim_create(&source, &error);
    if (sim == NULL)
        fail_msg("%s", ERROR_LINE(&error));
    return sim;
}

static inline uint64_t digest_of(const char *text)
{
    struct run whole = {.sim = NULL};
    run(&whole, text);
    uint64_t digest = sim_digest(whole.sim);
    done(&whole);
    return digest;
}

#endif
