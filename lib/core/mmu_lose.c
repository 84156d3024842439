/*
 * mmu_lose.c - packets that were in the buffer and do not leave by their port: pushed out for an arrival, expelled in
 * spare memory bandwidth, flushed with a dead link.
 *
 * Push-out is planned before it is made: packets are taken out one by one, with all counters, so that the policy sees
 * each consequence; if the arrival still does not fit when no victim is left, they are put back in reverse and
 * nothing has happened.
 */
#include "hot.h"
HOT_SCALAR_COUNTERS

#include <assert.h>

#include "mmu_packet.h"
#include "trace_internal.h"
#include "weir/random.h"

/* Loses a packet for good that has been detached. */
static void lose_packet(struct weir_mmu *m, const struct weir_place *at, uint32_t descriptor, enum weir_cause cause,
                        struct weir_before before)
{
    const struct weir_descriptor *d = &m->descriptor[descriptor];
    struct weir_tally *tally = &m->tally[at->account.i];
    assert(cause != WEIR_CAUSE_REFUSED && m->effects.lost_count < m->evictions_max);
    tally->dropped[cause]++;
    tally->dropped_bytes += d->bytes;
    if (m->trims && d->trimmed_from)
        weir_mmu_origin(m, at->port, d->trimmed_from)->dropped_trimmed++;
    m->lost[m->effects.lost_count++] =
        (struct weir_lost){d->handle, d->index, at->account, cause, {d->input}, m->trims ? d->trimmed_from : 0};
    if (m->ingress.policy) {
        m->group_tally[packet_ingress_account(m, d).i].dropped++;
        packet_count_sent(m, d);
    }
    if (m->tells[weir_mmu_is_lossless(m, at->tc)][WEIR_DROPPED]) {
        struct weir_event event = packet_event(m, *at, d->cells, before.egress);
        event.cause = cause;
        weir_mmu_tell(m, WEIR_DROPPED, &event, (weir_port){d->input}, before.ingress);
    }
    packet_free_descriptor(m, descriptor);
}

void weir_mmu_lose_head(struct weir_mmu *m, const struct weir_place *at, enum weir_cause cause)
{
    uint32_t head = m->egress.account[at->account.i].head;
    assert(m->egress.account[at->account.i].packets > 0);
    lose_packet(m, at, head, cause, packet_detach(m, *at, head, 0));
}

static void lose_undo(struct weir_mmu *m, uint32_t count)
{
    while (count-- > 0) {
        const struct weir_planned *p = &m->planned[count];
        weir_cells cells = m->descriptor[p->descriptor].cells;
        struct weir_split split = {weir_view_shared_need(&m->egress.view, p->at.account, cells), 0};
        packet_charge(m, p->at, &m->descriptor[p->descriptor], split, HOLDS_LOSSY);
        packet_attach(m, p->at, p->descriptor, !p->tail, HOLDS_LOSSY);
    }
}

bool weir_mmu_make_room(struct weir_mmu *m, const struct weir_arrival *arrival)
{
    struct weir_side *side = &m->egress;
    struct weir_question question = {.why = WEIR_WHY_PUSHOUT, .now = m->now, .arrival = arrival};
    uint32_t count = 0;

    if (!side->policy->victim)
        return false;
    while (weir_view_shared_need(&side->view, arrival->account, arrival->cells) > weir_view_shared_free(&side->view)) {
        struct weir_victim victim = side->policy->victim(side->state, &side->view, &question);
        if (count == m->evictions_max || weir_account_is(victim.account, WEIR_NO_ACCOUNT)) {
            lose_undo(m, count);
            return false;
        }
        const struct weir_account_state *a = &side->account[victim.account.i];
        uint32_t descriptor = victim.tail ? a->tail : a->head;
        assert(a->packets > 0 && !weir_mmu_is_lossless(m, (weir_class){m->descriptor[descriptor].tc}));
        struct weir_place at = weir_mmu_place_of(m, victim.account, descriptor);
        struct weir_before before = packet_detach(m, at, descriptor, HOLDS_LOSSY);
        m->planned[count++] = (struct weir_planned){descriptor, at, before, victim.tail};
    }
    for (uint32_t i = 0; i < count; i++)
        lose_packet(m, &m->planned[i].at, m->planned[i].descriptor, WEIR_CAUSE_PUSHOUT, m->planned[i].before);
    return true;
}

bool weir_mmu_displace(struct weir_mmu *m, const struct weir_arrival *arrival)
{
    const struct weir_account_state *a = &m->egress.account[arrival->account.i];
    uint32_t chance = m->trim[arrival->tc.i].newest, tail = a->tail;
    if (chance == 0 || a->packets == 0 || m->descriptor[tail].cells < arrival->cells ||
        weir_hash(~m->seed, arrival->index) % WEIR_TRIM_CHANCES >= chance)
        return false;
    struct weir_place at = weir_mmu_place_of(m, arrival->account, tail);
    lose_packet(m, &at, tail, WEIR_CAUSE_PUSHOUT, packet_detach(m, at, tail, HOLDS_LOSSY));
    return true;
}

void weir_mmu_find_calm(struct weir_mmu *m)
{
    const struct weir_side *side = &m->egress;
    if (!m->expels)
        m->calm_cells = side->view.geometry.shared_cells;
    else
        m->calm_cells = side->policy->expel_level ? side->policy->expel_level(side->state, &side->view) : -1;
}

uint32_t weir_mmu_expel_candidate(const struct weir_mmu *m, weir_ps now, struct weir_victim *victim)
{
    const struct weir_side *side = &m->egress;
    if (weir_view_shared_used(&side->view) <= m->calm_cells)
        return WEIR_NO_DESCRIPTOR;
    struct weir_question question = {.why = WEIR_WHY_EXPEL, .now = now};
    *victim = side->policy->victim(side->state, &side->view, &question);
    if (weir_account_is(victim->account, WEIR_NO_ACCOUNT))
        return WEIR_NO_DESCRIPTOR;
    const struct weir_account_state *a = &side->account[victim->account.i];
    assert(a->packets > 0);
    return victim->tail ? a->tail : a->head;
}

/* Expels one packet if the policy names a victim and there are tokens for it. */
static bool lose_expel(struct weir_mmu *m, weir_ps now)
{
    struct weir_victim victim;
    uint32_t descriptor = weir_mmu_expel_candidate(m, now, &victim);
    if (descriptor == WEIR_NO_DESCRIPTOR)
        return false;
    uint32_t bytes = m->descriptor[descriptor].bytes;
    weir_ps cost_ps = weir_arbiter_cost_ps(&m->arbiter, bytes);
    if (weir_arbiter_ready_ps(&m->arbiter, cost_ps, now) > now)
        return false;
    weir_arbiter_consume(&m->arbiter, cost_ps, now);
    m->read_bytes += bytes;
    m->expelled_bytes += bytes;
    struct weir_place at = weir_mmu_place_of(m, victim.account, descriptor);
    lose_packet(m, &at, descriptor, WEIR_CAUSE_EXPELLED, packet_detach(m, at, descriptor, HOLDS_LOSSY));
    return true;
}

HOT_APART static const struct weir_effects *lose_offered(struct weir_mmu *m, weir_ps now)
{
    weir_mmu_begin(m, now);
    /* Without tokens for one memory cell, do not ask: on a busy switch most offers end here. */
    while (m->egress.policy->needs & WEIR_NEED_EXPEL && m->effects.lost_count < m->evictions_max &&
           weir_arbiter_ready_ps(&m->arbiter, m->arbiter.cell_ps, now) <= now && lose_expel(m, now))
        continue;
    if (m->paused_inputs && m->effects.lost_count)
        weir_mmu_test_resume_all(m);
    if (m->trace)
        weir_trace_expel(m->trace, now, &m->effects);
    return weir_mmu_finish(m, false);
}

bool weir_mmu_trims(const struct weir_mmu *m, const struct weir_packet *lost, enum weir_cause cause,
                    struct weir_packet *copy)
{
    if (!m->trims || lost->trimmed_from || lost->flags & WEIR_FLAG_WHOLE ||
        lost->tc.i >= m->egress.view.geometry.classes)
        return false;
    const struct weir_trim *trim = &m->trim[lost->tc.i];
    if (trim->bytes == 0 || !(trim->causes >> cause & 1))
        return false;
    *copy = *lost;
    copy->tc = trim->to;
    copy->bytes = lost->bytes < trim->bytes ? lost->bytes : trim->bytes;
    copy->flags &= trim->ecn == WEIR_TRIM_ECN_CLEAR ? ~(uint32_t)WEIR_FLAG_ECN : UINT32_MAX;
    copy->trimmed_from = lost->tc.i + 1;
    return true;
}

bool weir_mmu_has_trims(const struct weir_mmu *m)
{
    return m->trims;
}

/* Most offers come while nothing can be expelled: no call, no registers to save. */
const struct weir_effects *weir_mmu_offer_expel(struct weir_mmu *m, weir_ps now)
{
    if (m->pools.shared_cells > m->calm_cells || m->trace || (m->ticks && now > m->now))
        return lose_offered(m, now);
    weir_mmu_begin_untimed(m, now);
    return weir_mmu_finish(m, true);
}

const struct weir_effects *weir_mmu_flush_classes(struct weir_mmu *m, weir_port port, uint32_t class_mask, weir_ps now)
{
    const struct weir_geometry *g = &m->egress.view.geometry;
    if (port.i >= g->ports)
        return weir_mmu_invalid();
    weir_mmu_begin(m, now);
    class_mask &= weir_class_mask(g->classes);
    for (uint32_t left = class_mask; left; left &= left - 1) {
        struct weir_place at = weir_mmu_place(m, port, (weir_class){(uint32_t)__builtin_ctz(left)});
        const struct weir_account_state *a = &m->egress.account[at.account.i];
        while (a->packets > 0 && m->effects.lost_count < m->evictions_max)
            weir_mmu_lose_head(m, &at, WEIR_CAUSE_FLUSHED);
    }
    if (m->paused_inputs && m->effects.lost_count)
        weir_mmu_test_resume_all(m);
    if (m->trace)
        weir_trace_flush(m->trace, port, class_mask, now, &m->effects);
    return weir_mmu_finish(m, false);
}

const struct weir_effects *weir_mmu_flush(struct weir_mmu *m, weir_port port, weir_ps now)
{
    return weir_mmu_flush_classes(m, port, UINT32_MAX, now);
}
