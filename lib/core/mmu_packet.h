/*
 * mmu_packet.h - one packet in and out of its account: its descriptor, what it is charged, who is told. Counters, pools
 * and ordered views change here and nowhere else.
 *
 * Both sides follow a packet: the egress account queues its descriptor, the ingress account only counts. The side that
 * governs its class (egress for lossy, ingress for lossless) charges it to the pools.
 *
 * A header, because arrive and depart (mmu.c) do all of it for every packet and are compiled once per path. Losses
 * (mmu_lose.c) use it without a path.
 */
#ifndef WEIR_MMU_PACKET_H
#define WEIR_MMU_PACKET_H

#include "mmu_internal.h"

/* What holds for every packet of a path, known where it is compiled. What is not set may hold or not: ask the MMU. */
enum mmu_holds {
    HOLDS_LOSSY = 1,      /* its class is lossy: the egress side governs it */
    HOLDS_LOSSLESS = 2,   /* its class is lossless: the ingress side governs it */
    HOLDS_ALL_SHARED = 4, /* no private minimums, headroom or ingress side: every cell is charged to the shared pool */
    HOLDS_UNTOLD = 8,     /* no policy is told of packets that enter or leave; no ranks, no trace */
    HOLDS_UNORDERED = 16, /* the policy does not need the longest account and never expels */
    HOLDS_COUNTED = 32,   /* an ingress policy that counts lossy packets but is not asked about them */
    HOLDS_VETO = 64,      /* the side that does not govern the class is asked and told too */
    HOLDS_PASSING = 128,  /* its port has nothing queued and is free to send it */
};

static inline bool packet_is_lossless(const struct weir_mmu *m, weir_class tc, uint32_t holds)
{
    if (holds & (HOLDS_LOSSY | HOLDS_LOSSLESS))
        return holds & HOLDS_LOSSLESS;
    return weir_mmu_is_lossless(m, tc);
}

static inline bool packet_has_ingress(const struct weir_mmu *m, uint32_t holds)
{
    if (holds & HOLDS_ALL_SHARED)
        return false;
    return holds & (HOLDS_COUNTED | HOLDS_LOSSLESS) || m->ingress.policy;
}

/* There is one: fewer than packets_max packets are queued. Takes used memory first: it is in the cache. */
static inline uint32_t packet_take_descriptor(struct weir_mmu *m)
{
    uint32_t descriptor = m->free_head;
    assert(m->packets < m->packets_max);
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

/* The first packet's `prev` and an empty account's tail are never read. Selects an address instead of branching:
 * whether the account is empty mispredicts. */
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
    assert(a->packets > 0 && (descriptor == a->head || descriptor == a->tail));
    if (descriptor == a->head) {
        a->head = m->descriptor[descriptor].next;
        HOT_PREFETCH(&m->descriptor[a->head]); /* the next departure of the account reads it first */
    } else {
        a->tail = m->descriptor[descriptor].prev;
        m->descriptor[a->tail].next = WEIR_NO_DESCRIPTOR;
    }
    a->packets--;
}

static inline weir_account packet_ingress_account(const struct weir_mmu *m, const struct weir_descriptor *d)
{
    return weir_mmu_group_account(m, (weir_port){d->input}, (weir_class){d->tc});
}

static inline void packet_take_headroom(struct weir_mmu *m, weir_cells cells)
{
    m->pools.headroom_cells += cells;
    if (m->pools.headroom_cells > m->headroom_peak)
        m->headroom_peak = m->pools.headroom_cells;
}

/* What a leaving packet gives back: headroom first, then shared, then private. */
static inline struct weir_split packet_held(const struct weir_holding *held, weir_cells cells)
{
    weir_cells headroom = cells < held->headroom_cells ? cells : held->headroom_cells;
    weir_cells rest = cells - headroom;
    return (struct weir_split){rest < held->shared_cells ? rest : held->shared_cells, headroom};
}

/* Adds a packet to its ingress account, which takes `split` from the pools: nothing for a lossy packet. */
static inline void packet_count_in(struct weir_mmu *m, const struct weir_descriptor *d, struct weir_split split)
{
    struct weir_account_state *a = &m->ingress.account[packet_ingress_account(m, d).i];
    struct weir_port_state *p = &m->ingress.port[d->input];
    weir_cells cells = a->held.cells + d->cells, shared = a->held.shared_cells + split.shared;
    a->held.cells = cells;
    a->peak_cells = cells > a->peak_cells ? (int32_t)cells : a->peak_cells;
    a->packets++;
    p->cells += d->cells;
    p->backlog_mask |= 1u << m->group[d->tc];
    if (split.shared) {
        a->held.shared_cells = shared;
        a->peak_shared_cells = shared > a->peak_shared_cells ? (int32_t)shared : a->peak_shared_cells;
        p->shared_cells += split.shared;
        m->pools.shared_cells += split.shared;
    }
    if (split.headroom) {
        int32_t headroom = a->held.headroom_cells + (int32_t)split.headroom;
        a->held.headroom_cells = headroom;
        a->peak_headroom_cells = headroom > a->peak_headroom_cells ? headroom : a->peak_headroom_cells;
        p->headroom_cells += (int32_t)split.headroom;
        packet_take_headroom(m, split.headroom);
    }
}

/* Takes a packet from its ingress account, which gives `split` back to the pools. */
static inline void packet_count_out(struct weir_mmu *m, const struct weir_descriptor *d, struct weir_split split)
{
    struct weir_account_state *a = &m->ingress.account[packet_ingress_account(m, d).i];
    struct weir_port_state *p = &m->ingress.port[d->input];
    a->held.cells -= d->cells;
    a->held.shared_cells -= split.shared;
    a->held.headroom_cells -= (int32_t)split.headroom;
    a->packets--;
    p->cells -= d->cells;
    p->shared_cells -= split.shared;
    p->headroom_cells -= (int32_t)split.headroom;
    p->backlog_mask &= ~((uint32_t)(a->packets == 0) << m->group[d->tc]);
    m->pools.shared_cells -= split.shared;
    m->pools.headroom_cells -= split.headroom;
}

/* A packet has left its ingress account for good, by its port or lost. */
static inline void packet_count_sent(struct weir_mmu *m, const struct weir_descriptor *d)
{
    struct weir_account_state *a = &m->ingress.account[packet_ingress_account(m, d).i];
    a->held.sent_cells += d->cells;
    a->sent_packets++;
    a->sent_bytes += d->bytes;
}

/* A packet leaves its egress account by its port. */
static inline void packet_count_departed(struct weir_mmu *m, struct weir_account_state *a, struct weir_port_state *p,
                                         uint32_t bytes, weir_cells cells)
{
    a->held.sent_cells += cells;
    a->sent_packets++;
    a->sent_bytes += bytes;
    p->sent_cells += cells;
    p->busy = true;
    m->read_bytes += bytes;
}

/* Moves cells of an egress account into the shared pool; negative: out of it. */
static inline void packet_move_shared(struct weir_mmu *m, struct weir_place at, weir_cells cells, uint32_t holds)
{
    struct weir_account_state *a = &m->egress.account[at.account.i];
    weir_cells shared = a->held.shared_cells + cells;
    a->held.shared_cells = shared;
    m->egress.port[at.port.i].shared_cells += cells;
    m->pools.shared_cells += cells;
    if (!(holds & HOLDS_UNTOLD) && m->sorted.order)
        weir_sorted_update(&m->sorted, at.account, shared);
}

/* Charges a packet, as `split` says, to the account of the governing side and to the pools. */
static inline struct weir_before packet_charge(struct weir_mmu *m, struct weir_place at,
                                               const struct weir_descriptor *d, struct weir_split split, uint32_t holds)
{
    assert(split.shared >= 0 && split.headroom >= 0 && split.shared + split.headroom <= d->cells);
    if (packet_is_lossless(m, at.tc, holds)) {
        struct weir_before before = {.ingress = m->ingress.account[packet_ingress_account(m, d).i].held.shared_cells};
        packet_count_in(m, d, split);
        return before;
    }
    struct weir_before before = {.egress = m->egress.account[at.account.i].held.shared_cells};
    packet_move_shared(m, at, holds & HOLDS_ALL_SHARED ? d->cells : split.shared, holds);
    if (!(holds & HOLDS_ALL_SHARED) && split.headroom) {
        m->egress.account[at.account.i].held.headroom_cells += (int32_t)split.headroom;
        packet_take_headroom(m, split.headroom);
    }
    if (packet_has_ingress(m, holds))
        packet_count_in(m, d, (struct weir_split){0, 0});
    return before;
}

/* Gives back what a packet held. */
static inline struct weir_before packet_release(struct weir_mmu *m, struct weir_place at,
                                                const struct weir_descriptor *d, uint32_t holds)
{
    if (packet_is_lossless(m, at.tc, holds)) {
        const struct weir_holding *in = &m->ingress.account[packet_ingress_account(m, d).i].held;
        struct weir_before before = {.ingress = in->shared_cells};
        packet_count_out(m, d, packet_held(in, d->cells));
        return before;
    }
    struct weir_holding *out = &m->egress.account[at.account.i].held;
    struct weir_before before = {.egress = out->shared_cells};
    struct weir_split held = {d->cells, 0};
    if (!(holds & HOLDS_ALL_SHARED)) {
        held = packet_held(out, d->cells);
        out->headroom_cells -= (int32_t)held.headroom;
        m->pools.headroom_cells -= held.headroom;
    }
    packet_move_shared(m, at, -held.shared, holds);
    if (packet_has_ingress(m, holds))
        packet_count_out(m, d, (struct weir_split){0, 0});
    return before;
}

/* An egress account is longer or shorter. Call it last: to the compiler, the tree may alias any account. */
static inline void packet_reorder(struct weir_mmu *m, struct weir_place at, uint32_t holds)
{
    if (!(holds & (HOLDS_UNORDERED | HOLDS_LOSSLESS)))
        weir_order_update(&m->order, at.port, at.tc, m->egress.account[at.account.i].held.shared_cells);
}

/* Puts a packet, which has been charged, at the end (or the front) of its account. */
static inline void packet_attach(struct weir_mmu *m, struct weir_place at, uint32_t descriptor, bool at_front,
                                 uint32_t holds)
{
    struct weir_account_state *a = &m->egress.account[at.account.i];
    struct weir_port_state *p = &m->egress.port[at.port.i];
    weir_cells cells = m->descriptor[descriptor].cells;
    assert(cells > 0);
    a->held.cells += cells;
    if (a->held.cells > a->peak_cells)
        a->peak_cells = (int32_t)a->held.cells;
    p->cells += cells;
    p->backlog_mask |= 1u << at.tc.i;
    m->pools.used_cells += cells;
    if (m->pools.used_cells > m->used_peak)
        m->used_peak = m->pools.used_cells;
    m->packets++;
    packet_link(m, a, descriptor, at_front);
    packet_reorder(m, at, holds);
}

/* Takes the first or last packet out of its account and gives back what it held. */
static inline struct weir_before packet_detach(struct weir_mmu *m, struct weir_place at, uint32_t descriptor,
                                               uint32_t holds)
{
    const struct weir_descriptor *d = &m->descriptor[descriptor];
    assert(descriptor < m->packets_max);
    struct weir_account_state *a = &m->egress.account[at.account.i];
    struct weir_port_state *p = &m->egress.port[at.port.i];
    weir_cells cells = d->cells;
    struct weir_before before = packet_release(m, at, d, holds);
    a->held.cells -= cells;
    p->cells -= cells;
    m->pools.used_cells -= cells;
    m->packets--;
    packet_unlink(m, a, descriptor);
    p->backlog_mask &= ~((uint32_t)(a->packets == 0) << at.tc.i);
    packet_reorder(m, at, holds);
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

/* Tells both policies about a packet that entered or left. The event is the egress side's, and is changed. */
void weir_mmu_tell(struct weir_mmu *m, enum weir_mmu_happening what, struct weir_event *event, weir_port input,
                   weir_cells ingress_before);

#endif
