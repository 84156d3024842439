/*
 * switch.h - the switches that can stand between the hosts of a testbed: weir-switch, and bmv2's simple_switch with the
 * program in hw/p4/. What differs between them is here; the rest of the testbed does not ask which one it has.
 */
#ifndef TESTBED_SWITCH_H
#define TESTBED_SWITCH_H

#include "lab/testbed/point.h"

struct testbed_need {
    const char *program, *package; /* where to get it */
};

struct testbed_switch {
    const char *program;
    struct testbed_need needs[4]; /* programs; the last has no name */

    /* Takes what it needs from the scenario into settings. False and one line: it cannot do what that says. */
    bool (*read)(struct testbed_settings *settings, const struct scenario *scenario, struct weir_error *error);

    /* Starts it in its namespace; it forwards when this returns. */
    bool (*start)(struct testbed *bed, struct weir_error *error);

    /* What it counted. */
    bool (*count)(struct testbed_counters *counters, const struct testbed *bed, struct weir_error *error);
};

extern const struct testbed_switch testbed_weir_switch, testbed_bmv2;

#endif
