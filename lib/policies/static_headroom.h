/*
 * static_headroom.h - what the headroom schemes with a fixed part per queue have in common: SIH, its adaptive and its
 * oversubscribed form, which differ only in how large the part is.
 *
 * A queue is an ingress account of a lossless class. With T = alpha (B - used) over the shared pool, q what the queue
 * holds of that pool and h what it holds of the headroom pool:
 *
 *   place    private minimum first; then shared, if q < T or the queue is not paused, and the pool has room; else
 *            headroom, if h + len <= limit; else refuse
 *   pause    h > 0, or q > 0 and q >= T
 *   resume   h = 0, and q = 0 or q <= T - delta
 *
 * The packet that crosses T is footroom's, and so is one that finds T fallen below its queue: the pause is decided
 * because of it, and headroom is for what comes after.
 */
#ifndef WEIR_POLICIES_STATIC_HEADROOM_H
#define WEIR_POLICIES_STATIC_HEADROOM_H

#include "weir/policy.h"

/* Parameters that all of them have, first in their tables. */
enum static_headroom_param { STATIC_HEADROOM_ALPHA, STATIC_HEADROOM_DELTA, STATIC_HEADROOM_PARAM_COUNT };

#define STATIC_HEADROOM_ALPHA_PARAM                                                                                    \
    "alpha", WEIR_UNIT_RATIO, false, WEIR_Q16_ONE / 16, 1, 4096 * WEIR_Q16_ONE, NULL,                                  \
        "Share of the free buffer that one queue may hold before it is paused."

#define STATIC_HEADROOM_DELTA_PARAM                                                                                    \
    "delta", WEIR_UNIT_SPACE, false, 0, 0, INT64_C(1) << 30, NULL,                                                     \
        "How far a queue must fall below the threshold before it is resumed."

struct weir_static_headroom_params {
    weir_q16 alpha;
};

struct weir_static_headroom_derived {
    weir_cells delta_cells;
};

struct weir_static_headroom {
    struct weir_static_headroom_params params;
    struct weir_static_headroom_derived derived;
    weir_cells limit_cells[]; /* as derived: [ports], headroom of each queue of the port */
};

size_t weir_static_headroom_size(const struct weir_geometry *geometry);

/* Takes the values of the parameters above; the limits are the caller's. */
void weir_static_headroom_load(struct weir_static_headroom *s, const struct weir_view *view,
                               const struct weir_values *values);

struct weir_verdict weir_static_headroom_admit(void *state, const struct weir_view *view,
                                               const struct weir_arrival *arrival);
uint32_t weir_static_headroom_pause_mask(const void *state, const struct weir_view *view, weir_port port,
                                         uint32_t asked, bool *port_level);
weir_cells weir_static_headroom_resume_level(const void *state, const struct weir_view *view, weir_port port);
weir_cells weir_static_headroom_threshold(const void *state, const struct weir_view *view, weir_account account);
/* One headroom per queue, as its uplink says. */
weir_cells weir_static_headroom_reserve(const struct weir_geometry *geometry, const struct weir_reserve *inputs,
                                        const struct weir_values *values);
weir_cells weir_static_headroom_limit(const void *state, const struct weir_view *view, weir_port port);

/* Whether what holds so many cells of the shared pool is to be paused, or to stay paused. Who holds nothing is not. */
static inline bool weir_headroom_is_full(weir_cells held, weir_cells xoff, weir_cells delta_cells, bool paused)
{
    return held > 0 && (paused ? held + delta_cells > xoff : held >= xoff);
}

/* What the shared pool may hold at most for alpha (B - used) to be this much; -1: less than nothing. */
static inline weir_cells weir_headroom_level(const struct weir_view *view, weir_q16 alpha, weir_cells threshold)
{
    weir_cells free_cells = ((threshold << 16) + alpha - 1) / alpha;
    return free_cells > view->geometry.shared_cells ? -1 : view->geometry.shared_cells - free_cells;
}

/* Queues of an input port that have headroom. */
static inline weir_cells weir_lossless_queues(const struct weir_geometry *geometry)
{
    return __builtin_popcount(geometry->lossless_mask);
}

/* Adds the queues of an input port to a reserve; one that no buffer has room for does not wrap. */
static inline weir_cells weir_headroom_add(const struct weir_geometry *geometry, weir_cells sum, weir_cells queue_cells)
{
    weir_cells added;
    bool wraps = __builtin_mul_overflow(weir_lossless_queues(geometry), queue_cells, &added) ||
                 __builtin_add_overflow(sum, added, &sum);
    return wraps ? INT64_MAX : sum;
}

#endif
