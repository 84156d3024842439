/*
 * scenario.h - a scenario file as a simulation's config.
 *
 *   text --document_read--> tree of nodes --document_set--> edited tree --scenario_build--> struct sim_config
 *
 * The tree is untyped and knows where everything was written; scenario_build reads it section by section with the
 * tables of keys, and also makes the tree of effective values, which is a scenario again. One document can be edited
 * and built many times.
 */
#ifndef SCENARIO_SCENARIO_H
#define SCENARIO_SCENARIO_H

#include "scenario/document.h"
#include "sim/flow_list.h"
#include "sim/packet_arrivals.h"

/* What was read from the file of one traffic item. */
struct scenario_list {
    struct listed_flows flows;
    struct packet_arrivals packets;
};

struct scenario {
    struct arena arena;
    const char *name;   /* one word, for file names and tables; may be null */
    const char *title;  /* one line; may be null */
    const char *origin; /* the file's name */
    struct topology topology;
    struct sim_config config; /* points into this struct: it must not be moved */
    struct weir_values policy_values[SIM_TIERS_MAX];
    struct flow_tags tags;
    struct scenario_list *lists;  /* [traffic_count] */
    const struct node *effective; /* every value, in the order of the tables */
};

/* Files that the scenario names are looked for in `folder`; null: naming one is an error. False after an error; release
 * with scenario_free either way. The document may be released afterwards. */
bool scenario_build(struct scenario *scenario, const struct document *document, const char *folder,
                    struct scenario_error *error);
void scenario_free(struct scenario *scenario);

/* "h3" or "s0", as scenarios name nodes. */
void scenario_node_name(const struct topology *topology, uint32_t node, char name[16]);

/* The reference of every key as Markdown, from the tables. False: out of memory. */
bool scenario_reference(FILE *out);

#endif
