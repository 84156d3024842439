/*
 * run_violations.h - what must not happen: a packet of a lossless class that is lost, and a deadlock, unless the
 * scenario expects it (`pfc.loss`, `pfc.deadlock`). Such a run is stored like any other, but the command says so and
 * fails. The count is a measure of the run, so that a sweep that is resumed knows it of the runs that were there.
 */
#ifndef SHOW_WRITERS_RUN_VIOLATIONS_H
#define SHOW_WRITERS_RUN_VIOLATIONS_H

#include "lab/store/violations.h"
#include "run/measures/run_result.h"

/* Says on stderr what happened in a run, and of a sweep in which runs. CLI_VIOLATION if anything did, else CLI_OK. */
int run_violations_report(const struct run_result *result);
int run_violations_report_sweep(const struct table *table);

/* The same on stdout, for results that are shown again. */
int run_violations_print(const struct table *table);

/* "s0 -> s2 -> s1 -> s3 -> s0"; what is too long ends in "...". */
#define RUN_CYCLE_MAX 320u
const char *run_cycle_text(const struct run_result *result, char text[RUN_CYCLE_MAX]);

/* In which stretch of time the lost packet was begun: "processing", or that its sender did not obey. */
const char *run_loss_term(const struct pfc_loss *loss);

#endif
