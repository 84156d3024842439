/*
 * mmu.h - the memory management unit of one shared packet memory.
 *
 * The MMU owns every counter, the descriptor queues, the pause state and the memory-bandwidth arbiter, and asks the
 * policies. Hosts own packets and time: a packet is an opaque 64-bit handle that leaves exactly once, by one way
 * (departed or lost). Nothing is allocated after init: the caller asks for the size and gives the memory.
 *
 * Every entry point takes `now`, which never goes back nor beyond WEIR_TIME_MAX, and returns its effects as data, valid
 * until the next call on the same MMU. Memory of a packet is freed when its transmission starts, so a packet on the
 * wire is never a victim.
 *
 * Ports, classes and accounts are checked in every build. A call with one that the MMU does not have changes nothing,
 * not even the time, and returns effects that say so (weir_effects_invalid) and nothing else; functions that only look
 * return null, 0 or counters of 0. Of a mask, bits of classes that do not exist are ignored. What else is said of
 * arguments here (packets of at least a byte, time that does not go back, configs that have been checked) is asserted
 * in builds with assertions, and so is what policies ask of their view.
 *
 * Pools: the private minimum of each account, the shared pool, and headroom. A packet is charged once, as the
 * verdict of the side that governs its class says (egress for lossy, ingress for lossless classes), to that side's
 * account; leaving packets drain the account's headroom first, then shared, then private.
 */
#ifndef WEIR_MMU_H
#define WEIR_MMU_H

#include "weir/marking.h"
#include "weir/policy.h"
#include "weir/scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_mmu;
struct weir_trace;

/*
 * Trimming of a class: a lost packet leaves a copy cut to a few bytes, which is offered to another class of its output
 * port. The copy is an arrival like any other, admitted by that class's own rule: the host asks weir_mmu_trims about
 * every packet that a call refused or lost, cuts it and offers the copies, first loss first, before any other
 * call on the MMU. (SAI: SAI_PACKET_ADMISSION_FAIL_ACTION_DROP_AND_TRIM; it trims refused packets only.)
 */
enum weir_trim_ecn {
    WEIR_TRIM_ECN_KEEP,  /* the copy is as ECN-capable as its packet */
    WEIR_TRIM_ECN_CLEAR, /* it is not */
    WEIR_TRIM_ECN_MARK,  /* the host marks it where its packet was ECN-capable */
    WEIR_TRIM_ECN_COUNT
};

struct weir_trim {
    uint32_t bytes;         /* a copy has at most so many; 0: packets of the class leave no copies */
    weir_class to;          /* the class that copies are offered to */
    uint32_t causes;        /* bit c: packets lost by enum weir_cause c leave copies; see WEIR_TRIM_CAUSES */
    enum weir_trim_ecn ecn; /* of copies */
    bool skips_ingress;     /* an ingress policy that is asked about lossy packets is not asked about copies */
    uint8_t newest;         /* chance, in WEIR_TRIM_CHANCES: what is refused takes the place of the newest packet of its
                             * account, if that has as many cells, which is pushed out; not where an ingress policy is
                             * asked about lossy packets */
};

#define WEIR_TRIM_CHANCES 128u

/* What `causes` may name. A packet whose link went down leaves no copy: the copy could not leave either. */
#define WEIR_TRIM_CAUSES                                                                                               \
    (1u << WEIR_CAUSE_REFUSED | 1u << WEIR_CAUSE_PUSHOUT | 1u << WEIR_CAUSE_EXPELLED | 1u << WEIR_CAUSE_DEQUEUE)

struct weir_mmu_config {
    uint32_t ports;  /* output ports */
    uint32_t inputs; /* input ports that feed this memory; 0: as many as output ports */
    uint32_t classes;
    uint32_t cell_bytes;                                /* 1: byte accounting */
    weir_cells buffer_cells;                            /* the whole memory */
    weir_cells headroom_cells;                          /* of it, headroom pool */
    weir_cells private_cells[WEIR_CLASSES_MAX];         /* of it, minimum of each egress account of a lossy class */
    weir_cells ingress_private_cells[WEIR_CLASSES_MAX]; /* of it, minimum of each ingress account of a lossless class */
    uint32_t packets_max;            /* descriptors: packets the memory can hold, whatever their size */
    uint32_t evictions_max;          /* most packets lost in one call; an arrival that needs more is refused */
    const weir_bps *rates_bps;       /* [ports], or null: all at rate_bps */
    const weir_bps *input_rates_bps; /* [inputs], or null: all at rate_bps */
    weir_bps rate_bps;
    const struct weir_uplink *uplinks; /* [inputs], or null: all as `uplink` */
    struct weir_uplink uplink;
    uint32_t lossless_mask; /* bit c: class c is lossless; needs an ingress policy */
    struct weir_scheduler_config scheduler;
    struct weir_marking marking[WEIR_CLASSES_MAX];
    struct weir_trim trim[WEIR_CLASSES_MAX];
    weir_bps memory_bps;         /* read bandwidth of the memory; 0: the sum of the port rates */
    uint32_t memory_cell_bytes;  /* unit of one memory read, by which the arbiter counts */
    uint32_t memory_depth_cells; /* depth of the arbiter's bucket; 0: expulsion never gets bandwidth */
    uint64_t seed;               /* of RED's draws */
    uint32_t gives;              /* enum weir_gives: what the host says with every packet */
    const struct weir_policy *egress;
    const struct weir_values *egress_values; /* null: defaults */
    const struct weir_policy *ingress;       /* null: no ingress accounts are kept */
    const struct weir_values *ingress_values;
    const struct weir_oracle *oracle; /* for policies that need one */
};

/* A config with the usual values: 1-byte cells, FIFO, 10 Gb/s, memory cells of 200 B and a bucket 8 deep, and one
 * descriptor more than the buffer has cells (65536 at most), so that memory runs out before descriptors do. */
void weir_mmu_config_init(struct weir_mmu_config *config, uint32_t ports, uint32_t classes, weir_cells buffer_cells);

/* True when the config can be built; otherwise one line in `error`. */
bool weir_mmu_config_check(const struct weir_mmu_config *config, struct weir_error *error);

/* Input ports of a config. */
static inline uint32_t weir_mmu_inputs(const struct weir_mmu_config *config)
{
    return config->inputs ? config->inputs : config->ports;
}

/* The headroom pool that the config's ingress policy wants; 0 without one. Everything else of the config is set. */
weir_cells weir_mmu_headroom_cells(const struct weir_mmu_config *config);

/* Bytes of memory an MMU of this config needs, aligned to 64. The config has been checked. */
size_t weir_mmu_size(const struct weir_mmu_config *config);

/* Builds an MMU in `memory` (aligned to 64, weir_mmu_size bytes). The memory stays the caller's. */
struct weir_mmu *weir_mmu_init(void *memory, const struct weir_mmu_config *config);

struct weir_packet {
    uint64_t handle;
    weir_port output;
    weir_port input; /* used only with an ingress policy */
    weir_class tc;
    uint32_t bytes;               /* 1 to WEIR_PACKET_BYTES_MAX */
    uint32_t flags;               /* WEIR_FLAG_ECN, WEIR_FLAG_UNSCHEDULED, WEIR_FLAG_WHOLE */
    uint32_t trimmed_from;        /* the copy of a trimmed packet: the class of that one, plus 1; else 0 */
    const struct weir_flow *flow; /* of a config that gives flows; else nobody looks at it */
};

struct weir_lost {
    uint64_t handle;
    uint32_t index; /* low bits of the packet's arrival index */
    weir_account account;
    enum weir_cause cause;
    weir_port input;       /* by which it came */
    uint32_t trimmed_from; /* as its struct weir_packet had it */
};

struct weir_pause_edge {
    weir_port port;               /* input port */
    uint32_t pause_mask;          /* classes to pause now */
    uint32_t resume_mask;         /* classes to resume now */
    bool port_pause, port_resume; /* the whole port */
};

/* What a call did. Each call sets the first block; the others hold only what that block says. */
struct weir_effects {
    bool accepted;           /* arrive */
    bool marked;             /* arrive */
    bool departed;           /* depart */
    bool lossless;           /* depart: the packet's class is, and `input` and `tc` are set */
    enum weir_reason reason; /* arrive: of a refusal; any: WEIR_REASON_INVALID */
    uint32_t lost_count;
    uint32_t edge_count;
    /* arrive */
    uint64_t index; /* running number of this arrival */
    /* depart */
    uint64_t handle; /* departed packet */
    uint32_t bytes;
    uint32_t departed_index; /* low bits of its arrival index */
    weir_account account;
    weir_port input; /* by which it came */
    weir_class tc;
    struct weir_int_stamp stamp;
    weir_ps blocked_until; /* nothing departed because all backlog is paused: when the first pause ends */
    /* any */
    const struct weir_lost *lost;        /* packets that were in the buffer and are lost, in order */
    const struct weir_pause_edge *edges; /* [edge_count] */
};

/* The call had a port or class that the MMU does not have, and did nothing: a mistake of the host. */
static inline bool weir_effects_invalid(const struct weir_effects *effects)
{
    return effects->reason == WEIR_REASON_INVALID;
}

/* One packet arrives. A refused packet stays the host's; an accepted one leaves by depart or in `lost`. */
const struct weir_effects *weir_mmu_arrive(struct weir_mmu *mmu, const struct weir_packet *packet, weir_ps now);

/* The same where the output port is free to send. If nothing is queued there, the packet may depart in this call; then
 * `departed` is set and all is as after arrive and depart. Otherwise only arrive has been done. */
const struct weir_effects *weir_mmu_pass(struct weir_mmu *mmu, const struct weir_packet *packet, weir_ps now);

/*
 * Whether a packet that was refused or lost leaves a copy, and that copy: the packet itself, cut, in its new class. The
 * host has the packet; of one that was in the buffer, struct weir_lost has what the host may have forgotten. The copy
 * of a packet that is no longer than the cut is the whole packet. A copy leaves no copies.
 */
bool weir_mmu_trims(const struct weir_mmu *mmu, const struct weir_packet *lost, enum weir_cause cause,
                    struct weir_packet *copy);

/* Whether the policy looks at flows: known at init, so a host may leave them out of its packets for all others. */
bool weir_mmu_sees_flows(const struct weir_mmu *mmu);

/* Whether packets of any class leave copies: known at init, so a host may leave out weir_mmu_trims for all others. */
bool weir_mmu_has_trims(const struct weir_mmu *mmu);

/* The output port is free to send: the packet its scheduler chooses, if any. A policy that drops at dequeue is asked
 * about each choice, until evictions_max packets are lost: the next one is then sent unasked. */
const struct weir_effects *weir_mmu_depart(struct weir_mmu *mmu, weir_port port, weir_ps now);

/* Spare memory bandwidth is offered: packets are expelled while the arbiter has tokens and the policy names a
 * victim. At most evictions_max of them; weir_mmu_next_event says whether to call again. */
const struct weir_effects *weir_mmu_offer_expel(struct weir_mmu *mmu, weir_ps now);

/* The peer of an output port pauses the classes in the mask until a time; `until` <= now resumes them. */
const struct weir_effects *weir_mmu_pause_received(struct weir_mmu *mmu, weir_port port, uint32_t class_mask,
                                                   weir_ps until, weir_ps now);

/* The link of an output port went down: up to evictions_max of its packets are lost. Call until lost_count is 0. */
const struct weir_effects *weir_mmu_flush(struct weir_mmu *mmu, weir_port port, weir_ps now);

/* The same for the classes in the mask only: what a PFC watchdog does to a queue that is paused for too long. */
const struct weir_effects *weir_mmu_flush_classes(struct weir_mmu *mmu, weir_port port, uint32_t class_mask,
                                                  weir_ps now);

/* Lets time pass; runs policy ticks that are due. Never changes a later decision. */
const struct weir_effects *weir_mmu_advance(struct weir_mmu *mmu, weir_ps now);

/* When the MMU next wants a call without being asked: a policy's tick (advance), or the moment at which the
 * arbiter has the tokens for a waiting expulsion (offer_expel). WEIR_NEVER when there is nothing to wait for. */
weir_ps weir_mmu_next_event(const struct weir_mmu *mmu);

/* Whether weir_mmu_next_event can ever be anything but WEIR_NEVER: a policy has ticks to wait for, or may expel. It is
 * known at init and never changes, so a host may leave out next_event, and offer_expel with it, for all others. */
bool weir_mmu_has_events(const struct weir_mmu *mmu);

/* New parameter values for the egress (or ingress) policy from now on; null when it takes none, or when they group
 * classes otherwise. */
const struct weir_effects *weir_mmu_change(struct weir_mmu *mmu, bool ingress, const struct weir_values *values,
                                           weir_ps now);

const struct weir_view *weir_mmu_view(const struct weir_mmu *mmu);
const struct weir_view *weir_mmu_ingress_view(const struct weir_mmu *mmu); /* null without an ingress policy */
const struct weir_policy *weir_mmu_policy(const struct weir_mmu *mmu);

/* Packets in the buffer. */
uint32_t weir_mmu_packets(const struct weir_mmu *mmu);

/*
 * Where the packets of lossless classes wait: adds, for each input port, the cells that the egress account holds of it
 * to held[input]; nothing without an ingress policy. Visits every packet of the account: for looking, not for the
 * packet path.
 */
void weir_mmu_cells_by_input(const struct weir_mmu *mmu, weir_account account, weir_cells *held);

/* The policy's threshold of an egress account now; 0 when the policy offers none. */
weir_cells weir_mmu_threshold(const struct weir_mmu *mmu, weir_account account);

/* The same of an ingress account: where its class is paused; 0 without an ingress policy. */
weir_cells weir_mmu_ingress_threshold(const struct weir_mmu *mmu, weir_account account);

/* What the policy takes an egress account for now, in the paper's word; null when it makes no difference. */
const char *weir_mmu_mode(const struct weir_mmu *mmu, weir_account account);

/* Cells of the headroom pool that one lossless queue of an input port may hold; 0 without an ingress policy. */
weir_cells weir_mmu_headroom_limit(const struct weir_mmu *mmu, weir_port input);

/* Records every following entry point into the trace; null stops. The trace stays the caller's. */
void weir_mmu_set_trace(struct weir_mmu *mmu, struct weir_trace *trace);

/*
 * Hash of what can be observed: per account the arrival indices (low 32 bits) and sizes of its packets in order, and
 * the pools. Equal states hash equally in the MMU and in the naive model (weir_state_hash_* in trace.h).
 */
uint64_t weir_mmu_hash(const struct weir_mmu *mmu);

/* Checks every invariant; null when all hold, else what does not. Runs by itself in builds with WEIR_CHECKS: after
 * every entry point of an MMU with up to 64 descriptors and accounts, in proportion less often of a larger one. */
const char *weir_mmu_check(const struct weir_mmu *mmu);

#ifdef __cplusplus
}
#endif

#endif
