/*
 * answers.h - the oracles of a scenario: what answers by arrival number are filled with.
 */
#ifndef SCENARIO_READ_ANSWERS_H
#define SCENARIO_READ_ANSWERS_H

#include "scenario/read/scenario.h"

/* CSV with the columns `switch` ("s0", or "s0.1" for MMU 1 of s0), `index` and `lost` (0 or 1), others beside them;
 * # for comments. Rows of switches without an oracle are skipped. */
bool answers_read(struct scenario *scenario, const char *text, size_t size, struct weir_error *error);

#endif
