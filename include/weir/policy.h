/*
 * policy.h - the contract between a buffer policy and the MMU.
 *
 * A policy is a state machine over events. It sees events and a const view of the MMU and returns decisions. It
 * never calls its host, reads a clock, allocates, prints, or keeps a second copy of a counter that the MMU owns;
 * `lib/policies/dt.c` shows how little that takes. The same table serves both sides: on the egress side a policy holds
 * (output port, class) accounts to a limit (DT ... Occamy), on the ingress side (input port, class) accounts (PFC
 * headroom schemes). A packet enters when every side that is asked agrees: the egress policy decides about, and
 * hears of, packets of lossy classes, the ingress policy those of lossless classes; each hears of all packets if it
 * needs to.
 *
 * Time is an argument. A policy that depends on time has on_tick, which the MMU calls at the start of every entry
 * point at which time has moved, before anything of that moment is counted; so its state is up to date in every other
 * slot, and extra calls never change a decision.
 */
#ifndef WEIR_POLICY_H
#define WEIR_POLICY_H

#include "weir/flow.h"
#include "weir/params.h"
#include "weir/types.h"
#include "weir/view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weir_flag {
    WEIR_FLAG_LOSSLESS = 1,    /* set by the MMU from the packet's class */
    WEIR_FLAG_ECN = 2,         /* ECN-capable: may be marked instead of lost */
    WEIR_FLAG_UNSCHEDULED = 4, /* of the first bandwidth-delay product of its flow */
    WEIR_FLAG_WHOLE = 8,       /* leaves no copy where its class is trimmed: it cannot be cut, or must not be */
};

struct weir_arrival {
    weir_ps now;
    uint64_t index;       /* running number of the arrival at this MMU; oracles are asked by it */
    weir_account account; /* on the side of the policy that is asked */
    weir_port port;       /* of that account */
    weir_class tc;
    weir_cells cells;      /* what it would occupy */
    weir_cells need_cells; /* of these, what it would take from the shared pool (weir_view_shared_need); asked of a side
                            * that does not govern the class: as the other side has it */
    uint32_t flags;        /* enum weir_flag */
    const struct weir_flow_view *flow; /* for a policy that needs flows; else it says nothing */
};

enum weir_decision {
    WEIR_REFUSE,         /* the packet does not enter */
    WEIR_ACCEPT_IF_ROOM, /* it enters if the charged pool has room */
    WEIR_ACCEPT,         /* the same, but without room the MMU asks `victim` until there is, or refuses. Lossy packets
                          * charged to the shared pool only; else as ACCEPT_IF_ROOM */
};

enum weir_charge {
    WEIR_CHARGE_SHARED,   /* the private minimum first, the rest to the shared pool */
    WEIR_CHARGE_HEADROOM, /* the whole packet to the headroom pool */
    WEIR_CHARGE_PRIVATE,  /* only if the private minimum holds all of it */
};

/* Small enough to travel in one register: three ints would go through memory, half by half. */
struct weir_verdict {
    enum weir_decision decision : 8;
    enum weir_reason reason : 8; /* of a refusal */
    enum weir_charge charge : 8; /* of an acceptance */
};

enum weir_why {
    WEIR_WHY_PUSHOUT, /* make room for `arrival` */
    WEIR_WHY_EXPEL,   /* spare memory bandwidth is offered */
    WEIR_WHY_DEQUEUE, /* `leaving` is about to transmit its head: name it as the victim to drop the packet instead */
};

struct weir_question {
    enum weir_why why;
    weir_ps now;
    const struct weir_arrival *arrival; /* PUSHOUT only, else null */
    weir_account leaving;               /* DEQUEUE only */
};

struct weir_victim {
    weir_account account; /* who loses a packet; WEIR_NO_ACCOUNT for none */
    bool tail;            /* its last packet instead of its first */
};

struct weir_event {
    weir_ps now;
    weir_account account;
    weir_port port;
    weir_class tc;
    weir_cells cells;
    enum weir_cause cause;    /* on_drop only */
    enum weir_reason reason;  /* on_drop with WEIR_CAUSE_REFUSED only */
    weir_cells shared_before; /* the account's shared cells before the change */
};

/* What the host must offer. */
enum weir_need {
    WEIR_NEED_LONGEST = 1,    /* view: longest account, accounts above a value */
    WEIR_NEED_RANKS = 2,      /* view: accounts by rank */
    WEIR_NEED_EXPEL = 4,      /* calls of weir_mmu_offer_expel, and the memory-bandwidth arbiter */
    WEIR_NEED_DEQUEUE = 8,    /* `victim` is asked before a departure (see weir_mmu_depart) */
    WEIR_NEED_ORACLE = 16,    /* an oracle in the view */
    WEIR_NEED_INGRESS = 32,   /* belongs on the ingress side */
    WEIR_NEED_LOSSY = 64,     /* ingress side: decides about and hears of lossy classes too */
    WEIR_NEED_LOSSLESS = 128, /* egress side: decides about and hears of lossless classes too */
    WEIR_NEED_FLOW = 256,     /* egress side: `flow` of arrivals, from hosts that know it, and `flow_table` */
};

/* What a headroom pool is sized by: geometry.ports inputs, with their links and rates. */
struct weir_reserve {
    const struct weir_uplink *uplinks; /* [ports], or null: all as `uplink` */
    const weir_bps *rates_bps;         /* [ports], or null: all at rate_bps */
    struct weir_uplink uplink;
    weir_bps rate_bps;
};

static inline const struct weir_uplink *weir_reserve_uplink(const struct weir_reserve *inputs, uint32_t input)
{
    return inputs->uplinks ? &inputs->uplinks[input] : &inputs->uplink;
}

static inline weir_bps weir_reserve_rate(const struct weir_reserve *inputs, uint32_t input)
{
    return inputs->rates_bps ? inputs->rates_bps[input] : inputs->rate_bps;
}

struct weir_policy {
    const char *name;       /* one word, as in scenario files */
    const char *title;      /* one line */
    const char *source;     /* the paper */
    const char *deviations; /* where it differs from the paper, or null */
    const char *headroom;   /* ingress side: what the headroom it reserves is made of, one line; else null */
    uint32_t needs;         /* enum weir_need */
    const struct weir_param *params;
    uint32_t param_count;

    /* Bytes of state for this shape, at most 1 GiB. The state holds no pointers: it can be copied, hashed and saved. */
    size_t (*state_size)(const struct weir_geometry *geometry);

    /* Fills the state for an empty MMU at time 0. Values are complete and in range. */
    void (*init)(void *state, const struct weir_view *view, const struct weir_values *values);

    /* Takes over new values at run time; what has evolved stays. Null: init's values are final. */
    void (*change)(void *state, const struct weir_view *view, const struct weir_values *values);

    /*
     * Once per arrival that finds a descriptor and is not larger than the buffer, before anything is counted. A refusal
     * does not bind the MMU where the account's private minimum covers the packet: that much is guaranteed. A side that
     * does not govern the class has no such minimum, and its refusal binds; its charge is ignored.
     */
    struct weir_verdict (*admit)(void *state, const struct weir_view *view, const struct weir_arrival *arrival);

    /*
     * Who loses a packet. Must not change the state: it is also asked to plan. An account of a lossless class or an
     * empty one is never an answer. Null: none.
     */
    struct weir_victim (*victim)(const void *state, const struct weir_view *view, const struct weir_question *question);

    /*
     * After the MMU changed its counters. on_drop also reports refused arrivals, which changed nothing. Packets pushed
     * out for one arrival are reported when all of them are out. May be null.
     */
    void (*on_enqueue)(void *state, const struct weir_view *view, const struct weir_event *event);
    void (*on_dequeue)(void *state, const struct weir_view *view, const struct weir_event *event);
    void (*on_drop)(void *state, const struct weir_view *view, const struct weir_event *event);

    /* A depart that found the port's queues empty: it had the time for a packet and no packet. May be null. */
    void (*on_idle)(void *state, const struct weir_view *view, weir_port port, weir_ps now);

    /* Brings the state up to `now`; early calls are legal, and time may have passed many deadlines. next_tick says
     * when it next matters even if nothing happens at the MMU; null: it never does. on_tick is null when time does
     * not matter at all. */
    void (*on_tick)(void *state, const struct weir_view *view, weir_ps now);
    weir_ps (*next_tick)(const void *state, const struct weir_view *view);

    /*
     * Ingress side: which of the lossless classes in `asked` ought to be paused at an input port now (bit c for class
     * c; other bits are ignored), and in *port_level, which is false before, whether the whole port ought to be.
     * Asked after an arrival of a lossless class from the port, accepted or not, about that class; and whenever memory
     * was freed, about what is paused there. The view's port state has what is paused already; the MMU finds the
     * edges and the host sends the frames.
     */
    uint32_t (*pause_mask)(const void *state, const struct weir_view *view, weir_port port, uint32_t asked,
                           bool *port_level);

    /*
     * Ingress side, optional: pause_mask has nothing to resume at a port while the shared pool holds more cells than
     * this, until a lossless packet arrives from it, or one leaves of a class that is paused there (of any, when the
     * port is); -1: whatever the pool holds. Without the slot every paused port is asked whenever memory is freed.
     */
    weir_cells (*resume_level)(const void *state, const struct weir_view *view, weir_port port);

    /*
     * Ingress side: cells of the headroom pool to set aside for a memory that these inputs feed. Hosts that follow
     * the policy ask weir_mmu_headroom_cells before they build. Null: none.
     */
    weir_cells (*reserve)(const struct weir_geometry *geometry, const struct weir_reserve *inputs,
                          const struct weir_values *values);

    /* Ingress side, for telemetry only: cells of the headroom pool that one queue of an input port may hold, if there
     * are so many. Null: as its uplink says. */
    weir_cells (*headroom_limit)(const void *state, const struct weir_view *view, weir_port port);

    /* For plots and telemetry only: the limit of an account now; on the ingress side where its class is paused. */
    weir_cells (*threshold)(const void *state, const struct weir_view *view, weir_account account);

    /* For plots and telemetry only: what the policy takes an account for now, in the paper's word ("absorption"). Null:
     * the rule is the same at all times. */
    const char *(*mode)(const void *state, const struct weir_view *view, weir_account account);

    /*
     * Optional: `victim` names no account for WEIR_WHY_EXPEL while the shared pool holds at most so many cells. Asked
     * after init and change, so that an expulsion is only asked for where there may be one. Null: it always may.
     */
    weir_cells (*expel_level)(const void *state, const struct weir_view *view);

    /*
     * Ingress side, optional: the class in whose accounts packets of a class count, so that classes share a priority
     * group: the first class of the group, of itself too. Classes of a group are all lossless or all lossy. Arrivals
     * and events then name the group's account, and the packet's class; pause_mask is asked about all classes of the
     * group. It holds from init on: weir_mmu_change refuses values that group otherwise. Null: each class has its own.
     */
    uint32_t (*group)(const struct weir_geometry *geometry, const struct weir_values *values, uint32_t tc);

    /*
     * With WEIR_NEED_FLOW: the table in which the MMU counts the flows of the packets that the policy is asked about.
     * It holds from init on: weir_mmu_change refuses values with which it would be another. Without entries, and where
     * the slot is null, the policy is built by hosts only that know the bytes of a flow.
     */
    struct weir_flow_shape (*flow_table)(const struct weir_geometry *geometry, const struct weir_values *values);
};

static inline struct weir_verdict weir_refuse(enum weir_reason reason)
{
    const struct weir_verdict verdict = {WEIR_REFUSE, reason, WEIR_CHARGE_SHARED};
    return verdict;
}

static inline struct weir_verdict weir_accept_if_room(void)
{
    const struct weir_verdict verdict = {WEIR_ACCEPT_IF_ROOM, WEIR_REASON_NONE, WEIR_CHARGE_SHARED};
    return verdict;
}

/* Every policy of the library, ordered as `weir policies` shows them. */
extern const struct weir_policy *const weir_policies[];
extern const uint32_t weir_policy_count;

const struct weir_policy *weir_policy_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
