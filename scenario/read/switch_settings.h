/*
 * switch_settings.h - what `switch` says of one tier, before it becomes a struct sim_switch. The tables of its keys are
 * in switch_keys.c, reading in switches.c, policy.c and lossless.c.
 */
#ifndef SCENARIO_READ_SWITCH_SETTINGS_H
#define SCENARIO_READ_SWITCH_SETTINGS_H

#include "scenario/read/read.h"

struct ecn {
    uint32_t kind[WEIR_CLASSES_MAX];
    int64_t low[WEIR_CLASSES_MAX], high[WEIR_CLASSES_MAX]; /* bytes */
    weir_q16 chance[WEIR_CLASSES_MAX];
    uint32_t at; /* 0: arrival, 1: departure */
    bool hosts;
};

enum { TRIM_OF_REFUSED, TRIM_OF_PUSHED_OUT, TRIM_OF_EXPELLED, TRIM_OF_ALL, TRIM_OF_NONE };

struct trim {
    uint32_t classes; /* bit c: class c */
    uint32_t to, losses, ecn;
    uint32_t ingress; /* 0: asked */
    uint32_t bytes;
    weir_q16 newest;
};

struct settings {
    uint32_t ports_per_memory, cell_bytes, classes, scheduler, quantum_bytes, strict_from, descriptors;
    uint32_t memory_cell_bytes, memory_depth_cells;
    int64_t buffer_bytes;
    weir_bps memory_bps;
    uint32_t weight[WEIR_CLASSES_MAX];
    int64_t own_bytes[WEIR_CLASSES_MAX];
    struct ecn ecn;
    struct trim trim;
    uint32_t lossless;      /* bit c: class c */
    int64_t headroom_bytes; /* of a queue, or HEADROOM_SAFE, HEADROOM_EQUATION */
    uint32_t device_packets;
};

#define DESCRIPTORS_MAX (1 << 24)
#define ETHERNET_LEAST_BYTES 64
#define HEADROOM_SAFE INT64_C(-1)
#define HEADROOM_EQUATION INT64_C(-2)

/* Keys of switch_section that are read before the others, which are measured by them. */
enum { SWITCH_PORTS_PER_MEMORY, SWITCH_CELL, SWITCH_CLASSES, SWITCH_BUFFER, SWITCH_LOSSLESS, SWITCH_KEYS_FIRST };

/* `policy` and `headroom`: a name, or a map of name and parameters. `shown` is the map with all of them. */
struct read_policy {
    const struct weir_policy *policy;
    struct weir_values *values;
    struct node *shown;
};
bool read_policy(struct build *build, const struct node *node, struct read_policy *out);
/* What `headroom` of a switch names; null: nothing. */
const struct node *read_find_headroom(const struct node *map);
bool read_headroom(struct build *build, const struct node *node, struct read_policy *out);

/* `oracle`. */
enum { ORACLE_ASKED, ORACLE_PERFECT, ORACLE_LOST, ORACLE_KEPT };

struct oracle_settings {
    const char *model, *table; /* files; null: none */
    uint32_t answers;
    weir_q16 flip;
    bool learns; /* by these: */
    struct forest_online_settings online;
    struct scenario_features shows;
};

#define READ_UNTAUGHT "oracle: 'online' learns in the simulator only (expected 'model', made from rows of such a run)"

/* What a tier's `oracle` says. */
struct read_oracle {
    const struct node *node; /* null: it is missing */
    bool asks;               /* the tier's policy asks one */
    struct oracle_settings settings;
    const struct forest *forest;     /* for switches without one of their own; may be null */
    const struct forest **of_switch; /* [switches] */
};

/* The section of one tier, with the forests that it names; then the oracles of all MMUs. */
bool read_oracle(struct build *build, const struct node *map, const struct read_policy *policy,
                 struct read_oracle *oracle, struct node *shown_switch);
bool read_oracles(struct build *build, const struct read_oracle read[SIM_TIERS_MAX]);

/* What the settings and `headroom` say of the lossless classes, into the switch of the tier and the map that is shown.
 */
bool read_lossless(struct build *build, const struct node *map, const struct settings *settings, uint32_t tier,
                   struct node *shown);

/* Which policies a key may name. */
bool policy_is_egress(const struct weir_policy *policy);
bool policy_is_headroom(const struct weir_policy *policy);

#endif
