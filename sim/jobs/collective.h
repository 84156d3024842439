/*
 * collective.h - collectives as operations of a job: who sends how much to whom, and after what. A message goes as soon
 * as what it needs has come; receives are posted from the start.
 *
 *   all-reduce      ring, two-rings, halving-doubling, double-tree, hierarchical
 *   reduce-scatter  ring, halving-doubling         all-gather  ring, halving-doubling
 *   all-to-all      direct (all at once), windowed (so many at once), pairwise (one partner after another)
 *   broadcast       ring (a chain from member 0), double-tree      barrier  dissemination
 *
 * `bytes` are what NCCL calls the size: of the whole vector; of all-to-all, what a member sends to all, itself
 * included. With `chunks` the vector is cut into so many parts, each of which runs by itself.
 */
#ifndef JOBS_COLLECTIVE_H
#define JOBS_COLLECTIVE_H

#include "sim/jobs/goal.h"

enum collective_operation {
    COLLECTIVE_ALL_REDUCE,
    COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_ALL_GATHER,
    COLLECTIVE_ALL_TO_ALL,
    COLLECTIVE_BROADCAST,
    COLLECTIVE_BARRIER,
    COLLECTIVE_OPERATIONS
};

enum collective_algorithm {
    COLLECTIVE_USUAL, /* the first that the operation has above */
    COLLECTIVE_RING,
    COLLECTIVE_TWO_RINGS, /* half of the bytes in each direction */
    COLLECTIVE_HALVING_DOUBLING,
    COLLECTIVE_DOUBLE_TREE,
    COLLECTIVE_HIERARCHICAL, /* ring in each group, ring of each place over all groups, ring in each group */
    COLLECTIVE_DIRECT,
    COLLECTIVE_WINDOWED,
    COLLECTIVE_PAIRWISE,
    COLLECTIVE_DISSEMINATION,
    COLLECTIVE_ALGORITHMS
};

extern const char *const collective_operation_names[COLLECTIVE_OPERATIONS + 1]; /* ends with null */
extern const char *const collective_algorithm_names[COLLECTIVE_ALGORITHMS + 1]; /* likewise */

struct collective {
    enum collective_operation operation;
    enum collective_algorithm algorithm;
    uint64_t bytes;  /* of a barrier: none */
    uint32_t chunks; /* at least 1 */
    uint32_t window; /* of windowed: messages that a member keeps going */
    uint32_t group;  /* of hierarchical: members of a group, which follow each other */
    uint32_t tag;    /* of its first message; others follow */
    uint8_t cpu;     /* of all its operations */
};

/* The operation can be done by this algorithm; the names of those by which it can. */
bool collective_has(enum collective_operation operation, enum collective_algorithm algorithm);
void collective_algorithms_of(enum collective_operation operation, char *text, size_t size);

/* Chooses the algorithm where none is named; false: these members cannot do that. */
bool collective_check(struct collective *collective, uint32_t members, struct weir_error *error);

/* The part of one member, in its rank. `members` are ranks; null: 0 .. count-1. It begins after the operation `after`;
 * GOAL_ANY: at once. Returns an operation that ends when the part has, if `joined`, else GOAL_ANY. */
struct collective_members {
    const uint32_t *ranks;
    uint32_t count, own; /* own: this member's place */
};
uint32_t collective_add(struct goal_writer *writer, const struct collective *collective,
                        const struct collective_members *members, uint32_t after, bool joined);

/* A job of this collective alone (malloc); null: out of memory. */
unsigned char *collective_image(const struct collective *collective, uint32_t members, size_t *size);

/* What NCCL multiplies bytes over time by for its bus bandwidth; 0: it has none. */
double collective_bus_factor(enum collective_operation operation, uint32_t members);

#endif
