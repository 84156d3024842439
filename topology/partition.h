/*
 * partition.h - divides the nodes of a network into parts of about equal load, for threads.
 */
#ifndef TOPOLOGY_PARTITION_H
#define TOPOLOGY_PARTITION_H

#include "topology/topology.h"

/* Sets part[node], 0 .. parts - 1, of a topology that was checked. A part may be empty. False: out of memory. */
bool partition_nodes(const struct topology *t, uint32_t parts, uint32_t *part);

#endif
