/*
 * oracle_features.h - what policies that ask an oracle show it: two lengths before the arrival and their moving
 * averages; and when Credence's safeguard spares them the question.
 *
 * An average moves when its account sends (the buffer's when anyone sends), by g = min(dt, tau) / tau towards the
 * present length. The struct is followed in memory by the averages of all accounts: it holds no pointers and is a part
 * of a policy's state.
 */
#ifndef WEIR_POLICIES_ORACLE_FEATURES_H
#define WEIR_POLICIES_ORACLE_FEATURES_H

#include "weir/average.h"
#include "weir/oracle.h"
#include "weir/policy.h"

#define FEATURES_TAU_PARAM                                                                                             \
    "tau", WEIR_UNIT_TIME, false, 24 * WEIR_PS_PER_US, 1, 10 * WEIR_PS_PER_S, NULL,                                    \
        "Time constant of the moving averages that the oracle sees: one base round trip."

struct weir_features {
    weir_ps tau_ps;
    struct weir_average buffer;
    struct weir_average account[]; /* [accounts] */
};

static inline size_t weir_features_size(const struct weir_geometry *geometry)
{
    return sizeof(struct weir_features) + geometry->accounts * sizeof(struct weir_average);
}

/* A packet was sent; the view no longer counts it. */
static inline void weir_features_move(struct weir_features *features, const struct weir_view *view,
                                      const struct weir_event *event)
{
    weir_average_move(&features->account[event->account.i], weir_view_length(view, event->account), features->tau_ps,
                      event->now);
    weir_average_move(&features->buffer, weir_view_used(view), features->tau_ps, event->now);
}

/* Lengths before the arrival. */
struct weir_lengths {
    weir_cells queue, buffer;
};

static inline struct weir_lengths weir_lengths_of(const struct weir_view *view, weir_account account)
{
    return (struct weir_lengths){weir_view_length(view, account), weir_view_used(view)};
}

/* True while no real queue has reached its equal share of the pool, of all ports. */
static inline bool weir_features_is_safe(const struct weir_view *view)
{
    return weir_view_peak(view) * view->geometry.ports < view->geometry.shared_cells;
}

/* Whether the oracle says that LQD loses the arrival. */
static inline bool weir_features_predict_loss(const struct weir_features *features, const struct weir_view *view,
                                              const struct weir_arrival *arrival, struct weir_lengths before)
{
    uint32_t cell_bytes = view->geometry.cell_bytes;
    const int64_t feature[WEIR_FEATURE_COUNT] = {
        [WEIR_FEATURE_QUEUE] = before.queue * cell_bytes,
        [WEIR_FEATURE_QUEUE_AVERAGE] = weir_average_bytes(&features->account[arrival->account.i], cell_bytes),
        [WEIR_FEATURE_BUFFER] = before.buffer * cell_bytes,
        [WEIR_FEATURE_BUFFER_AVERAGE] = weir_average_bytes(&features->buffer, cell_bytes),
    };
    return view->oracle->predict(view->oracle, arrival->index, feature);
}

#endif
