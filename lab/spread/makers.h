/*
 * makers.h - the one loop that makes runs: it hands them to workers, starts more as there is room, notices who is lost
 * and stops when asked to. A worker is a process of this machine (pool.h) or, where mpirun has started several, another
 * rank (ranks.h), which runs this same loop. Only two things differ:
 *
 *   where runs come from   a list: of a sweep, or of a part, which a job of Slurm is; or rank 0, one by one
 *   where they go          `keep`: into the database, into the parcels of a part, or in a letter to rank 0
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
    const uint32_t *todo;          /* [count]; null: rank 0 asks for the runs, until it ends */
    uint32_t count;
    struct sweep_progress *progress; /* the caller counts done and failed */
    struct maker *by;                /* [spread_ranks_count]: filled in, by rank; null: not wanted */

    /* Keeps what a run left; `version` is of the program that made it. An exit code. */
    int (*keep)(void *context, const struct pool_done *done, const char *version);
    /* Rank 0 is about to ask for runs of this file: changes the settings accordingly. */
    void (*turn)(void *context, uint32_t file, struct pool_settings *settings);
    void *context;
};

/* CLI_OK when all have been tried; CLI_INTERRUPTED; or an error, after a message. */
int makers_run(const struct makers *makers);

#endif
