/*
 * plan.h - a scenario file as a list of runs: read, changed by the command line, expanded, and each run tried, so
 * that every mistake is found before the first of them starts.
 */
#ifndef EXPERIMENT_PLAN_H
#define EXPERIMENT_PLAN_H

#include "cli/cli.h"
#include "results/store.h"
#include "scenario/experiment/experiment.h"
#include "scenario/read/scenario.h"

#define RUN_SETS_MAX 64u

/* Changes of the command line. */
struct run_changes {
    const char *set[RUN_SETS_MAX]; /* "key.path=value" */
    uint32_t sets;
    uint64_t seed, seeds;
    bool seed_given, seeds_given;
    bool quick;
};

struct run_plan {
    const char *file; /* as typed */
    char *folder;     /* where files that it names are looked for */
    char *database;   /* where results go */
    struct document document;
    struct experiment experiment;
    uint32_t runs;
    char (*ids)[EXPERIMENT_ID_MAX]; /* [runs] */
    bool *real;                     /* [runs]: to be made in the testbed, on real packets (`testbed.use`) */
    uint32_t *todo;                 /* runs with an id that none before them has, in order */
    uint32_t todo_count;
    uint32_t todo_real; /* of them, those in the testbed */
};

/* `output` null: NAME.db. Prints errors and warnings: an exit code. Release with run_plan_free either way. */
int run_plan_make(struct run_plan *plan, const char *file, const struct run_changes *changes, const char *output);
void run_plan_free(struct run_plan *plan);

/* The file as a document, changed: its part of run_plan_make. */
int run_plan_read(struct run_plan *plan, const char *file, const struct run_changes *changes);

/* The scenario of one run. False after an error; release with scenario_free either way. */
bool run_plan_scenario(const struct run_plan *plan, uint32_t run, struct scenario *scenario, struct weir_error *error);

/* Writes down what the database is about. */
bool run_plan_write(const struct run_plan *plan, struct store *store, struct weir_error *status);

#endif
