/*
 * search.h - the sequence on which an algorithm falls furthest behind the offline optimum, looked for in two ways: all
 * tiny sequences, and hill climbing on small random ones. A worst case found is a lower bound on the algorithm's
 * competitive ratio; one above a proven upper bound is a bug.
 */
#ifndef SLOT_SEARCH_H
#define SLOT_SEARCH_H

#include "measure.h"

#define SLOT_SEQUENCE_MAX 160u

struct slot_worst {
    double ratio; /* optimum / sent; 0: nothing looked at yet */
    uint64_t optimum, sent;
    uint32_t ports, buffer;
    char by[SLOT_SEQUENCE_MAX]; /* how it was found; short sequences in full, slots separated by "|" */
};

/* Keeps `ratio` of algorithm on this case if it is the worst so far; `by` null: the sequence itself as text. */
enum weir_error_code slot_worst_try(struct slot_worst *worst, const struct slot_case *c,
                                    const struct slot_algorithm *algorithm, const char *by);

struct slot_tiny {
    uint32_t ports, buffer, slots;
    uint32_t width; /* most arrivals per slot */
};

/* Every sequence of this shape, all orders within a slot; worst[i] belongs to algorithms[i]. */
enum weir_error_code slot_search_tiny(const struct slot_tiny *tiny, const struct slot_algorithm *algorithms,
                                      uint32_t count, struct slot_worst *worst);

struct slot_climb {
    uint32_t ports, buffer, slots, width;
    uint32_t starts; /* random sequences to start from */
    uint32_t steps;  /* changes tried from each; one that does not lower the ratio is kept */
    uint64_t seed;
};

enum weir_error_code slot_search_climb(const struct slot_climb *climb, const struct slot_algorithm *algorithm,
                                       struct slot_worst *worst);

#endif
