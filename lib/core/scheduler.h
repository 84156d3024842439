/*
 * scheduler.h - the choice of the class that sends next. A header, because the packet path inlines it together with how
 * it looks at heads.
 *
 * RR, WRR and DRR are one procedure in two currencies. The class at the cursor receives its credit once per turn
 * (RR: one packet; WRR: `weight` packets; DRR: quantum * weight bytes), sends while the credit covers its head, and
 * keeps the rest when the turn passes to the next eligible class. Over any time in which two classes stay eligible,
 * what they have sent per unit of weight differs by at most the quantum and two packets.
 *
 * Which classes lose credit: those that are seen empty at a pick. A paused class keeps its own, but carries no more
 * than one turn's credit (or what its head costs) into its next turn: without that bound, a class paused again and
 * again in the middle of its turn would save up enough to lock the others out later.
 *
 * Papers: M. Shreedhar, G. Varghese, "Efficient fair queuing using deficit round robin", ToN 1996; M. Katevenis,
 * S. Sidiropoulos, C. Courcoubetis, "Weighted round-robin cell multiplexing in a general-purpose ATM switch chip",
 * JSAC 1991.
 */
#ifndef WEIR_CORE_SCHEDULER_H
#define WEIR_CORE_SCHEDULER_H

#include <assert.h>

#include "hot.h"
#include "weir/scheduler.h"

/* How a scheduler looks at the head packet of a non-empty class. It asks only for those it needs to decide. */
struct weir_heads {
    const void *context;
    uint32_t (*bytes)(const void *context, uint32_t tc);
    uint32_t (*order)(const void *context, uint32_t tc); /* arrival order, wrapping */
};

/* A turn's credit stays below this, so that sums of credits cannot overflow whatever the quantum and weight. */
#define CREDIT_MAX (INT64_MAX / 4)

static inline uint32_t lowest_class(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

static inline uint32_t highest_class(uint32_t mask)
{
    return 31u - (uint32_t)__builtin_clz(mask);
}

/* First class of the mask at or after `from`, going round; `from` below 32. */
static inline uint32_t next_class(uint32_t mask, uint32_t from)
{
    uint32_t above = mask >> from << from;
    return lowest_class(above != 0 ? above : mask);
}

HOT_INLINE uint32_t pick_oldest(uint32_t eligible, struct weir_heads heads)
{
    uint32_t oldest = lowest_class(eligible);
    uint32_t rest = eligible & (eligible - 1);
    uint32_t oldest_order = rest != 0 ? heads.order(heads.context, oldest) : 0;
    for (; rest != 0; rest &= rest - 1) {
        uint32_t tc = lowest_class(rest);
        uint32_t order = heads.order(heads.context, tc);
        if ((int32_t)(order - oldest_order) < 0) {
            oldest = tc;
            oldest_order = order;
        }
    }
    return oldest;
}

/* The currency of a credit scheduler: bytes for DRR, packets for RR and WRR. */
static inline bool counts_bytes(enum weir_scheduler_kind kind)
{
    return kind == WEIR_SCHED_DRR || kind == WEIR_SCHED_STRICT_DRR;
}

static inline int64_t turn_credit(const struct weir_scheduler_config *config, uint32_t tc)
{
    uint64_t weight = config->weight[tc] != 0 ? config->weight[tc] : 1;
    if (config->kind == WEIR_SCHED_RR)
        return 1;
    if (config->kind == WEIR_SCHED_WRR)
        return (int64_t)weight;
    uint64_t quantum = config->quantum_bytes > WEIR_QUANTUM_MIN_BYTES ? config->quantum_bytes : WEIR_QUANTUM_MIN_BYTES;
    uint64_t credit = quantum * weight;
    return credit < CREDIT_MAX ? (int64_t)credit : CREDIT_MAX;
}

HOT_INLINE int64_t head_cost(const struct weir_scheduler_config *config, struct weir_heads heads, uint32_t tc)
{
    return counts_bytes(config->kind) ? (int64_t)heads.bytes(heads.context, tc) : 1;
}

/* A class outside the mask has lost its credit. Without a branch: whose turn it is, is hard to predict. */
static inline int64_t credit_of(const struct weir_scheduler_state *state, uint32_t tc)
{
    return state->credit[tc] & -(int64_t)(state->credit_mask >> tc & 1);
}

/* A class's credit with that of its turn, on top of a bounded rest from earlier turns. */
static inline int64_t credit_with_turn(int64_t credit, int64_t turn, int64_t cost)
{
    int64_t carry_max = turn > cost ? turn : cost;
    return (credit < carry_max ? credit : carry_max) + turn;
}

static inline void credit_store(struct weir_scheduler_state *state, uint32_t tc, int64_t credit)
{
    state->credit[tc] = credit;
    state->credit_mask |= 1u << tc;
}

/*
 * No eligible class could send in a whole round, which happens when heads are larger than a turn's credit. Grants
 * all rounds but the last of those still missing at once: the next round is then the one in which a class sends, as
 * if the rounds had been walked one by one.
 */
HOT_APART static void skip_idle_rounds(const struct weir_scheduler_config *config, struct weir_scheduler_state *state,
                                       uint32_t eligible, struct weir_heads heads)
{
    int64_t rounds = INT64_MAX;
    for (uint32_t rest = eligible; rest != 0; rest &= rest - 1) {
        uint32_t tc = lowest_class(rest);
        int64_t missing = head_cost(config, heads, tc) - credit_of(state, tc);
        int64_t turn = turn_credit(config, tc);
        int64_t needed = (missing + turn - 1) / turn;
        if (needed < rounds)
            rounds = needed;
    }
    for (uint32_t rest = eligible; rest != 0; rest &= rest - 1) {
        uint32_t tc = lowest_class(rest);
        credit_store(state, tc, credit_of(state, tc) + (rounds - 1) * turn_credit(config, tc));
    }
}

/* With one eligible class there is nothing to choose, only to charge: a new turn begins whenever the credit does not
 * cover the head. */
HOT_INLINE uint32_t pick_only_one(const struct weir_scheduler_config *config, struct weir_scheduler_state *state,
                                  uint32_t tc, uint32_t backlog, struct weir_heads heads)
{
    int64_t cost = head_cost(config, heads, tc), turn = turn_credit(config, tc);
    state->credit_mask &= backlog;
    int64_t credit = credit_of(state, tc);
    bool turn_begins = (state->cursor != tc) | !state->credited | (credit < cost);
    credit += (credit_with_turn(credit, turn, cost) - credit) & -(int64_t)turn_begins;
    if (credit < cost)
        credit += (cost - credit + turn - 1) / turn * turn;
    state->cursor = tc;
    state->credited = true;
    credit_store(state, tc, credit - cost);
    return tc;
}

/* Each pass of the loop ends one turn, so two rounds are enough: the rounds between them are skipped. */
HOT_INLINE uint32_t pick_by_credit(const struct weir_scheduler_config *config, struct weir_scheduler_state *state,
                                   uint32_t eligible, uint32_t backlog, struct weir_heads heads)
{
    state->credit_mask &= backlog;
    for (uint32_t turns = 0;; turns++) {
        uint32_t tc = state->cursor;
        if (eligible >> tc & 1) {
            int64_t cost = head_cost(config, heads, tc), credit = credit_of(state, tc);
            if (!state->credited)
                credit = credit_with_turn(credit, turn_credit(config, tc), cost);
            state->credited = true;
            credit_store(state, tc, credit >= cost ? credit - cost : credit);
            if (credit >= cost)
                return tc;
        }
        state->cursor = next_class(eligible, (tc + 1) % WEIR_CLASSES_MAX);
        state->credited = false;
        if (turns > 0 && turns == (uint32_t)__builtin_popcount(eligible))
            skip_idle_rounds(config, state, eligible, heads);
    }
}

/* The class to send from where one is eligible. */
HOT_INLINE uint32_t scheduler_pick_only(const struct weir_scheduler_config *config, struct weir_scheduler_state *state,
                                        uint32_t eligible, uint32_t backlog, struct weir_heads heads)
{
    uint32_t tc = lowest_class(eligible);
    bool by_credit =
        config->kind > WEIR_SCHED_STRICT && !(config->kind == WEIR_SCHED_STRICT_DRR && tc >= config->strict_from);
    return by_credit ? pick_only_one(config, state, tc, backlog, heads) : tc;
}

/*
 * The class to send from, among the non-empty, unpaused classes in `eligible` (not 0); `backlog` holds all non-empty
 * ones. The choice is charged: the caller sends that packet, or puts back the state from before the call.
 */
HOT_INLINE uint32_t scheduler_pick(const struct weir_scheduler_config *config, struct weir_scheduler_state *state,
                                   uint32_t eligible, uint32_t backlog, struct weir_heads heads)
{
    assert(eligible != 0 && (eligible & ~backlog) == 0);
    if ((eligible & (eligible - 1)) == 0)
        return scheduler_pick_only(config, state, eligible, backlog, heads);
    if (config->kind == WEIR_SCHED_FIFO)
        return pick_oldest(eligible, heads);
    if (config->kind == WEIR_SCHED_STRICT)
        return highest_class(eligible);
    if (config->kind == WEIR_SCHED_STRICT_DRR) {
        uint32_t strict = config->strict_from < WEIR_CLASSES_MAX ? UINT32_MAX << config->strict_from : 0;
        if ((eligible & strict) != 0)
            return highest_class(eligible & strict);
    }
    return pick_by_credit(config, state, eligible, backlog, heads);
}

#endif
