/*
 * mmu_charge.c - what a packet of a lossy class is charged where there is more than the shared pool: private minimums
 * and accounts of the ingress side; and who is told of a packet. See mmu_packet.h for the rest.
 */
#include "mmu_packet.h"

/* `cells` are negative for a packet that leaves. */
static void charge_shared(struct weir_mmu *m, const struct weir_place *at, weir_cells cells)
{
    struct weir_account_state *a = &m->egress.account[at->account.i];
    a->held.shared_cells += cells;
    m->pools.shared_cells += cells;
    m->egress.port[at->port.i].shared_cells += cells;
    if (m->ranks.order)
        weir_ranks_update(&m->ranks, at->account, a->held.shared_cells);
}

static void charge_headroom(struct weir_mmu *m, const struct weir_place *at, weir_cells cells)
{
    m->egress.account[at->account.i].held.headroom_cells += (int32_t)cells;
    m->pools.headroom_cells += cells;
    if (m->pools.headroom_cells > m->headroom_peak)
        m->headroom_peak = m->pools.headroom_cells;
}

struct weir_before weir_mmu_charge_lossy(struct weir_mmu *m, const struct weir_place *at,
                                         const struct weir_descriptor *d, struct weir_split split)
{
    struct weir_before before = {.egress = m->egress.account[at->account.i].held.shared_cells};
    charge_shared(m, at, split.shared);
    if (split.headroom)
        charge_headroom(m, at, split.headroom);
    if (m->ingress.policy)
        packet_count_in(m, d);
    return before;
}

struct weir_before weir_mmu_release_lossy(struct weir_mmu *m, const struct weir_place *at,
                                          const struct weir_descriptor *d)
{
    const struct weir_account_state *out = &m->egress.account[at->account.i];
    struct weir_before before = {.egress = out->held.shared_cells};
    struct weir_split held = packet_held(out, d->cells);
    charge_shared(m, at, -held.shared);
    if (held.headroom)
        charge_headroom(m, at, -held.headroom);
    if (m->ingress.policy)
        packet_uncount(m, d);
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
    bool lossless = weir_mmu_is_lossless(m, event->tc);
    if (!lossless)
        charge_tell_side(&m->egress, what, event);
    if (lossless || m->asks_lossy) {
        event->account = weir_account_of(&m->ingress.view.geometry, input, event->tc);
        event->port = input;
        event->shared_before = ingress_before;
        charge_tell_side(&m->ingress, what, event);
    }
}
