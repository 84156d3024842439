/*
 * eta.h - how wrong predictions are on a recorded trace: eta of Definition 1 of the Credence paper.
 *
 *   eta = LQD(all arrivals) / FollowLQD(arrivals without those predicted lost)
 *
 * in packets sent, ports draining at their rates. The paper has packets of one size; here they have theirs.
 */
#ifndef TRACE_ETA_H
#define TRACE_ETA_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/error.h"

struct trace_eta {
    uint64_t lqd, follow; /* packets sent */
};

/* Who predicts: the number of a row, as replay gives them, from 0; true: lost. */
struct trace_predictions {
    bool (*lost)(const void *context, uint64_t row);
    const void *context;
    uint64_t rows;      /* that there are */
    uint32_t gap_bytes; /* on the wire beyond each packet */
};

/* Adds to `eta`. False with an error, which names the file. */
bool trace_eta_add(const char *path, const struct trace_predictions *predictions, struct trace_eta *eta,
                   struct weir_error *error);

#endif
