/*
 * forest.h - a random forest that answers Credence's question "would LQD lose this packet?" from the four features of
 * weir/oracle.h. It is an oracle: MMUs in every host ask it, and many can share one.
 *
 * A tree is a chain of questions "is feature f at most L?" that ends in a leaf. A leaf knows which fraction p of its
 * training rows were lost; the forest says "lost" when the mean of p over its trees is above one half. Features are
 * whole bytes, so limits are whole numbers and asking needs no floating point:
 *
 *   lean of a leaf = round((p - 1/2) 2^54)      lost  if  sum of the leans > number of trees
 *
 * The sum's bound is above 0 by the rounding of the leans, so that an exact tie says "kept", as scikit-learn does.
 *
 * All nodes are in one array, the two children of a node beside each other and behind it. A leaf is its own child and
 * its limit is never exceeded.
 *
 * To be asked, a tree is folded: a hop is a node with its two children, whose three questions do not wait for each
 * other and lead to one of four hops behind it. Like a leaf, the hop of a leaf leads to itself, so a walk may take any
 * number of hops that is not below half of the depth, without a branch that depends on the answer. Four trees are
 * walked side by side, so that each waits for memory while the others do.
 */
#ifndef FOREST_FOREST_H
#define FOREST_FOREST_H

#include <stdio.h>

#include "weir/error.h"
#include "weir/oracle.h"

#define FOREST_TREES_MAX 256u
#define FOREST_DEPTH_MAX 64u
#define FOREST_NODES_MAX (1u << 22)
#define FOREST_LEAN_ONE (INT64_C(1) << 54) /* probability 1, before the half is taken off */
#define FOREST_LEAF_LIMIT INT64_MAX        /* of a leaf, and of no other node */

struct forest_node {
    int64_t limit;    /* bytes; at most: the first child, else the one behind it */
    uint32_t child;   /* index of the first child; a leaf: its own */
    uint32_t feature; /* enum weir_feature */
};

/* Two levels of a tree, made by forest_seal. */
struct forest_hop {
    int64_t limit[3];   /* of the node, its first child and its second */
    int64_t lean;       /* of a leaf, else 0 */
    uint32_t next;      /* index of the first of four hops; a leaf: its own */
    uint8_t feature[3]; /* enum weir_feature */
};

struct forest_tree {
    uint32_t root; /* index of its first node; its nodes end where the next tree begins */
    uint32_t depth;
};

/* Which counters the rows were taken from, and so which the policy has to show. */
enum forest_counters {
    FOREST_COUNTERS_REAL,   /* of the MMU that asks, as in the authors' code */
    FOREST_COUNTERS_VIRTUAL /* of the virtual LQD (section 6.1 of the paper) */
};

struct forest {
    struct weir_oracle base;
    uint32_t trees, nodes;
    struct forest_tree *tree; /* [trees] */
    struct forest_node *node; /* [nodes] */
    int64_t *lean;            /* [nodes]; 0 where the node is no leaf */
    struct forest_hop *hop;   /* the root of tree t is hop t; null before it is sealed */
    uint32_t depth;           /* of the deepest tree */
    weir_ps average_ps;       /* time constant of the averages among the features; 0: unknown */
    enum forest_counters counters;
};

/* Room for that many trees and nodes, which the caller fills in and then seals. Null: no memory, or too many. */
struct forest *forest_new(uint32_t trees, uint32_t nodes);
void forest_free(struct forest *forest);

/* Checks that the nodes form trees, finds their depths and folds them. A forest may be asked only after this has
 * succeeded. */
bool forest_seal(struct forest *forest, struct weir_error *error);

static inline bool forest_is_leaf(const struct forest_node *node)
{
    return node->limit == FOREST_LEAF_LIMIT;
}

/* p in [0, 1]. */
int64_t forest_lean_of(double p);

/* The hop to which the questions of this one lead; a leaf: itself. */
static inline uint32_t forest_hop_on(const struct forest_hop *hop, uint32_t at,
                                     const int64_t feature[WEIR_FEATURE_COUNT])
{
    const struct forest_hop *here = &hop[at];
    uint32_t second = feature[here->feature[0]] > here->limit[0];
    uint32_t below = feature[here->feature[1]] > here->limit[1], above = feature[here->feature[2]] > here->limit[2];
    return here->next + 2 * second + (below ^ ((below ^ above) & -second));
}

/* How far the forest leans to "lost": above `trees` it says so. */
static inline int64_t forest_ask(const struct forest *forest, const int64_t feature[WEIR_FEATURE_COUNT])
{
    const struct forest_hop *hop = forest->hop;
    uint32_t hops = (forest->depth + 1) / 2, t = 0;
    int64_t sum = 0;
    for (; t + 4 <= forest->trees; t += 4) {
        uint32_t a = t, b = t + 1, c = t + 2, d = t + 3;
        for (uint32_t i = 0; i < hops; i++) {
            a = forest_hop_on(hop, a, feature);
            b = forest_hop_on(hop, b, feature);
            c = forest_hop_on(hop, c, feature);
            d = forest_hop_on(hop, d, feature);
        }
        sum += hop[a].lean + hop[b].lean + hop[c].lean + hop[d].lean;
    }
    for (; t < forest->trees; t++) {
        uint32_t at = t;
        for (uint32_t i = 0; i < (forest->tree[t].depth + 1) / 2; i++)
            at = forest_hop_on(hop, at, feature);
        sum += hop[at].lean;
    }
    return sum;
}

static inline bool forest_predict(const struct forest *forest, const int64_t feature[WEIR_FEATURE_COUNT])
{
    return forest_ask(forest, feature) > (int64_t)forest->trees;
}

/* The mean of p over the trees. */
double forest_probability(const struct forest *forest, const int64_t feature[WEIR_FEATURE_COUNT]);

/* A name for its content: the same for equal trees, whatever the file looks like. */
uint64_t forest_digest(const struct forest *forest);

const char *forest_feature_name(enum weir_feature feature);
const char *forest_counters_name(enum forest_counters counters);

/* The text form (docs/reference/models.md). `name` is for messages. Null: `error` says where and what. */
struct forest *forest_read(FILE *in, const char *name, struct weir_error *error);
struct forest *forest_open(const char *path, struct weir_error *error); /* the same from a file */
bool forest_write(const struct forest *forest, FILE *out);

#endif
