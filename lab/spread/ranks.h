/*
 * ranks.h - a sweep over the ranks of an MPI job: rank 0 plans it, stores what comes out and makes runs itself; the
 * others make the runs that it hands out, one by one, as they have room.
 *
 * Every rank reads the scenario itself, from files that all of them see, and says with its first message what it has
 * read and which code it is: one that would make other runs than rank 0 is not used. What a rank sends back is a
 * parcel. The runs of a rank that is lost are handed out again.
 */
#ifndef LAB_SPREAD_RANKS_H
#define LAB_SPREAD_RANKS_H

#include "lab/mpi/cluster.h"
#include "lab/spread/parcel.h"
#include "lab/spread/spread.h"

#define RANKS_HOST_MAX 64u

struct spread_ranks {
    struct cluster cluster;
    bool there, alone;
    struct weir_error error;
    struct rank {
        uint32_t jobs; /* at a time; 0: it cannot be used */
        bool lost;
        uint32_t running;
        uint32_t *items; /* [jobs]: those that it is making */
        char host[RANKS_HOST_MAX];
    } * at; /* [size], of rank 0 */
    const struct plan *plan;
    uint64_t digest; /* of all plans */
    uint32_t file;   /* that is being made */
    int spoken;      /* of another rank: its output, which is not shown; -1: none */
};

/* Before the rights of the command are given up: finds out whether there are ranks, and starts the courier. */
void spread_ranks_begin(void);

/* Null: mpirun has not started this process, or nobody but it. Where MPI is missing, an error: *code is not CLI_OK. */
struct spread_ranks *spread_ranks_find(int *code);

/* Warns, unless it is to be quiet, when each of several tasks of srun is about to make the same. */
void spread_ranks_warn(const struct spread_choice *choice);

/* True when this is one run, over which the ranks simulate the network together; else they share out many. */
bool spread_ranks_split(const struct spread_choice *choice, const struct plan *plans);

uint32_t spread_ranks_here(const struct spread_ranks *ranks);  /* how many share this machine; null: 1 */
uint32_t spread_ranks_count(const struct spread_ranks *ranks); /* null: 1 */

/* In the other ranks: makes what rank 0 asks for, until that ends. `code` says how planning went. An exit code. */
int spread_ranks_serve(struct spread_ranks *ranks, const struct spread_choice *choice, const struct plan *plans,
                       int code);

/* In rank 0. Before the runs of plan `file`, of `files`. */
void spread_ranks_plan(struct spread_ranks *ranks, const struct plan *plans, uint32_t files, uint32_t file);

uint32_t spread_ranks_running(const struct spread_ranks *ranks);             /* runs that others are making */
uint32_t spread_ranks_jobs(const struct spread_ranks *ranks, uint32_t rank); /* at a time; 0: it was not used */
bool spread_ranks_have_room(const struct spread_ranks *ranks);
bool spread_ranks_start(struct spread_ranks *ranks, uint32_t item); /* false: MPI has ended */

enum ranks_event {
    RANKS_NOTHING,
    RANKS_DONE,  /* *done is filled in, `bytes` point into *parcel, which is to be freed */
    RANKS_LOST,  /* `lost` [count] are to be made again */
    RANKS_ASKED, /* rank 0 wants `run` of `file` */
    RANKS_NEWS,  /* something else has changed, there may be room */
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
    uint32_t file, run;
    char *text; /* what there is to tell; null: nothing; to be freed */
};

/* Does not wait. */
enum ranks_event spread_ranks_look(struct spread_ranks *ranks, struct ranks_news *news);

/* At the end of the command, whatever became of it. */
void spread_ranks_end(int code);

/* For fabric.c: what would be run, as a number; what a letter of another rank says, when none was expected; to rank 0,
 * the last that this one has said. */
uint64_t spread_ranks_digest(const struct plan *plan, uint32_t run);
void spread_ranks_explain(const struct cluster_news *letter, struct weir_error *error);
void spread_ranks_tell_unfit(struct spread_ranks *ranks);

/* One run over all ranks (fabric.c). Begins when all are there and are about to make the same run; null with an error
 * otherwise. */
struct fabric;
struct fabric *spread_fabric_begin(struct spread_ranks *ranks, const struct plan *plan, uint32_t run,
                                   struct weir_error *error);
const struct sim_ranks *spread_fabric_ranks(const struct fabric *fabric); /* for the config */

/* After the run: false with an error when a rank is lost. */
bool spread_fabric_end(struct fabric *fabric, struct weir_error *error);
void spread_fabric_free(struct fabric *fabric);

/* The part of a rank other than 0. An exit code. */
int spread_fabric_serve(struct spread_ranks *ranks, const struct spread_choice *choice, const struct plan *plan);

#endif
