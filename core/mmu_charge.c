/*
 * mmu_charge.c - what a packet is charged where there is more than the shared pool: private minimums, headroom and
 * the accounts of the ingress side; and who is told of a packet. See mmu_packet.h for the rest.
 */
#include "mmu_packet.h"

static void charge_account(struct weir_mmu *m, struct weir_account_state *a, struct weir_split split)
{
    a->shared_cells += split.shared;
    m->pools.shared_cells += split.shared;
    a->headroom_cells += (int32_t)split.headroom;
    m->pools.headroom_cells += split.headroom;
    if (m->pools.headroom_cells > m->headroom_peak)
        m->headroom_peak = m->pools.headroom_cells;
}

/* Headroom first, then shared, then private. */
static struct weir_split charge_held(const struct weir_account_state *a, weir_cells cells)
{
    weir_cells headroom = cells < a->headroom_cells ? cells : a->headroom_cells;
    weir_cells rest = cells - headroom;
    return (struct weir_split){rest < a->shared_cells ? rest : a->shared_cells, headroom};
}

static struct weir_account_state *charge_ingress_account(const struct weir_mmu *m, const struct weir_descriptor *d)
{
    return &m->ingress
                .account[weir_account_of(&m->ingress.view.geometry, (weir_port){d->input}, (weir_class){d->tc}).i];
}

/* The side that governs the packet's class is charged; `split` is negative for a packet that leaves. */
static void charge_governing(struct weir_mmu *m, const struct weir_place *at, const struct weir_descriptor *d,
                             struct weir_split split)
{
    if (weir_mmu_is_lossless(m, at->tc)) {
        charge_account(m, charge_ingress_account(m, d), split);
        return;
    }
    struct weir_account_state *a = &m->egress.account[at->account.i];
    charge_account(m, a, split);
    m->egress.port[at->port.i].shared_cells += split.shared;
    if (m->is_ordered)
        packet_reorder(m, *at, a->shared_cells);
}

static struct weir_before charge_before(const struct weir_mmu *m, const struct weir_place *at,
                                        const struct weir_descriptor *d)
{
    return (struct weir_before){m->egress.account[at->account.i].shared_cells,
                                m->ingress.policy ? charge_ingress_account(m, d)->shared_cells : 0};
}

struct weir_before weir_mmu_charge(struct weir_mmu *m, const struct weir_place *at, const struct weir_descriptor *d,
                                   struct weir_split split)
{
    struct weir_before before = charge_before(m, at, d);
    charge_governing(m, at, d, split);
    if (m->ingress.policy) {
        struct weir_account_state *a = charge_ingress_account(m, d);
        a->cells += d->cells;
        a->packets++;
        m->ingress.port[d->input].cells += d->cells;
        m->ingress.port[d->input].backlog_mask |= 1u << d->tc;
    }
    return before;
}

struct weir_before weir_mmu_release(struct weir_mmu *m, const struct weir_place *at, const struct weir_descriptor *d)
{
    struct weir_before before = charge_before(m, at, d);
    bool lossless = weir_mmu_is_lossless(m, at->tc);
    struct weir_split held =
        charge_held(lossless ? charge_ingress_account(m, d) : &m->egress.account[at->account.i], d->cells);
    charge_governing(m, at, d, (struct weir_split){-held.shared, -held.headroom});
    if (m->ingress.policy) {
        struct weir_account_state *a = charge_ingress_account(m, d);
        a->cells -= d->cells;
        m->ingress.port[d->input].cells -= d->cells;
        if (--a->packets == 0)
            m->ingress.port[d->input].backlog_mask &= ~(1u << d->tc);
    }
    return before;
}

static void charge_tell_side(struct weir_side *side, enum weir_mmu_happening what, const struct weir_event *event)
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
    if (!weir_mmu_is_lossless(m, event->tc))
        charge_tell_side(&m->egress, what, event);
    if (m->ingress.policy) {
        event->account = weir_account_of(&m->ingress.view.geometry, input, event->tc);
        event->port = input;
        event->shared_before = ingress_before;
        charge_tell_side(&m->ingress, what, event);
    }
}
