/*
 * reading.h - the sections of a scenario file beyond one simulation, one file each: their tables and how each becomes
 * its piece of struct experiment. For experiment.c, which calls them in the order in which they need one another: quick
 * changes the document, axes come from what is then there, figures and claims name axes.
 */
#ifndef SCENARIO_EXPERIMENT_READING_H
#define SCENARIO_EXPERIMENT_READING_H

#include "scenario/experiment/experiment.h"
#include "scenario/read/read.h"

#define READING_VALUES_MAX 1000u /* of one axis */
#define READING_LIST_MAX 200u    /* figures, claims */
#define READING_TEXT_MAX 2000    /* bytes of a sentence or an expression */

/* What is being read. */
struct reading {
    struct reader reader;
    struct experiment *experiment;
    struct node *whole;
    bool unread_claim; /* a claim has a mistake: others may name it */
};

/* Each returns false after an error. */
bool reading_of_limits(struct reading *reading);
bool reading_of_paper(struct reading *reading);
bool reading_of_figures(struct reading *reading);
bool reading_of_claims(struct reading *reading);

/* Makes the changes of `quick` in the whole. */
bool reading_make_quick(struct reading *reading, const struct node *quick);

/* True: a name of a part, which is not in the document of a run. */
bool reading_has(const char *key);

/* One axis of the sweep; the key of `map` is its name. */
bool reading_of_axis(struct reading *reading, const struct node *map, struct axis *axis);

/* The values of a path: a list, or a range. */
struct reading_values {
    const struct node **at;
    uint32_t count;
};
bool reading_of_range(struct reading *reading, const struct node *map, struct reading_values *values);

/* The axis that a value of a figure or claim names. */
bool reading_find_axis(struct reading *reading, const struct node *name, uint32_t *axis);

/* `where` of a figure or claim: axes held at labels; with `many` also at lists and ranges, a pin for each value. */
struct reading_pins {
    struct pin *at;
    uint32_t count;
    bool missing; /* a label that the quick size leaves out */
};
bool reading_of_where(struct reading *reading, const struct node *item, bool many, struct reading_pins *pins);

/* The expression in the key `key` of the item; null after an error. */
const struct expression *reading_of_expression(struct reading *reading, const struct node *item, const char *key);

/* The items of a list that may be absent; null: there are none, or after an error, which is then in `good`. */
const struct node *reading_list(struct reading *reading, const char *name, bool *good);

/* Names of enum unfinished, for keys. */
extern const char *const reading_unfinished[UNFINISHED_TREATMENTS + 1];

#endif
