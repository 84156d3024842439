/*
 * plan.h - a scenario file as a list of runs: read, changed by the command line, expanded, and each run tried, so
 * that every mistake is found before the first of them starts.
 */
#ifndef LAB_PLAN_PLAN_H
#define LAB_PLAN_PLAN_H

#include "cli/cli.h"
#include "lab/store/store.h"
#include "run/run.h"

#define PLAN_SETS_MAX 64u
#define PLAN_WORDS_MAX 64u

/* Changes of the command line. */
struct plan_changes {
    const char *set[PLAN_SETS_MAX]; /* "key.path=value" */
    uint32_t sets;
    uint64_t seed, seeds;
    bool seed_given, seeds_given;
    uint64_t threads; /* of one run; 0: as the file says */
    bool quick;
    bool until_decided; /* a fixed number of seeds becomes the least of up to ten times as many */
    bool in_parts;      /* one run is built by several ranks: none of them has memory to try the whole */
    bool keeps;         /* a single run that has been tried is about to be made */
};

/* Runs of a sweep, as the command line names them: by the start of an id, or by AXIS=LABEL. Labels of one axis (and
 * ids) are alternatives, those of different axes go together; `seed` counts as an axis. */
struct plan_selection {
    const char *word[PLAN_WORDS_MAX];
    uint32_t count; /* 0: all runs */
};

struct plan {
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
    struct plan_codes *known_codes; /* where the texts are */
    bool *real;                     /* [runs]: to be made in the testbed, on real packets (`testbed.use`) */
    uint32_t *first;                /* [runs]: the first run with the same id: a sweep may come to the same twice */
    bool *chosen;                   /* [runs]; null: all are */
    uint32_t *todo;                 /* of those chosen, runs with an id that none before them has, in order */
    uint32_t todo_count;
    uint32_t todo_real; /* of them, those in the testbed */
    struct run *tried;  /* the only run, opened and tried; null: it was not kept */
};

/* `output` null: NAME.db. Prints errors and warnings: an exit code. Release with plan_free either way. */
int plan_make(struct plan *plan, const char *file, const struct plan_changes *changes, const char *output);
void plan_free(struct plan *plan);

/* Which runs these words mean; `option` is named in messages. An exit code; `chosen` [runs]. */
int plan_find(const struct plan *plan, const char *option, const struct plan_selection *selection, bool *chosen);

/* Leaves runs that `only` does not mean out of `todo`, and sees whether the words of `again` mean something. An exit
 * code. */
int plan_choose(struct plan *plan, const struct plan_selection *only, const struct plan_selection *again);

/* The file as a document, changed: its part of plan_make. */
int plan_read(struct plan *plan, const char *file, const struct plan_changes *changes);

/* One of its runs, to be opened. */
struct run_source plan_source(const struct plan *plan, uint32_t run);

/* The scenario of one run. False after an error; release with scenario_free either way. */
bool plan_scenario(const struct plan *plan, uint32_t run, struct scenario *scenario, struct weir_error *error);

/* Writes down what the database is about. */
bool plan_write(const struct plan *plan, struct store *store, struct weir_error *status);

#endif
