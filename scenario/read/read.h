/*
 * read.h - the sections of a scenario, one file each: x.c has the table of section x, the defaults that are not
 * sim's, and what the values become in struct sim_config. The order of calls matters: later sections measure by what
 * earlier ones said (a packet, the buffer, the nodes).
 */
#ifndef SCENARIO_READ_READ_H
#define SCENARIO_READ_READ_H

#include "scenario/keys/section.h"
#include "scenario/read/scenario.h"

/* What is being built. */
struct build {
    struct reader reader;
    struct scenario *scenario;
    const struct scenario_files *files; /* null: none may be read */
    const struct node *root;            /* of the document */
    struct node *shown;                 /* the effective document */
    const char *const *transport_names; /* ends with null; by index of config.transports */
    const char *const *tier_names;      /* of the topology: "leaf", "spine"; ends with null */
    bool for_switch;                    /* weir-switch is to be made, not a simulation */
    bool later_devices;                 /* ... and its devices may come from its command line */
    bool broken;                        /* a section had mistakes: what depends on several is not judged */
    bool no_network;                    /* the topology among them: nodes and links are not known */
};

/* Each reads its part of `root`, fills scenario->config and puts what is effective into `shown`. False after an error.
 * Where every mistake is wanted, they are called also after one that failed. */
bool read_setting(struct build *build);
bool read_topology(struct build *build);
bool read_setting_of_network(struct build *build);
bool read_switches(struct build *build);
bool read_pfc(struct build *build);
bool read_dataplane(struct build *build);
bool read_testbed(struct build *build);
bool read_transports(struct build *build);
bool read_traffic(struct build *build);
bool read_failures(struct build *build);
bool read_routes(struct build *build);
bool read_measure(struct build *build);
bool read_slot(struct build *build);

/* `measure.rows`, into the scenario and the map that is shown. */
bool read_rows(struct build *build, const struct node *measure, struct node *shown);

/* After traffic: arrivals do not depend on losses where an oracle is to be perfect. */
bool oracle_check_foresight(struct build *build);

/* After `measure` and `slot`: oracles that learn get rows of what their policy shows. Then, for each simulation, all is
 * forgotten, and the config has these rows. */
bool learning_check(struct build *build);
void learning_begin(const struct scenario *scenario, struct sim_config *config);

/* The switch of a name, "s3"; `at` is where the name stands. */
bool read_switch_name(struct build *build, const struct node *at, const char *name, uint32_t *sw);

/* The entry of `root`, or an empty map when it is not there; null after an error. */
const struct node *read_section(struct build *build, const char *name, enum node_kind kind);

/* Notes something for scenario->warnings; false: out of memory. */
bool read_warn(struct build *build, const struct node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The mark in memory of the scenario, since the document's ends earlier; false: out of memory. */
bool read_keep_mark(struct build *build, struct mark mark, struct mark *kept);

/* Flows or packets of traffic from a file in the scenario's folder; `at` is where the file is named. */
struct read_file {
    const char *name;             /* as written */
    bool pcap;                    /* of packets: a capture, else a trace */
    const uint8_t *class_of_dscp; /* of a capture, [PACKET_DSCPS]; null: all are of class 0 */
};

/* A file whole; the bytes (malloc) are the caller's also after an error. */
struct read_image {
    uint8_t *bytes;
    size_t size;
};
struct read_image_of {
    const char *key, *name; /* as written */
};
/* An error that is one of the file. False. */
bool read_place_in_file(struct build *build, const struct node *at, const struct read_image_of *what);

/* Of the item of traffic that is being read. */
struct scenario_list *read_list_of(struct build *build);
bool read_image(struct build *build, const struct node *at, const struct read_image_of *what, const char **path,
                struct read_image *image);

/* The forest in a file that `key` names, read once for all that name it; null after an error. */
const struct forest *read_forest(struct build *build, const struct node *at, const struct read_image_of *what);

/* The file as a path that means the same from every folder; null: out of memory, or no files may be read. */
const char *read_file_path(struct build *build, const char *name);

/* The map of an explicit topology, from a file of links that `at` names; null after an error. */
struct node *read_edge_list(struct build *build, const struct node *at);

/* The points of a size distribution from a file that `at` names, a list of [bytes, probability]; null after an error.
 */
const struct node *read_size_file(struct build *build, const struct node *at);
bool read_traffic_file(struct build *build, const struct node *at, const struct read_file *file,
                       struct traffic_settings *traffic);

/* The port of switch `at` by which the `parallel`-th link to its neighbour `to` leaves, and that link. */
struct read_port {
    uint32_t at, to, parallel; /* nodes */
    uint32_t port, link;
};
bool read_port(struct build *build, const struct node *map, struct read_port *port);

/* The job in a file, mapped into memory, and where its ranks are; `item` is complete but for these. */
struct traffic_item;
bool read_job(struct build *build, const struct node *map, struct traffic_item *item);
void job_file_free(struct scenario_list *list);

/* The plain keys at the top of a file. */
struct scenario_top {
    const char *name, *title;
    uint64_t seed;
    weir_ps until_ps;
    uint32_t setting;
};

extern const char *const setting_names[];

/* Sections that a file must have and its `setting` gives, empty; false: out of memory. */
bool setting_begin(struct arena *arena, struct node *root, struct weir_error *error);

/* The tables, for the reference. */
extern const struct section topology_section, link_section, wire_section, switch_section, ecn_section, trim_section,
    oracle_section, online_section, rows_section, transport_section, traffic_section, failure_section, route_section,
    measure_section, probe_section, routing_section, host_section, pfc_section, watchdog_section, dataplane_section,
    cpus_section, testbed_section, slot_section, top_section;

/* Of the parts that an experiment has beyond one simulation (scenario/experiment/reading.h): the table of a whole file
 * names them. */
extern const struct section paper_section, limits_section, axis_section, range_section, figure_section, claim_section,
    trial_section;

#endif
