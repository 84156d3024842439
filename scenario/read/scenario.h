/*
 * scenario.h - a scenario file as a simulation's config.
 *
 *   text --document_read--> tree of nodes --document_set--> edited tree --scenario_build--> struct sim_config
 *
 * The tree is untyped and knows where everything was written; scenario_build reads it section by section with the
 * tables of keys, and also makes the tree of effective values, which is a scenario again. One document can be edited
 * and built many times.
 */
#ifndef SCENARIO_READ_SCENARIO_H
#define SCENARIO_READ_SCENARIO_H

#include "lib/forest/online.h"
#include "scenario/yaml/document.h"
#include "sim/sim.h"
#include "sim/slot/traffic.h"
#include "sim/workload/flow_list.h"
#include "sim/workload/packet_arrivals.h"
#include "switch/dpdk/config.h"

#define SCENARIO_SIZE_BINS_MAX 8u

/* What was read from the file of one traffic item. */
struct scenario_list {
    const char *path; /* the file; null: the item names none */
    struct listed_flows flows;
    struct packet_arrivals packets;
    struct goal goal;
    void *job_image; /* of it; what is mapped of a file if `job_mapped` is not 0, else from malloc */
    size_t job_mapped;
};

/* Something that does not keep a scenario from running, but may not be what was meant: "FILE:LINE:COLUMN: WHAT". */
struct scenario_warning {
    const char *text;
    struct scenario_warning *next;
};

/* Where a run is made. */
struct scenario_testbed {
    bool has;  /* the file has this section */
    bool use;  /* in the testbed, with real packets, else in the simulator */
    bool bmv2; /* its switch is bmv2's simple_switch, else weir-switch */
    uint32_t scale;
    uint32_t initial_window; /* of the hosts' TCP, in segments */
};

/* A file that answers for oracles. */
struct scenario_model {
    const char *path;
    struct forest *forest; /* owned; null: a table */
    struct scenario_model *next;
};

/* What a policy shows its oracle. */
struct scenario_features {
    weir_ps average_ps;
    enum forest_counters counters;
};

/* The oracle of one MMU. */
struct scenario_oracle {
    uint32_t sw, memory;
    const struct weir_oracle *answers; /* one of the three below, or of a forest */
    struct weir_table_oracle table;
    struct weir_flip_oracle flipped;
    struct forest_online online;
    struct scenario_features shows; /* that it learns from */
    bool learns;                    /* the last of them answers, and learns from rows of its MMU */
    bool perfect;                   /* the table is what LQD loses: run/foresee.h */
    uint8_t *lost;                  /* of the table, owned */
    uint64_t room;                  /* bits in it */
};

/* Rows for a predictor. */
struct scenario_rows {
    const char *file;               /* null: only if the command line names one */
    const char *model;              /* file of the forest that is judged by them; null: none */
    const struct forest *forest;    /* that one */
    struct forest_confusion judged; /* its answers so far, counted by who takes the rows */
    struct sim_training settings;
};

/* Rows for oracles that learn while they are asked, on their way to who else wants them. */
struct scenario_learning {
    struct sim_training training;
    const struct sim_training *others; /* what the config had; may be null */
    struct scenario_oracle **of;       /* [switches]: those of its MMUs, side by side; null: they do not learn */
    bool *chosen;                      /* [switches] */
};

/* The slotted model. */
#define SCENARIO_SLOT_PORTS UINT32_MAX /* width: as many as there are ports */
struct scenario_slot {
    bool has;                               /* the file has this section */
    uint32_t traffic;                       /* as written */
    const struct slot_generator *generator; /* null: a file */
    const char *file;
    struct slot_arrivals arrivals; /* of the file */
    uint64_t slots, cases;
    double interval, load; /* interval: in buffers */
    uint32_t burst, width;
    uint32_t ports, buffer; /* of the switch; packets */
};

struct scenario {
    struct arena arena;
    const char *name;   /* one word, for file names and tables; may be null */
    const char *title;  /* one line; may be null */
    const char *origin; /* the file's name */
    struct topology topology;
    struct sim_config config; /* points into this struct: it must not be moved */
    struct weir_values policy_values[SIM_TIERS_MAX], headroom_values[SIM_TIERS_MAX];
    bool has_dataplane; /* the file has this section, or the switch was asked for */
    struct dataplane_config dataplane;
    struct scenario_testbed testbed;
    struct flow_tags tags;
    struct scenario_list *lists; /* [traffic_count] */
    struct mark *traffic_marks;  /* [traffic_count]: where each item stands */
    struct mark switch_mark;     /* where `switch` stands */
    struct scenario_model *models;
    struct scenario_oracle *oracles; /* [oracle_count], owned: of the MMUs whose policy asks one */
    uint32_t oracle_count;
    struct scenario_learning *learning; /* null: no oracle learns */
    struct scenario_rows rows;
    struct scenario_slot slot;
    const struct node *effective; /* every value, ordered as the tables */
    struct scenario_warning *warnings;
    bool tags_known;                           /* every item of traffic has said its tags */
    int64_t size_bins[SCENARIO_SIZE_BINS_MAX]; /* bytes that divide flows into short ... long, growing */
    uint32_t size_bin_count;
};

/* How the files that a scenario names are read. */
struct scenario_files {
    const char *folder; /* where names that do not start at the root are looked for */
    /* Replaces the image of a trace or a job by what it is when not compressed (malloc). Null:
     * files are not compressed. */
    bool (*unpack)(uint8_t **bytes, size_t *size, struct weir_error *error);
};

/* `files` null: naming a file is an error. False after an error; release with scenario_free either way. The document
 * may be released afterwards. */
bool scenario_build(struct scenario *scenario, const struct document *document, const struct scenario_files *files,
                    struct weir_error *error);

/* The same, but reads on after a mistake and adds all of them to `all`; true: none. What was built after a mistake is
 * good for its tags alone, if they are known. A file with `dataplane` and nothing of a run (`until`, `transports`,
 * `traffic`) is read as scenario_build_switch does; its devices may be missing. */
bool scenario_build_all(struct scenario *scenario, const struct document *document, const struct scenario_files *files,
                        struct error_list *all);

/* The same for the software switch: `until`, `transports` and `traffic` may be missing, and only `topology` (one
 * switch), `wire`, `switch`, `pfc` and `dataplane` are read, so that config is no simulation's; of the others the names
 * are checked. `dataplane` is complete and checked. */
bool scenario_build_switch(struct scenario *scenario, const struct document *document,
                           const struct scenario_files *files, struct weir_error *error);

/* Only the network: `topology`, for drawings of it. No file is read. */
bool scenario_build_network(struct scenario *scenario, const struct document *document, struct weir_error *error);
void scenario_free(struct scenario *scenario);

/* Some oracle answers what LQD loses: run/foresee.h finds out, before the simulation is made. */
bool scenario_is_foreseen(const struct scenario *scenario);

/* The simulation, to be released with sim_free; null after an error, which names the place in the file. For run/. */
struct sim *scenario_create(const struct scenario *scenario, struct weir_error *error);

/* A new value for a parameter of the policy of `switch`, or of its headroom scheme. */
struct scenario_parameter {
    const char *origin;       /* where it was said, for messages: "set alpha=4" */
    const char *name, *value; /* the value is YAML */
    bool headroom;            /* there is one */
};

/* Reads it as the scenario would have been read, and changes `values`, or not at all. False after an error. */
bool scenario_set_parameter(const struct scenario *scenario, const struct scenario_parameter *change,
                            struct weir_values *values, struct weir_error *error);

/* "h3" or "s0", as scenarios name nodes. */
void scenario_node_name(const struct topology *topology, uint32_t node, char name[16]);

/* "s0", or "s0.1" of an MMU behind the first. */
void scenario_memory_name(uint32_t sw, uint32_t memory, char name[32]);

/* The reference of every key as Markdown, from the tables. False: out of memory. */
bool scenario_reference(FILE *out);

#endif
