/*
 * marking.h - congestion marks: step ECN (DCTCP), RED on the instantaneous length (DCQCN), and INT stamps (HPCC,
 * PowerTCP). A mark is decided when the packet enters, on the length of its account including itself; only
 * ECN-capable packets are marked. The random draw of RED is a hash of (seed, arrival index): no state, replayable.
 */
#ifndef WEIR_MARKING_H
#define WEIR_MARKING_H

#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weir_marking_kind { WEIR_MARK_NONE, WEIR_MARK_STEP, WEIR_MARK_RED };

struct weir_marking {
    enum weir_marking_kind kind;
    weir_cells low_cells;  /* STEP: mark at or above it; RED: never below it */
    weir_cells high_cells; /* RED: always above it */
    weir_q16 high_chance;  /* RED: probability reached at high_cells, at most 1 */
};

/* Telemetry of the port a packet leaves by, taken as it starts to transmit. All classes count: they share the link. */
struct weir_int_stamp {
    weir_ps now;
    weir_cells queue_cells; /* left in the port's queues */
    int64_t sent_cells;     /* by the port since the start, this packet included */
    weir_bps rate_bps;
};

bool weir_marking_decide(const struct weir_marking *marking, weir_cells queue_cells, uint64_t seed, uint64_t index);

#ifdef __cplusplus
}
#endif

#endif
