/*
 * train.h - grows a random forest from rows (L. Breiman, "Random forests", Machine Learning 45, 2001).
 */
#ifndef FOREST_TRAIN_H
#define FOREST_TRAIN_H

#include <stdatomic.h>

#include "forest.h"
#include "rows.h"

/* Defaults as Credence has them: 4 trees, depth 4, two of the four features at each split, bootstrap. */
struct forest_settings {
    uint32_t trees;
    uint32_t depth;    /* at most FOREST_DEPTH_MAX */
    uint32_t features; /* that each split may choose from, drawn by lot; 1 to WEIR_FEATURE_COUNT */
    uint32_t leaf;     /* least rows of a leaf, each counted as often as it was drawn */
    double weight;     /* of a lost row where a kept one counts 1; 0: as much as makes both classes weigh the same */
    bool bootstrap;    /* each tree sees as many rows as there are, drawn with replacement; else all, once */
    uint64_t seed;
    uint32_t threads; /* the forest is the same for any number */
};

void forest_settings_init(struct forest_settings *settings);

struct forest_progress {
    atomic_uint trees_done;
    atomic_bool stop; /* set by anyone: training ends at the next node, without a forest */
    void (*tree_done)(uint32_t done, uint32_t all); /* called by any thread; may be null */
};

/* How much of the decrease of impurity each feature brought, mean over the trees; sums to 1, or is all 0. */
struct forest_importance {
    double of[WEIR_FEATURE_COUNT];
};

/* Null: `error` says why. `importance` and `progress` may be null. */
struct forest *forest_train(const struct forest_rows *rows, const struct forest_settings *settings,
                            struct forest_importance *importance, struct forest_progress *progress,
                            struct weir_error *error);

#endif
