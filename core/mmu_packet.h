/*
 * mmu_packet.h - what happens to one packet: its descriptor, its place in its account, what it is charged, and who is
 * told. The one place where counters, pools and ordered views change.
 *
 * Both sides follow: the egress account holds the packet's descriptor, the ingress account only counts (mmu_charge.c).
 * The side that governs the packet's class (egress for lossy, ingress for lossless) charges it to the pools.
 *
 * It is a header because arrive and depart do all of it for every packet: inlined there, half of it folds away.
 */
#ifndef WEIR_MMU_PACKET_H
#define WEIR_MMU_PACKET_H

#include "mmu_internal.h"

/* There is one: fewer than packets_max packets are queued. Used memory is taken first, since it is in the cache. */
static inline uint32_t packet_take_descriptor(struct weir_mmu *m)
{
    uint32_t descriptor = m->free_head;
    if (descriptor == WEIR_NO_DESCRIPTOR)
        return m->fresh++;
    m->free_head = m->descriptor[descriptor].next;
    return descriptor;
}

static inline void packet_free_descriptor(struct weir_mmu *m, uint32_t descriptor)
{
    m->descriptor[descriptor].next = m->free_head;
    m->free_head = descriptor;
}

/* The first packet's `prev` and an empty account's tail mean nothing: nobody asks. Whether the account is empty cannot
 * be predicted, so an arrival chooses an address by it and not a way. */
static inline void packet_link(struct weir_mmu *m, struct weir_account_state *a, uint32_t descriptor, bool at_front)
{
    struct weir_descriptor *d = m->descriptor;
    if (at_front) {
        d[descriptor].next = a->head;
        uint32_t *after = a->packets ? &d[a->head].prev : &a->tail;
        *after = descriptor;
        a->head = descriptor;
    } else {
        uint32_t *before = a->packets ? &d[a->tail].next : &a->head;
        d[descriptor].prev = a->tail;
        d[descriptor].next = WEIR_NO_DESCRIPTOR;
        *before = descriptor;
        a->tail = descriptor;
    }
    a->packets++;
}

/* Packets leave from either end, never from between. */
static inline void packet_unlink(struct weir_mmu *m, struct weir_account_state *a, uint32_t descriptor)
{
    assert(descriptor == a->head || descriptor == a->tail);
    if (descriptor == a->head) {
        a->head = m->descriptor[descriptor].next;
        __builtin_prefetch(&m->descriptor[a->head]); /* waited for most when it leaves in its turn */
    } else {
        a->tail = m->descriptor[descriptor].prev;
        m->descriptor[a->tail].next = WEIR_NO_DESCRIPTOR;
    }
    a->packets--;
}

/* Ordered views follow the egress account. */
static inline void packet_reorder(struct weir_mmu *m, struct weir_place at, weir_cells length)
{
    const struct weir_view *v = &m->egress.view;
    if (m->tree)
        weir_tournament_set(m->tree, v->tree_leaves, (at.tc.i << v->tree_port_bits) + at.port.i, length);
    if (m->ranks.order)
        weir_ranks_update(&m->ranks, at.account, length);
}

/* Charges a packet to its account and the pools, and gives back what it held, in whatever pools there are. */
struct weir_before weir_mmu_charge(struct weir_mmu *m, const struct weir_place *at, const struct weir_descriptor *d,
                                   struct weir_split split);
struct weir_before weir_mmu_release(struct weir_mmu *m, const struct weir_place *at, const struct weir_descriptor *d);

/* With places of their own, so that the caller's stay in registers. */
static inline struct weir_before packet_charge(struct weir_mmu *m, struct weir_place at,
                                               const struct weir_descriptor *d, struct weir_split split)
{
    return weir_mmu_charge(m, &at, d, split);
}

static inline struct weir_before packet_release(struct weir_mmu *m, struct weir_place at,
                                                const struct weir_descriptor *d)
{
    return weir_mmu_release(m, &at, d);
}

/* The same where every cell is a shared one. `cells` is negative for a packet that leaves. */
static inline struct weir_before packet_move_shared(struct weir_mmu *m, struct weir_place at, weir_cells cells,
                                                    bool plain)
{
    struct weir_account_state *a = &m->egress.account[at.account.i];
    struct weir_before before = {.egress = a->shared_cells};
    weir_cells length = before.egress + cells;
    a->shared_cells = length;
    m->egress.port[at.port.i].shared_cells += cells;
    m->pools.shared_cells += cells;
    if (!plain && m->is_ordered)
        packet_reorder(m, at, length);
    return before;
}

/* Puts a packet, which has been charged, at the end (or the front) of its account. */
static inline void packet_attach(struct weir_mmu *m, struct weir_place at, uint32_t descriptor, bool at_front)
{
    struct weir_account_state *a = &m->egress.account[at.account.i];
    struct weir_port_state *p = &m->egress.port[at.port.i];
    weir_cells cells = m->descriptor[descriptor].cells;
    a->cells += cells;
    if (a->cells > a->peak_cells)
        a->peak_cells = (int32_t)a->cells;
    p->cells += cells;
    p->backlog_mask |= 1u << at.tc.i;
    m->pools.used_cells += cells;
    if (m->pools.used_cells > m->used_peak)
        m->used_peak = m->pools.used_cells;
    m->packets++;
    packet_link(m, a, descriptor, at_front);
}

/* Takes the first or last packet out of its account and gives back what it held. */
static inline struct weir_before packet_detach(struct weir_mmu *m, struct weir_place at, uint32_t descriptor,
                                               bool plain)
{
    const struct weir_descriptor *d = &m->descriptor[descriptor];
    struct weir_account_state *a = &m->egress.account[at.account.i];
    struct weir_port_state *p = &m->egress.port[at.port.i];
    weir_cells cells = d->cells;
    struct weir_before before =
        plain || m->all_shared ? packet_move_shared(m, at, -cells, plain) : packet_release(m, at, d);
    a->cells -= cells;
    p->cells -= cells;
    m->pools.used_cells -= cells;
    m->packets--;
    packet_unlink(m, a, descriptor);
    p->backlog_mask &= ~((uint32_t)(a->packets == 0) << at.tc.i);
    return before;
}

/* What the egress policy is told about a packet. */
static inline struct weir_event packet_event(const struct weir_mmu *m, struct weir_place at, weir_cells cells,
                                             weir_cells shared_before)
{
    return (struct weir_event){.now = m->now,
                               .account = at.account,
                               .port = at.port,
                               .tc = at.tc,
                               .cells = cells,
                               .shared_before = shared_before};
}

enum weir_mmu_happening { WEIR_ENQUEUED, WEIR_DEQUEUED, WEIR_DROPPED };

/* Tells both policies about a packet that entered or left. The event is the egress side's, and is changed. */
void weir_mmu_tell(struct weir_mmu *m, enum weir_mmu_happening what, struct weir_event *event, weir_port input,
                   weir_cells ingress_before);

#endif
