/*
 * makers.h - a list of runs, made by processes of this machine (pool.h) and, where mpirun has started several, by the
 * other ranks (ranks.h). What comes out goes to one function of one process, run by run, in the order in which they
 * end.
 */
#ifndef LAB_SPREAD_MAKERS_H
#define LAB_SPREAD_MAKERS_H

#include "lab/spread/pool.h"
#include "lab/spread/progress.h"
#include "lab/spread/ranks.h"

/* What a rank has made, or this process where it is alone. */
struct maker {
    uint32_t jobs;    /* runs at a time; 0: it was not used */
    uint32_t runs;    /* that ended, with a result or without one */
    uint32_t again;   /* that others made again, since it was lost */
    uint32_t longest; /* the run that took most */
    double longest_s;
    double busy_s; /* sum of its runs, each by the wall clock */
};

struct makers {
    struct pool_settings settings; /* of the processes here */
    struct spread_ranks *ranks;    /* null: there are no others */
    const uint32_t *todo;          /* [count] */
    uint32_t count;
    struct sweep_progress *progress; /* the caller counts done and failed */
    struct maker *by;                /* [spread_ranks_count]: filled in, by rank; null: nobody asks */

    /* Keeps what a run left; `version` is of the program that made it. An exit code. */
    int (*keep)(void *context, const struct pool_done *done, const char *version);
    void *context;
};

/* CLI_OK when all have been tried; CLI_INTERRUPTED; or an error, after a message. */
int makers_run(const struct makers *makers);

#endif
