/*
 * sai.h - pools and profiles, the buffer model of SAI, by which switch chips are configured. What its two sides have in
 * common: sai-groups holds (input port, class) accounts to it, priority groups, and sai-queues (output port, class)
 * ones, queues. A packet enters when both sides admit it.
 *
 * Each class has a profile, and each profile draws on one of up to four pools of its side, which are views of the same
 * memory. With u the part of an account above its guaranteed minimum (without headroom), U what all accounts of the
 * pool hold so, and P what those of a port do:
 *
 *   T   = limit, if the profile has one (static), else alpha (size - U) (dynamic)
 *   T_p = port_limit, else port_alpha (size - U), else without end
 *
 * Spectrum-4 nests them: T = alpha (T_p - P) for dynamic ones of a port with a threshold.
 *
 * Classes may share an account of the ingress side, a priority group: the profile of the first of them holds.
 *
 * An account of a class that its side governs (mmu.h) has the private minimum of the MMU, another the `minimum` of its
 * profile. The MMU's own shared pool, which both sides share, is the memory itself: it ends where there are no cells.
 *
 * Source: Open Compute Project, Switch Abstraction Interface, its header of buffers; SONiC's BUFFER_POOL and
 * BUFFER_PROFILE.
 */
#ifndef WEIR_POLICIES_SAI_H
#define WEIR_POLICIES_SAI_H

#include "weir/policy.h"

#define SAI_POOLS 4u
#define SAI_NONE (-1) /* no limit */

/* Parameters that both have, first in their tables. */
enum sai_param {
    SAI_ALPHA,
    SAI_LIMIT,
    SAI_MINIMUM,
    SAI_POOL,
    SAI_SIZE,
    SAI_PORT_ALPHA,
    SAI_PORT_LIMIT,
    SAI_NESTED,
    SAI_PARAM_COUNT,
};

#define SAI_SPACE_MAX (INT64_C(1) << 40)

/* clang-format off */
#define SAI_PARAMS \
    {"alpha", WEIR_UNIT_RATIO, true, WEIR_Q16_ONE, 1, 4096 * WEIR_Q16_ONE, NULL, \
     "Share of what is free of its pool that an account may hold: 2^dynamic_th."}, \
    {"limit", WEIR_UNIT_SPACE, true, WEIR_AUTO, 0, SAI_SPACE_MAX, NULL, \
     "What an account may hold of its pool instead, static_th; auto: as alpha says."}, \
    {"minimum", WEIR_UNIT_SPACE, true, 0, 0, SAI_SPACE_MAX, NULL, \
     "Guaranteed part of an account of a class that the other side governs; that of others is the switch's private " \
     "minimum."}, \
    {"pool", WEIR_UNIT_COUNT, true, 0, 0, SAI_POOLS - 1, NULL, "Pool of the class, from 0."}, \
    {"size", WEIR_UNIT_SPACE, true, WEIR_AUTO, 0, SAI_SPACE_MAX, NULL, \
     "Size of each pool, pool 0 first; auto: the shared pool of the switch."}, \
    {"port_alpha", WEIR_UNIT_RATIO, true, 0, 0, 4096 * WEIR_Q16_ONE, NULL, \
     "The same as alpha for all of a port in a pool, pool 0 first; 0: no such limit."}, \
    {"port_limit", WEIR_UNIT_SPACE, true, WEIR_AUTO, 0, SAI_SPACE_MAX, NULL, \
     "What all of a port may hold of a pool instead, pool 0 first; auto: as port_alpha says."}, \
    {"nested", WEIR_UNIT_COUNT, false, 0, 0, 1, NULL, \
     "1: alpha is a share of what the port has left of its threshold, not of what is free of the pool."}
/* clang-format on */

struct weir_sai_params {
    weir_q16 alpha[WEIR_CLASSES_MAX];
    weir_q16 port_alpha[SAI_POOLS];
};

struct weir_sai_derived {
    weir_cells limit_cells[WEIR_CLASSES_MAX]; /* SAI_NONE: dynamic */
    weir_cells minimum_cells[WEIR_CLASSES_MAX];
    weir_cells size_cells[SAI_POOLS];
    weir_cells port_limit_cells[SAI_POOLS]; /* SAI_NONE: dynamic, or none */
    uint32_t pool[WEIR_CLASSES_MAX];
    uint32_t governed; /* bit c: this side governs class c */
    bool is_nested;
    uint8_t first[WEIR_CLASSES_MAX]; /* the class whose account and profile a class has */
};

struct weir_sai_vars {
    weir_cells used_cells[SAI_POOLS];
};

/* Behind it: weir_cells [ports * SAI_POOLS], of each port, and [accounts], as each was counted last. */
struct weir_sai {
    struct weir_sai_params params;
    struct weir_sai_derived derived;
    struct weir_sai_vars vars;
};

size_t weir_sai_size(const struct weir_geometry *geometry);

/* Takes the values of the parameters above, and counts what is in the buffer. `governed`: see derived. `group`: the
 * policy's slot; null: each class has its own account. */
void weir_sai_load(struct weir_sai *s, const struct weir_view *view, const struct weir_values *values,
                   uint32_t governed,
                   uint32_t (*group)(const struct weir_geometry *, const struct weir_values *, uint32_t));

/* An account has changed: its pool and its port follow. */
void weir_sai_count(struct weir_sai *s, const struct weir_view *view, weir_port port, weir_class tc);

/* What an arrival would add to what its account holds above its minimum. */
weir_cells weir_sai_added(const struct weir_sai *s, const struct weir_view *view, const struct weir_arrival *arrival);

/* The class whose account and profile a class has: what is below asks for it. */
static inline uint32_t weir_sai_first(const struct weir_sai *s, uint32_t tc)
{
    return s->derived.first[tc];
}

/* Free cells of the pool of a class, its threshold, and that of a port; what the port holds. */
weir_cells weir_sai_free(const struct weir_sai *s, uint32_t tc);
weir_cells weir_sai_threshold(const struct weir_sai *s, weir_port port, uint32_t tc);
weir_cells weir_sai_port_threshold(const struct weir_sai *s, uint32_t tc);
weir_cells weir_sai_port_held(const struct weir_sai *s, weir_port port, uint32_t tc);

/* The rule for a packet that cannot be paused: it enters while account and port stay within their thresholds. */
struct weir_verdict weir_sai_admit_lossy(const struct weir_sai *s, const struct weir_view *view,
                                         const struct weir_arrival *arrival);

/* Bytes as cells that they fill. */
weir_cells weir_sai_whole_cells(int64_t bytes, const struct weir_geometry *geometry);

#endif
