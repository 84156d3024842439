/*
 * average.h - the moving average that Credence's oracle sees: towards the present value by g = min(dt, tau) / tau, so
 * that after a pause of tau or more nothing of the past is left. Fixed point; arithmetic shifts round down.
 */
#ifndef WEIR_AVERAGE_H
#define WEIR_AVERAGE_H

#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_average {
    int64_t value_q8; /* cells, 8 fractional bits */
    weir_ps moved_ps; /* when it last moved */
};

static inline void weir_average_move(struct weir_average *average, weir_cells cells, weir_ps tau_ps, weir_ps now)
{
    weir_ps elapsed_ps = now - average->moved_ps < tau_ps ? now - average->moved_ps : tau_ps;
    weir_q16 gain = (elapsed_ps << 16) / tau_ps;
    average->value_q8 += (((cells << 8) - average->value_q8) * gain) >> 16;
    average->moved_ps = now;
}

static inline int64_t weir_average_bytes(const struct weir_average *average, uint32_t cell_bytes)
{
    return (average->value_q8 * cell_bytes) >> 8;
}

#ifdef __cplusplus
}
#endif

#endif
