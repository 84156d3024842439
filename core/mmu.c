/*
 * mmu.c - the two calls every packet makes: arrive and depart. See mmu.h for the contract.
 *
 * An arrival is decided (descriptor, egress policy, ingress policy, room, push-out), then either enqueued and told to
 * the policies or refused and told to them. A departure picks a class, asks the policy whether the head is to be
 * dropped instead, and sends.
 */

/* Neighbouring fields are written one by one and often read again soon: fetched in pairs, they would have to wait until
 * the writes are through. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include <assert.h>

#include "mmu_packet.h"
#include "scheduler_pick.h"
#include "trace_internal.h"
#include "weir/fixed.h"

static struct weir_verdict mmu_ask(struct weir_side *side, const struct weir_arrival *arrival)
{
    struct weir_verdict verdict = side->policy->admit(side->state, &side->view, arrival);
    assert(verdict.decision != WEIR_REFUSE || verdict.reason != WEIR_REASON_NONE);
    return verdict;
}

/* With an ingress policy, both sides are asked about a lossy packet, and only the ingress side about a lossless one,
 * which then needs what its ingress account needs. */
WEIR_APART static struct weir_verdict mmu_ask_both(struct weir_mmu *m, const struct weir_arrival *arrival,
                                                   weir_port input, weir_cells *need_cells)
{
    struct weir_arrival seen = *arrival;
    seen.account = weir_account_of(&m->ingress.view.geometry, input, arrival->tc);
    seen.port = input;
    seen.need_cells = weir_view_shared_need(&m->ingress.view, seen.account, seen.cells);
    struct weir_verdict ingress = mmu_ask(&m->ingress, &seen);
    if (arrival->flags & WEIR_FLAG_LOSSLESS) {
        *need_cells = seen.need_cells;
        return ingress;
    }
    struct weir_verdict egress = mmu_ask(&m->egress, arrival);
    bool vetoed = ingress.decision == WEIR_REFUSE && egress.decision != WEIR_REFUSE;
    return vetoed ? ingress : egress;
}

/* Whether an accepted packet, which needs so much of the shared pool, has room in what it is charged to, perhaps after
 * others have been pushed out. */
WEIR_APART static bool mmu_fits(struct weir_mmu *m, const struct weir_arrival *arrival, enum weir_decision decision,
                                enum weir_charge charge, weir_cells need_cells)
{
    const struct weir_view *v = &m->egress.view;
    if (charge == WEIR_CHARGE_HEADROOM)
        return m->pools.headroom_cells + arrival->cells <= v->geometry.headroom_cells;
    if (need_cells <= (charge == WEIR_CHARGE_PRIVATE ? 0 : weir_view_shared_free(v)))
        return true;
    return decision == WEIR_ACCEPT && charge == WEIR_CHARGE_SHARED && !(arrival->flags & WEIR_FLAG_LOSSLESS) &&
           weir_mmu_make_room(m, arrival);
}

/* NONE: the packet may enter, charged as *split says, and there is room for it. What the private minimum covers is not
 * refused, whoever says so. */
WEIR_INLINE enum weir_reason mmu_decide(struct weir_mmu *m, const struct weir_arrival *arrival, weir_port input,
                                        struct weir_split *split, bool plain)
{
    const struct weir_geometry *g = &m->egress.view.geometry;
    if (arrival->cells > g->buffer_cells)
        return WEIR_REASON_TOO_LARGE;
    if (m->packets == m->packets_max)
        return WEIR_REASON_NO_DESCRIPTOR;
    weir_cells need = arrival->need_cells;
    struct weir_verdict verdict =
        !plain && m->ingress.policy ? mmu_ask_both(m, arrival, input, &need) : mmu_ask(&m->egress, arrival);
    *split = (struct weir_split){need, 0};
    if (verdict.decision == WEIR_REFUSE)
        return need == 0 ? WEIR_REASON_NONE : verdict.reason;
    if (verdict.charge == WEIR_CHARGE_SHARED && need <= g->shared_cells - m->pools.shared_cells)
        return WEIR_REASON_NONE;
    if (!mmu_fits(m, arrival, verdict.decision, verdict.charge, need))
        return WEIR_REASON_NO_ROOM;
    if (verdict.charge == WEIR_CHARGE_HEADROOM)
        *split = (struct weir_split){0, arrival->cells};
    else if (verdict.decision == WEIR_ACCEPT && !(arrival->flags & WEIR_FLAG_LOSSLESS)) /* its own may be out */
        split->shared = weir_view_shared_need(&m->egress.view, arrival->account, arrival->cells);
    return WEIR_REASON_NONE;
}

WEIR_APART static void mmu_refuse(struct weir_mmu *m, const struct weir_arrival *arrival,
                                  const struct weir_packet *packet, enum weir_reason reason)
{
    struct weir_place at = {arrival->account, arrival->port, arrival->tc};
    struct weir_tally *tally = &m->tally[at.account.i];
    tally->refused[reason]++;
    tally->dropped[WEIR_CAUSE_REFUSED]++;
    tally->dropped_bytes += packet->bytes;
    m->effects.reason = reason;
    struct weir_event event = packet_event(m, at, arrival->cells, m->egress.account[at.account.i].shared_cells);
    event.cause = WEIR_CAUSE_REFUSED;
    event.reason = reason;
    weir_cells ingress_before = 0;
    if (m->ingress.policy)
        ingress_before =
            m->ingress.account[weir_account_of(&m->ingress.view.geometry, packet->input, packet->tc).i].shared_cells;
    weir_mmu_tell(m, WEIR_DROPPED, &event, packet->input, ingress_before);
}

static inline void mmu_mark(struct weir_mmu *m, const struct weir_arrival *arrival)
{
    /* Who may be marked cannot be predicted, who is can: so the flag comes last. */
    weir_account account = arrival->account;
    const struct weir_marking *marking = &m->marking[arrival->tc.i];
    weir_cells cells = m->egress.account[account.i].cells;
    bool due = marking->kind == WEIR_MARK_STEP ? cells >= marking->low_cells
                                               : weir_marking_decide(marking, cells, m->seed, arrival->index);
    m->effects.marked = due & ((arrival->flags & WEIR_FLAG_ECN) != 0);
    if (m->effects.marked)
        m->tally[account.i].marked++;
}

WEIR_INLINE void mmu_enqueue(struct weir_mmu *m, const struct weir_arrival *arrival, const struct weir_packet *packet,
                             struct weir_split split, bool plain)
{
    struct weir_place at = {arrival->account, arrival->port, arrival->tc};
    uint32_t descriptor = packet_take_descriptor(m);
    struct weir_descriptor *d = &m->descriptor[descriptor];
    d->handle = packet->handle;
    d->index = (uint32_t)arrival->index;
    d->bytes = packet->bytes;
    d->cells = (uint32_t)arrival->cells;
    d->input = (uint16_t)packet->input.i;
    d->tc = (uint16_t)at.tc.i;
    struct weir_before before =
        plain || m->all_shared ? packet_move_shared(m, at, arrival->cells, plain) : packet_charge(m, at, d, split);
    packet_attach(m, at, descriptor, false);

    m->effects.accepted = true;
    if (m->any_marking)
        mmu_mark(m, arrival);
    if (!plain && (m->egress.policy->on_enqueue || m->ingress.policy)) {
        struct weir_event event = packet_event(m, at, arrival->cells, before.egress);
        weir_mmu_tell(m, WEIR_ENQUEUED, &event, packet->input, before.ingress);
    }
}

/* Arrive and depart are made twice from the same text: for plain MMUs, in which most of it is known to do nothing, and
 * for all others. */
WEIR_INLINE const struct weir_effects *mmu_arrive(struct weir_mmu *m, const struct weir_packet *packet, weir_ps now,
                                                  bool plain)
{
    const struct weir_geometry *g = &m->egress.view.geometry;
    assert(packet->output.i < g->ports && packet->tc.i < g->classes);
    assert(packet->bytes > 0 && packet->bytes <= WEIR_PACKET_BYTES_MAX);
    assert(!m->ingress.policy || packet->input.i < m->ingress.view.geometry.ports);
    weir_mmu_clear(m, now);

    bool all_shared = plain || m->all_shared;
    weir_account account = weir_account_of(g, packet->output, packet->tc);
    weir_cells cells = weir_units_for_bytes(packet->bytes, g->cell_bytes, m->cell_inverse);
    uint32_t flags = packet->flags & ~(uint32_t)WEIR_FLAG_LOSSLESS;
    struct weir_arrival arrival = {
        .now = now,
        .index = m->arrivals++,
        .account = account,
        .port = packet->output,
        .tc = packet->tc,
        .cells = cells,
        .need_cells = all_shared ? cells : weir_view_shared_need(&m->egress.view, account, cells),
        .flags = !all_shared && weir_mmu_is_lossless(m, packet->tc) ? flags | WEIR_FLAG_LOSSLESS : flags,
    };
    struct weir_split split;
    m->effects.index = arrival.index;
    enum weir_reason reason = mmu_decide(m, &arrival, packet->input, &split, plain);
    if (reason == WEIR_REASON_NONE)
        mmu_enqueue(m, &arrival, packet, split, plain);
    else
        mmu_refuse(m, &arrival, packet, reason);
    if (!plain && m->ingress.policy) {
        weir_mmu_test_pause(m, packet->input);
        if (m->paused_inputs && m->effects.lost_count)
            weir_mmu_test_resume(m, packet->input.i);
    }
    if (!plain && m->trace)
        weir_trace_arrive(m->trace, packet, now, &m->effects);
    return weir_mmu_finish(m, plain);
}

WEIR_APART static const struct weir_effects *mmu_arrive_any(struct weir_mmu *m, const struct weir_packet *packet,
                                                            weir_ps now)
{
    return mmu_arrive(m, packet, now, false);
}

WEIR_APART static const struct weir_effects *mmu_arrive_plain(struct weir_mmu *m, const struct weir_packet *packet,
                                                              weir_ps now)
{
    return mmu_arrive(m, packet, now, true);
}

/* Time has moved for a policy that depends on it. */
WEIR_APART static const struct weir_effects *mmu_arrive_later(struct weir_mmu *m, const struct weir_packet *packet,
                                                              weir_ps now)
{
    weir_mmu_tick_policies(m, now);
    return weir_mmu_arrive(m, packet, now);
}

const struct weir_effects *weir_mmu_arrive(struct weir_mmu *m, const struct weir_packet *packet, weir_ps now)
{
    if (weir_mmu_has_tick(m, now))
        return mmu_arrive_later(m, packet, now);
    return m->is_plain ? mmu_arrive_plain(m, packet, now) : mmu_arrive_any(m, packet, now);
}

struct mmu_heads {
    const struct weir_mmu *mmu;
    weir_port port;
};

WEIR_INLINE const struct weir_descriptor *mmu_head(const struct mmu_heads *heads, uint32_t tc)
{
    const struct weir_side *side = &heads->mmu->egress;
    weir_account account = weir_account_of(&side->view.geometry, heads->port, (weir_class){tc});
    return &heads->mmu->descriptor[side->account[account.i].head];
}

WEIR_INLINE uint32_t mmu_head_bytes(const void *heads, uint32_t tc)
{
    return mmu_head(heads, tc)->bytes;
}

WEIR_INLINE uint32_t mmu_head_order(const void *heads, uint32_t tc)
{
    return mmu_head(heads, tc)->index;
}

WEIR_APART static uint32_t mmu_choose(struct weir_mmu *m, weir_port port, uint32_t eligible)
{
    struct mmu_heads context = {m, port};
    struct weir_heads heads = {&context, mmu_head_bytes, mmu_head_order};
    return scheduler_pick(&m->scheduling, &m->scheduler[port.i], eligible, m->egress.port[port.i].backlog_mask, heads);
}

/* Without anything that would have to be called: no registers to save. */
WEIR_APART static uint32_t mmu_choose_only(struct weir_mmu *m, weir_port port, uint32_t eligible)
{
    struct mmu_heads context = {m, port};
    struct weir_heads heads = {&context, mmu_head_bytes, mmu_head_order};
    return scheduler_pick_only(&m->scheduling, &m->scheduler[port.i], eligible, m->egress.port[port.i].backlog_mask,
                               heads);
}

/* The class the port sends from; `eligible` is not 0. */
static inline uint32_t mmu_pick(struct weir_mmu *m, weir_port port, uint32_t eligible)
{
    if ((eligible & (eligible - 1)) != 0)
        return mmu_choose(m, port, eligible);
    return m->scheduling.kind == WEIR_SCHED_FIFO ? (uint32_t)__builtin_ctz(eligible)
                                                 : mmu_choose_only(m, port, eligible);
}

/* Asks the policy about what the port would send, and drops it, until it agrees or may not be asked again; nobody when
 * nothing is left. */
WEIR_APART static struct weir_place mmu_drop_heads(struct weir_mmu *m, struct weir_place at, uint32_t paused)
{
    const struct weir_side *side = &m->egress;
    while (m->effects.lost_count < m->evictions_max) {
        struct weir_question question = {.why = WEIR_WHY_DEQUEUE, .now = m->now, .leaving = at.account};
        if (!weir_account_is(side->policy->victim(side->state, &side->view, &question).account, at.account))
            return at;
        weir_mmu_lose_head(m, &at, WEIR_CAUSE_DEQUEUE);
        uint32_t eligible = side->port[at.port.i].backlog_mask & ~paused;
        if (eligible == 0)
            return (struct weir_place){WEIR_NO_ACCOUNT, at.port, at.tc};
        at = weir_mmu_place(m, at.port, (weir_class){mmu_pick(m, at.port, eligible)});
    }
    return at;
}

WEIR_INLINE void mmu_send(struct weir_mmu *m, struct weir_place at, bool plain)
{
    struct weir_account_state *a = &m->egress.account[at.account.i];
    struct weir_port_state *p = &m->egress.port[at.port.i];
    const struct weir_policy *policy = m->egress.policy;
    uint32_t descriptor = a->head;
    const struct weir_descriptor *d = &m->descriptor[descriptor];
    struct weir_effects *fx = &m->effects;
    uint32_t bytes = d->bytes;
    weir_cells cells = d->cells;
    fx->departed = true;
    fx->handle = d->handle;
    fx->bytes = bytes;
    fx->departed_index = d->index;
    fx->account = at.account;

    struct weir_before before = packet_detach(m, at, descriptor, plain);
    a->sent_cells += cells;
    a->sent_packets++;
    a->sent_bytes += bytes;
    p->sent_cells += cells;
    p->busy = true;
    m->read_bytes += bytes;
    fx->stamp = (struct weir_int_stamp){m->now, a->cells, p->sent_cells, p->rate_bps};
    if (!plain && policy->needs & WEIR_NEED_EXPEL)
        weir_arbiter_consume(&m->arbiter, weir_arbiter_cost_ps(&m->arbiter, bytes), m->now);
    if (!plain && (policy->on_dequeue || m->ingress.policy)) {
        struct weir_event event = packet_event(m, at, cells, before.egress);
        weir_mmu_tell(m, WEIR_DEQUEUED, &event, (weir_port){d->input}, before.ingress);
    }
    packet_free_descriptor(m, descriptor);
}

/* Nothing left, because there is nothing or all of it is paused. */
WEIR_APART static void mmu_idle(struct weir_mmu *m, weir_port port)
{
    const struct weir_policy *policy = m->egress.policy;
    m->egress.port[port.i].busy = false;
    if (!m->egress.port[port.i].paused_mask)
        m->effects.blocked_until = WEIR_NEVER;
    if (policy->on_idle && !m->egress.port[port.i].backlog_mask)
        policy->on_idle(m->egress.state, &m->egress.view, port, m->now);
}

WEIR_APART static const struct weir_effects *mmu_depart_any(struct weir_mmu *m, weir_port port, weir_ps now)
{
    const struct weir_port_state *p = &m->egress.port[port.i];
    weir_mmu_clear(m, now);

    uint32_t paused = p->paused_mask ? weir_mmu_paused_mask(m, port, now) : 0;
    uint32_t eligible = p->backlog_mask & ~paused;
    struct weir_place at = {WEIR_NO_ACCOUNT, port, {0}};
    if (eligible != 0)
        at = weir_mmu_place(m, port, (weir_class){mmu_pick(m, port, eligible)});
    if (eligible != 0 && m->egress.policy->needs & WEIR_NEED_DEQUEUE)
        at = mmu_drop_heads(m, at, paused);
    if (!weir_account_is(at.account, WEIR_NO_ACCOUNT))
        mmu_send(m, at, false);
    else
        mmu_idle(m, port);
    if (m->paused_inputs)
        weir_mmu_test_resume(m, WEIR_NO_INPUT);
    if (m->trace)
        weir_trace_depart(m->trace, port, now, &m->effects);
    return weir_mmu_finish(m, false);
}

/* Apart, so that what is called before it costs nothing when it is not called. */
WEIR_APART static const struct weir_effects *mmu_send_plain(struct weir_mmu *m, uint32_t port, uint32_t tc)
{
    mmu_send(m, weir_mmu_place(m, (weir_port){port}, (weir_class){tc}), true);
    return weir_mmu_finish(m, true);
}

WEIR_APART static const struct weir_effects *mmu_depart_later(struct weir_mmu *m, weir_port port, weir_ps now)
{
    weir_mmu_tick_policies(m, now);
    return weir_mmu_depart(m, port, now);
}

const struct weir_effects *weir_mmu_depart(struct weir_mmu *m, weir_port port, weir_ps now)
{
    const struct weir_port_state *p = &m->egress.port[port.i];
    assert(port.i < m->egress.view.geometry.ports);
    if (weir_mmu_has_tick(m, now))
        return mmu_depart_later(m, port, now);
    if (!m->is_plain || p->paused_mask)
        return mmu_depart_any(m, port, now);
    weir_mmu_clear(m, now);
    if (p->backlog_mask == 0) {
        mmu_idle(m, port);
        return weir_mmu_finish(m, true);
    }
    return mmu_send_plain(m, port.i, mmu_pick(m, port, p->backlog_mask));
}
