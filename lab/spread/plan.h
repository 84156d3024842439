/*
 * plan.h - a scenario file as a list of runs: read, changed by the command line, expanded, and each run tried, so
 * that every mistake is found before the first of them starts.
 */
#ifndef EXPERIMENT_PLAN_H
#define EXPERIMENT_PLAN_H

#include "cli/cli.h"
#include "lab/store/store.h"
#include "run/run.h"

#define RUN_SETS_MAX 64u
#define RUN_WORDS_MAX 64u

/* Changes of the command line. */
struct run_changes {
    const char *set[RUN_SETS_MAX]; /* "key.path=value" */
    uint32_t sets;
    uint64_t seed, seeds;
    bool seed_given, seeds_given;
    uint64_t threads; /* of one run; 0: as the file says */
    bool quick;
    bool in_parts; /* one run is built by several ranks: none of them has memory to try the whole */
    bool keeps;    /* a single run that has been tried is about to be made */
};

/* Runs of a sweep, as the command line names them: by the start of an id, or by AXIS=LABEL. Labels of one axis (and
 * ids) are alternatives, those of different axes go together; `seed` counts as an axis. */
struct run_selection {
    const char *word[RUN_WORDS_MAX];
    uint32_t count; /* 0: all runs */
};

struct run_plan {
    const char *file; /* as typed */
    char *folder;     /* where files that it names are looked for */
    struct scenario_files files;
    char *database; /* where results go */
    struct document document;
    struct experiment experiment;
    uint32_t threads; /* of one run */
    bool in_parts;    /* as asked for */
    bool keeps;       /* likewise */
    uint32_t runs;
    char (*ids)[EXPERIMENT_ID_MAX]; /* [runs] */
    const char **codes;             /* [runs]: the code that would make it now (lab/store/code.h) */
    struct run_codes *known_codes;  /* where the texts are */
    bool *real;                     /* [runs]: to be made in the testbed, on real packets (`testbed.use`) */
    uint32_t *first;                /* [runs]: the first run with the same id: a sweep may come to the same twice */
    bool *chosen;                   /* [runs]; null: all are */
    uint32_t *todo;                 /* of those chosen, runs with an id that none before them has, in order */
    uint32_t todo_count;
    uint32_t todo_real; /* of them, those in the testbed */
    struct run *tried;  /* the only run, opened and tried; null: it was not kept */
};

/* `output` null: NAME.db. Prints errors and warnings: an exit code. Release with run_plan_free either way. */
int run_plan_make(struct run_plan *plan, const char *file, const struct run_changes *changes, const char *output);
void run_plan_free(struct run_plan *plan);

/* Which runs these words mean; `option` is named in messages. An exit code; `chosen` [runs]. */
int run_plan_find(const struct run_plan *plan, const char *option, const struct run_selection *selection, bool *chosen);

/* Leaves runs that `only` does not mean out of `todo`, and sees whether the words of `again` mean something. An exit
 * code. */
int run_plan_choose(struct run_plan *plan, const struct run_selection *only, const struct run_selection *again);

/* The file as a document, changed: its part of run_plan_make. */
int run_plan_read(struct run_plan *plan, const char *file, const struct run_changes *changes);

/* One of its runs, to be opened. */
struct run_source run_plan_source(const struct run_plan *plan, uint32_t run);

/* The scenario of one run. False after an error; release with scenario_free either way. */
bool run_plan_scenario(const struct run_plan *plan, uint32_t run, struct scenario *scenario, struct weir_error *error);

/* Writes down what the database is about. */
bool run_plan_write(const struct run_plan *plan, struct store *store, struct weir_error *status);

#endif
