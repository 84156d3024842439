/*
 * naive_internal.h - what the naive model's own files share: the state and the shape of a naive policy.
 *
 * The only truth about the buffer is one list of packets in arrival order. Lengths and pools are measured anew from
 * that list after every change of it (naive_measure), and parameters are looked up by name at each use, so that
 * there is nothing to keep in step. Only what the list cannot tell is kept beside it: which pool an ingress queue of a
 * lossless class took its cells from, and what is paused.
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
};

struct naive_account {
    weir_port port;
    weir_class tc;
    weir_cells private_limit;
    weir_cells cells, shared_cells;      /* measured */
    weir_cells window_cells;             /* abm: transmitted since the last sample */
    weir_q16 mu;                         /* abm: normalised drain rate */
    weir_cells seen_cells, latest_cells; /* occamy-p4: shared cells at the boundary before last, and at the last */
    weir_cells virtual_cells;            /* virtual LQD: length */
    int64_t average_q8;                  /* credence: moving average of `cells` */
    weir_ps average_ps;                  /* credence: when it last moved */
};

enum naive_tdt_mode { NAIVE_TDT_NORMAL, NAIVE_TDT_ABSORPTION, NAIVE_TDT_EVACUATION };

struct naive_port {
    weir_bps rate_bps;
    weir_cells shared_cells; /* measured */
    uint32_t drops;          /* at dequeue, since the port last sent or found nothing: those of one depart */
    struct {
        bool uncontrolled;
        int64_t c1, c2;                           /* dequeues in a row, net enqueues */
        weir_ps tm1_deadline_ps, tm2_deadline_ps; /* the second counts only while uncontrolled */
    } edt;
    struct {
        enum naive_tdt_mode mode;
        weir_cells nec, oc1, oc2, dc;
        int64_t dec; /* packets */
    } tdt;
    struct {
        bool locked;              /* sends with the real port */
        weir_ps due_ps;           /* otherwise: when it is free to send by itself */
        weir_ps backlog_since_ps; /* when it last had nothing before */
    } virtual;
};

/* Of a lossless class at an input port. */
struct naive_queue {
    weir_cells private_limit;
    weir_cells cells, shared_cells, headroom_cells; /* the rest of the cells is private */
    bool seen;                                      /* dsh: a packet has come, */
    weir_ps seen_ps;                                /* then, */
    weir_cells seen_cells;                          /* and so long was the queue with it */
    int64_t gradient, deviation;                    /* dsh: averages in line rates, 20 fractional bits */
    weir_cells estimate;                            /* dsh: of the headroom it will need */
};

struct naive_input {
    weir_bps rate_bps;
    struct weir_uplink uplink;
    uint32_t paused_mask;
    bool paused;                             /* as a whole */
    weir_cells shared_cells, headroom_cells; /* measured: of its lossless classes */
    uint32_t one_class;                      /* dsh: its packets have been of this class */
    weir_ps one_class_since_ps;              /* since then */
    bool one_class_only;                     /* for longer than the window */
};

struct naive_policy;
struct naive_scheme;

struct weir_naive {
    struct weir_mmu_config config;
    struct weir_values values, ingress_values;
    const struct naive_policy *policy;
    const struct naive_scheme *scheme; /* null without lossless classes */
    uint32_t account_count;
    uint32_t lossy_count;      /* of these, of lossy classes */
    struct naive_queue *queue; /* [class * inputs + input] */
    struct naive_input *input;
    struct naive_account *account; /* [account_count] */
    struct naive_port *port;       /* [config.ports] */
    weir_cells *sorted;            /* [account_count], scratch of harmonic */
    struct naive_packet *packet;   /* everything in the buffer, oldest arrival first */
    struct naive_packet *saved;    /* copy of it while evictions are planned */
    struct weir_naive_lost *lost;  /* of the present call */
    uint32_t packet_count, packet_room, lost_count;
    uint64_t arrivals;
    weir_cells used_cells, shared_used_cells;      /* measured */
    weir_cells headroom_used_cells;                /* measured */
    weir_ps memory_zero_ps;                        /* arbiter: when its bucket is (or was) empty */
    weir_account cursor;                           /* occamy: last victim */
    weir_ps boundary_ps;                           /* abm, occamy-p4: next sample */
    weir_ps sync_ps;                               /* occamy-p4: length of a round, fixed at the start */
    weir_q16 congested[WEIR_CLASSES_MAX];          /* abm: n_p */
    weir_cells seen_free_cells, latest_free_cells; /* occamy-p4: as seen_cells and latest_cells */
    int64_t average_q8;                            /* credence: moving average of the used cells */
    weir_ps average_ps;
};

/* A slot that does not matter is null. Each is called after naive_measure, on_time before anything else happens. */
struct naive_policy {
    const char *name;
    void (*init)(struct weir_naive *n);
    void (*on_time)(struct weir_naive *n, weir_ps now);
    /* NONE: it enters if there is room, or if a victim makes room for it. */
    enum weir_reason (*admit)(struct weir_naive *n, const struct weir_arrival *arrival);
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
    weir_cells (*limit)(const struct weir_naive *n, uint32_t input); /* what a queue, or dsh a port, may hold of it */
    enum naive_place (*place)(const struct weir_naive *n, uint32_t input, uint32_t tc, weir_cells cells);
    bool (*pauses_queue)(const struct weir_naive *n, uint32_t input, uint32_t tc);
    bool (*pauses_port)(const struct weir_naive *n, uint32_t input);                    /* null: never */
    void (*on_enqueue)(struct weir_naive *n, uint32_t input, uint32_t tc, weir_ps now); /* null: it does not matter */
};

extern const struct naive_scheme naive_sih, naive_adaptive, naive_oversubscribed, naive_dsh;

extern const struct naive_policy naive_cs, naive_es, naive_smxq, naive_dt, naive_harmonic, naive_lqd, naive_occamy,
    naive_occamy_p4, naive_edt, naive_tdt, naive_abm, naive_followlqd, naive_credence;

/* Value of a parameter for a class, in the unit's own format; and of the headroom scheme's. */
int64_t naive_value(const struct weir_naive *n, const char *name, uint32_t tc);
int64_t naive_scheme_value(const struct weir_naive *n, const char *name);

/* A SPACE parameter in cells; `automatic` when it is to be derived. */
weir_cells naive_space(const struct weir_naive *n, const char *name, uint32_t tc, weir_cells automatic);

/* True when a CHOICE parameter has this choice. */
bool naive_chooses(const struct weir_naive *n, const char *name, const char *choice);

weir_cells naive_shared_size(const struct weir_naive *n);
weir_cells naive_shared_free(const struct weir_naive *n);

/* Of `cells` more in this account, those its private minimum does not cover. */
weir_cells naive_need(const struct weir_naive *n, weir_account account, weir_cells cells);

/* The account holding most shared cells among classes 0..class_max, lowest index among equals; none if all hold 0. */
weir_account naive_longest(const struct weir_naive *n, uint32_t class_max);

/* Measures everything anew from the list. */
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
void naive_pause_anew(struct weir_naive *n);

#endif
