/*
 * testbed_scenario.h - a scenario for the testbed as text, with parts that tests change; or the test fails.
 */
#ifndef TESTS_SUPPORT_TESTBED_SCENARIO_H
#define TESTS_SUPPORT_TESTBED_SCENARIO_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/testbed/testbed.h"
#include "tests/support/error_line.h"
#include "tests/support/scenario_text.h"

#define NETWORK "topology: {kind: single, hosts: 3, rate: 10Gbps, delay: 20us}\n"
#define SWITCH "switch: {buffer: 100KB, policy: dt}\n"
#define TRANSPORTS "transports: {q: {kind: dctcp, min_rto: 200ms}, b: {kind: cubic, min_rto: 200ms}}\n"
#define TRAFFIC                                                                                                        \
    "traffic:\n"                                                                                                       \
    "- {kind: query, tag: query, transport: q, sources: h1-h2, destinations: h0, bytes: 40KB, fan_out: 2,\n"           \
    "   rate: 10/s}\n"                                                                                                 \
    "- {kind: long, tag: background, transport: b, sources: h1, destinations: h2, bytes: 20KB}\n"
#define TESTBED "testbed: {use: yes, scale: 100}\n"

#endif
