/*
 * virtual_lqd.h - the queue lengths that LQD would have, serving the same arrivals: thresholds of FollowLQD and
 * Credence.
 *
 * Only lengths are kept, no packets. Lengths and the moments at which ports send by themselves stand in two
 * tournaments, so that no event scans accounts or ports. The struct is followed in memory by its arrays, whose places
 * follow from the geometry: it holds no pointers and is a part of a policy's state.
 */
#ifndef WEIR_POLICIES_VIRTUAL_LQD_H
#define WEIR_POLICIES_VIRTUAL_LQD_H

#include "weir/average.h"
#include "weir/policy.h"

/* Parameters that both policies have, first in their tables. */
enum virtual_lqd_param { VIRTUAL_LQD_DRAIN, VIRTUAL_LQD_QUANTUM, VIRTUAL_LQD_PARAM_COUNT };

enum virtual_lqd_drain { VIRTUAL_LQD_BY_RATE, VIRTUAL_LQD_BY_DEQUEUE };

extern const char *const weir_virtual_lqd_drains[];

#define VIRTUAL_LQD_QUANTUM_MAX_BYTES (INT64_C(1) << 30)

#define VIRTUAL_LQD_DRAIN_PARAM                                                                                        \
    "drain", WEIR_UNIT_CHOICE, false, VIRTUAL_LQD_BY_RATE, VIRTUAL_LQD_BY_RATE, VIRTUAL_LQD_BY_DEQUEUE,                \
        weir_virtual_lqd_drains, "What empties a virtual queue: its port's rate, or only real departures."

#define VIRTUAL_LQD_QUANTUM_PARAM                                                                                      \
    "quantum", WEIR_UNIT_SPACE, false, 1500, 8, VIRTUAL_LQD_QUANTUM_MAX_BYTES, NULL,                                   \
        "Most that a virtual port sends in one go while its real port is idle."

struct weir_virtual_lqd_params {
    uint32_t drain; /* enum virtual_lqd_drain */
};

struct weir_virtual_lqd_derived {
    weir_cells limit_cells;   /* the shared pool: what all virtual queues together may hold */
    weir_cells quantum_cells; /* most of one virtual send */
    uint32_t ports;
    uint32_t account_leaves; /* of the tournament over virtual lengths */
    uint32_t port_leaves;    /* of the tournament over the moments of the next send, negated */
    uint32_t sends_at;       /* where that tournament begins in `node` */
    uint32_t cell_bytes;
};

struct weir_virtual_lqd_vars {
    weir_cells total_cells; /* what all virtual queues hold */
};

struct weir_virtual_lqd {
    struct weir_virtual_lqd_params params;
    struct weir_virtual_lqd_derived derived;
    struct weir_virtual_lqd_vars vars;
    int64_t node[]; /* as vars: the lengths, the sends, and then the ports */
};

/* Moving averages of the virtual lengths and of their sum, which move when a virtual account sends. */
struct weir_virtual_lqd_averages {
    struct weir_average *account; /* [accounts] */
    struct weir_average *buffer;
    weir_ps tau_ps;
};

size_t weir_virtual_lqd_size(const struct weir_geometry *geometry);

/* Empty queues, free ports. */
void weir_virtual_lqd_init(struct weir_virtual_lqd *lqd, const struct weir_geometry *geometry);

/* Takes the values of the parameters above. */
void weir_virtual_lqd_load(struct weir_virtual_lqd *lqd, const struct weir_values *values);

/* Makes the virtual departures that lie before `now`. Every function below that has a time does so first. `averages`
 * may be null, here and below. */
void weir_virtual_lqd_catch_up(struct weir_virtual_lqd *lqd, const struct weir_view *view,
                               const struct weir_virtual_lqd_averages *averages, weir_ps now);

/* The arrival as LQD would treat it, whatever the policy then decides. */
void weir_virtual_lqd_arrive(struct weir_virtual_lqd *lqd, const struct weir_view *view,
                             const struct weir_virtual_lqd_averages *averages, const struct weir_arrival *arrival);

/* The real port sent a packet; the view no longer counts it. */
void weir_virtual_lqd_dequeue(struct weir_virtual_lqd *lqd, const struct weir_view *view,
                              const struct weir_virtual_lqd_averages *averages, const struct weir_event *event);

/* A packet of the account was lost with its link: LQD's are lost too, and the virtual port is on its own again. */
void weir_virtual_lqd_flush(struct weir_virtual_lqd *lqd, const struct weir_event *event);

/* The real port found nothing to send. */
void weir_virtual_lqd_idle(struct weir_virtual_lqd *lqd, const struct weir_view *view,
                           const struct weir_virtual_lqd_averages *averages, weir_port port, weir_ps now);

/* The virtual length T of an account, and what all hold together. */
weir_cells weir_virtual_lqd_length(const struct weir_virtual_lqd *lqd, weir_account account);
weir_cells weir_virtual_lqd_used(const struct weir_virtual_lqd *lqd);

#endif
