/*
 * section.h - the typed pass: a map of the document, read by a table of keys into a struct, and that struct shown again
 * as a map with every value. Each section of a scenario is one table and a few lines that say what its struct becomes.
 */
#ifndef SCENARIO_KEYS_SECTION_H
#define SCENARIO_KEYS_SECTION_H

#include "scenario/keys/key.h"
#include "scenario/yaml/error.h"

struct section {
    const char *name;         /* for messages and the reference: "traffic" */
    const char *const *kinds; /* names of its kinds, ends with null; null: it has no kinds */
    const struct key *keys;
    uint32_t count;
    /* Kinds and keys of a registry, instead of the three above. Null, false: beyond the last. */
    const char *(*kind_at)(uint32_t kind);
    bool (*key_at)(uint32_t i, struct key *key);
    bool keys_are_paths; /* beside its own, it has keys that are paths of a scenario: an axis */
    size_t size;         /* of its struct */
    const void *initial; /* its struct before any key is read; null: all zero */
    void (*defaults)(void *target, uint32_t kind); /* the same, where it takes code; may be null */
    const char *place;                             /* where it stands in a file, for the reference: "switch.ecn" */
    const char *help;                              /* likewise: what it says, in one or two sentences */
};

/* The keys of a section and the struct that they fill. */
#define SECTION_KEYS(its_struct, its_keys) .keys = (its_keys), .count = KEYS_COUNT(its_keys), .size = sizeof(its_struct)

#define SECTION_KEYS_MAX 64u  /* of different names */
#define SECTION_KINDS_MAX 32u /* bits of key.kinds */

struct reader {
    struct arena *arena;
    struct weir_error *error;
    struct error_list *all; /* every mistake is wanted; null: reading ends at the first */
    struct key_scale scale;
    uint32_t classes; /* of the switches, for lists by class */
};

struct section_kinds {
    const char *names[SECTION_KINDS_MAX + 1]; /* ends with null */
};

/* The names of the kinds, how many there are, and the i-th key; false: beyond the last. */
struct section_kinds section_kinds(const struct section *section);
uint32_t section_kind_count(const struct section *section);
bool section_key(const struct section *section, uint32_t i, struct key *key);

/* Every key's default. */
void section_defaults(const struct section *section, void *target, uint32_t kind);

/* Each returns false after an error; where every mistake is wanted, after the last of those that it found. */

bool reader_fail(struct reader *reader, const struct node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Of an error found by code that does not know the document: puts "PREFIX: " before its text, if there is a
 * prefix, and gives it the place of the node. */
bool reader_place(struct reader *reader, const struct node *at, const char *prefix);

/* After a false: whether to read on, so that every mistake is found. What was wrong is then in the list, and the caller
 * returns false at its end. What is missing or wrong holds its default, a name may be null. */
bool reader_goes_on(struct reader *reader);

/* The node is a map, list or scalar as asked. `name` is what it should be: "switch". */
bool reader_expect(struct reader *reader, const struct node *node, enum node_kind kind, const char *name);

/* The kind of a section that has kinds, from its key `kind`. */
bool section_read_kind(struct reader *reader, const struct section *section, const struct node *map, uint32_t *kind);

/* Every key of the map belongs to the section and its kind; SECTION_ANY_KIND: to any of its kinds. */
#define SECTION_ANY_KIND UINT32_MAX
bool section_check_known(struct reader *reader, const struct section *section, const struct node *map, uint32_t kind);

/* The same, and the required ones are there. */
bool section_check_names(struct reader *reader, const struct section *section, const struct node *map, uint32_t kind);

/* No map of the section, nor of the sections below it, has a key that it does not know. What is missing, or has a wrong
 * value, is no matter. */
bool section_check_nested(struct reader *reader, const struct section *section, const struct node *map);

/* One key, if it is there and not KEY_OTHER, into its field of `target`. */
bool section_read_key(struct reader *reader, const struct key *key, const struct node *map, void *target);

/* Names, and then every key. */
bool section_read(struct reader *reader, const struct section *section, const struct node *map, uint32_t kind,
                  void *target);

/* The struct as a map, ordered as the table; KEY_OTHER leaves a place for section_put. Keys that came later are
 * left out where they hold their default. Null: out of memory. */
struct node *section_show(struct reader *reader, const struct section *section, uint32_t kind, const void *target);

/* Puts a node in the place that section_show left, or at the end; false: out of memory (a null map or node). */
bool section_put(struct reader *reader, struct node *map, const char *key, const struct node *node);

/* True when the key belongs to this kind. */
bool section_has(const struct key *key, uint32_t kind);

/* The value of a field (of one class) as an integer in the key's unit. Not for texts and hosts. */
int64_t section_load(const struct key *key, const void *target, uint32_t tc);
/* A field as text: one value, or of several classes "a, b". Cut when it does not fit. */
void section_text(const struct reader *reader, const struct key *key, const void *target, char text[128]);

#endif
