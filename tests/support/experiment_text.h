/*
 * experiment_text.h - a small scenario and the parts of an experiment around it, as text; reading, building and
 * printing them, or failing the test.
 */
#ifndef TESTS_SUPPORT_EXPERIMENT_TEXT_H
#define TESTS_SUPPORT_EXPERIMENT_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/experiment/experiment.h"
#include "scenario/read/scenario.h"
#include "tests/support/error_line.h"

#define BASE                                                                                                           \
    "until: 1ms\n"                                                                                                     \
    "topology: {kind: single, hosts: 4}\n"                                                                             \
    "switch: {buffer: 100KB, policy: dt}\n"                                                                            \
    "transports: {a: {kind: dctcp}}\n"                                                                                 \
    "traffic: [{kind: long, transport: a}, {kind: incast, tag: query, transport: a, destination: h0, bytes: 10KB}]\n"

#define SWEEP                                                                                                          \
    "name: n\ntitle: T\nseed: 7\nseeds: 3\n"                                                                           \
    "limits: {time: 600s, memory: 2GB}\n"                                                                              \
    "paper: {name: Occamy, figure: \"12\", quick: 6s, full: 200s}\n"                                                   \
    "sweep:\n"                                                                                                         \
    "  policy:\n"                                                                                                      \
    "    title: Buffer policy\n"                                                                                       \
    "    labels: [DT, Occamy, LQD]\n"                                                                                  \
    "    switch.policy: [dt, {name: occamy, alpha: 8}, lqd]\n"                                                         \
    "  size:\n"                                                                                                        \
    "    traffic.query.bytes: {from: 10% buffer, to: 40% buffer, step: 10% buffer}\n"                                  \
    "    traffic.0.concurrency: [1, 2, 3, 4]\n"

#define CLAIMS                                                                                                         \
    "figures:\n"                                                                                                       \
    "  - {kind: line, title: Mean, x: size, lines: policy, y: query.qct.mean * 1000, log: y, y_title: ms, note: n}\n"  \
    "  - {kind: bar, title: Loss, x: policy, y: \"query.lost[size=40% buffer]\"}\n"                                    \
    "  - {kind: cdf, title: C, curve: query.qct.cdf, lines: policy, where: {size: 20% buffer}}\n"                      \
    "  - {kind: evolution, title: E, lines: policy, where: {size: 10% buffer}, from: 10us, until: 20us}\n"             \
    "claims:\n"                                                                                                        \
    "  - {id: a, text: Shorter, rule: up-to, paper: 55%, value: \"1 - q[policy=Occamy] / q[policy=DT]\"}\n"            \
    "  - {id: b, text: Eight, rule: about, paper: 8x, value: q, where: {policy: LQD}, quick: no, finding: f}\n"        \
    "  - {id: c, text: True, rule: holds, value: \"q[policy=LQD] < q\"}\n"

#define QUICK                                                                                                          \
    "quick:\n"                                                                                                         \
    "  seeds: 1\n"                                                                                                     \
    "  until: 2ms\n"                                                                                                   \
    "  traffic.query.rounds: 2\n"                                                                                      \
    "  sweep.size: {traffic.query.bytes: [20% buffer, 30% buffer]}\n"                                                  \
    "  sweep.policy: {switch.policy: [lqd, cs, {name: occamy, alpha: 8}]}\n"

static inline bool read_text(struct experiment *experiment, const char *text, bool quick, struct weir_error *error)
{
    struct document document;
    *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    *experiment = (struct experiment){.name = NULL};
    bool good = document_read(&document, "runs/f.yaml", text, strlen(text), error) &&
                experiment_read(experiment, &document, quick, error);
    document_free(&document);
    return good;
}

static inline void read_good(struct experiment *experiment, const char *text, bool quick)
{
    struct weir_error error;
    if (!read_text(experiment, text, quick, &error))
        fail_msg("%s\n%s", ERROR_LINE(&error), text);
}

/* The effective scenario of a run. */
static inline void build_run(const struct experiment *experiment, uint32_t run, struct scenario *scenario)
{
    struct document document;
    struct weir_error error;
    bool good = experiment_run(experiment, run, &document, &error) && scenario_build(scenario, &document, NULL, &error);
    document_free(&document);
    if (!good)
        fail_msg("%s", ERROR_LINE(&error));
}

#endif
