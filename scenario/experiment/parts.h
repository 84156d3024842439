/*
 * parts.h - the parts of a scenario file beyond one simulation, one file each: their tables and how each becomes its
 * piece of struct experiment. For experiment.c, which calls them in the order in which they need one another: quick
 * changes the document, axes come from what is then there, figures and claims name axes.
 */
#ifndef SCENARIO_EXPERIMENT_PARTS_H
#define SCENARIO_EXPERIMENT_PARTS_H

#include "scenario/experiment/experiment.h"
#include "scenario/read/read.h"

#define PARTS_VALUES_MAX 1000u /* of one axis */
#define PARTS_LIST_MAX 200u    /* figures, claims */
#define PARTS_TEXT_MAX 2000    /* bytes of a sentence or an expression */

/* What is being read. */
struct parts {
    struct reader reader;
    struct experiment *experiment;
    struct node *whole;
    bool unread_claim; /* a claim has a mistake: others may name it */
};

/* Each returns false after an error. */
bool parts_read_limits(struct parts *parts);
bool parts_read_paper(struct parts *parts);
bool parts_read_sweep(struct parts *parts);
bool parts_read_figures(struct parts *parts);
bool parts_read_claims(struct parts *parts);

/* Makes the changes of `quick` in the whole. */
bool parts_make_quick(struct parts *parts, const struct node *quick);

/* True: a name of a part, which is not in the document of a run. */
bool parts_has(const char *key);

/* One axis of the sweep; the key of `map` is its name. */
bool parts_read_axis(struct parts *parts, const struct node *map, struct axis *axis);

/* The values of a path: a list, or a range. */
struct parts_values {
    const struct node **at;
    uint32_t count;
};
bool parts_read_range(struct parts *parts, const struct node *map, struct parts_values *values);

/* The axis that a value of a figure or claim names. */
bool parts_find_axis(struct parts *parts, const struct node *name, uint32_t *axis);

/* `where` of a figure or claim: axes held at labels. */
struct parts_pins {
    struct pin *at;
    uint32_t count;
    bool missing; /* a label that the quick size leaves out */
};
bool parts_read_where(struct parts *parts, const struct node *item, struct parts_pins *pins);

/* The expression in the key `key` of the item; null after an error. */
const struct expression *parts_read_expression(struct parts *parts, const struct node *item, const char *key);

/* The items of a list that may be absent; null: there are none, or after an error, which is then in `good`. */
const struct node *parts_list(struct parts *parts, const char *name, bool *good);

/* Names of enum unfinished, for keys. */
extern const char *const parts_unfinished[UNFINISHED_TREATMENTS + 1];

#endif
