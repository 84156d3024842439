/*
 * config_parts.h - what the files that read a configuration share: tables.c knows tables and fields, config.c fills in
 * the structs, index.c finds entries, spots.c lines, lookup.c reads pg_profile_lookup.ini, files.c opens files.
 */
#ifndef OPERATE_CONFIG_CONFIG_PARTS_H
#define OPERATE_CONFIG_CONFIG_PARTS_H

#include "operate/config/config.h"

enum sonic_field_kind {
    SONIC_FIELD_COUNT,      /* int64_t, not negative */
    SONIC_FIELD_EXPONENT,   /* int64_t */
    SONIC_FIELD_TEXT,       /* const char * */
    SONIC_FIELD_WORD,       /* uint32_t: 1 + which of `words`; 0: not given */
    SONIC_FIELD_NAME,       /* struct sonic_name */
    SONIC_FIELD_NAMES,      /* const struct sonic_name *, and the uint32_t behind it counts them */
    SONIC_FIELD_LANES,      /* uint32_t: how many "1,2,3,4" are */
    SONIC_FIELD_PRIORITIES, /* uint32_t: bits of "3,4" */
    SONIC_FIELD_IGNORED,    /* known, and of no matter for buffers */
};

#define SONIC_WORDS_MAX 9u

struct sonic_field {
    const char *name;
    enum sonic_field_kind kind;
    size_t offset;
    const char *words[SONIC_WORDS_MAX]; /* ends with null */
};

/* Which of the words of a field a text is, from 1; 0: none. */
uint32_t sonic_find_word(const struct sonic_field *field, const char *text);

enum sonic_key_shape { SONIC_KEY_NAME, SONIC_KEY_PORT, SONIC_KEY_GROUPS };

struct sonic_table {
    const char *name;
    const struct sonic_field *fields; /* ends with a null name; null: the fields are a map of numbers, or of cables */
    size_t size;
    enum sonic_key_shape shape;
    size_t key_offset;         /* of struct sonic_key, unless the shape is a name */
    uint32_t groups;           /* of keys of groups: how many a port has */
    uint32_t map_from, map_to; /* of a map: keys and values are below these */
    bool has_others;           /* fields that are not in the list are about other things */
};
extern const struct sonic_table sonic_tables[SONIC_TABLES];

struct sonic_spot {
    uint32_t line, column;
};

struct sonic_file {
    const char *name;
    json_t *root; /* null: of a lookup table */
    struct sonic_spot *spots;
    uint32_t spot_count;
};

/* Where the keys of the three outer levels of objects stand, in the order in which they are written: what jansson
 * iterates in too. `text` is JSON. Null with a count of 0: out of memory. */
struct sonic_spot *sonic_spots(struct arena *arena, const char *text, size_t size, uint32_t *count);

/* The last entry of a table is to be found by its name, or by a port of its key. False: out of memory. */
bool sonic_index_add(struct sonic_config *config, enum sonic_table_id table, const char *text, bool is_port);
void sonic_index_free(struct sonic_index *index);

/* Remembers a problem; false: out of memory. */
bool sonic_add_problem(struct sonic_config *config, const struct sonic_problem *problem, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "300m", "2.5m": metres; false: it is no length. */
bool sonic_read_metres(const char *text, double *metres);

/* A decimal number, with a minus before it or not; false: it is none, or does not fit. */
bool sonic_read_number(const char *text, int64_t *number);

#endif
