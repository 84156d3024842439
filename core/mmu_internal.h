/*
 * mmu_internal.h - the inside of an MMU, for the files core/mmu*.c, counters.c and switch.c only.
 */
#ifndef WEIR_MMU_INTERNAL_H
#define WEIR_MMU_INTERNAL_H

#include <assert.h>

#include "arbiter.h"
#include "ranks.h"
#include "weir/counters.h"
#include "weir/mmu.h"

#define WEIR_NO_DESCRIPTOR UINT32_MAX

/* One queued packet, 32 bytes: two to a cache line. */
struct weir_descriptor {
    uint64_t handle;
    uint32_t index; /* low bits of the arrival index */
    uint32_t bytes;
    uint32_t cells;
    uint32_t next, prev; /* within its account; `next` also links free descriptors */
    uint16_t input;      /* input port */
    uint16_t tc;
};

/* The egress or the ingress half: the view a policy gets, and what is behind its const pointers. */
struct weir_side {
    struct weir_view view;
    struct weir_account_state *account;
    struct weir_port_state *port;
    const struct weir_policy *policy;
    void *state;
};

/* Counted per egress account beside the packet path's own state. */
struct weir_tally {
    uint64_t sent_packets, sent_bytes;
    uint64_t dropped_bytes;
    uint64_t refused[WEIR_REASON_COUNT];
    uint64_t dropped[WEIR_CAUSE_COUNT];
    uint64_t marked;
    weir_cells watermark[WEIR_WM_COUNT]; /* before the present peak_cells is folded in */
};

/* Shared cells of a packet's two accounts before something happened to it. */
struct weir_before {
    weir_cells egress, ingress;
};

/* A packet taken out for an arrival that may still be put back. */
struct weir_planned {
    uint32_t descriptor;
    weir_account account;
    struct weir_before before;
    bool tail;
};

struct weir_mmu {
    struct weir_side egress;
    struct weir_side ingress; /* policy is null when there is none */
    struct weir_pools pools;
    weir_ps now;
    uint64_t arrivals;

    struct weir_descriptor *descriptor;
    uint32_t free_head; /* of the list of free descriptors */
    uint32_t packets;   /* queued */

    int64_t *tree;           /* behind egress.view.tree, or null */
    struct weir_ranks ranks; /* order is null when not needed */
    struct weir_arbiter arbiter;

    struct weir_effects effects;
    struct weir_lost *lost;       /* [evictions_max] */
    struct weir_planned *planned; /* [evictions_max] */
    struct weir_pause_edge *edge; /* [input ports] */
    struct weir_trace *trace;

    struct weir_scheduler_state *scheduler; /* [ports] */
    weir_ps *paused_until;                  /* [accounts] of the egress side */
    int64_t *port_sent_cells;               /* [ports] */
    uint32_t paused_inputs;                 /* input ports with anything paused */

    struct weir_tally *tally;                /* [egress accounts] */
    struct weir_pause_counters *pause_tally; /* [input ports] */
    uint64_t read_bytes, expelled_bytes;
    weir_cells used_peak, headroom_peak; /* since a watermark was last folded */
    weir_cells used_watermark[WEIR_WM_COUNT], headroom_watermark[WEIR_WM_COUNT];

    struct weir_scheduler_config scheduling;
    struct weir_marking marking[WEIR_CLASSES_MAX];
    uint64_t seed;
    uint64_t cell_inverse; /* weir_unit_inverse of the cell size */
    uint32_t packets_max;
    uint32_t evictions_max;
    uint32_t unchecked; /* calls since the invariants were last checked, in checking builds */
    bool any_marking;
    bool ticks; /* a policy has on_tick */
};

/* Cells set aside as private minimums by both sides. */
weir_cells weir_mmu_private_cells(const struct weir_mmu_config *config);

static inline bool weir_mmu_is_lossless(const struct weir_mmu *m, weir_class tc)
{
    return m->egress.view.geometry.lossless_mask >> tc.i & 1;
}

/* Brings the policies up to `now`, before anything of that moment is counted. */
void weir_mmu_tick(struct weir_mmu *m, weir_ps now);

/* Every entry point begins here: time moves on and the effects of the last call are gone. */
static inline void weir_mmu_begin(struct weir_mmu *m, weir_ps now)
{
    assert(now >= m->now && now <= WEIR_TIME_MAX);
    if (now > m->now && m->ticks)
        weir_mmu_tick(m, now);
    m->now = now;
    m->effects.accepted = false;
    m->effects.marked = false;
    m->effects.departed = false;
    m->effects.reason = WEIR_REASON_NONE;
    m->effects.lost_count = 0;
    m->effects.edge_count = 0;
}

/* And ends here: pause edges are complete, and checking builds check. */
const struct weir_effects *weir_mmu_finish(struct weir_mmu *m);

/* Takes a packet out of its account, whatever its place; every counter and ordered view follows. Returns the
 * account's shared cells before. */
struct weir_before weir_mmu_detach(struct weir_mmu *m, weir_account account, uint32_t descriptor);

/* Puts a packet at the end (or the front) of its account and charges it. Returns its shared cells before. */
struct weir_before weir_mmu_attach(struct weir_mmu *m, weir_account account, uint32_t descriptor,
                                   enum weir_charge charge, bool at_front);

void weir_mmu_free_descriptor(struct weir_mmu *m, uint32_t descriptor);

/* Tells both policies about a packet that entered or left. */
enum weir_mmu_happening { WEIR_ENQUEUED, WEIR_DEQUEUED, WEIR_DROPPED };
struct weir_happening {
    enum weir_mmu_happening what;
    weir_account account; /* egress */
    weir_class tc;
    weir_port input;
    weir_cells cells;
    enum weir_cause cause;
    enum weir_reason reason;
    struct weir_before before;
};
void weir_mmu_tell(struct weir_mmu *m, const struct weir_happening *happening);

/* Loses one packet for good: counts it, reports it in the effects, tells the policies, frees its descriptor. The
 * packet has been detached. */
void weir_mmu_lose(struct weir_mmu *m, weir_account account, uint32_t descriptor, enum weir_cause cause,
                   struct weir_before before);

/* Pushes packets out until the arrival fits; false, with nothing changed, when it cannot. */
bool weir_mmu_make_room(struct weir_mmu *m, const struct weir_arrival *arrival);

/* The packet the policy would expel now, or WEIR_NO_DESCRIPTOR. */
uint32_t weir_mmu_expel_candidate(const struct weir_mmu *m, weir_ps now, struct weir_victim *victim);

/* Pause edges of an input port after an arrival, and of every paused input port but one after memory was freed. An
 * input is tested once per call: a policy whose XON equals its XOFF would pause and resume at the same moment. */
#define WEIR_NO_INPUT UINT32_MAX
void weir_mmu_test_pause(struct weir_mmu *m, weir_port input);
void weir_mmu_test_resume(struct weir_mmu *m, uint32_t except);

/* Classes of an output port that the peer holds paused at `now`; expired pauses end. */
uint32_t weir_mmu_paused_mask(struct weir_mmu *m, weir_port port, weir_ps now);

#endif
