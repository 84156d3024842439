/*
 * training.h - a virtual LQD beside any policy, which labels the arrivals that a predictor is to learn from.
 *
 * It serves the same arrivals as the real MMU with a second, private MMU that runs LQD and drains every port at its
 * rate. One row per arrival: the four features of oracle.h before the arrival, of the real MMU or of the virtual LQD,
 * and whether the virtual LQD refused the packet or pushed it out later. Where the real MMU runs LQD itself, nothing
 * is virtual and its host reports what becomes of each packet. Rows come out in arrival order, each as soon as its
 * fate and those of all earlier arrivals are known.
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
    bool real;                         /* the real MMU runs LQD: weir_training_settle reports fates */
    bool virtual_counters;             /* features are of the virtual LQD (section 6.1 of the paper) */
    bool departures_first;             /* a virtual port sends before the arrivals of the same moment */
    uint32_t gap_bytes;                /* taken on the wire beyond the packet */
    weir_ps average_ps;                /* time constant of the moving averages: one base round trip */
    uint32_t rows_max;                 /* rows that may wait to be taken; at least the MMU's packets_max. An arrival
                                        * that finds them all waiting gets no row: the indices show the gap */
    const struct weir_policy *policy;  /* whose fates rows have, with its defaults, instead of LQD's; null: LQD */
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

/* With `real`: what became of an arrival, given by the low bits of its index as the MMU's effects have it. */
void weir_training_settle(struct weir_training *training, uint32_t index, bool lost);

/* Arrivals without a row, because the ring was full. */
uint64_t weir_training_missed(const struct weir_training *training);

/* The next finished row; false when none is ready. */
bool weir_training_take(struct weir_training *training, struct weir_training_row *row);

/* No more arrivals: lets LQD drain, so that every row is finished; what is still in it counts as sent. */
void weir_training_finish(struct weir_training *training);

#ifdef __cplusplus
}
#endif

#endif
