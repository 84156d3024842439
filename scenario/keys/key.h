/*
 * key.h - descriptors of keys: one table per section of a scenario file. The tables drive the reading of files, the
 * printing of effective values and the reference; nothing else knows a key's name, unit or range.
 *
 * A key names a field of the section's struct. Its default is what the field holds before reading, so that defaults
 * have one owner: the code that initialises the struct (sim_config_init, a table of settings, or the section's own
 * file).
 */
#ifndef SCENARIO_KEYS_KEY_H
#define SCENARIO_KEYS_KEY_H

#include "lib/settings/setting.h"
#include "weir/params.h"

enum key_kind {
    KEY_RATIO,     /* Q16: "0.5", "50%" */
    KEY_COUNT,     /* "3" */
    KEY_COUNTS,    /* "3", "1-15": most and least in two fields side by side; of one number: least 0 */
    KEY_TIME,      /* picoseconds: "5us" */
    KEY_SPACE,     /* bytes of buffer or wire: "410KB", "65pkt", "80% buffer"; a pkt is a full frame */
    KEY_PAYLOAD,   /* bytes of payload; the same, but a pkt is a full segment */
    KEY_BUFFER,    /* KEY_SPACE, also "512KB per port" and "9.6KB per Gbps" */
    KEY_RATE,      /* bits per second: "10Gbps" */
    KEY_REAL,      /* a double: "0.6", "60%"; ranges and texts in billionths */
    KEY_FREQUENCY, /* a double, per second: "2000/s"; likewise */
    KEY_FLAG,      /* "yes", "no" */
    KEY_CHOICE,    /* index into `choices` */
    KEY_CLASSES,   /* "3", "0-6", or a list of them: bit c stands for class c */
    KEY_NODE,      /* "h3" a host, "s0" a switch: its number as topology.h counts */
    KEY_HOST,      /* "h3" */
    KEY_HOSTS,     /* "h0-h7", "h3", "all": first and count in two fields side by side; all: count 0 */
    KEY_TEXT,      /* a const char * */
    KEY_OTHER,     /* a section, list or map that the section's own code reads */
};

enum key_shape {
    KEY_SINGLE,
    KEY_PER_CLASS,  /* field is [WEIR_CLASSES_MAX]; one value for all, or a list from class 0 on, the last repeats */
    KEY_ALL_CLASSES /* the same field, but one value only */
};

/* How the sections below a key stand. */
enum key_nesting { KEY_ONE_SECTION, KEY_LIST_OF_SECTIONS, KEY_MAP_OF_SECTIONS };

struct section;

struct key {
    const char *name;
    enum key_kind kind;
    enum key_shape shape;
    bool required;
    bool later;            /* shown only where it says something: ids of results older than the key stay valid */
    uint32_t kinds;        /* bit k: a key of the section's kind k; 0: of all */
    uint32_t offset, size; /* of the field, or of its first value */
    int64_t min, max;      /* inclusive; of KEY_TEXT: bytes */
    const char *word;      /* stands for `word_value`; null: none */
    int64_t word_value;
    const char *other_word; /* another one; null: none */
    int64_t other_value;
    const char *const *choices; /* ends with null; of KEY_OTHER: null, or one text that describes the value */
    const struct section *of;   /* of KEY_OTHER: the section that it holds; null: something else */
    enum key_nesting nesting;   /* one, a list of them, or a map of names to them */
    const char *help;
};

/* What `offset` and `size` are made from. */
#define KEY_FIELD(type, field) .offset = offsetof(type, field), .size = sizeof(((type *)0)->field)
#define KEY_ROW(type, field)                                                                                           \
    .shape = KEY_PER_CLASS, .offset = offsetof(type, field), .size = sizeof(((type *)0)->field[0])

#define KEYS_COUNT(keys) ((uint32_t)(sizeof(keys) / sizeof((keys)[0])))

#define KEY_BILLION INT64_C(1000000000)
#define KEY_TIME_MAX (1000000 * WEIR_PS_PER_S) /* a round number; sums of a few such times do not overflow */

/* What a value may be measured by. 0: not known where the value stands. */
struct key_scale {
    int64_t frame_bytes, segment_bytes; /* of a full packet, and its payload */
    int64_t buffer_bytes;               /* of one MMU */
    uint32_t memory_ports;              /* ports of one MMU, and the sum of their rates */
    weir_bps memory_bps;
    uint32_t hosts, switches; /* of the topology */
};

/* Text to a value of the kinds up to KEY_HOST, of KEY_COUNTS one number; false and what is wrong with it in `error`.
 */
bool key_parse(const struct key *key, const struct key_scale *scale, const char *text, int64_t *value,
               struct weir_error *error);

/* The text that reads back as this value, whatever the scale (but KEY_NODE: its hosts). */
void key_format(const struct key *key, const struct key_scale *scale, int64_t value, char text[64]);

/* The first stretch of classes in a mask, "3" or "0-6", which is then taken out of it. The mask is not 0. */
void key_format_stretch(uint32_t *mask, char text[64]);

/* What may be written, for the reference: "a time", "yes or no". */
const char *key_kind_name(enum key_kind kind);

/* The parameter of a policy as a key of struct weir_values. */
struct key key_of_param(const struct weir_param *param, uint32_t index);

/* A setting as a key of a struct that holds the setting's own one at `offset`. */
struct key key_of_setting(const struct setting *setting, uint32_t offset);

#endif
