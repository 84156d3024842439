/*
 * exchange.h - for cluster.c: what cluster_exchange keeps.
 */
#ifndef LAB_MPI_EXCHANGE_H
#define LAB_MPI_EXCHANGE_H

#include "lab/mpi/cluster.h"

void exchange_free(struct cluster *cluster);

#endif
