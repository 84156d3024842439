/*
 * code.h - which code made a run, as a text that is stored with it: "weir=1a2b3c4d5e6f7081 dt=0123456789abcdef". Its
 * first part is the code that all simulations share, or `testbed` for all runs on real packets; each other part is a
 * policy that the run uses. The numbers are digests of sources (cli/version.h), so that an edited policy makes its own
 * runs old and no others. A run stored by a weir that did not write this down has an empty text: nobody knows.
 */
#ifndef LAB_STORE_CODE_H
#define LAB_STORE_CODE_H

#include "lab/store/table.h"

#define CODE_NAME_MAX 64u
#define CODE_MAX 4096u /* of the text, all policies in it; a part takes at most 82 bytes */
#define CODE_SIMULATED "weir"
#define CODE_TESTBED "testbed"

/* A part at the end of the text, unless it has one of this name. False: no room. */
bool code_add(char text[CODE_MAX], const char *name, const char *digest);

/* Every part of `more` that the text does not have. False: no room. */
bool code_join(char text[CODE_MAX], const char *more);

enum code_change {
    CODE_SAME,
    CODE_UNKNOWN, /* what made the run is not known */
    CODE_CHANGED  /* the part called `name` */
};

/* Whether code `now` would make again what code `made` made. `name` is that of the first part that differs. */
enum code_change code_compare(const char *made, const char *now, char name[CODE_NAME_MAX]);

/* Whether a part has another digest now, which `digest` tells by its name; null: nobody knows. `name` is the part's. */
bool code_is_old(const char *made, const char *(*digest)(const char *name), char name[CODE_NAME_MAX]);

/* The finished runs of a file that must not be compared without a thought: of one part, made by different code, or made
 * by code that is not known. A line for each such group: the part, its digest, who made it, how many runs, where. */
struct code_mix {
    const char *heading; /* null: there is nothing to say */
    char **lines;
    uint32_t count;
};

/* False: out of memory. Release with code_mix_free either way. */
bool code_mix_find(struct code_mix *mix, const struct table *table);
void code_mix_free(struct code_mix *mix);

#endif
