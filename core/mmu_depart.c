/*
 * mmu_depart.c - the call with which most packets end: depart. See mmu.h for the contract.
 *
 * A departure picks a class, asks the policy whether the head is to be dropped instead, and sends.
 */

/* As in mmu.c. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include <assert.h>

#include "mmu_packet.h"
#include "scheduler_pick.h"
#include "trace_internal.h"

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

static inline const struct weir_effects *mmu_end_departure(struct weir_mmu *m, weir_port port)
{
    if (m->paused_inputs && m->effects.lost_count)
        weir_mmu_test_resume_all(m);
    if (m->trace)
        weir_trace_depart(m->trace, port, m->now, &m->effects);
    return weir_mmu_finish(m, false);
}

/* What follows a departure besides counting it. The descriptor is free, and still says what it held. */
WEIR_INLINE const struct weir_effects *mmu_follow(struct weir_mmu *m, struct weir_place at,
                                                  const struct weir_descriptor *d, struct weir_before before)
{
    if (m->expels)
        weir_arbiter_consume(&m->arbiter, weir_arbiter_cost_ps(&m->arbiter, d->bytes), m->now);
    if (m->tells[weir_mmu_is_lossless(m, at.tc)][WEIR_DEQUEUED]) {
        struct weir_event event = packet_event(m, at, d->cells, before.egress);
        weir_mmu_tell(m, WEIR_DEQUEUED, &event, (weir_port){d->input}, before.ingress);
    }
    if (m->paused_inputs && !m->effects.lost_count)
        weir_mmu_test_resume(m, (weir_port){d->input}, at.tc);
    return mmu_end_departure(m, at.port);
}

/* Where it is seldom needed. */
WEIR_APART static const struct weir_effects *mmu_follow_apart(struct weir_mmu *m, uint32_t port, uint32_t descriptor,
                                                              struct weir_before before)
{
    const struct weir_descriptor *d = &m->descriptor[descriptor];
    return mmu_follow(m, weir_mmu_place(m, (weir_port){port}, (weir_class){d->tc}), d, before);
}

WEIR_INLINE const struct weir_effects *mmu_send(struct weir_mmu *m, struct weir_place at, enum weir_path path)
{
    struct weir_account_state *a = &m->egress.account[at.account.i];
    struct weir_port_state *p = &m->egress.port[at.port.i];
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
    if (path == WEIR_PATH_LOSSLESS) {
        fx->lossless = true;
        fx->input = (weir_port){d->input};
        fx->tc = at.tc;
    }

    struct weir_before before = packet_detach(m, at, descriptor, path);
    a->held.sent_cells += cells;
    a->sent_packets++;
    a->sent_bytes += bytes;
    p->sent_cells += cells;
    p->busy = true;
    m->read_bytes += bytes;
    fx->stamp = (struct weir_int_stamp){m->now, a->held.cells, p->sent_cells, p->rate_bps};
    if (path == WEIR_PATH_LOSSY && m->ingress.policy)
        packet_count_out(&m->ingress.account[packet_ingress_account(m, d).i], d);
    packet_free_descriptor(m, descriptor);
    if (path == WEIR_PATH_LOSSY)
        return mmu_follow(m, at, d, before);
    if ((path == WEIR_PATH_LOSSLESS && m->follows_lossless) || (!packet_is_plain(path) && m->paused_inputs))
        return mmu_follow_apart(m, at.port.i, descriptor, before);
    if (path == WEIR_PATH_ORDERED && m->expels)
        weir_arbiter_consume(&m->arbiter, weir_arbiter_cost_ps(&m->arbiter, bytes), m->now);
    return weir_mmu_finish(m, true);
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

/* Apart, so that what is called before them costs nothing when it is not called. */
WEIR_APART static const struct weir_effects *mmu_send_plain(struct weir_mmu *m, uint32_t port, uint32_t tc)
{
    return mmu_send(m, weir_mmu_place(m, (weir_port){port}, (weir_class){tc}), WEIR_PATH_PLAIN);
}

WEIR_APART static const struct weir_effects *mmu_send_ordered(struct weir_mmu *m, uint32_t port, uint32_t tc)
{
    return mmu_send(m, weir_mmu_place(m, (weir_port){port}, (weir_class){tc}), WEIR_PATH_ORDERED);
}

WEIR_APART static const struct weir_effects *mmu_send_beside(struct weir_mmu *m, uint32_t port, uint32_t tc)
{
    return mmu_send(m, weir_mmu_place(m, (weir_port){port}, (weir_class){tc}), WEIR_PATH_BESIDE);
}

WEIR_APART static const struct weir_effects *mmu_send_lossy(struct weir_mmu *m, uint32_t port, uint32_t tc)
{
    return mmu_send(m, weir_mmu_place(m, (weir_port){port}, (weir_class){tc}), WEIR_PATH_LOSSY);
}

WEIR_APART static const struct weir_effects *mmu_send_lossless(struct weir_mmu *m, uint32_t port, uint32_t tc)
{
    return mmu_send(m, weir_mmu_place(m, (weir_port){port}, (weir_class){tc}), WEIR_PATH_LOSSLESS);
}

static inline const struct weir_effects *mmu_send_any(struct weir_mmu *m, uint32_t port, uint32_t tc)
{
    if (weir_mmu_is_lossless(m, (weir_class){tc}))
        return mmu_send_lossless(m, port, tc);
    return m->is_beside ? mmu_send_beside(m, port, tc) : mmu_send_lossy(m, port, tc);
}

/* Some classes of the port may be paused, and the policy may want heads dropped. */
WEIR_APART static const struct weir_effects *mmu_depart_asking(struct weir_mmu *m, weir_port port)
{
    const struct weir_port_state *p = &m->egress.port[port.i];
    uint32_t paused = p->paused_mask ? weir_mmu_paused_mask(m, port, m->now) : 0;
    uint32_t eligible = p->backlog_mask & ~paused;
    struct weir_place at = {WEIR_NO_ACCOUNT, port, {0}};
    if (eligible != 0)
        at = weir_mmu_place(m, port, (weir_class){mmu_pick(m, port, eligible)});
    if (eligible != 0 && m->egress.policy->needs & WEIR_NEED_DEQUEUE)
        at = mmu_drop_heads(m, at, paused);
    if (!weir_account_is(at.account, WEIR_NO_ACCOUNT))
        return mmu_send_any(m, at.port.i, at.tc.i);
    mmu_idle(m, port);
    return mmu_end_departure(m, port);
}

WEIR_APART static const struct weir_effects *mmu_depart_any(struct weir_mmu *m, weir_port port, weir_ps now)
{
    const struct weir_port_state *p = &m->egress.port[port.i];
    weir_mmu_clear(m, now);
    if (p->paused_mask || p->backlog_mask == 0 || m->egress.policy->needs & WEIR_NEED_DEQUEUE)
        return mmu_depart_asking(m, port);
    return mmu_send_any(m, port.i, mmu_pick(m, port, p->backlog_mask));
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
    uint32_t tc = mmu_pick(m, port, p->backlog_mask);
    return m->is_ordered ? mmu_send_ordered(m, port.i, tc) : mmu_send_plain(m, port.i, tc);
}
