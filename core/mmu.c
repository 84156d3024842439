/*
 * mmu.c - the call with which every packet begins: arrive. See mmu.h for the contract, mmu_depart.c for the other end.
 *
 * An arrival is decided (descriptor, the policy of the side that governs its class, room, push-out), then either
 * enqueued and told to the policies or refused and told to them.
 */

/* Neighbouring fields are written one by one and often read again soon: fetched in pairs, they would have to wait until
 * the writes are through. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include <assert.h>

#include "mmu_packet.h"
#include "trace_internal.h"
#include "weir/fixed.h"

static struct weir_verdict mmu_ask(struct weir_side *side, const struct weir_arrival *arrival)
{
    struct weir_verdict verdict = side->policy->admit(side->state, &side->view, arrival);
    assert(verdict.decision != WEIR_REFUSE || verdict.reason != WEIR_REASON_NONE);
    return verdict;
}

/* Of a lossy packet, where the ingress policy has a say too. */
WEIR_APART static struct weir_verdict mmu_ask_both(struct weir_mmu *m, const struct weir_arrival *arrival,
                                                   weir_port input)
{
    struct weir_arrival seen = *arrival;
    seen.account = weir_account_of(&m->ingress.view.geometry, input, arrival->tc);
    seen.port = input;
    seen.need_cells = weir_view_shared_need(&m->ingress.view, seen.account, seen.cells);
    struct weir_verdict ingress = mmu_ask(&m->ingress, &seen);
    struct weir_verdict egress = mmu_ask(&m->egress, arrival);
    bool vetoed = ingress.decision == WEIR_REFUSE && egress.decision != WEIR_REFUSE;
    return vetoed ? ingress : egress;
}

/* The arrival is that of the governing side, in whose words the policy is asked. */
WEIR_INLINE struct weir_verdict mmu_ask_governing(struct weir_mmu *m, const struct weir_arrival *arrival,
                                                  weir_port input, enum weir_path path)
{
    if (path == WEIR_PATH_LOSSLESS)
        return mmu_ask(&m->ingress, arrival);
    return path == WEIR_PATH_LOSSY && m->asks_lossy ? mmu_ask_both(m, arrival, input) : mmu_ask(&m->egress, arrival);
}

/* Whether an accepted packet has room in what it is charged to, perhaps after others have been pushed out. */
WEIR_APART static bool mmu_fits(struct weir_mmu *m, const struct weir_arrival *arrival, enum weir_decision decision,
                                enum weir_charge charge)
{
    const struct weir_view *v = &m->egress.view;
    if (charge == WEIR_CHARGE_HEADROOM)
        return m->pools.headroom_cells + arrival->cells <= v->geometry.headroom_cells;
    if (arrival->need_cells <= (charge == WEIR_CHARGE_PRIVATE ? 0 : weir_view_shared_free(v)))
        return true;
    return decision == WEIR_ACCEPT && charge == WEIR_CHARGE_SHARED && !(arrival->flags & WEIR_FLAG_LOSSLESS) &&
           weir_mmu_make_room(m, arrival);
}

/* NONE: the packet may enter, charged as *split says, and there is room for it. What the private minimum covers is not
 * refused nor charged to a pool, whoever says so. */
WEIR_INLINE enum weir_reason mmu_decide(struct weir_mmu *m, const struct weir_arrival *arrival, weir_port input,
                                        struct weir_split *split, enum weir_path path)
{
    const struct weir_geometry *g = &m->egress.view.geometry;
    if (arrival->cells > g->buffer_cells)
        return WEIR_REASON_TOO_LARGE;
    if (m->packets == m->packets_max)
        return WEIR_REASON_NO_DESCRIPTOR;
    weir_cells need = arrival->need_cells;
    struct weir_verdict verdict = mmu_ask_governing(m, arrival, input, path);
    *split = (struct weir_split){need, 0};
    if (verdict.decision == WEIR_REFUSE)
        return need == 0 ? WEIR_REASON_NONE : verdict.reason;
    if (verdict.charge == WEIR_CHARGE_SHARED && need <= g->shared_cells - m->pools.shared_cells)
        return WEIR_REASON_NONE;
    if (need == 0)
        return WEIR_REASON_NONE;
    if (!mmu_fits(m, arrival, verdict.decision, verdict.charge))
        return WEIR_REASON_NO_ROOM;
    if (verdict.charge == WEIR_CHARGE_HEADROOM)
        *split = (struct weir_split){0, arrival->cells};
    else if (path != WEIR_PATH_LOSSLESS && verdict.decision == WEIR_ACCEPT) /* its own may be out */
        split->shared = weir_view_shared_need(&m->egress.view, arrival->account, arrival->cells);
    return WEIR_REASON_NONE;
}

WEIR_APART static void mmu_refuse(struct weir_mmu *m, const struct weir_packet *packet, weir_cells cells,
                                  enum weir_reason reason)
{
    struct weir_place at = weir_mmu_place(m, packet->output, packet->tc);
    struct weir_tally *tally = &m->tally[at.account.i];
    tally->refused[reason]++;
    tally->dropped[WEIR_CAUSE_REFUSED]++;
    tally->dropped_bytes += packet->bytes;
    m->effects.reason = reason;
    struct weir_event event = packet_event(m, at, cells, m->egress.account[at.account.i].held.shared_cells);
    event.cause = WEIR_CAUSE_REFUSED;
    event.reason = reason;
    weir_cells ingress_before = 0;
    if (m->ingress.policy) {
        weir_account ingress = weir_account_of(&m->ingress.view.geometry, packet->input, packet->tc);
        ingress_before = m->ingress.account[ingress.i].held.shared_cells;
        m->group_tally[ingress.i].refused++;
    }
    weir_mmu_tell(m, WEIR_DROPPED, &event, packet->input, ingress_before);
}

static inline void mmu_mark(struct weir_mmu *m, struct weir_place at, const struct weir_arrival *arrival)
{
    /* Who may be marked cannot be predicted, who is can: so the flag comes last. */
    const struct weir_marking *marking = &m->marking[at.tc.i];
    weir_cells cells = m->egress.account[at.account.i].held.cells;
    bool due = marking->kind == WEIR_MARK_STEP ? cells >= marking->low_cells
                                               : weir_marking_decide(marking, cells, m->seed, arrival->index);
    m->effects.marked = due & ((arrival->flags & WEIR_FLAG_ECN) != 0);
    if (m->effects.marked)
        m->tally[at.account.i].marked++;
}

WEIR_INLINE void mmu_enqueue(struct weir_mmu *m, const struct weir_arrival *arrival, const struct weir_packet *packet,
                             struct weir_split split, enum weir_path path)
{
    struct weir_place at = {arrival->account, arrival->port, arrival->tc};
    if (path == WEIR_PATH_LOSSLESS)
        at = weir_mmu_place(m, packet->output, packet->tc);
    uint32_t descriptor = packet_take_descriptor(m);
    struct weir_descriptor *d = &m->descriptor[descriptor];
    d->handle = packet->handle;
    d->index = (uint32_t)arrival->index;
    d->bytes = packet->bytes;
    d->cells = (uint32_t)arrival->cells;
    d->input = (uint16_t)packet->input.i;
    d->tc = (uint16_t)at.tc.i;
    struct weir_before before = packet_charge(m, at, d, split, path);
    packet_attach(m, at, descriptor, false, path);

    m->effects.accepted = true;
    if (m->any_marking)
        mmu_mark(m, at, arrival);
    if (path == WEIR_PATH_LOSSY && m->tells[false][WEIR_ENQUEUED]) {
        struct weir_event event = packet_event(m, at, arrival->cells, before.egress);
        weir_mmu_tell(m, WEIR_ENQUEUED, &event, packet->input, before.ingress);
    } else if (path == WEIR_PATH_LOSSLESS && m->tells[true][WEIR_ENQUEUED]) {
        struct weir_place from = {arrival->account, arrival->port, arrival->tc};
        struct weir_event event = packet_event(m, from, arrival->cells, before.ingress);
        m->ingress.policy->on_enqueue(m->ingress.state, &m->ingress.view, &event);
    }
}

/* The arrival as the side sees it that governs its class. */
WEIR_INLINE struct weir_arrival mmu_describe(struct weir_mmu *m, const struct weir_packet *packet, enum weir_path path)
{
    bool lossless = path == WEIR_PATH_LOSSLESS;
    const struct weir_view *v = lossless ? &m->ingress.view : &m->egress.view;
    weir_port port = lossless ? packet->input : packet->output;
    weir_account account = weir_account_of(&v->geometry, port, packet->tc);
    weir_cells cells = weir_units_for_bytes(packet->bytes, v->geometry.cell_bytes, m->cell_inverse);
    bool all_shared = packet_is_plain(path) || (path == WEIR_PATH_LOSSY && m->all_shared);
    return (struct weir_arrival){
        .now = m->now,
        .index = m->arrivals++,
        .account = account,
        .port = port,
        .tc = packet->tc,
        .cells = cells,
        .need_cells = all_shared ? cells : weir_view_shared_need(v, account, cells),
        .flags = (packet->flags & ~(uint32_t)WEIR_FLAG_LOSSLESS) | (lossless ? WEIR_FLAG_LOSSLESS : 0u),
    };
}

/* Arrive is made five times from the same text, as mmu_packet.h says, and so is depart. */
WEIR_INLINE const struct weir_effects *mmu_arrive(struct weir_mmu *m, const struct weir_packet *packet, weir_ps now,
                                                  enum weir_path path)
{
    assert(packet->output.i < m->egress.view.geometry.ports && packet->tc.i < m->egress.view.geometry.classes);
    assert(packet->bytes > 0 && packet->bytes <= WEIR_PACKET_BYTES_MAX);
    assert(!m->ingress.policy || packet->input.i < m->ingress.view.geometry.ports);
    weir_mmu_clear(m, now);
    if (path == WEIR_PATH_LOSSLESS) /* needed when it is in */
        __builtin_prefetch(&m->egress.account[weir_mmu_place(m, packet->output, packet->tc).account.i]);

    struct weir_arrival arrival = mmu_describe(m, packet, path);
    struct weir_split split;
    m->effects.index = arrival.index;
    enum weir_reason reason = mmu_decide(m, &arrival, packet->input, &split, path);
    if (reason == WEIR_REASON_NONE)
        mmu_enqueue(m, &arrival, packet, split, path);
    else
        mmu_refuse(m, packet, arrival.cells, reason);
    if (path == WEIR_PATH_LOSSLESS)
        weir_mmu_test_pause(m, packet->input, 1u << packet->tc.i);
    else if (!packet_is_plain(path) && m->paused_inputs && m->effects.lost_count)
        weir_mmu_test_resume_all(m);
    bool plain = packet_is_plain(path) || path == WEIR_PATH_BESIDE;
    if (!plain && m->trace)
        weir_trace_arrive(m->trace, packet, now, &m->effects);
    return weir_mmu_finish(m, plain);
}

WEIR_APART static const struct weir_effects *mmu_arrive_lossy(struct weir_mmu *m, const struct weir_packet *packet,
                                                              weir_ps now)
{
    return mmu_arrive(m, packet, now, WEIR_PATH_LOSSY);
}

WEIR_APART static const struct weir_effects *mmu_arrive_lossless(struct weir_mmu *m, const struct weir_packet *packet,
                                                                 weir_ps now)
{
    return mmu_arrive(m, packet, now, WEIR_PATH_LOSSLESS);
}

WEIR_APART static const struct weir_effects *mmu_arrive_plain(struct weir_mmu *m, const struct weir_packet *packet,
                                                              weir_ps now)
{
    return mmu_arrive(m, packet, now, WEIR_PATH_PLAIN);
}

WEIR_APART static const struct weir_effects *mmu_arrive_ordered(struct weir_mmu *m, const struct weir_packet *packet,
                                                                weir_ps now)
{
    return mmu_arrive(m, packet, now, WEIR_PATH_ORDERED);
}

WEIR_APART static const struct weir_effects *mmu_arrive_beside(struct weir_mmu *m, const struct weir_packet *packet,
                                                               weir_ps now)
{
    return mmu_arrive(m, packet, now, WEIR_PATH_BESIDE);
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
    if (m->is_plain)
        return m->is_ordered ? mmu_arrive_ordered(m, packet, now) : mmu_arrive_plain(m, packet, now);
    if (weir_mmu_is_lossless(m, packet->tc))
        return mmu_arrive_lossless(m, packet, now);
    return m->is_beside ? mmu_arrive_beside(m, packet, now) : mmu_arrive_lossy(m, packet, now);
}
