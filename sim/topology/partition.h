/*
 * partition.h - divides the nodes of a network into parts of about equal load, for threads and ranks.
 */
#ifndef TOPOLOGY_PARTITION_H
#define TOPOLOGY_PARTITION_H

#include "sim/topology/topology.h"

/* Sets part[node], 0 .. parts - 1, of a topology that was checked. A part may be empty. False: out of memory. */
bool partition_nodes(const struct topology *t, uint32_t parts, uint32_t *part);

/* The same for threads of several ranks: part[node] is rank * threads + thread. Nodes are divided among the ranks
 * first, since what crosses between them costs most, and then those of each rank among its threads. */
bool partition_ranks(const struct topology *t, uint32_t ranks, uint32_t threads, uint32_t *part);

#endif
