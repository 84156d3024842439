/*
 * mpi.h - what the courier asks of MPI: the one symbol of the module that mpi.c is built into, once for each MPI.
 */
#ifndef LAB_MPI_MPI_H
#define LAB_MPI_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cluster_mail {
    uint32_t rank; /* where it goes to, or comes from */
    int tag;
    uint8_t *bytes; /* malloc: the sender gives it away, the receiver gets it; null: empty */
    size_t size;
};

struct cluster_mpi {
    bool (*start)(uint32_t *rank, uint32_t *size);

    /* Sending takes its time; `receive` helps. False: cannot be sent. */
    bool (*send)(struct cluster_mail *mail);

    /* False: there is nothing now. */
    bool (*receive)(struct cluster_mail *mail);

    bool (*has_sent)(void); /* all of it */
    void (*stop)(void);     /* waits until all ranks have come here */
    void (*abort)(int code);
};

#define CLUSTER_MPI_SYMBOL "weir_cluster_mpi"
#define CLUSTER_MPI_BYTES_MAX INT32_MAX /* of one message */

extern const struct cluster_mpi weir_cluster_mpi;

#endif
