/*
 * scheduler.h - which class of an output port sends next.
 *
 * Kinds: FIFO (oldest arrival of the port), STRICT (highest class number first), RR (one packet per class in turn),
 * WRR (weight packets per turn), DRR (deficit round robin, quantum bytes times weight per turn; with unequal weights
 * it is DWRR), STRICT_DRR (classes from `strict_from` up are strict, those below share by DRR).
 * Paused and empty classes are skipped. A class that runs empty loses its deficit; a paused one keeps it. A packet that
 * the policy drops instead of a departure costs its class nothing.
 */
#ifndef WEIR_SCHEDULER_H
#define WEIR_SCHEDULER_H

#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weir_scheduler_kind {
    WEIR_SCHED_FIFO,
    WEIR_SCHED_STRICT,
    WEIR_SCHED_RR,
    WEIR_SCHED_WRR,
    WEIR_SCHED_DRR,
    WEIR_SCHED_STRICT_DRR,
    WEIR_SCHED_COUNT
};

#define WEIR_QUANTUM_MIN_BYTES 64u

struct weir_scheduler_config {
    enum weir_scheduler_kind kind;
    uint32_t quantum_bytes;            /* DRR: per unit of weight and turn, at least WEIR_QUANTUM_MIN_BYTES */
    uint32_t weight[WEIR_CLASSES_MAX]; /* WRR, DRR: at least 1; 0 counts as 1 */
    uint32_t strict_from;              /* STRICT_DRR: lowest strict class */
};

struct weir_scheduler_state {
    uint32_t cursor;                  /* class whose turn it is */
    uint32_t credit_mask;             /* classes that have credit */
    bool credited;                    /* the cursor's class has had this turn's credit */
    int64_t credit[WEIR_CLASSES_MAX]; /* DRR: bytes; RR, WRR: packets */
};

#ifdef __cplusplus
}
#endif

#endif
