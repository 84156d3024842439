/*
 * naive_internal.h - what the naive model's files share: the model's state, and the shape of a naive policy.
 *
 * The only truth about the buffer is one list of packets in arrival order. Lengths and pools are measured again from
 * that list after every change of it (naive_measure), and parameters are looked up by name at each use, so that
 * there is nothing to keep in step. Only what the list cannot tell is kept beside it: what has been sent, which pool an
 * ingress queue of a lossless class took its cells from, and what is paused.
 *
 * Each policy has a naive twin in its own file, naive_<policy>.c, which owns its state: the model allocates
 * state_size bytes of zeros and never looks inside.
 *
 * In the twins, B is the size of the shared pool, F what is free of it, q what an account holds of it and need what
 * the arrival would take from it. "Over" means: refuse as over threshold.
 */
#ifndef WEIR_NAIVE_INTERNAL_H
#define WEIR_NAIVE_INTERNAL_H

#include "weir/fixed.h"
#include "weir/naive.h"

__extension__ typedef __int128 naive_wide; /* products of rates, times and sizes pass 64 bits */

struct naive_packet {
    weir_account account;
    uint32_t index; /* low bits of its arrival index */
    uint32_t bytes;
    weir_cells cells;
    weir_port input;
    uint32_t flags;
    uint32_t trimmed_from; /* as of struct weir_packet */
};

/* A copy that the next arrival ought to be. */
struct naive_copy {
    weir_port output, input;
    weir_class tc;
    uint32_t bytes, flags, trimmed_from;
};

struct naive_account {
    weir_port port;
    weir_class tc;
    weir_cells private_limit;
    weir_cells cells, shared_cells; /* measured */
    weir_cells sent_cells;          /* transmitted since the start */
};

struct naive_port {
    weir_bps rate_bps;
    weir_cells shared_cells; /* measured */
    uint32_t drops;          /* at dequeue, since the port last sent or found nothing: those of one depart */
};

/* Of a lossless class at an input port. */
struct naive_queue {
    weir_cells private_limit;
    weir_cells cells, shared_cells, headroom_cells; /* the rest of the cells is private */
};

struct naive_input {
    weir_bps rate_bps;
    struct weir_uplink uplink;
    uint32_t paused_mask;
    bool paused;                             /* as a whole */
    weir_cells shared_cells, headroom_cells; /* measured: of its lossless classes */
};

/* A flow that the table of flows holds, by its set and way. */
struct naive_flow {
    uint64_t set, tag;
    uint32_t way;
    struct weir_flow_entry counted;
};

struct naive_policy;
struct naive_scheme;

struct weir_naive {
    struct weir_mmu_config config;
    struct weir_values values, ingress_values;
    const struct naive_policy *policy;
    const struct naive_scheme *scheme; /* null without lossless classes */
    void *state, *scheme_state;        /* theirs */
    uint32_t account_count;
    uint32_t lossy_count;      /* of these, of lossy classes */
    struct naive_queue *queue; /* [class * inputs + input] */
    struct naive_input *input;
    struct naive_account *account; /* [account_count] */
    struct naive_port *port;       /* [config.ports] */
    struct naive_packet *packet;   /* everything in the buffer, oldest arrival first */
    struct naive_packet *saved;    /* copy of it while evictions are planned */
    struct weir_naive_lost *lost;  /* of the present call */
    uint32_t packet_count, packet_room, lost_count;
    struct naive_copy *copy; /* copies of trimmed packets that have not been offered yet, in order */
    uint32_t copy_count, copy_room;
    struct weir_flow_shape flow_shape;
    struct naive_flow *flow; /* in no order */
    uint32_t flow_count;
    struct weir_flow_view flow_view; /* of the present arrival */
    uint64_t arrivals;
    weir_cells used_cells, shared_used_cells; /* measured */
    weir_cells headroom_used_cells;           /* measured */
    weir_ps memory_zero_ps;                   /* arbiter: when its bucket is (or was) empty */
};

/* A slot that does not matter is null. Each is called after naive_measure, on_time before anything else happens. */
struct naive_policy {
    const char *name;
    size_t (*state_size)(const struct weir_naive *n); /* bytes; null: it has no state */
    void (*init)(struct weir_naive *n);
    void (*on_time)(struct weir_naive *n, weir_ps now);
    /* NONE: it enters if there is room, or if a victim makes room for it. */
    enum weir_reason (*admit)(struct weir_naive *n, const struct weir_arrival *arrival);
    bool asks_lossless; /* about packets of lossless classes too */
    struct weir_victim (*victim)(const struct weir_naive *n, const struct weir_question *question);
    void (*on_enqueue)(struct weir_naive *n, const struct weir_event *event);
    void (*on_dequeue)(struct weir_naive *n, const struct weir_event *event);
    void (*on_drop)(struct weir_naive *n, const struct weir_event *event);
    void (*on_idle)(struct weir_naive *n, weir_port port, weir_ps now);
};

enum naive_place { NAIVE_SHARED, NAIVE_HEADROOM, NAIVE_NOWHERE };

/* A headroom scheme. */
struct naive_scheme {
    const char *name;
    size_t (*state_size)(const struct weir_naive *n);
    /* What a queue, or dsh a port, may hold of it. */
    weir_cells (*limit)(const struct weir_naive *n, uint32_t input, uint32_t tc);
    /* Whether a lossy packet may enter as far as its input goes; null: not asked. */
    enum weir_reason (*admit_lossy)(const struct weir_naive *n, uint32_t input, const struct weir_arrival *arrival);
    enum naive_place (*place)(const struct weir_naive *n, uint32_t input, uint32_t tc, weir_cells cells);
    bool (*pauses_queue)(const struct weir_naive *n, uint32_t input, uint32_t tc);
    bool (*pauses_port)(const struct weir_naive *n, uint32_t input); /* null: never */
    /* Whether lossless classes share a queue, which is the first's; null: none do. */
    bool (*is_one)(const struct weir_naive *n, uint32_t one, uint32_t two);
    void (*on_enqueue)(struct weir_naive *n, uint32_t input, uint32_t tc, weir_ps now); /* null: it does not matter */
    void (*on_leave)(struct weir_naive *n, uint32_t input, uint32_t tc);                /* likewise, sent or lost */
};

/* The twins: registry.def. */
const struct naive_scheme *naive_scheme_find(const char *name);

/* Value of a parameter for a class, in the unit's own format; and of the headroom scheme's. */
int64_t naive_value(const struct weir_naive *n, const char *name, uint32_t tc);
int64_t naive_scheme_value(const struct weir_naive *n, const char *name, uint32_t tc);

/* A SPACE parameter in cells; `automatic` when it is to be derived. */
weir_cells naive_space(const struct weir_naive *n, const char *name, uint32_t tc, weir_cells automatic);

/* True when a CHOICE parameter has this choice. */
bool naive_chooses(const struct weir_naive *n, const char *name, const char *choice);

weir_cells naive_shared_size(const struct weir_naive *n);
weir_cells naive_shared_free(const struct weir_naive *n);

/* Of `cells` more in this account, those its private minimum does not cover. */
weir_cells naive_need(const struct weir_naive *n, weir_account account, weir_cells cells);

/* Alpha of a class times F. */
weir_cells naive_alpha_free(const struct weir_naive *n, uint32_t tc);

/* The reason for a refusal, if the arrival is over. */
enum weir_reason naive_over(bool over);

/* Over if the arrival makes its port longer than `threshold`. */
enum weir_reason naive_port_over(const struct weir_naive *n, const struct weir_arrival *arrival, weir_cells threshold);

/* The account holding most shared cells among classes 0..class_max, lowest index among equals; none if all hold 0. */
weir_account naive_longest(const struct weir_naive *n, uint32_t class_max);

/* Counts the flow of an arrival, and returns what the policy sees of it. */
const struct weir_flow_view *naive_see_flow(struct weir_naive *n, const struct weir_packet *packet, weir_ps now);

/* Measures everything from the list. */
void naive_measure(struct weir_naive *n);

/* A full bucket of the memory arbiter. */
void naive_memory_start(struct weir_naive *n);

bool naive_is_lossless(const struct weir_naive *n, uint32_t tc);
struct naive_queue *naive_queue(const struct weir_naive *n, uint32_t input, uint32_t tc);

/* Finds the scheme and the memory of the ingress side; false when there is no such scheme or memory is short. */
bool naive_ingress_new(struct weir_naive *n);
void naive_ingress_free(struct weir_naive *n);

/* Cells set aside as minimums of ingress queues. */
weir_cells naive_ingress_private(const struct weir_naive *n);

/* Adds what lossless classes hold of the pools to the measured sums. */
void naive_ingress_measure(struct weir_naive *n);

/* A lossless packet comes: charged to its queue, unless the answer is a reason; and goes. */
enum weir_reason naive_ingress_take(struct weir_naive *n, uint32_t input, uint32_t tc, weir_cells cells);
void naive_ingress_release(struct weir_naive *n, const struct naive_packet *packet);

/* What ought to be paused now: of one class of an input and the input itself, of all that is paused, of everything. */
void naive_pause_after_arrival(struct weir_naive *n, uint32_t input, uint32_t tc);
void naive_pause_after_leaving(struct weir_naive *n);
void naive_pause_test_all(struct weir_naive *n);

#endif
