/*
 * htsim.h - files of htsim and its descendants: connection matrices (.cm) as flows, topologies (.topo) as a map of
 * kind explicit. Both begin with "Nodes N".
 */
#ifndef SCENARIO_READ_HTSIM_H
#define SCENARIO_READ_HTSIM_H

#include "scenario/read/read.h"
#include "sim/workload/flow_list.h"

/* The text begins as a connection matrix or a topology does. */
bool htsim_is(const char *text, size_t size);

/* Into a list that is empty, sorted by start. False after an error: then the list is empty. */
bool htsim_read_flows(struct listed_flows *list, const char *text, size_t size, const struct flow_list_setup *setup,
                      struct build *build);

/* `at` is where the scenario names the file. Null after an error. */
struct node *htsim_read_topology(struct build *build, const struct node *at, const char *text, size_t size,
                                 const char *path);

#endif
