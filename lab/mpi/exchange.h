/*
 * exchange.h - for cluster.c: what cluster_exchange keeps.
 */
#ifndef CLUSTER_EXCHANGE_H
#define CLUSTER_EXCHANGE_H

#include "lab/mpi/cluster.h"

void exchange_free(struct cluster *cluster);

#endif
