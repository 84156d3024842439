/*
 * mmu_queue.c - packets in and out of their accounts: the one place where counters, pools and ordered views change.
 *
 * Both sides follow: the egress account holds the packet's descriptor, the ingress account only counts. The side
 * that governs the packet's class (egress for lossy, ingress for lossless) charges it to the pools.
 */
#include <assert.h>

#include "mmu_internal.h"

static weir_account queue_ingress_account(const struct weir_mmu *m, const struct weir_descriptor *d)
{
    return weir_account_of(&m->ingress.view.geometry, (weir_port){d->input}, (weir_class){d->tc});
}

static weir_port queue_port(const struct weir_side *side, weir_account account, uint32_t tc)
{
    return (weir_port){account.i - tc * side->view.geometry.ports};
}

/* Charges a packet to the pools on behalf of the side that governs it. */
static void queue_charge(struct weir_mmu *m, struct weir_side *side, weir_account account, weir_cells cells,
                         enum weir_charge charge)
{
    struct weir_account_state *a = &side->account[account.i];
    if (charge == WEIR_CHARGE_HEADROOM) {
        a->headroom_cells += cells;
        m->pools.headroom_cells += cells;
        if (m->pools.headroom_cells > m->headroom_peak)
            m->headroom_peak = m->pools.headroom_cells;
        return;
    }
    weir_cells shared = weir_view_shared_need(&side->view, account, cells);
    assert(charge == WEIR_CHARGE_SHARED || shared == 0);
    a->shared_cells += shared;
    m->pools.shared_cells += shared;
}

/* Gives back what a leaving packet held: headroom first, then shared, then private. Returns the shared part. */
static weir_cells queue_release(struct weir_mmu *m, struct weir_account_state *a, weir_cells cells)
{
    weir_cells headroom = cells < a->headroom_cells ? cells : a->headroom_cells;
    weir_cells rest = cells - headroom;
    weir_cells shared = rest < a->shared_cells ? rest : a->shared_cells;
    a->headroom_cells -= headroom;
    m->pools.headroom_cells -= headroom;
    a->shared_cells -= shared;
    m->pools.shared_cells -= shared;
    return shared;
}

/* Ordered views follow the egress account. */
static void queue_reorder(struct weir_mmu *m, weir_account account, uint32_t tc, weir_port port)
{
    if (m->tree)
        weir_tournament_set(m->tree, m->egress.view.tree_leaves, (tc << m->egress.view.tree_port_bits) + port.i,
                            m->egress.account[account.i].shared_cells);
    if (m->ranks.order)
        weir_ranks_update(&m->ranks, account, m->egress.account[account.i].shared_cells);
}

static void queue_link(struct weir_mmu *m, struct weir_account_state *a, uint32_t descriptor, bool at_front)
{
    struct weir_descriptor *d = &m->descriptor[descriptor];
    d->prev = at_front ? WEIR_NO_DESCRIPTOR : a->tail;
    d->next = at_front ? a->head : WEIR_NO_DESCRIPTOR;
    if (d->prev == WEIR_NO_DESCRIPTOR)
        a->head = descriptor;
    else
        m->descriptor[d->prev].next = descriptor;
    if (d->next == WEIR_NO_DESCRIPTOR)
        a->tail = descriptor;
    else
        m->descriptor[d->next].prev = descriptor;
}

static void queue_unlink(struct weir_mmu *m, struct weir_account_state *a, const struct weir_descriptor *d)
{
    if (d->prev == WEIR_NO_DESCRIPTOR)
        a->head = d->next;
    else
        m->descriptor[d->prev].next = d->next;
    if (d->next == WEIR_NO_DESCRIPTOR)
        a->tail = d->prev;
    else
        m->descriptor[d->next].prev = d->prev;
}

/* Returns the account's shared cells before. */
static weir_cells queue_attach_ingress(struct weir_mmu *m, const struct weir_descriptor *d, enum weir_charge charge)
{
    weir_account account = queue_ingress_account(m, d);
    struct weir_account_state *a = &m->ingress.account[account.i];
    weir_cells before = a->shared_cells;
    if (weir_mmu_is_lossless(m, (weir_class){d->tc}))
        queue_charge(m, &m->ingress, account, d->cells, charge);
    a->cells += d->cells;
    a->packets++;
    m->ingress.port[d->input].cells += d->cells;
    m->ingress.port[d->input].backlog_mask |= 1u << d->tc;
    return before;
}

static weir_cells queue_detach_ingress(struct weir_mmu *m, const struct weir_descriptor *d)
{
    struct weir_account_state *a = &m->ingress.account[queue_ingress_account(m, d).i];
    weir_cells before = a->shared_cells;
    if (weir_mmu_is_lossless(m, (weir_class){d->tc}))
        queue_release(m, a, d->cells);
    a->cells -= d->cells;
    if (--a->packets == 0)
        m->ingress.port[d->input].backlog_mask &= ~(1u << d->tc);
    m->ingress.port[d->input].cells -= d->cells;
    return before;
}

struct weir_before weir_mmu_attach(struct weir_mmu *m, weir_account account, uint32_t descriptor,
                                   enum weir_charge charge, bool at_front)
{
    const struct weir_descriptor *d = &m->descriptor[descriptor];
    struct weir_account_state *a = &m->egress.account[account.i];
    weir_port port = queue_port(&m->egress, account, d->tc);
    struct weir_port_state *p = &m->egress.port[port.i];
    struct weir_before before = {.egress = a->shared_cells};

    if (!weir_mmu_is_lossless(m, (weir_class){d->tc})) {
        queue_charge(m, &m->egress, account, d->cells, charge);
        p->shared_cells += a->shared_cells - before.egress;
        queue_reorder(m, account, d->tc, port);
    }
    if (m->ingress.policy)
        before.ingress = queue_attach_ingress(m, d, charge);
    a->cells += d->cells;
    if (a->cells > a->peak_cells)
        a->peak_cells = a->cells;
    p->cells += d->cells;
    m->pools.used_cells += d->cells;
    if (m->pools.used_cells > m->used_peak)
        m->used_peak = m->pools.used_cells;
    queue_link(m, a, descriptor, at_front);
    a->packets++;
    m->packets++;
    p->backlog_mask |= 1u << d->tc;
    return before;
}

struct weir_before weir_mmu_detach(struct weir_mmu *m, weir_account account, uint32_t descriptor)
{
    const struct weir_descriptor *d = &m->descriptor[descriptor];
    struct weir_account_state *a = &m->egress.account[account.i];
    weir_port port = queue_port(&m->egress, account, d->tc);
    struct weir_port_state *p = &m->egress.port[port.i];
    struct weir_before before = {.egress = a->shared_cells};

    if (!weir_mmu_is_lossless(m, (weir_class){d->tc})) {
        p->shared_cells -= queue_release(m, a, d->cells);
        queue_reorder(m, account, d->tc, port);
    }
    if (m->ingress.policy)
        before.ingress = queue_detach_ingress(m, d);
    a->cells -= d->cells;
    p->cells -= d->cells;
    m->pools.used_cells -= d->cells;
    queue_unlink(m, a, d);
    m->packets--;
    if (--a->packets == 0)
        p->backlog_mask &= ~(1u << d->tc);
    return before;
}

void weir_mmu_free_descriptor(struct weir_mmu *m, uint32_t descriptor)
{
    m->descriptor[descriptor].next = m->free_head;
    m->free_head = descriptor;
}
