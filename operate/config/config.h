/*
 * config.h - the buffer and QoS part of a SONiC configuration, as it is written: config_db.json, a bare buffers.json or
 * qos.json, a folder of them, and the lookup table pg_profile_lookup.ini beside them.
 *
 * Reading is strict and complete. Every table that has to do with buffers is a row of sonic_tables with all its fields;
 * what is not understood (a field, a value, a key, a table about something else) becomes a problem with its place.
 * Values are strings, numbers where they are numbers; references are taken in the old syntax, "[BUFFER_POOL|x]", and in
 * the new one, "x". Nothing is judged here: a threshold of 102400 is a number. Judging is lint.h.
 */
#ifndef OPERATE_CONFIG_CONFIG_H
#define OPERATE_CONFIG_CONFIG_H

#include <jansson.h>

#include "scenario/yaml/arena.h"
#include "weir/error.h"

#define SONIC_ABSENT INT64_MIN /* a number that was not given, or that could not be read */
#define SONIC_PORTS_MAX 4096u
#define SONIC_GROUPS 16u            /* queues go to 15, priority groups to 7 */
#define SONIC_PRIORITIES 8u         /* of PFC */
#define SONIC_FILE_MAX (64u << 20)  /* bytes */
#define SONIC_MTU_DEFAULT 9100      /* of a port */
#define SONIC_POLL_DEFAULT 200      /* ms, of the PFC watchdog */
#define SONIC_SPEED_MAX 10000000    /* Mb/s */
#define SONIC_CABLE_MAX_M 1000000.0 /* m */

enum sonic_table_id {
    SONIC_DEVICE_METADATA,
    SONIC_PORT,
    SONIC_CABLE_LENGTH,
    SONIC_BUFFER_POOL,
    SONIC_BUFFER_PROFILE,
    SONIC_BUFFER_PG,
    SONIC_BUFFER_QUEUE,
    SONIC_PORT_INGRESS_LIST,
    SONIC_PORT_EGRESS_LIST,
    SONIC_LOSSLESS_TRAFFIC_PATTERN,
    SONIC_LOSSLESS_PARAMETER,
    SONIC_PORT_QOS_MAP,
    SONIC_QUEUE,
    SONIC_SCHEDULER,
    SONIC_WRED_PROFILE,
    SONIC_PFC_WD,
    SONIC_DSCP_TO_TC_MAP,
    SONIC_DOT1P_TO_TC_MAP,
    SONIC_TC_TO_PG_MAP,
    SONIC_TC_TO_QUEUE_MAP,
    SONIC_TC_TO_DSCP_MAP,
    SONIC_PFC_TO_QUEUE_MAP,
    SONIC_PFC_TO_PG_MAP,
    SONIC_SWITCH_TRIMMING,
    SONIC_LLR_PROFILE,
    SONIC_LLR_PORT,
    SONIC_TABLES,
};

/* One key of a table. Every struct of a table begins with it. */
struct sonic_entry {
    enum sonic_table_id table;
    const char *key; /* as written */
    json_t *fields;  /* of the file's tree */
    uint32_t file, spot;
    uint32_t field_spot; /* of a cable: its field; else 0 */
};

struct sonic_place {
    const char *file;
    uint32_t line, column; /* from 1; 0: of the whole file */
};

/* A reference: a name, and how it was written. Null: none. */
struct sonic_name {
    const char *name;
    bool is_old; /* "[TABLE|name]" */
};

/* Whose ports and which groups a key names: "Ethernet0,Ethernet4|3-4". Of VoQ systems host and ASIC stand before it. */
struct sonic_key {
    const char *const *ports; /* count of them */
    uint32_t count;
    uint32_t first, last; /* groups; of keys without: 0 */
    bool is_remote;       /* has a host and an ASIC */
};

enum sonic_buffer_model { SONIC_MODEL_NONE, SONIC_TRADITIONAL, SONIC_MODEL_DYNAMIC };

struct sonic_device {
    struct sonic_entry entry;
    const char *hwsku, *platform;
    uint32_t model; /* enum sonic_buffer_model */
};

struct sonic_port {
    struct sonic_entry entry; /* fields null: the port is only named by other tables */
    const char *name;         /* the key */
    int64_t speed_mbps, mtu;  /* bytes */
    uint32_t lanes;           /* 0: not known */
    uint32_t status;          /* enum sonic_status */
    uint32_t pfc_asym;        /* SONIC_ASYMMETRIC: the peer may pause every priority; else 0, or another */
    double cable_m;           /* negative: not known */
    const struct sonic_cable *cable;
};

#define SONIC_ASYMMETRIC 1u /* "on" */

enum sonic_status { SONIC_STATUS_NONE, SONIC_UP, SONIC_DOWN };

/* A field of CABLE_LENGTH. */
struct sonic_cable {
    struct sonic_entry entry;
    const char *port;
    double metres;
};

enum sonic_side { SONIC_SIDE_NONE, SONIC_INGRESS, SONIC_EGRESS, SONIC_BOTH };
enum sonic_mode { SONIC_MODE_NONE, SONIC_STATIC, SONIC_DYNAMIC };

struct sonic_pool {
    struct sonic_entry entry;
    uint32_t side, mode; /* enum sonic_side, sonic_mode */
    int64_t size, xoff, percentage;
};

struct sonic_profile {
    struct sonic_entry entry;
    struct sonic_name pool;
    int64_t size, dynamic_th, static_th, xon, xoff, xon_offset;
    uint32_t headroom; /* of headroom_type: SONIC_HEADROOM_COMPUTED, or given */
    uint32_t discard;  /* of packet_discard_action: SONIC_TRIMMED, or dropped */
};
#define SONIC_HEADROOM_COMPUTED 1u /* "dynamic" */
#define SONIC_TRIMMED 1u           /* "trim" */

/* BUFFER_PG, BUFFER_QUEUE, QUEUE and lists of profiles: what ports have. */
struct sonic_use {
    struct sonic_entry entry;
    struct sonic_key of;
    struct sonic_name profile;         /* "NULL": computed; of a queue of QUEUE: its WRED profile */
    struct sonic_name scheduler;       /* of QUEUE */
    const struct sonic_name *profiles; /* of the lists */
    uint32_t profile_count;
};

struct sonic_pattern {
    struct sonic_entry entry;
    int64_t mtu, small_percent;
};

struct sonic_parameter {
    struct sonic_entry entry;
    int64_t dynamic_th, over_subscribe;
};

struct sonic_qos {
    struct sonic_entry entry;
    struct sonic_key of;
    uint32_t pfc_mask;     /* bit p: pfc_enable has priority p */
    uint32_t watched_mask; /* likewise of pfcwd_sw_enable */
    struct sonic_name dscp_map, dot1p_map, pg_map, queue_map, pfc_queue_map, pfc_pg_map, tc_dscp_map, scheduler;
};

struct sonic_scheduler {
    struct sonic_entry entry;
    const char *type;
    int64_t weight;
};

enum sonic_colour { SONIC_GREEN, SONIC_YELLOW, SONIC_RED, SONIC_COLOURS };
extern const char *const sonic_colours[SONIC_COLOURS]; /* "green", ... */

struct sonic_wred {
    struct sonic_entry entry;
    int64_t least[SONIC_COLOURS], most[SONIC_COLOURS], percent[SONIC_COLOURS];
    uint32_t drops[SONIC_COLOURS]; /* 1: wred_green_enable is "true" */
    int64_t mark_least[SONIC_COLOURS], mark_most[SONIC_COLOURS], mark_percent[SONIC_COLOURS]; /* of marks, if apart */
    uint32_t ecn;                                                                             /* enum sonic_ecn */
};

enum sonic_ecn {
    SONIC_ECN_ABSENT,
    SONIC_ECN_NONE,
    SONIC_ECN_GREEN,
    SONIC_ECN_YELLOW,
    SONIC_ECN_RED,
    SONIC_ECN_GREEN_YELLOW,
    SONIC_ECN_GREEN_RED,
    SONIC_ECN_YELLOW_RED,
    SONIC_ECN_ALL,
};

/* Whether packets of a colour are marked, and whether those that are not marked are lost. */
bool sonic_wred_marks(const struct sonic_wred *wred, enum sonic_colour colour);
bool sonic_wred_drops(const struct sonic_wred *wred, enum sonic_colour colour);

struct sonic_watchdog {
    struct sonic_entry entry;
    struct sonic_key of; /* of "GLOBAL": that name */
    int64_t detection_ms, restoration_ms, poll_ms;
    const char *action;
    uint32_t history; /* 1: pfc_stat_history is "enable" */
};

/* SWITCH_TRIMMING|GLOBAL: what becomes of packets that a profile with packet_discard_action trim refuses. */
struct sonic_trimming {
    struct sonic_entry entry;
    int64_t size, tc;
    const char *dscp, *queue; /* a number, "from-tc" or "dynamic" */
};

/* Link-layer retry: what a port may have on the wire unacknowledged, and how often it is sent again. */
struct sonic_llr_profile {
    struct sonic_entry entry;
    int64_t frames, bytes, replays, replay_ns, lost_ns, age_ns, spacing;
};

struct sonic_llr_port {
    struct sonic_entry entry;
    struct sonic_key of;
    uint32_t mode, local, remote; /* 1: static, enabled */
    struct sonic_name profile;
};

/* A map from numbers to numbers: of DSCP_TO_TC_MAP and its kind. */
#define SONIC_MAP_MAX 64u
struct sonic_map {
    struct sonic_entry entry;
    int8_t to[SONIC_MAP_MAX]; /* -1: none */
};

/* A row of pg_profile_lookup.ini. */
struct sonic_row {
    const char *file;
    uint32_t line;
    int64_t speed_mbps;
    double cable_m;
    int64_t size, xon, xoff, dynamic_th, xon_offset; /* the last may be SONIC_ABSENT */
};

enum sonic_problem_kind {
    SONIC_UNREADABLE, /* a value, key or entry that is not what it must be */
    SONIC_UNKNOWN,    /* a field that the table does not have */
    SONIC_UNREAD,     /* a table about something else */
};

struct sonic_problem {
    enum sonic_problem_kind kind;
    struct sonic_place place;
    const char *table, *key, *field; /* key, field: null, of the whole table or entry */
    const char *text;
};

/* An array of structs that all begin with sonic_entry. */
struct sonic_list {
    void *at;
    uint32_t count, room;
};

struct sonic_file;

/* Entries by name and by port: index.c. */
struct sonic_index {
    struct sonic_list words;
    uint32_t *buckets; /* [bucket_count]: the latest word */
    uint32_t bucket_count;
};

struct sonic_config {
    struct arena arena;
    struct sonic_file *files;
    uint32_t file_count;
    struct sonic_list of[SONIC_TABLES];
    struct sonic_index index;
    struct sonic_list rows, problems, cables; /* of sonic_row, sonic_problem, sonic_cable */
    bool has_lookup;                          /* a pg_profile_lookup.ini was read */
    const char *lookup;                       /* its name */
};

/* How many entries a table has, and the i-th. */
#define SONIC_COUNT(config, id) ((config)->of[id].count)
#define SONIC_AT(config, type, id, i) (&((struct type *)(config)->of[id].at)[i])

void sonic_config_init(struct sonic_config *config);
void sonic_config_free(struct sonic_config *config);

/* Each returns false with an error where the text is no configuration at all (no JSON, no table in it) or memory is
 * short; everything else is a problem of the configuration. Texts may be released afterwards. */
bool sonic_config_add_json(struct sonic_config *config, const char *name, const char *text, size_t size,
                           struct weir_error *error);
bool sonic_config_add_lookup(struct sonic_config *config, const char *name, const char *text, size_t size,
                             struct weir_error *error);

/* A file, by its content, or a folder: its *.json and its *.ini, by name. */
bool sonic_config_add_path(struct sonic_config *config, const char *path, struct weir_error *error);

/* After the last file: ports that only other tables name, and cables. */
bool sonic_config_finish(struct sonic_config *config, struct weir_error *error);

/* Whether a file is a configuration rather than a scenario: a folder, *.json, *.ini, or JSON with such a table. */
bool sonic_is_config(const char *path);

/* Null: nothing has the name. */
struct sonic_port *sonic_find_port(const struct sonic_config *config, const char *name);
const struct sonic_pool *sonic_find_pool(const struct sonic_config *config, const char *name);
const struct sonic_profile *sonic_find_profile(const struct sonic_config *config, const char *name);
const void *sonic_find(const struct sonic_config *config, enum sonic_table_id table, const char *name);

const char *sonic_table_name(enum sonic_table_id table);

/* Where an entry, or one of its fields that it has, was written. */
struct sonic_place sonic_entry_place(const struct sonic_config *config, const struct sonic_entry *entry,
                                     const char *field);

/* The buffer model: dynamic, or traditional, the default. */
bool sonic_is_dynamic(const struct sonic_config *config);

/* The first entry whose key covers a port and group. Null: none does. */
const void *sonic_find_use(const struct sonic_config *config, enum sonic_table_id table, const char *port,
                           uint32_t group);

/* Whether a profile's name says that it is computed, "NULL". */
bool sonic_is_null(const struct sonic_name *profile);

/* All tables of all files as one tree, a copy: what config_db.json would be. Null: out of memory. */
json_t *sonic_config_tree(const struct sonic_config *config);

/* Reads a tree as a configuration of its own, with the lookup table of another. False with an error. */
bool sonic_config_again(struct sonic_config *config, const struct sonic_config *as, const json_t *tree,
                        struct weir_error *error);

/* Puts '?' for bytes that are no UTF-8, such as a character that was cut. */
void sonic_clean_text(char *text);

/* The next struct of `size` bytes of a list, zeroed; null: out of memory. */
void *sonic_list_add(struct sonic_list *list, size_t size);

#endif
