/*
 * cluster.h - this process as one of several that mpirun started, its rank among them, and messages between them.
 *
 * MPI stays out of this process. A child, the courier, is forked before anything else happens, loads the module that is
 * linked with MPI (mpi.h) and carries messages between MPI and a socket to this process. So what reads files and holds
 * the database needs no network and never calls MPI_Init, its children inherit nothing of MPI, and a weir that nobody
 * started with mpirun does not even load the library.
 *
 * Rank 0 talks with all others, and each of them with rank 0 alone. When rank 0 ends, the links of the others close.
 * Beside that all ranks may exchange batches, each with every other one, round by round (cluster_exchange). Ranks of
 * one machine do that in memory (shelf.h), without couriers.
 */
#ifndef LAB_MPI_CLUSTER_H
#define LAB_MPI_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "weir/error.h"

/* What the environment says. */
struct cluster_job {
    uint32_t rank, size; /* size 1: this process alone */
    uint32_t here;       /* ranks on this machine, this one among them */
    const char *module;  /* file of the module for the MPI that started it */
    const char *name;    /* of that MPI */
};

/* False: neither mpirun nor srun --mpi has started this process. */
bool cluster_find_job(struct cluster_job *job);

/* True in the first of several tasks that srun has started without MPI: none of them hears of the others. */
bool cluster_find_tasks(uint32_t *tasks);

struct cluster {
    struct cluster_job job;
    int link; /* to the courier; -1: there is none */
    pid_t courier;
    pid_t parent;   /* who started this process: mpirun, or its daemon */
    uint8_t *bytes; /* that have come and are not yet a whole message */
    size_t size, room;
    struct exchange *exchange; /* null: nothing was exchanged */
};

/* What one rank has for another. */
struct cluster_batch {
    const uint8_t *bytes;
    size_t size;
};

/* Forks the courier. False after an error, and there is none: MPI is missing. To be called before the rights of the
 * process are given up. */
bool cluster_start(struct cluster *cluster, const struct cluster_job *job, struct weir_error *error);

/* False: the courier is gone. */
bool cluster_send(struct cluster *cluster, uint32_t rank, const void *bytes, size_t size);

enum cluster_event {
    CLUSTER_NOTHING, /* no whole message has come */
    CLUSTER_MESSAGE,
    CLUSTER_BATCH,  /* of an exchange */
    CLUSTER_LOST,   /* this rank has ended, or has been silent for too long */
    CLUSTER_CLOSED, /* rank 0 has ended, or the courier */
    CLUSTER_NO_MEMORY
};

struct cluster_news {
    uint32_t rank;
    uint8_t *bytes; /* of a message; to be freed */
    size_t size;
};

/* Does not wait: poll cluster->link for that. */
enum cluster_event cluster_receive(struct cluster *cluster, struct cluster_news *news);

/*
 * Sends out[r] to each other rank r, and waits until in[r] has come from it; that stays until the next exchange
 * begins. All ranks call it equally often. CLUSTER_BATCH: done. Anything else has come in between, or happened, and
 * ends it: CLUSTER_LOST only at rank 0, CLUSTER_CLOSED at the others.
 */
enum cluster_event cluster_exchange(struct cluster *cluster, const struct cluster_batch *out, struct cluster_batch *in,
                                    struct cluster_news *news);

/* An exchange in two halves, where all other ranks are on this machine: a rank may post one round more before it
 * fetches what has come in one. False: out of memory. */
bool cluster_is_near(const struct cluster *cluster);
bool cluster_post(struct cluster *cluster, const struct cluster_batch *out);
enum cluster_event cluster_fetch(struct cluster *cluster, struct cluster_batch *in, struct cluster_news *news);
#define CLUSTER_BATCH_MAX (INT32_MAX - sizeof(uint64_t)) /* bytes of one */

/* False: whoever started this process is gone, and with it the job. */
bool cluster_is_alive(const struct cluster *cluster);

/* Ends the courier. `code` is the exit status of this process. */
void cluster_end(struct cluster *cluster, int code);

#endif
