/*
 * fig14.h - Figure 14 of the Credence paper: how much more LQD sends than Credence as more predictions are false,
 * beside DT and complete sharing on the same bursts.
 *
 * The paper does not publish N, B and the rate of the bursts, and the curve depends on all three. The defaults here
 * are chosen so that the curve has the paper's shape: from 1 to about 2.9, and below DT (alpha 0.5) up to 0.7.
 */
#ifndef SLOT_FIG14_H
#define SLOT_FIG14_H

#include "progress.h"
#include "traffic.h"
#include "weir/error.h"

#define SLOT_FIG14_POINTS 11u /* probabilities 0, 0.1, ... 1 */
#define SLOT_FIG14_PORTS 16u
#define SLOT_FIG14_BUFFER 256u
#define SLOT_FIG14_INTERVAL 352.0 /* slots; 1.375 buffers */
#define SLOT_FIG14_SEEDS_MAX 1000u

struct slot_fig14_config {
    struct slot_traffic traffic; /* of the bursts; its seed is the first of `seeds` */
    uint32_t seeds;              /* runs, at least 1 */
};

enum slot_fig14_other { SLOT_FIG14_DT_HALF, SLOT_FIG14_DT_ONE, SLOT_FIG14_CS, SLOT_FIG14_OTHERS };

struct slot_estimate {
    double mean; /* of LQD / ALG over the seeds */
    double half; /* half of the 95 % interval of the mean; 0 with one seed */
};

struct slot_fig14 {
    struct slot_estimate credence[SLOT_FIG14_POINTS]; /* [i]: predictions false with probability i / 10 */
    struct slot_estimate other[SLOT_FIG14_OTHERS];
    double lqd_loss; /* share of the arrivals that LQD loses, mean over the seeds */
};

const char *slot_fig14_other_name(enum slot_fig14_other other);

/* The stated defaults; `slots` long. */
void slot_fig14_config_init(struct slot_fig14_config *config, uint64_t slots);

enum weir_error_code slot_fig14_run(const struct slot_fig14_config *config, struct slot_fig14 *figure,
                                    const struct slot_progress *progress, struct weir_error *error);

/* Index of the last point up to which Credence is never behind `other`; -1 when it is behind at once. */
int slot_fig14_ahead(const struct slot_fig14 *figure, enum slot_fig14_other other);

#endif
