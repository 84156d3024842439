/*
 * scheduler.c - which class of an output port sends next.
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
#include "weir/scheduler.h"

#include <assert.h>

/* A turn's credit stays below this, so that sums of credits cannot overflow whatever the quantum and weight. */
#define CREDIT_MAX (INT64_MAX / 4)

const char *weir_scheduler_name(enum weir_scheduler_kind kind)
{
    static const char *const names[WEIR_SCHED_COUNT] = {
        [WEIR_SCHED_FIFO] = "fifo", [WEIR_SCHED_STRICT] = "strict", [WEIR_SCHED_RR] = "rr",
        [WEIR_SCHED_WRR] = "wrr",   [WEIR_SCHED_DRR] = "drr",       [WEIR_SCHED_STRICT_DRR] = "strict-drr",
    };
    assert((unsigned)kind < WEIR_SCHED_COUNT);
    return names[kind];
}

static uint32_t lowest_class(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

static uint32_t highest_class(uint32_t mask)
{
    return 31u - (uint32_t)__builtin_clz(mask);
}

/* First class of the mask at or after `from`, going round; `from` below 32. */
static uint32_t next_class(uint32_t mask, uint32_t from)
{
    uint32_t above = mask >> from << from;
    return lowest_class(above != 0 ? above : mask);
}

static uint32_t pick_oldest(uint32_t eligible, const struct weir_heads *heads)
{
    uint32_t oldest = lowest_class(eligible);
    uint32_t rest = eligible & (eligible - 1);
    uint32_t oldest_order = rest != 0 ? heads->order(heads->context, oldest) : 0;
    for (; rest != 0; rest &= rest - 1) {
        uint32_t tc = lowest_class(rest);
        uint32_t order = heads->order(heads->context, tc);
        if ((int32_t)(order - oldest_order) < 0) {
            oldest = tc;
            oldest_order = order;
        }
    }
    return oldest;
}

/* The currency of a credit scheduler: bytes for DRR, packets for RR and WRR. */
static bool counts_bytes(enum weir_scheduler_kind kind)
{
    return kind == WEIR_SCHED_DRR || kind == WEIR_SCHED_STRICT_DRR;
}

static int64_t turn_credit(const struct weir_scheduler_config *config, uint32_t tc)
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

static int64_t head_cost(const struct weir_scheduler_config *config, const struct weir_heads *heads, uint32_t tc)
{
    return counts_bytes(config->kind) ? (int64_t)heads->bytes(heads->context, tc) : 1;
}

/* Gives the class at the cursor its turn's credit, on top of a bounded rest from earlier turns. */
static void credit_turn(const struct weir_scheduler_config *config, struct weir_scheduler_state *state, int64_t cost)
{
    int64_t *credit = &state->credit[state->cursor];
    int64_t turn = turn_credit(config, state->cursor);
    int64_t carry_max = turn > cost ? turn : cost;
    *credit = (*credit < carry_max ? *credit : carry_max) + turn;
    state->credit_mask |= 1u << state->cursor;
    state->credited = true;
}

/*
 * No eligible class could send in a whole round, which happens when heads are larger than a turn's credit. Grants
 * all rounds but the last of those still missing at once: the next round is then the one in which somebody sends, as
 * if the rounds had been walked one by one.
 */
static void skip_idle_rounds(const struct weir_scheduler_config *config, struct weir_scheduler_state *state,
                             uint32_t eligible, const struct weir_heads *heads)
{
    int64_t rounds = INT64_MAX;
    for (uint32_t rest = eligible; rest != 0; rest &= rest - 1) {
        uint32_t tc = lowest_class(rest);
        int64_t missing = head_cost(config, heads, tc) - state->credit[tc];
        int64_t turn = turn_credit(config, tc);
        int64_t needed = (missing + turn - 1) / turn;
        if (needed < rounds)
            rounds = needed;
    }
    for (uint32_t rest = eligible; rest != 0; rest &= rest - 1) {
        uint32_t tc = lowest_class(rest);
        state->credit[tc] += (rounds - 1) * turn_credit(config, tc);
    }
}

static void forget_credit_of_empty(struct weir_scheduler_state *state, uint32_t backlog)
{
    for (uint32_t rest = state->credit_mask & ~backlog; rest != 0; rest &= rest - 1)
        state->credit[lowest_class(rest)] = 0;
    state->credit_mask &= backlog;
}

/* Each pass of the loop ends one turn, so two rounds are enough: the rounds between them are skipped. */
static uint32_t pick_by_credit(const struct weir_scheduler_config *config, struct weir_scheduler_state *state,
                               uint32_t eligible, uint32_t backlog, const struct weir_heads *heads)
{
    forget_credit_of_empty(state, backlog);
    for (uint32_t turns = 0;; turns++) {
        uint32_t tc = state->cursor;
        if (eligible >> tc & 1) {
            int64_t cost = head_cost(config, heads, tc);
            if (!state->credited)
                credit_turn(config, state, cost);
            if (state->credit[tc] >= cost) {
                state->credit[tc] -= cost;
                return tc;
            }
        }
        state->cursor = next_class(eligible, (tc + 1) % WEIR_CLASSES_MAX);
        state->credited = false;
        if (turns > 0 && turns == (uint32_t)__builtin_popcount(eligible))
            skip_idle_rounds(config, state, eligible, heads);
    }
}

uint32_t weir_scheduler_pick(const struct weir_scheduler_config *config, struct weir_scheduler_state *state,
                             uint32_t eligible, uint32_t backlog, const struct weir_heads *heads)
{
    assert(eligible != 0 && (eligible & ~backlog) == 0);
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
