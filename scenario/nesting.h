/*
 * nesting.h - which section stands where: the tables of keys say of such a key only that it is of another kind. For
 * the JSON Schema, and for a first look at all names of a file.
 */
#ifndef SCENARIO_NESTING_H
#define SCENARIO_NESTING_H

#include "scenario/section.h"

enum nesting_shape { NESTING_SECTION, NESTING_LIST, NESTING_MAP };

struct nesting {
    const struct section *in;
    const char *key;
    enum nesting_shape shape; /* one section, a list of them, or a map of names to them */
    const struct section *of;
};

/* What the key of a section holds; null: something else. */
const struct nesting *nesting_find(const struct section *in, const char *key);

/* No section of the file has a key that it does not know. What is missing, or has a wrong value, is no matter: of two
 * mistakes the misspelled name is told first, since the other often follows from it. False after an error. */
bool nesting_check_names(struct reader *reader, const struct node *root);

#endif
