/*
 * mmu.c - the two calls every packet makes: arrive and depart. See mmu.h for the contract.
 *
 * An arrival is decided (descriptor, egress policy, ingress policy, room, push-out), then either enqueued and told to
 * the policies or refused and told to them. A departure picks a class, asks the policy whether the head is to be
 * dropped instead, and sends.
 */
#include <assert.h>

#include "mmu_internal.h"
#include "trace_internal.h"
#include "weir/fixed.h"

const struct weir_effects *weir_mmu_finish(struct weir_mmu *m)
{
    if (m->trace && weir_trace_wants_hash(m->trace))
        weir_trace_hash(m->trace, weir_mmu_hash(m));
#ifdef WEIR_CHECKS
    /* A check visits every descriptor and account: after each call while these are few, else as seldom as they are
     * many. */
    if (++m->unchecked * 64 >= m->packets_max + m->egress.view.geometry.accounts) {
        const char *problem = weir_mmu_check(m);
        m->unchecked = 0;
        if (problem)
            __assert_fail(problem, __FILE__, __LINE__, __func__);
    }
#endif
    return &m->effects;
}

static void mmu_tell_side(struct weir_side *side, enum weir_mmu_happening what, const struct weir_event *event)
{
    const struct weir_policy *policy = side->policy;
    void (*told)(void *, const struct weir_view *, const struct weir_event *) =
        what == WEIR_ENQUEUED   ? policy->on_enqueue
        : what == WEIR_DEQUEUED ? policy->on_dequeue
                                : policy->on_drop;
    if (told)
        told(side->state, &side->view, event);
}

void weir_mmu_tell(struct weir_mmu *m, const struct weir_happening *h)
{
    struct weir_event event = {
        .now = m->now,
        .account = h->account,
        .port = {h->account.i - h->tc.i * m->egress.view.geometry.ports},
        .tc = h->tc,
        .cells = h->cells,
        .cause = h->cause,
        .reason = h->reason,
        .shared_before = h->before.egress,
    };
    if (!weir_mmu_is_lossless(m, h->tc))
        mmu_tell_side(&m->egress, h->what, &event);
    if (m->ingress.policy) {
        event.account = weir_account_of(&m->ingress.view.geometry, h->input, h->tc);
        event.port = h->input;
        event.shared_before = h->before.ingress;
        mmu_tell_side(&m->ingress, h->what, &event);
    }
}

/* Whether the pool that a verdict charges has room, on the side that governs the packet. */
static bool mmu_fits(const struct weir_mmu *m, const struct weir_side *side, const struct weir_arrival *arrival,
                     enum weir_charge charge)
{
    const struct weir_geometry *g = &side->view.geometry;
    if (charge == WEIR_CHARGE_HEADROOM)
        return m->pools.headroom_cells + arrival->cells <= g->headroom_cells;
    weir_cells need = weir_view_shared_need(&side->view, arrival->account, arrival->cells);
    return need <= (charge == WEIR_CHARGE_PRIVATE ? 0 : weir_view_shared_free(&side->view));
}

/* What the governing side's private minimum covers is not refused, whoever says so. */
static bool mmu_is_guaranteed(const struct weir_side *side, const struct weir_arrival *arrival)
{
    return weir_view_shared_need(&side->view, arrival->account, arrival->cells) == 0;
}

static struct weir_verdict mmu_ask(struct weir_side *side, const struct weir_arrival *arrival)
{
    struct weir_verdict verdict = side->policy->admit(side->state, &side->view, arrival);
    assert(verdict.decision != WEIR_REFUSE || verdict.reason != WEIR_REASON_NONE);
    return verdict;
}

/* What becomes of a verdict: a refusal may not bind, and an acceptance needs room. */
static struct weir_verdict mmu_settle(const struct weir_mmu *m, const struct weir_side *governing,
                                      const struct weir_arrival *arrival, struct weir_verdict verdict)
{
    if (verdict.decision == WEIR_REFUSE)
        return mmu_is_guaranteed(governing, arrival) ? weir_accept_if_room() : verdict;
    verdict.reason = mmu_fits(m, governing, arrival, verdict.charge) ? WEIR_REASON_NONE : WEIR_REASON_NO_ROOM;
    return verdict;
}

/* With an ingress policy, both sides are asked about a lossy packet, and only the ingress side about a lossless one. */
static struct weir_verdict mmu_ask_both(struct weir_mmu *m, const struct weir_arrival *arrival, weir_port input)
{
    struct weir_arrival seen = *arrival;
    seen.account = weir_account_of(&m->ingress.view.geometry, input, arrival->tc);
    seen.port = input;
    struct weir_verdict ingress = mmu_ask(&m->ingress, &seen);
    if (arrival->flags & WEIR_FLAG_LOSSLESS)
        return mmu_settle(m, &m->ingress, &seen, ingress);
    struct weir_verdict egress = mmu_ask(&m->egress, arrival);
    bool vetoed = ingress.decision == WEIR_REFUSE && egress.decision != WEIR_REFUSE;
    return mmu_settle(m, &m->egress, arrival, vetoed ? ingress : egress);
}

/* NONE: the packet may enter, charged as *charge says, and there is room for it. */
static enum weir_reason mmu_decide(struct weir_mmu *m, const struct weir_arrival *arrival, weir_port input,
                                   enum weir_charge *charge)
{
    if (arrival->cells > m->egress.view.geometry.buffer_cells)
        return WEIR_REASON_TOO_LARGE;
    if (m->free_head == WEIR_NO_DESCRIPTOR)
        return WEIR_REASON_NO_DESCRIPTOR;
    struct weir_verdict verdict = m->ingress.policy ? mmu_ask_both(m, arrival, input)
                                                    : mmu_settle(m, &m->egress, arrival, mmu_ask(&m->egress, arrival));
    *charge = verdict.charge;
    bool may_push_out = verdict.decision == WEIR_ACCEPT && verdict.charge == WEIR_CHARGE_SHARED &&
                        !(arrival->flags & WEIR_FLAG_LOSSLESS);
    if (verdict.reason == WEIR_REASON_NO_ROOM && may_push_out && weir_mmu_make_room(m, arrival))
        return WEIR_REASON_NONE;
    return verdict.reason;
}

static void mmu_refuse(struct weir_mmu *m, const struct weir_arrival *arrival, const struct weir_packet *packet,
                       enum weir_reason reason)
{
    struct weir_tally *tally = &m->tally[arrival->account.i];
    tally->refused[reason]++;
    tally->dropped[WEIR_CAUSE_REFUSED]++;
    tally->dropped_bytes += packet->bytes;
    m->effects.reason = reason;
    struct weir_before before = {.egress = m->egress.account[arrival->account.i].shared_cells};
    if (m->ingress.policy)
        before.ingress =
            m->ingress.account[weir_account_of(&m->ingress.view.geometry, packet->input, packet->tc).i].shared_cells;
    weir_mmu_tell(m, &(struct weir_happening){.what = WEIR_DROPPED,
                                              .account = arrival->account,
                                              .tc = packet->tc,
                                              .input = packet->input,
                                              .cells = arrival->cells,
                                              .cause = WEIR_CAUSE_REFUSED,
                                              .reason = reason,
                                              .before = before});
}

static void mmu_enqueue(struct weir_mmu *m, const struct weir_arrival *arrival, const struct weir_packet *packet,
                        enum weir_charge charge)
{
    uint32_t descriptor = m->free_head;
    struct weir_descriptor *d = &m->descriptor[descriptor];
    m->free_head = d->next;
    d->handle = packet->handle;
    d->index = (uint32_t)arrival->index;
    d->bytes = packet->bytes;
    d->cells = (uint32_t)arrival->cells;
    d->input = (uint16_t)packet->input.i;
    d->tc = (uint16_t)packet->tc.i;
    struct weir_before before = weir_mmu_attach(m, arrival->account, descriptor, charge, false);

    m->effects.accepted = true;
    if (m->any_marking && packet->flags & WEIR_FLAG_ECN &&
        weir_marking_decide(&m->marking[packet->tc.i], m->egress.account[arrival->account.i].cells, m->seed,
                            arrival->index)) {
        m->effects.marked = true;
        m->tally[arrival->account.i].marked++;
    }
    if (m->egress.policy->on_enqueue || m->ingress.policy)
        weir_mmu_tell(m, &(struct weir_happening){.what = WEIR_ENQUEUED,
                                                  .account = arrival->account,
                                                  .tc = packet->tc,
                                                  .input = packet->input,
                                                  .cells = arrival->cells,
                                                  .before = before});
}

const struct weir_effects *weir_mmu_arrive(struct weir_mmu *m, const struct weir_packet *packet, weir_ps now)
{
    const struct weir_geometry *g = &m->egress.view.geometry;
    assert(packet->output.i < g->ports && packet->tc.i < g->classes);
    assert(packet->bytes > 0 && packet->bytes <= WEIR_PACKET_BYTES_MAX);
    assert(!m->ingress.policy || packet->input.i < m->ingress.view.geometry.ports);
    weir_mmu_begin(m, now);

    struct weir_arrival arrival = {
        .now = now,
        .index = m->arrivals++,
        .account = weir_account_of(g, packet->output, packet->tc),
        .port = packet->output,
        .tc = packet->tc,
        .cells = weir_units_for_bytes(packet->bytes, g->cell_bytes, m->cell_inverse),
        .flags = (packet->flags & ~(uint32_t)WEIR_FLAG_LOSSLESS) |
                 (weir_mmu_is_lossless(m, packet->tc) ? WEIR_FLAG_LOSSLESS : 0),
    };
    enum weir_charge charge = WEIR_CHARGE_SHARED;
    m->effects.index = arrival.index;
    enum weir_reason reason = mmu_decide(m, &arrival, packet->input, &charge);
    if (reason == WEIR_REASON_NONE)
        mmu_enqueue(m, &arrival, packet, charge);
    else
        mmu_refuse(m, &arrival, packet, reason);
    if (m->ingress.policy)
        weir_mmu_test_pause(m, packet->input);
    if (m->paused_inputs && m->effects.lost_count)
        weir_mmu_test_resume(m, packet->input.i);
    if (m->trace)
        weir_trace_arrive(m->trace, packet, now, &m->effects);
    return weir_mmu_finish(m);
}

struct mmu_heads {
    const struct weir_mmu *mmu;
    weir_port port;
};

static const struct weir_descriptor *mmu_head(const struct mmu_heads *heads, uint32_t tc)
{
    const struct weir_side *side = &heads->mmu->egress;
    weir_account account = weir_account_of(&side->view.geometry, heads->port, (weir_class){tc});
    return &heads->mmu->descriptor[side->account[account.i].head];
}

static uint32_t mmu_head_bytes(const void *heads, uint32_t tc)
{
    return mmu_head(heads, tc)->bytes;
}

static uint32_t mmu_head_order(const void *heads, uint32_t tc)
{
    return mmu_head(heads, tc)->index;
}

/* The class the port sends from; `eligible` is not 0. */
static uint32_t mmu_pick(struct weir_mmu *m, weir_port port, uint32_t eligible)
{
    struct mmu_heads context = {m, port};
    struct weir_heads heads = {&context, mmu_head_bytes, mmu_head_order};
    return weir_scheduler_pick(&m->scheduling, &m->scheduler[port.i], eligible, m->egress.port[port.i].backlog_mask,
                               &heads);
}

/* Whether the policy wants the head of this account dropped instead of sent. */
static bool mmu_drops_head(const struct weir_mmu *m, weir_account account)
{
    const struct weir_side *side = &m->egress;
    if (!(side->policy->needs & WEIR_NEED_DEQUEUE) || m->effects.lost_count == m->evictions_max)
        return false;
    struct weir_question question = {.why = WEIR_WHY_DEQUEUE, .now = m->now, .leaving = account};
    return weir_account_is(side->policy->victim(side->state, &side->view, &question).account, account);
}

static void mmu_send(struct weir_mmu *m, weir_port port, weir_class tc, weir_account account)
{
    struct weir_account_state *a = &m->egress.account[account.i];
    uint32_t descriptor = a->head;
    const struct weir_descriptor *d = &m->descriptor[descriptor];
    struct weir_tally *tally = &m->tally[account.i];
    struct weir_effects *fx = &m->effects;
    struct weir_before before = weir_mmu_detach(m, account, descriptor);

    a->sent_cells += d->cells;
    tally->sent_packets++;
    tally->sent_bytes += d->bytes;
    m->read_bytes += d->bytes;
    m->port_sent_cells[port.i] += d->cells;
    m->egress.port[port.i].busy = true;
    if (m->egress.policy->needs & WEIR_NEED_EXPEL)
        weir_arbiter_consume(&m->arbiter, weir_arbiter_cost_ps(&m->arbiter, d->bytes), m->now);

    fx->departed = true;
    fx->handle = d->handle;
    fx->bytes = d->bytes;
    fx->departed_index = d->index;
    fx->account = account;
    fx->stamp = (struct weir_int_stamp){m->now, a->cells, m->port_sent_cells[port.i], m->egress.port[port.i].rate_bps};
    if (m->egress.policy->on_dequeue || m->ingress.policy)
        weir_mmu_tell(m, &(struct weir_happening){.what = WEIR_DEQUEUED,
                                                  .account = account,
                                                  .tc = tc,
                                                  .input = {d->input},
                                                  .cells = d->cells,
                                                  .before = before});
    weir_mmu_free_descriptor(m, descriptor);
}

const struct weir_effects *weir_mmu_depart(struct weir_mmu *m, weir_port port, weir_ps now)
{
    struct weir_port_state *p = &m->egress.port[port.i];
    assert(port.i < m->egress.view.geometry.ports);
    weir_mmu_begin(m, now);
    m->effects.blocked_until = WEIR_NEVER;

    uint32_t paused = p->paused_mask ? weir_mmu_paused_mask(m, port, now) : 0;
    uint32_t eligible;
    while ((eligible = p->backlog_mask & ~paused) != 0) {
        weir_class tc = {mmu_pick(m, port, eligible)};
        weir_account account = weir_account_of(&m->egress.view.geometry, port, tc);
        if (!mmu_drops_head(m, account)) {
            mmu_send(m, port, tc, account);
            break;
        }
        uint32_t head = m->egress.account[account.i].head;
        struct weir_before before = weir_mmu_detach(m, account, head);
        weir_mmu_lose(m, account, head, WEIR_CAUSE_DEQUEUE, before);
    }
    if (!m->effects.departed) {
        p->busy = false;
        if (m->egress.policy->on_idle && !p->backlog_mask)
            m->egress.policy->on_idle(m->egress.state, &m->egress.view, port, now);
    }
    if (m->paused_inputs)
        weir_mmu_test_resume(m, WEIR_NO_INPUT);
    if (m->trace)
        weir_trace_depart(m->trace, port, now, &m->effects);
    return weir_mmu_finish(m);
}
