/*
 * mmu_packet.h - what happens to one packet: its descriptor, its place in its account, what it is charged, and who is
 * told. The one place where counters, pools and ordered views change.
 *
 * Both sides follow: the egress account holds the packet's descriptor, the ingress account only counts. The side that
 * governs the packet's class (egress for lossy, ingress for lossless) charges it to the pools.
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

static inline weir_account packet_ingress_account(const struct weir_mmu *m, const struct weir_descriptor *d)
{
    return weir_account_of(&m->ingress.view.geometry, (weir_port){d->input}, (weir_class){d->tc});
}

/*
 * What the packet path knows of a packet where it is compiled, so that the rest folds away:
 *   PLAIN      its MMU is plain (mmu_internal.h)
 *   ORDERED    its MMU is plain and ordered
 *   LOSSLESS   its class is lossless: the ingress side is asked and charged, the egress side only counts
 *   BESIDE     its class is lossy, and its MMU would be plain without the ingress side, which only counts
 *   LOSSY      its class is lossy
 *   ANY        nothing
 */
enum weir_path {
    WEIR_PATH_PLAIN,
    WEIR_PATH_ORDERED,
    WEIR_PATH_LOSSLESS,
    WEIR_PATH_BESIDE,
    WEIR_PATH_LOSSY,
    WEIR_PATH_ANY
};

static inline bool packet_is_plain(enum weir_path path)
{
    return path == WEIR_PATH_PLAIN || path == WEIR_PATH_ORDERED;
}

/* An egress account is longer or shorter. The last thing to do: for all the compiler knows, it writes to accounts. */
static inline void packet_climb(struct weir_mmu *m, struct weir_place at, enum weir_path path)
{
    if (path == WEIR_PATH_PLAIN || path == WEIR_PATH_LOSSLESS || path == WEIR_PATH_BESIDE)
        return;
    weir_order_update(&m->order, at.port, at.tc, m->egress.account[at.account.i].held.shared_cells);
}

/* Charges a packet to its accounts and the pools, and gives back what it held, in whatever pools there are. */
struct weir_before weir_mmu_charge_lossy(struct weir_mmu *m, const struct weir_place *at,
                                         const struct weir_descriptor *d, struct weir_split split);
struct weir_before weir_mmu_release_lossy(struct weir_mmu *m, const struct weir_place *at,
                                          const struct weir_descriptor *d);

/* Headroom first, then shared, then private. */
static inline struct weir_split packet_held(const struct weir_account_state *a, weir_cells cells)
{
    weir_cells headroom = cells < a->held.headroom_cells ? cells : a->held.headroom_cells;
    weir_cells rest = cells - headroom;
    return (struct weir_split){rest < a->held.shared_cells ? rest : a->held.shared_cells, headroom};
}

static inline void packet_take_headroom(struct weir_mmu *m, weir_cells cells)
{
    m->pools.headroom_cells += cells;
    if (m->pools.headroom_cells > m->headroom_peak)
        m->headroom_peak = m->pools.headroom_cells;
}

static inline struct weir_before packet_charge_lossless(struct weir_mmu *m, const struct weir_descriptor *d,
                                                        struct weir_split split)
{
    struct weir_account_state *a = &m->ingress.account[packet_ingress_account(m, d).i];
    struct weir_port_state *p = &m->ingress.port[d->input];
    struct weir_before before = {.ingress = a->held.shared_cells};
    weir_cells cells = a->held.cells + d->cells, shared = before.ingress + split.shared;
    int32_t headroom = a->held.headroom_cells + (int32_t)split.headroom;
    a->held.cells = cells;
    a->peak_cells = cells > a->peak_cells ? (int32_t)cells : a->peak_cells;
    a->held.shared_cells = shared;
    a->peak_shared_cells = shared > a->peak_shared_cells ? (int32_t)shared : a->peak_shared_cells;
    a->packets++;
    p->cells += d->cells;
    p->shared_cells += split.shared;
    p->backlog_mask |= 1u << d->tc;
    m->pools.shared_cells += split.shared;
    if (split.headroom) {
        a->held.headroom_cells = headroom;
        a->peak_headroom_cells = headroom > a->peak_headroom_cells ? headroom : a->peak_headroom_cells;
        p->headroom_cells += (int32_t)split.headroom;
        packet_take_headroom(m, split.headroom);
    }
    return before;
}

/* A packet of this ingress account leaves for good, by its port or otherwise. */
static inline void packet_count_out(struct weir_account_state *a, const struct weir_descriptor *d)
{
    a->held.sent_cells += d->cells;
    a->sent_packets++;
    a->sent_bytes += d->bytes;
}

/* Nobody pushes a lossless packet out, so what is released never comes back. */
static inline struct weir_before packet_release_lossless(struct weir_mmu *m, const struct weir_descriptor *d)
{
    struct weir_account_state *a = &m->ingress.account[packet_ingress_account(m, d).i];
    struct weir_port_state *p = &m->ingress.port[d->input];
    struct weir_before before = {.ingress = a->held.shared_cells};
    struct weir_split held = packet_held(a, d->cells);
    packet_count_out(a, d);
    a->held.cells -= d->cells;
    a->held.shared_cells -= held.shared;
    a->held.headroom_cells -= (int32_t)held.headroom;
    a->packets--;
    p->cells -= d->cells;
    p->shared_cells -= held.shared;
    p->headroom_cells -= (int32_t)held.headroom;
    p->backlog_mask &= ~((uint32_t)(a->packets == 0) << d->tc);
    m->pools.shared_cells -= held.shared;
    m->pools.headroom_cells -= held.headroom;
    return before;
}

/* The same where every cell is a shared one. `cells` is negative for a packet that leaves. */
static inline struct weir_before packet_move_shared(struct weir_mmu *m, struct weir_place at, weir_cells cells,
                                                    enum weir_path path)
{
    struct weir_account_state *a = &m->egress.account[at.account.i];
    struct weir_before before = {.egress = a->held.shared_cells};
    weir_cells length = before.egress + cells;
    a->held.shared_cells = length;
    m->egress.port[at.port.i].shared_cells += cells;
    m->pools.shared_cells += cells;
    if (!packet_is_plain(path) && m->ranks.order)
        weir_ranks_update(&m->ranks, at.account, length);
    return before;
}

/* The ingress side counts a lossy packet, and no longer. */
static inline void packet_count_in(struct weir_mmu *m, const struct weir_descriptor *d)
{
    struct weir_account_state *a = &m->ingress.account[packet_ingress_account(m, d).i];
    struct weir_port_state *p = &m->ingress.port[d->input];
    weir_cells cells = a->held.cells + d->cells;
    a->held.cells = cells;
    a->peak_cells = cells > a->peak_cells ? (int32_t)cells : a->peak_cells;
    a->packets++;
    p->cells += d->cells;
    p->backlog_mask |= 1u << d->tc;
}

static inline struct weir_account_state *packet_uncount(struct weir_mmu *m, const struct weir_descriptor *d)
{
    struct weir_account_state *a = &m->ingress.account[packet_ingress_account(m, d).i];
    struct weir_port_state *p = &m->ingress.port[d->input];
    a->held.cells -= d->cells;
    a->packets--;
    p->cells -= d->cells;
    p->backlog_mask &= ~((uint32_t)(a->packets == 0) << d->tc);
    return a;
}

static inline struct weir_before packet_charge_beside(struct weir_mmu *m, struct weir_place at,
                                                      const struct weir_descriptor *d, struct weir_split split)
{
    struct weir_before before = packet_move_shared(m, at, split.shared, WEIR_PATH_PLAIN);
    if (split.headroom) {
        m->egress.account[at.account.i].held.headroom_cells += (int32_t)split.headroom;
        packet_take_headroom(m, split.headroom);
    }
    packet_count_in(m, d);
    return before;
}

/* Packets that are pushed out take another way, so what is released here never comes back. */
static inline struct weir_before packet_release_beside(struct weir_mmu *m, struct weir_place at,
                                                       const struct weir_descriptor *d)
{
    struct weir_split held = packet_held(&m->egress.account[at.account.i], d->cells);
    struct weir_before before = packet_move_shared(m, at, -held.shared, WEIR_PATH_PLAIN);
    m->egress.account[at.account.i].held.headroom_cells -= (int32_t)held.headroom;
    m->pools.headroom_cells -= held.headroom;
    packet_count_out(packet_uncount(m, d), d);
    return before;
}

/* Whichever it is. With places of their own, so that the caller's stay in registers. */
static inline struct weir_before packet_charge(struct weir_mmu *m, struct weir_place at,
                                               const struct weir_descriptor *d, struct weir_split split,
                                               enum weir_path path)
{
    if (path == WEIR_PATH_LOSSLESS)
        return packet_charge_lossless(m, d, split);
    if (path == WEIR_PATH_BESIDE)
        return packet_charge_beside(m, at, d, split);
    if (packet_is_plain(path) || m->all_shared)
        return packet_move_shared(m, at, d->cells, path);
    return weir_mmu_charge_lossy(m, &at, d, split);
}

static inline struct weir_before packet_release(struct weir_mmu *m, struct weir_place at,
                                                const struct weir_descriptor *d, enum weir_path path)
{
    if (path == WEIR_PATH_LOSSLESS || (path == WEIR_PATH_ANY && weir_mmu_is_lossless(m, at.tc)))
        return packet_release_lossless(m, d);
    if (path == WEIR_PATH_BESIDE)
        return packet_release_beside(m, at, d);
    if (packet_is_plain(path) || m->all_shared)
        return packet_move_shared(m, at, -(weir_cells)d->cells, path);
    return weir_mmu_release_lossy(m, &at, d);
}

/* Puts a packet, which has been charged, at the end (or the front) of its account. */
static inline void packet_attach(struct weir_mmu *m, struct weir_place at, uint32_t descriptor, bool at_front,
                                 enum weir_path path)
{
    struct weir_account_state *a = &m->egress.account[at.account.i];
    struct weir_port_state *p = &m->egress.port[at.port.i];
    weir_cells cells = m->descriptor[descriptor].cells;
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
    packet_climb(m, at, path);
}

/* Takes the first or last packet out of its account and gives back what it held. */
static inline struct weir_before packet_detach(struct weir_mmu *m, struct weir_place at, uint32_t descriptor,
                                               enum weir_path path)
{
    const struct weir_descriptor *d = &m->descriptor[descriptor];
    struct weir_account_state *a = &m->egress.account[at.account.i];
    struct weir_port_state *p = &m->egress.port[at.port.i];
    weir_cells cells = d->cells;
    struct weir_before before = packet_release(m, at, d, path);
    a->held.cells -= cells;
    p->cells -= cells;
    m->pools.used_cells -= cells;
    m->packets--;
    packet_unlink(m, a, descriptor);
    p->backlog_mask &= ~((uint32_t)(a->packets == 0) << at.tc.i);
    packet_climb(m, at, path);
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
