/*
 * dataplane_settings.h - what `dataplane` says, before it becomes a struct dataplane_config. dataplane.c has its
 * keys and reads it; numbers.c reads what is a list or map of numbers.
 */
#ifndef SCENARIO_READ_DATAPLANE_SETTINGS_H
#define SCENARIO_READ_DATAPLANE_SETTINGS_H

#include "scenario/read/read.h"

struct dataplane_settings {
    struct dataplane_config config; /* only what `dataplane` says itself */
    bool delay_line, trim_by_dscp;
};

/* A key that holds numbers: its name, and that they are 0 to `most`. Of a map also what its keys are, 0 to
 * `keys_most`; null: classes. */
struct read_numbers {
    const char *name;
    uint32_t most;
    const char *keys;
    uint32_t keys_most;
};

#define NUMBERS_MAX 64u /* there are as many DSCP */
struct numbers {
    uint32_t at[NUMBERS_MAX];
    uint32_t count;
};

/* "3", "0-7", or a list of them, each number once, in the order written. */
bool read_numbers(struct reader *reader, const struct read_numbers *what, const struct node *node,
                  struct numbers *numbers);

/* The same value again, as short as it can be said; null: out of memory. */
struct node *numbers_show(struct reader *reader, const struct numbers *numbers);

/* A map of classes, or of other keys, to numbers, put into class_of[0 .. most]; those that no key names keep theirs. */
bool read_class_map(struct reader *reader, const struct read_numbers *what, const struct node *node, uint8_t *class_of);
struct node *numbers_show_class_map(struct reader *reader, uint32_t most, const uint8_t *class_of);

/* A map of addresses to ports. */
bool read_addresses(struct build *build, const struct node *node, struct dataplane_config *config);
struct node *numbers_show_addresses(struct reader *reader, const struct dataplane_config *config);

#endif
