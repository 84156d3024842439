/*
 * mmu_internal.h - the inside of an MMU, for the files lib/core/mmu*.c, counters.c and switch.c only.
 */
#ifndef WEIR_MMU_INTERNAL_H
#define WEIR_MMU_INTERNAL_H

#include <assert.h>

#include "arbiter.h"
#include "flow_table.h"
#include "hot.h"
#include "order.h"
#include "sorted.h"
#include "weir/counters.h"
#include "weir/mmu.h"

#define WEIR_NO_DESCRIPTOR UINT32_MAX

/* An account: all that a packet changes of it, in one cache line that begins with what policies see. */
struct weir_account_state {
    struct weir_holding held;
    uint64_t sent_packets, sent_bytes; /* as held.sent_cells */
    uint32_t packets;                  /* queued now */
    int32_t peak_cells;                /* highest held.cells since a watermark was last folded (counters.h) */
    union {
        uint32_t head;             /* egress: the descriptor queue */
        int32_t peak_shared_cells; /* ingress: of held.shared_cells, as peak_cells */
    };
    union {
        uint32_t tail;
        int32_t peak_headroom_cells; /* ingress: of held.headroom_cells */
    };
};
_Static_assert(sizeof(struct weir_account_state) == WEIR_CACHE_LINE, "weir_view_account steps by cache lines");

/* One queued packet, 32 bytes: two to a cache line. */
struct weir_descriptor {
    uint64_t handle;
    uint32_t index; /* low bits of the arrival index */
    uint32_t bytes;
    uint32_t cells;
    uint32_t next, prev; /* within its account; `next` also links free descriptors */
    uint16_t input;      /* input port */
    uint8_t tc;
    uint8_t trimmed_from; /* class + 1 of the packet that this one is the copy of; 0: it is no copy. Set where there are
                           * trims */
};

/* The egress or the ingress half: the view a policy gets, and what is behind its const pointers. */
struct weir_side {
    const struct weir_policy *policy;
    void *state;
    struct weir_account_state *account;
    struct weir_port_state *port;
    struct weir_view view;
};

/* Counted per egress account, but not for every packet. */
struct weir_tally {
    uint64_t dropped_bytes;
    uint64_t refused[WEIR_REASON_COUNT];
    uint64_t dropped[WEIR_CAUSE_COUNT];
    uint64_t marked;
    uint64_t trimmed, sent_trimmed, dropped_trimmed; /* copies of its packets, wherever they were queued */
    weir_cells watermark[WEIR_WM_COUNT];             /* before the present peak_cells is folded in */
};

/* Likewise per ingress account, and per input port. */
struct weir_group_tally {
    uint64_t refused, dropped; /* packets */
    uint64_t pauses, resumes;
    weir_cells watermark[WEIR_WM_COUNT], shared_watermark[WEIR_WM_COUNT], headroom_watermark[WEIR_WM_COUNT];
};
struct weir_port_tally {
    uint64_t pauses, resumes;
};

/* Shared cells of a packet's two accounts before something happened to it. */
struct weir_before {
    weir_cells egress, ingress;
};

enum weir_mmu_happening { WEIR_ENQUEUED, WEIR_DEQUEUED, WEIR_DROPPED, WEIR_HAPPENINGS };

/* An egress account with its port and class, which are known where it is found and a division away elsewhere. */
struct weir_place {
    weir_account account;
    weir_port port;
    weir_class tc;
};

/* How the cells of a packet are charged; the rest of them is private. */
struct weir_split {
    weir_cells shared, headroom;
};

/* A packet taken out for an arrival that may still be put back. */
struct weir_planned {
    uint32_t descriptor;
    struct weir_place at;
    struct weir_before before;
    bool tail;
};

/* How packets of a kind enter and leave: mmu.c, compiled for what holds on the path. */
struct weir_path {
    const struct weir_effects *(*arrive)(struct weir_mmu *m, const struct weir_packet *packet, weir_ps now);
    const struct weir_effects *(*pass)(struct weir_mmu *m, const struct weir_packet *packet, weir_ps now);
    const struct weir_effects *(*send)(struct weir_mmu *m, weir_port port, weir_class tc);
};

/* What every packet touches comes first and close together. */
struct weir_mmu {
    struct weir_path path[2]; /* of packets of lossy [0] and of lossless classes */
    struct weir_pools pools;
    weir_ps now;
    uint64_t arrivals;
    struct weir_descriptor *descriptor;
    uint32_t free_head; /* descriptors given back, last one first */
    uint32_t fresh;     /* descriptors from here on have never been used, and their memory not been touched */
    uint32_t packets;   /* queued */
    uint32_t packets_max;

    struct weir_trace *trace;
    weir_cells used_peak;    /* since a watermark was last folded */
    uint64_t read_bytes;     /* by departures and expulsions */
    uint64_t cell_inverse;   /* weir_unit_inverse of the cell size */
    struct weir_order order; /* of the egress accounts, if the policy needs it */
    uint32_t evictions_max;  /* in one call */
    uint32_t paused_inputs;  /* input ports with anything paused */
    weir_cells calm_cells;   /* the policy's expel_level: the shared pool holds more, or nothing is to be expelled */
    weir_cells wake_cells;   /* at least the largest of their resume_cells: the pool holds more, so none can resume */
    bool expels;             /* the policy expels: departures use memory bandwidth that it waits for */
    bool asks_lossy;         /* the ingress policy is asked and told about lossy packets too */
    bool asks_lossless;      /* the egress policy is asked and told about lossless packets too */
    bool ticks;              /* a policy has on_tick */
    bool tells[2][WEIR_HAPPENINGS]; /* of a lossy [0] or lossless packet: a policy that is told has the slot for it */
    bool hears_sent[2];             /* likewise: a trace or a policy hears of packets that leave by their port */
    bool drops_heads;               /* the policy is asked before a departure */
    bool chooses;                   /* a departure asks the scheduler or the policy even with one class to send from */
    bool events;                    /* weir_mmu_has_events */
    bool trims;                     /* weir_mmu_has_trims */
    bool sees_flows;                /* weir_mmu_sees_flows */
    bool appoints;                  /* a policy has next_tick */
    uint32_t unchecked;             /* calls since the invariants were last checked, in checking builds */

    struct weir_effects effects;
    struct weir_arrival arrival; /* the one that is decided; here, because the stack of every call would have a guard */
    struct weir_side egress;
    struct weir_side ingress;  /* policy is null when there is none */
    struct weir_sorted sorted; /* order is null when not needed */
    struct weir_flow_table flows;
    struct weir_flow_view flow; /* of the arrival that is decided */
    struct weir_arbiter arbiter;

    struct weir_lost *lost;                 /* [evictions_max] */
    struct weir_planned *planned;           /* [evictions_max] */
    struct weir_pause_edge *edge;           /* [input ports] */
    uint64_t *paused_input;                 /* a bit for each input port with anything paused */
    weir_cells *resume_cells;               /* [input ports]: what the policy's resume_level last said */
    struct weir_uplink *uplink;             /* [input ports] */
    struct weir_scheduler_state *scheduler; /* [ports] */
    weir_ps *paused_until;                  /* [accounts] of the egress side */

    uint8_t group[WEIR_CLASSES_MAX];     /* the class in whose ingress accounts a class counts: mostly its own */
    uint32_t together[WEIR_CLASSES_MAX]; /* bits of the classes that count where this one does */

    struct weir_tally *tally;             /* [egress accounts] */
    struct weir_group_tally *group_tally; /* [ingress accounts] */
    struct weir_port_tally *port_tally;   /* [input ports] */
    uint64_t expelled_bytes;
    weir_cells headroom_peak; /* since a watermark was last folded */
    weir_cells used_watermark[WEIR_WM_COUNT], headroom_watermark[WEIR_WM_COUNT];

    struct weir_scheduler_config scheduling;
    struct weir_marking marking[WEIR_CLASSES_MAX];
    struct weir_trim trim[WEIR_CLASSES_MAX];
    weir_cells mark_from[WEIR_CLASSES_MAX]; /* no packet is marked in a shorter account */
    uint64_t seed;
};

/* Cells set aside as private minimums by both sides. */
weir_cells weir_mmu_private_cells(const struct weir_mmu_config *config);

static inline bool weir_mmu_is_lossless(const struct weir_mmu *m, weir_class tc)
{
    return m->egress.view.geometry.lossless_mask >> tc.i & 1;
}

static inline struct weir_place weir_mmu_place(const struct weir_mmu *m, weir_port port, weir_class tc)
{
    return (struct weir_place){weir_account_of(&m->egress.view.geometry, port, tc), port, tc};
}

/* The place of an account whose first or last packet is this. */
static inline struct weir_place weir_mmu_place_of(const struct weir_mmu *m, weir_account account, uint32_t descriptor)
{
    uint32_t tc = m->descriptor[descriptor].tc;
    return (struct weir_place){account, {account.i - tc * m->egress.view.geometry.ports}, {tc}};
}

/* Time moves on to `now`: brings the policies up to it, before anything of that moment is counted. */
void weir_mmu_tick_policies(struct weir_mmu *m, weir_ps now);

/* The table of flows that the egress policy wants; no entries where it wants none. */
struct weir_flow_shape weir_mmu_flow_shape(const struct weir_mmu_config *config);

/* The shape that one side of an MMU sees. */
struct weir_geometry weir_mmu_geometry(const struct weir_mmu_config *config, bool ingress);

/* What a call returns that names a port or class which is not there. */
const struct weir_effects *weir_mmu_invalid(void);

/* Every entry point begins here: time moves on and the effects of the last call are gone. Untimed: no policy ticks. */
static inline void weir_mmu_begin_untimed(struct weir_mmu *m, weir_ps now)
{
    assert(now >= m->now && now <= WEIR_TIME_MAX);
    m->now = now;
    m->effects.accepted = false;
    m->effects.marked = false;
    m->effects.departed = false;
    m->effects.lossless = false;
    m->effects.reason = WEIR_REASON_NONE;
    m->effects.lost_count = 0;
    m->effects.edge_count = 0;
}

static inline void weir_mmu_begin(struct weir_mmu *m, weir_ps now)
{
    if (HOT_RARELY(m->ticks && now > m->now))
        weir_mmu_tick_policies(m, now);
    weir_mmu_begin_untimed(m, now);
}

#ifdef WEIR_CHECKS
#define WEIR_IS_CHECKING true
#else
#define WEIR_IS_CHECKING false
#endif

/* The state hash that a trace wants, and the invariants in checking builds. */
void weir_mmu_review(struct weir_mmu *m);

/* And ends here. */
static inline const struct weir_effects *weir_mmu_finish(struct weir_mmu *m, bool is_untraced)
{
    if (WEIR_IS_CHECKING || (!is_untraced && m->trace))
        weir_mmu_review(m);
    return &m->effects;
}

/* Gives the MMU its paths: whenever what they depend on has changed. */
void weir_mmu_choose_paths(struct weir_mmu *m);

/* Loses the first packet of an account: counts it, reports it in the effects, tells the policies. */
void weir_mmu_lose_head(struct weir_mmu *m, const struct weir_place *at, enum weir_cause cause);

/* Pushes packets out until the arrival fits; false, with nothing changed, when it cannot. What the arrival then needs
 * of the shared pool may have changed. */
bool weir_mmu_make_room(struct weir_mmu *m, const struct weir_arrival *arrival);

/* A refused arrival takes the place of the newest packet of its account: see struct weir_trim. */
bool weir_mmu_displace(struct weir_mmu *m, const struct weir_arrival *arrival);

/* The policy has its values: asks for its expel_level. */
void weir_mmu_find_calm(struct weir_mmu *m);

/* The packet the policy would expel now, or WEIR_NO_DESCRIPTOR. */
uint32_t weir_mmu_expel_candidate(const struct weir_mmu *m, weir_ps now, struct weir_victim *victim);

/* The tally of the account whose packet left a copy at this port; `trimmed_from` is its class + 1. */
static inline struct weir_tally *weir_mmu_origin(const struct weir_mmu *m, weir_port port, uint32_t trimmed_from)
{
    return &m->tally[weir_account_of(&m->egress.view.geometry, port, (weir_class){trimmed_from - 1}).i];
}

/* Something was or is to be paused at an input port: finds the edges, and how long it can sleep. */
void weir_mmu_settle_pause(struct weir_mmu *m, weir_port input, uint32_t mask, bool port_level);

/* The ingress account of a class at an input port. */
static inline weir_account weir_mmu_group_account(const struct weir_mmu *m, weir_port input, weir_class tc)
{
    return weir_account_of(&m->ingress.view.geometry, input, (weir_class){m->group[tc.i]});
}

/* Pause edges of an input port, looking at these of its lossless classes: after an arrival, at the packet's. */
static inline void weir_mmu_test_pause(struct weir_mmu *m, weir_port input, uint32_t asked)
{
    const struct weir_side *side = &m->ingress;
    bool port_level = false;
    if (!side->policy->pause_mask)
        return;
    uint32_t answer = side->policy->pause_mask(side->state, &side->view, input, asked, &port_level);
    const struct weir_port_state *p = &side->port[input.i];
    uint32_t mask = (p->paused_mask & ~asked) | (answer & asked);
    if (mask | p->paused_mask | port_level | p->paused)
        weir_mmu_settle_pause(m, input, mask, port_level);
}

/* Pause edges of paused input ports after one packet of this input and class left, and after any packets left. An input
 * is tested once per call: a policy whose XON equals its XOFF would pause and resume at the same moment. */
void weir_mmu_test_resume(struct weir_mmu *m, weir_port input, weir_class tc);
void weir_mmu_test_resume_all(struct weir_mmu *m);

/* The classes that an output port may send from: its backlog but for what the peer holds paused. Ends the pauses that
 * have expired, and finds when the first of the others does (blocked_until). */
uint32_t weir_mmu_unpaused_mask(struct weir_mmu *m, weir_port port);

#endif
