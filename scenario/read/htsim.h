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

/* Triggers of a matrix, as its lines say them. Starts as all zeros. */
struct htsim_trigger {
    uint32_t id, line;
    struct listed_trigger is;
};
struct htsim_triggers {
    struct htsim_trigger *at;
    uint32_t count, room;
    uint32_t *lines; /* of each flow of the list */
    uint32_t line_count, line_room;
};
bool htsim_triggers_add(struct htsim_triggers *triggers, const struct htsim_trigger *trigger);
/* The next flow of the list stands in this line. */
bool htsim_triggers_line(struct htsim_triggers *triggers, uint32_t line);
/* Flows that name triggers by their ids name them by number afterwards, and the list has them. False with an error and
 * its line: some flow would never start, or some trigger is not there. */
bool htsim_triggers_join(struct listed_flows *list, struct htsim_triggers *triggers, uint32_t *line,
                         struct weir_error *error);
void htsim_triggers_free(struct htsim_triggers *triggers);

/* `at` is where the scenario names the file. Null after an error. */
struct node *htsim_read_topology(struct build *build, const struct node *at, const char *text, size_t size,
                                 const char *path);

#endif
