/*
 * ranks.h - a sweep over the ranks of an MPI job: rank 0 plans it, stores what comes out and makes runs itself; the
 * others make the runs that it hands out, one by one, as they have room.
 *
 * Every rank reads the scenario itself, from files that all of them see, and says with its first message what it has
 * read and which code it is: one that would make other runs than rank 0 is not used. What a rank sends back is a
 * parcel. The runs of a rank that is lost are handed out again.
 */
#ifndef EXPERIMENT_RANKS_H
#define EXPERIMENT_RANKS_H

#include "lab/mpi/cluster.h"
#include "lab/spread/parcel.h"
#include "lab/spread/run.h"

/* Before the rights of the command are given up: finds out whether there are ranks, and starts the courier. */
void run_ranks_begin(void);

/* Null: mpirun has not started this process, or nobody but it. Where MPI is missing, an error: *code is not CLI_OK. */
struct run_ranks *run_ranks_find(int *code);

/* Warns, unless it is to be quiet, when each of several tasks of srun is about to make the same. */
void run_ranks_warn(const struct run_choice *choice);

/* True when this is one run, over which the ranks simulate the network together; else they share out many. */
bool run_ranks_split(const struct run_choice *choice, const struct run_plan *plans);

uint32_t run_ranks_own(const struct run_ranks *ranks);   /* rank of this process */
uint32_t run_ranks_here(const struct run_ranks *ranks);  /* how many share this machine; null: 1 */
uint32_t run_ranks_count(const struct run_ranks *ranks); /* null: 1 */

/* In the other ranks: makes what rank 0 asks for, until that ends. `code` says how planning went. An exit code. */
int run_ranks_serve(struct run_ranks *ranks, const struct run_choice *choice, const struct run_plan *plans, int code);

/* In rank 0. Before the runs of plan `file`, of `files`. */
void run_ranks_plan(struct run_ranks *ranks, const struct run_plan *plans, uint32_t files, uint32_t file);

int run_ranks_ear(const struct run_ranks *ranks);
uint32_t run_ranks_running(const struct run_ranks *ranks);             /* runs that others are making */
uint32_t run_ranks_jobs(const struct run_ranks *ranks, uint32_t rank); /* at a time; 0: it was not used */
bool run_ranks_have_room(const struct run_ranks *ranks);
bool run_ranks_start(struct run_ranks *ranks, uint32_t item); /* false: MPI has ended */

enum ranks_event {
    RANKS_NOTHING,
    RANKS_DONE, /* *done is filled in, `bytes` point into *parcel, which is to be freed */
    RANKS_LOST, /* `lost` [count] are to be made again */
    RANKS_NEWS, /* something else has changed, there may be room */
    RANKS_CLOSED,
    RANKS_NO_MEMORY
};

struct ranks_news {
    uint32_t rank; /* whose they are */
    struct pool_done done;
    uint8_t *parcel;
    const char *version;  /* of the program that made it */
    const uint32_t *lost; /* until the next call */
    uint32_t count;
    char *text; /* what there is to tell; null: nothing; to be freed */
};

/* Does not wait. */
enum ranks_event run_ranks_look(struct run_ranks *ranks, struct ranks_news *news);

/* False: mpirun is gone. */
bool run_ranks_are_alive(const struct run_ranks *ranks);

/* At the end of the command, whatever became of it. */
void run_ranks_end(int code);

/* For fabric.c: the messages; what would be run, as a number; what a letter of another rank says, when none was
 * expected; to rank 0, the last that this one has said. */
struct cluster *run_ranks_cluster(struct run_ranks *ranks);
uint64_t run_ranks_digest(const struct run_plan *plan, uint32_t run);
void run_ranks_explain(const struct cluster_news *letter, struct weir_error *error);
void run_ranks_tell_unfit(struct run_ranks *ranks);

/* One run over all ranks (fabric.c). Begins when all are there and are about to make the same run; null with an error
 * otherwise. */
struct fabric;
struct fabric *run_fabric_begin(struct run_ranks *ranks, const struct run_plan *plan, uint32_t run,
                                struct weir_error *error);
const struct sim_ranks *run_fabric_ranks(const struct fabric *fabric); /* for the config */

/* After the run: false with an error when a rank is lost. */
bool run_fabric_end(struct fabric *fabric, struct weir_error *error);
void run_fabric_free(struct fabric *fabric);

/* The part of a rank other than 0. An exit code. */
int run_fabric_serve(struct run_ranks *ranks, const struct run_choice *choice, const struct run_plan *plan);

#endif
