/*
 * training.h - a virtual LQD beside any policy, which labels the arrivals that a predictor is to learn from.
 *
 * It serves the same arrivals as the real MMU with a second, private MMU that runs LQD and drains every port at its
 * rate. One row per arrival: the four features of oracle.h as the real MMU showed them before the arrival, and
 * whether the virtual LQD refused the packet or pushed it out later. Rows come out in arrival order, each as soon as
 * its fate and those of all earlier arrivals are known.
 */
#ifndef WEIR_TRAINING_H
#define WEIR_TRAINING_H

#include "weir/mmu.h"
#include "weir/oracle.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_training;

struct weir_training_row {
    uint64_t index; /* of the arrival */
    int64_t feature[WEIR_FEATURE_COUNT];
    bool lost; /* LQD refused it or pushed it out */
};

struct weir_training_config {
    const struct weir_mmu_config *mmu; /* the real MMU's; its policy is not used here */
    bool tail;                         /* the virtual LQD removes tails (Credence) instead of heads (Occamy) */
    weir_ps average_ps;                /* time constant of the moving averages: one base round trip */
    uint32_t rows_max;                 /* rows that may wait to be taken; at least the MMU's packets_max. An arrival
                                        * that finds them all waiting gets no row: the indices show the gap */
};

/* Memory as for weir_mmu_init: aligned to 64, weir_training_size bytes, the caller's. */
size_t weir_training_size(const struct weir_training_config *config);
struct weir_training *weir_training_init(void *memory, const struct weir_training_config *config);

/* Call before the real MMU's arrive, with its view. */
void weir_training_arrive(struct weir_training *training, const struct weir_view *view,
                          const struct weir_packet *packet, weir_ps now);

/* Call after the real MMU's depart of a packet: averages move on departures. */
void weir_training_depart(struct weir_training *training, const struct weir_view *view, weir_account account,
                          weir_ps now);

/* The next finished row; false when none is ready. */
bool weir_training_take(struct weir_training *training, struct weir_training_row *row);

/* No more arrivals: lets the virtual LQD drain, so that every row is finished. */
void weir_training_finish(struct weir_training *training);

#ifdef __cplusplus
}
#endif

#endif
