/*
 * quality.h - how good a forest is, as `weir train` and `weir predict` report it.
 */
#ifndef LEARNING_QUALITY_H
#define LEARNING_QUALITY_H

#include "lib/forest/score.h"
#include "lib/forest/train.h"

struct quality_report {
    const struct forest *forest;
    const struct forest_quality *quality;
    const struct forest_importance *importance; /* null: unknown, the forest was not trained now */
    uint64_t trained, judged;                   /* rows; 0 trained: unknown */
    uint32_t ports;                             /* of a switch, for 1 / eta; 0: unknown */
    uint64_t lqd_sent, follow_sent;             /* packets of traces: LQD's, and FollowLQD's without what is predicted
                                                 * lost; 0: there were none */
    bool same;                                  /* judged by the rows it learnt from */
};

#endif
