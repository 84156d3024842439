/*
 * mmu.c - the packet path: arrive and depart. See mmu.h for the contract and docs/explanation/architecture.md for the
 * walk.
 *
 *   arrive   describe the arrival -> ask the policy of the side that governs its class -> room, or push-out
 *            -> enqueue and tell the policies, or refuse and tell them
 *   depart   pick a class -> the policy may drop the head instead -> send
 *
 * Most MMUs need a part of this only: one without lossless classes has no ingress side to count, and one whose policy
 * looks at present lengths is not told of packets. So arrive and send are one body each, compiled once per path with
 * what holds on it (enum mmu_holds), and the MMU is given its paths when it is built: one for packets of lossy classes,
 * one for those of lossless ones. From weir_mmu_arrive to the policy's admit it is one call.
 */
#include "hot.h"
HOT_SCALAR_COUNTERS

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "mmu_packet.h"
#include "scheduler.h"
#include "trace_internal.h"
#include "weir/fixed.h"

static struct weir_verdict arrive_ask(struct weir_side *side, const struct weir_arrival *arrival)
{
    struct weir_verdict verdict = side->policy->admit(side->state, &side->view, arrival);
    assert(verdict.decision != WEIR_REFUSE || verdict.reason != WEIR_REASON_NONE);
    return verdict;
}

/* Whether the side that does not govern the packet's class refuses it, and why. What the packet needs of the shared
 * pool is the other side's matter. */
HOT_APART static enum weir_reason arrive_veto(struct weir_side *side, const struct weir_arrival *arrival,
                                              weir_account account, weir_port port)
{
    struct weir_arrival seen = *arrival;
    seen.account = account;
    seen.port = port;
    struct weir_verdict verdict = arrive_ask(side, &seen);
    return verdict.decision == WEIR_REFUSE ? verdict.reason : WEIR_REASON_NONE;
}

/* Whether an accepted packet has room in what it is charged to, perhaps after others have been pushed out. */
HOT_APART static bool arrive_fits(struct weir_mmu *m, const struct weir_arrival *arrival, enum weir_decision decision,
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

/* `arrival` uses the governing side's account numbers. Its flow stays where it is: nothing is written of it here. */
HOT_INLINE void arrive_describe(struct weir_mmu *m, const struct weir_packet *packet, uint32_t holds)
{
    struct weir_arrival *arrival = &m->arrival;
    bool lossless = holds & HOLDS_LOSSLESS;
    const struct weir_view *v = lossless ? &m->ingress.view : &m->egress.view;
    weir_port port = lossless ? packet->input : packet->output;
    weir_account account =
        lossless ? weir_mmu_group_account(m, port, packet->tc) : weir_account_of(&v->geometry, port, packet->tc);
    weir_cells cells = weir_units_for_bytes(packet->bytes, v->geometry.cell_bytes, m->cell_inverse);
    arrival->now = m->now;
    arrival->index = m->arrivals++;
    arrival->account = account;
    arrival->port = port;
    arrival->tc = packet->tc;
    arrival->cells = cells;
    arrival->need_cells = holds & HOLDS_ALL_SHARED ? cells : weir_view_shared_need(v, account, cells);
    arrival->flags = (packet->flags & ~(uint32_t)WEIR_FLAG_LOSSLESS) | (lossless ? WEIR_FLAG_LOSSLESS : 0u);
}

/* Finds and counts the flow of an arrival that the egress policy is asked about. */
HOT_APART static void arrive_see_flow(struct weir_mmu *m, const struct weir_packet *packet)
{
    const struct weir_flow *flow = packet->flow;
    assert(flow && "the config says that the host gives flows");
    m->flow = (struct weir_flow_view){
        .hash = flow->hash,
        .bytes = flow->bytes,
        .packet_bytes = packet->bytes,
        .dscp = flow->dscp,
        .ecn = packet->flags & WEIR_FLAG_ECN,
        .input = packet->input,
        .entry = weir_flow_table_count(&m->flows, flow->hash, packet->bytes, m->now),
    };
}

/* NONE: the packet may enter, charged as *split says, and there is room for it. What the private minimum covers is
 * neither refused nor charged to a pool, whatever the policy says. */
HOT_INLINE enum weir_reason arrive_decide(struct weir_mmu *m, const struct weir_arrival *arrival,
                                          const struct weir_packet *packet, struct weir_split *split, uint32_t holds)
{
    const struct weir_geometry *g = &m->egress.view.geometry;
    weir_cells need = arrival->need_cells;
    struct weir_verdict verdict;
    if (arrival->cells > g->buffer_cells)
        return WEIR_REASON_TOO_LARGE;
    if (m->packets == m->packets_max)
        return WEIR_REASON_NO_DESCRIPTOR;

    enum weir_reason veto = WEIR_REASON_NONE;
    if (holds & HOLDS_VETO && !(packet->trimmed_from && m->trim[packet->trimmed_from - 1].skips_ingress))
        veto = holds & HOLDS_LOSSLESS
                   ? arrive_veto(&m->egress, arrival, weir_account_of(g, packet->output, packet->tc), packet->output)
                   : arrive_veto(&m->ingress, arrival, weir_mmu_group_account(m, packet->input, packet->tc),
                                 packet->input);
    verdict = arrive_ask(holds & HOLDS_LOSSLESS ? &m->ingress : &m->egress, arrival);
    if (holds & HOLDS_VETO && veto != WEIR_REASON_NONE)
        return veto;

    *split = (struct weir_split){need, 0};
    if (verdict.decision == WEIR_REFUSE)
        return need == 0 ? WEIR_REASON_NONE : verdict.reason;
    if (verdict.charge == WEIR_CHARGE_SHARED && need <= g->shared_cells - m->pools.shared_cells)
        return WEIR_REASON_NONE;
    if (need == 0)
        return WEIR_REASON_NONE;
    if (!arrive_fits(m, arrival, verdict.decision, verdict.charge))
        return WEIR_REASON_NO_ROOM;
    if (verdict.charge == WEIR_CHARGE_HEADROOM)
        *split = (struct weir_split){0, arrival->cells};
    else if (!(holds & HOLDS_LOSSLESS) && verdict.decision == WEIR_ACCEPT) /* its own account may have lost packets */
        split->shared = weir_view_shared_need(&m->egress.view, arrival->account, arrival->cells);
    return WEIR_REASON_NONE;
}

/* The packet's account is long enough for marks. Without a branch on the ECN flag, which mispredicts. */
HOT_APART static void arrive_mark(struct weir_mmu *m, struct weir_place at, weir_cells cells,
                                  const struct weir_arrival *arrival)
{
    const struct weir_marking *marking = &m->marking[at.tc.i];
    bool due = marking->kind == WEIR_MARK_STEP || weir_marking_decide(marking, cells, m->seed, arrival->index);
    m->effects.marked = due & ((arrival->flags & WEIR_FLAG_ECN) != 0);
    m->tally[at.account.i].marked += m->effects.marked;
}

HOT_INLINE void arrive_enqueue(struct weir_mmu *m, const struct weir_arrival *arrival, const struct weir_packet *packet,
                               struct weir_split split, uint32_t holds)
{
    struct weir_place from = {arrival->account, arrival->port, arrival->tc};
    struct weir_place at = holds & HOLDS_LOSSLESS ? weir_mmu_place(m, packet->output, packet->tc) : from;
    uint32_t descriptor = packet_take_descriptor(m);
    struct weir_descriptor *d = &m->descriptor[descriptor];
    d->handle = packet->handle;
    d->index = (uint32_t)arrival->index;
    d->bytes = packet->bytes;
    d->cells = (uint32_t)arrival->cells;
    d->input = (uint16_t)packet->input.i;
    d->tc = (uint8_t)at.tc.i;
    if (!(holds & HOLDS_UNTOLD))
        d->trimmed_from = (uint8_t)packet->trimmed_from;
    struct weir_before before = packet_charge(m, at, d, split, holds);
    packet_attach(m, at, descriptor, false, holds);

    m->effects.accepted = true;
    weir_cells length = m->egress.account[at.account.i].held.cells;
    if (HOT_RARELY(length >= m->mark_from[at.tc.i]))
        arrive_mark(m, at, length, arrival);
    if (holds & HOLDS_UNTOLD)
        return;
    if (holds & HOLDS_LOSSLESS && !(holds & HOLDS_VETO) && m->tells[true][WEIR_ENQUEUED]) {
        struct weir_event event = packet_event(m, from, arrival->cells, before.ingress);
        m->ingress.policy->on_enqueue(m->ingress.state, &m->ingress.view, &event);
    } else if (holds & (HOLDS_LOSSY | HOLDS_VETO) && m->tells[(holds & HOLDS_LOSSLESS) != 0][WEIR_ENQUEUED]) {
        struct weir_event event = packet_event(m, at, arrival->cells, before.egress);
        weir_mmu_tell(m, WEIR_ENQUEUED, &event, packet->input, before.ingress);
    }
}

/* The packet enters an empty port and leaves it at once: no queue sees it, but every counter is as if one had. */
HOT_INLINE void arrive_pass(struct weir_mmu *m, const struct weir_arrival *arrival, const struct weir_packet *packet,
                            uint32_t holds)
{
    struct weir_account_state *a = &m->egress.account[arrival->account.i];
    struct weir_port_state *p = &m->egress.port[arrival->port.i];
    weir_cells cells = arrival->cells, used = m->pools.used_cells + cells;
    uint32_t bytes = packet->bytes;
    if (cells > a->peak_cells)
        a->peak_cells = (int32_t)cells;
    if (used > m->used_peak)
        m->used_peak = used;
    m->effects.accepted = true;
    if (HOT_RARELY(cells >= m->mark_from[arrival->tc.i]))
        arrive_mark(m, (struct weir_place){arrival->account, arrival->port, arrival->tc}, cells, arrival);
    if (!(holds & HOLDS_UNORDERED) && m->expels)
        weir_arbiter_consume(&m->arbiter, weir_arbiter_cost_ps(&m->arbiter, bytes), m->now);
    packet_count_departed(m, a, p, bytes, cells);
    struct weir_effects *fx = &m->effects;
    fx->departed = true;
    fx->handle = packet->handle;
    fx->bytes = bytes;
    fx->departed_index = (uint32_t)arrival->index;
    fx->account = arrival->account;
    fx->stamp = (struct weir_int_stamp){m->now, 0, p->sent_cells, p->rate_bps};
}

/* The packet could have passed, but others had to leave for it. */
HOT_APART static void arrive_pushing_out(struct weir_mmu *m, const struct weir_arrival *arrival,
                                         const struct weir_packet *packet, struct weir_split split)
{
    arrive_enqueue(m, arrival, packet, split, HOLDS_LOSSY | HOLDS_ALL_SHARED | HOLDS_UNTOLD);
}

HOT_APART static void arrive_refuse(struct weir_mmu *m, const struct weir_packet *packet, weir_cells cells,
                                    enum weir_reason reason)
{
    struct weir_place at = weir_mmu_place(m, packet->output, packet->tc);
    struct weir_tally *tally = &m->tally[at.account.i];
    tally->refused[reason]++;
    tally->dropped[WEIR_CAUSE_REFUSED]++;
    tally->dropped_bytes += packet->bytes;
    if (packet->trimmed_from)
        weir_mmu_origin(m, packet->output, packet->trimmed_from)->dropped_trimmed++;
    m->effects.reason = reason;
    struct weir_event event = packet_event(m, at, cells, m->egress.account[at.account.i].held.shared_cells);
    event.cause = WEIR_CAUSE_REFUSED;
    event.reason = reason;
    weir_cells ingress_before = 0;
    if (m->ingress.policy) {
        weir_account ingress = weir_mmu_group_account(m, packet->input, packet->tc);
        ingress_before = m->ingress.account[ingress.i].held.shared_cells;
        m->group_tally[ingress.i].refused++;
    }
    weir_mmu_tell(m, WEIR_DROPPED, &event, packet->input, ingress_before);
}

HOT_INLINE const struct weir_effects *arrive(struct weir_mmu *m, const struct weir_packet *packet, weir_ps now,
                                             uint32_t holds)
{
    if (!(holds & HOLDS_PASSING) && /* has been checked */
        HOT_RARELY(packet->output.i >= m->egress.view.geometry.ports ||
                   (packet_has_ingress(m, holds) && packet->input.i >= m->ingress.view.geometry.ports)))
        return weir_mmu_invalid();
    assert(packet->trimmed_from == 0 || (m->trims && m->trim[packet->trimmed_from - 1].to.i == packet->tc.i));
    weir_mmu_begin(m, now);
    if (!(holds & HOLDS_UNTOLD) && HOT_RARELY(packet->trimmed_from))
        weir_mmu_origin(m, packet->output, packet->trimmed_from)->trimmed++;
    struct weir_arrival *arrival = &m->arrival;
    struct weir_split split;
    arrive_describe(m, packet, holds);
    if (holds & (HOLDS_LOSSY | HOLDS_VETO) && !(holds & HOLDS_UNTOLD) && m->sees_flows)
        arrive_see_flow(m, packet);
    m->effects.index = arrival->index;
    enum weir_reason reason = arrive_decide(m, arrival, packet, &split, holds);
    if (!(holds & (HOLDS_UNTOLD | HOLDS_LOSSLESS | HOLDS_VETO)) && HOT_RARELY(reason != WEIR_REASON_NONE) && m->trims &&
        weir_mmu_displace(m, arrival)) {
        split = (struct weir_split){weir_view_shared_need(&m->egress.view, arrival->account, arrival->cells), 0};
        reason = WEIR_REASON_NONE;
    }
    if (HOT_RARELY(reason != WEIR_REASON_NONE))
        arrive_refuse(m, packet, arrival->cells, reason);
    else if (!(holds & HOLDS_PASSING))
        arrive_enqueue(m, arrival, packet, split, holds);
    else if (HOT_RARELY(m->effects.lost_count))
        arrive_pushing_out(m, arrival, packet, split);
    else
        arrive_pass(m, arrival, packet, holds);

    if (holds & HOLDS_LOSSLESS)
        weir_mmu_test_pause(m, packet->input, m->together[packet->tc.i]);
    else if (packet_has_ingress(m, holds) && m->paused_inputs && m->effects.lost_count)
        weir_mmu_test_resume_all(m);
    if (!(holds & HOLDS_UNTOLD) && m->trace)
        weir_trace_arrive(m->trace, packet, m->now, &m->effects);
    return weir_mmu_finish(m, holds & HOLDS_UNTOLD);
}

/* Ends a departure: what others learn of it. */
HOT_APART static const struct weir_effects *depart_finish(struct weir_mmu *m, weir_port port)
{
    if (m->paused_inputs && m->effects.lost_count)
        weir_mmu_test_resume_all(m);
    if (m->trace)
        weir_trace_depart(m->trace, port, m->now, &m->effects);
    return weir_mmu_finish(m, false);
}

/* Tells the policies and the paused inputs about a departure. The descriptor is free, and still says what it held. */
HOT_APART static const struct weir_effects *send_tell(struct weir_mmu *m, weir_port port, uint32_t descriptor,
                                                      struct weir_before before)
{
    const struct weir_descriptor *d = &m->descriptor[descriptor];
    struct weir_place at = weir_mmu_place(m, port, (weir_class){d->tc});
    if (m->trims && d->trimmed_from)
        weir_mmu_origin(m, port, d->trimmed_from)->sent_trimmed++;
    if (m->tells[weir_mmu_is_lossless(m, at.tc)][WEIR_DEQUEUED]) {
        struct weir_event event = packet_event(m, at, d->cells, before.egress);
        weir_mmu_tell(m, WEIR_DEQUEUED, &event, (weir_port){d->input}, before.ingress);
    }
    if (m->paused_inputs && !m->effects.lost_count)
        weir_mmu_test_resume(m, (weir_port){d->input}, at.tc);
    return depart_finish(m, at.port);
}

/* The head of an account leaves by its port. */
HOT_INLINE const struct weir_effects *send(struct weir_mmu *m, struct weir_place at, uint32_t holds)
{
    struct weir_account_state *a = &m->egress.account[at.account.i];
    struct weir_port_state *p = &m->egress.port[at.port.i];
    assert(a->packets > 0);
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
    if (holds & HOLDS_LOSSLESS) {
        fx->lossless = true;
        fx->input = (weir_port){d->input};
        fx->tc = at.tc;
    }

    struct weir_before before = packet_detach(m, at, descriptor, holds);
    packet_count_departed(m, a, p, bytes, cells);
    fx->stamp = (struct weir_int_stamp){m->now, p->cells, p->sent_cells, p->rate_bps};
    if (packet_has_ingress(m, holds))
        packet_count_sent(m, d);
    packet_free_descriptor(m, descriptor);

    if (!(holds & HOLDS_UNORDERED) && m->expels)
        weir_arbiter_consume(&m->arbiter, weir_arbiter_cost_ps(&m->arbiter, bytes), m->now);
    bool is_told = !(holds & HOLDS_UNTOLD) && m->hears_sent[(holds & HOLDS_LOSSLESS) != 0];
    if (is_told || (packet_has_ingress(m, holds) && m->paused_inputs))
        return send_tell(m, at.port, descriptor, before);
    return weir_mmu_finish(m, holds & HOLDS_UNTOLD);
}

/*
 * The paths, by what holds on them. Untold paths are for policies that look at present lengths only (cs, es, smxq, dt,
 * abm), and with the longest account for those that push out or expel (lqd, occamy). On these a packet can pass a port
 * where nothing is queued; on others `pass` is arrive.
 */
#define PASS(name, holds)                                                                                              \
    static const struct weir_effects *pass_##name(struct weir_mmu *m, const struct weir_packet *packet, weir_ps now)   \
    {                                                                                                                  \
        return arrive(m, packet, now, (holds) | HOLDS_PASSING);                                                        \
    }
#define PATH(name, holds, pass)                                                                                        \
    static const struct weir_effects *arrive_##name(struct weir_mmu *m, const struct weir_packet *packet, weir_ps now) \
    {                                                                                                                  \
        return arrive(m, packet, now, holds);                                                                          \
    }                                                                                                                  \
    static const struct weir_effects *send_##name(struct weir_mmu *m, weir_port port, weir_class tc)                   \
    {                                                                                                                  \
        return send(m, weir_mmu_place(m, port, tc), holds);                                                            \
    }                                                                                                                  \
    static const struct weir_path name = {arrive_##name, pass, send_##name};

#define ONLY (HOLDS_LOSSY | HOLDS_ALL_SHARED | HOLDS_UNTOLD | HOLDS_UNORDERED)
#define ONLY_LONGEST (HOLDS_LOSSY | HOLDS_ALL_SHARED | HOLDS_UNTOLD)

PASS(lossy_only, ONLY)
PASS(lossy_only_longest, ONLY_LONGEST)
PATH(lossy_only, ONLY, pass_lossy_only)
PATH(lossy_only_longest, ONLY_LONGEST, pass_lossy_only_longest)
PATH(lossy_beside_lossless, HOLDS_LOSSY | HOLDS_COUNTED | HOLDS_UNTOLD | HOLDS_UNORDERED, arrive_lossy_beside_lossless)
PATH(lossy_only_told, HOLDS_LOSSY | HOLDS_ALL_SHARED, arrive_lossy_only_told)
PATH(lossy_told, HOLDS_LOSSY, arrive_lossy_told)
PATH(lossy_veto, HOLDS_LOSSY | HOLDS_VETO, arrive_lossy_veto)
PATH(lossless, HOLDS_LOSSLESS, arrive_lossless)
PATH(lossless_veto, HOLDS_LOSSLESS | HOLDS_VETO, arrive_lossless_veto)

void weir_mmu_choose_paths(struct weir_mmu *m)
{
    const struct weir_policy *policy = m->egress.policy;
    const struct weir_geometry *g = &m->egress.view.geometry;
    bool all_shared = !m->ingress.policy && g->shared_cells == g->buffer_cells;
    bool untold = !m->trace && !m->trims && !m->sees_flows && !m->sorted.order && !policy->on_enqueue &&
                  !policy->on_dequeue && !m->drops_heads;
    bool unordered = !(policy->needs & (WEIR_NEED_LONGEST | WEIR_NEED_EXPEL));
    m->path[true] = m->asks_lossless ? lossless_veto : lossless;
    if (m->asks_lossy)
        m->path[false] = lossy_veto;
    else if (untold && all_shared)
        m->path[false] = unordered ? lossy_only : lossy_only_longest;
    else if (untold && unordered && m->ingress.policy)
        m->path[false] = lossy_beside_lossless;
    else
        m->path[false] = all_shared ? lossy_only_told : lossy_told;
    if (m->chooses) /* the scheduler counts every departure */
        m->path[false].pass = m->path[false].arrive;
}

const struct weir_effects *weir_mmu_arrive(struct weir_mmu *m, const struct weir_packet *packet, weir_ps now)
{
    assert(m && packet && packet->bytes > 0 && packet->bytes <= WEIR_PACKET_BYTES_MAX);
    if (HOT_RARELY(packet->tc.i >= m->egress.view.geometry.classes))
        return weir_mmu_invalid();
    return m->path[weir_mmu_is_lossless(m, packet->tc)].arrive(m, packet, now);
}

const struct weir_effects *weir_mmu_pass(struct weir_mmu *m, const struct weir_packet *packet, weir_ps now)
{
    const struct weir_geometry *g = &m->egress.view.geometry;
    assert(m && packet && packet->bytes > 0 && packet->bytes <= WEIR_PACKET_BYTES_MAX);
    if (HOT_RARELY(packet->tc.i >= g->classes || packet->output.i >= g->ports))
        return weir_mmu_invalid();
    const struct weir_path *path = &m->path[weir_mmu_is_lossless(m, packet->tc)];
    const struct weir_port_state *p = &m->egress.port[packet->output.i];
    return (p->backlog_mask | p->paused_mask ? path->arrive : path->pass)(m, packet, now);
}

#define NO_CLASS UINT32_MAX

/* The heads of a port's queues, for the scheduler. */
struct depart_heads {
    const struct weir_mmu *mmu;
    weir_port port;
};

HOT_INLINE const struct weir_descriptor *depart_head(const struct depart_heads *heads, uint32_t tc)
{
    const struct weir_side *side = &heads->mmu->egress;
    weir_account account = weir_account_of(&side->view.geometry, heads->port, (weir_class){tc});
    return &heads->mmu->descriptor[side->account[account.i].head];
}

HOT_INLINE uint32_t depart_head_bytes(const void *heads, uint32_t tc)
{
    return depart_head(heads, tc)->bytes;
}

HOT_INLINE uint32_t depart_head_order(const void *heads, uint32_t tc)
{
    return depart_head(heads, tc)->index;
}

/* The class the port sends from; `eligible` is not 0. */
HOT_INLINE weir_class depart_pick(struct weir_mmu *m, weir_port port, uint32_t eligible)
{
    struct depart_heads context = {m, port};
    struct weir_heads heads = {&context, depart_head_bytes, depart_head_order};
    return (weir_class){
        scheduler_pick(&m->scheduling, &m->scheduler[port.i], eligible, m->egress.port[port.i].backlog_mask, heads)};
}

/* Nothing leaves: the queues are empty, or all that is in them is paused. */
HOT_APART static const struct weir_effects *depart_idle(struct weir_mmu *m, weir_port port)
{
    const struct weir_policy *policy = m->egress.policy;
    m->egress.port[port.i].busy = false;
    if (!m->egress.port[port.i].paused_mask)
        m->effects.blocked_until = WEIR_NEVER;
    if (policy->on_idle && !m->egress.port[port.i].backlog_mask)
        policy->on_idle(m->egress.state, &m->egress.view, port, m->now);
    return depart_finish(m, port);
}

/*
 * Lets the scheduler pick and asks the policy, which may drop what the port would send, until the policy agrees or may
 * not be asked again. A dropped packet costs its class nothing: the scheduler goes back to where it was, and picks as
 * if the packet had never been there. The class to send from, or NO_CLASS.
 */
HOT_APART static weir_class depart_pick_or_drop(struct weir_mmu *m, weir_port port, uint32_t eligible)
{
    const struct weir_side *side = &m->egress;
    const struct weir_port_state *p = &side->port[port.i];
    struct weir_scheduler_state *scheduler = &m->scheduler[port.i], before;
    size_t used = offsetof(struct weir_scheduler_state, credit) + side->view.geometry.classes * sizeof before.credit[0];
    memcpy(&before, scheduler, used);
    while (eligible != 0) {
        weir_class tc = depart_pick(m, port, eligible);
        struct weir_place at = weir_mmu_place(m, port, tc);
        struct weir_question question = {.why = WEIR_WHY_DEQUEUE, .now = m->now, .leaving = at.account};
        if (m->effects.lost_count == m->evictions_max ||
            !weir_account_is(side->policy->victim(side->state, &side->view, &question).account, at.account))
            return tc;
        weir_mmu_lose_head(m, &at, WEIR_CAUSE_DEQUEUE);
        memcpy(scheduler, &before, used);
        eligible = p->backlog_mask & ~p->paused_mask;
    }
    return (weir_class){NO_CLASS};
}

static inline const struct weir_effects *depart_send(struct weir_mmu *m, weir_port port, weir_class tc)
{
    return m->path[weir_mmu_is_lossless(m, tc)].send(m, port, tc);
}

HOT_APART static const struct weir_effects *depart_choose(struct weir_mmu *m, weir_port port, uint32_t eligible)
{
    weir_class tc = m->drops_heads ? depart_pick_or_drop(m, port, eligible) : depart_pick(m, port, eligible);
    return tc.i == NO_CLASS ? depart_idle(m, port) : depart_send(m, port, tc);
}

HOT_INLINE const struct weir_effects *depart_from(struct weir_mmu *m, weir_port port, uint32_t eligible)
{
    bool is_one = (eligible & (eligible - 1)) == 0;
    if (eligible == 0)
        return depart_idle(m, port);
    if (is_one && !m->chooses)
        return depart_send(m, port, (weir_class){(uint32_t)__builtin_ctz(eligible)});
    return depart_choose(m, port, eligible);
}

/* With policies that tick, or classes that the peer has paused. */
HOT_APART static const struct weir_effects *depart_slowly(struct weir_mmu *m, weir_port port, weir_ps now)
{
    const struct weir_port_state *p = &m->egress.port[port.i];
    weir_mmu_begin(m, now);
    return depart_from(m, port, HOT_RARELY(p->paused_mask) ? weir_mmu_unpaused_mask(m, port) : p->backlog_mask);
}

/* Calls nothing but what it returns, and so has no registers to save: 6 instructions. */
const struct weir_effects *weir_mmu_depart(struct weir_mmu *m, weir_port port, weir_ps now)
{
    assert(m);
    if (HOT_RARELY(port.i >= m->egress.view.geometry.ports))
        return weir_mmu_invalid();
    const struct weir_port_state *p = &m->egress.port[port.i];
    if (HOT_RARELY((m->ticks && now > m->now) || p->paused_mask))
        return depart_slowly(m, port, now);
    weir_mmu_begin_untimed(m, now);
    return depart_from(m, port, p->backlog_mask);
}

static void tell_side(struct weir_side *side, enum weir_mmu_happening what, const struct weir_event *event)
{
    const struct weir_policy *policy = side->policy;
    void (*told)(void *, const struct weir_view *, const struct weir_event *) =
        what == WEIR_ENQUEUED   ? policy->on_enqueue
        : what == WEIR_DEQUEUED ? policy->on_dequeue
                                : policy->on_drop;
    if (told)
        told(side->state, &side->view, event);
}

void weir_mmu_tell(struct weir_mmu *m, enum weir_mmu_happening what, struct weir_event *event, weir_port input,
                   weir_cells ingress_before)
{
    bool is_lossless = weir_mmu_is_lossless(m, event->tc);
    if (!is_lossless || m->asks_lossless)
        tell_side(&m->egress, what, event);
    if (is_lossless || m->asks_lossy) {
        event->account = weir_mmu_group_account(m, input, event->tc);
        event->port = input;
        event->shared_before = ingress_before;
        tell_side(&m->ingress, what, event);
    }
}
