/*
 * mmu_look.c - looking at an MMU without changing it: views, thresholds, the state hash. And what is seen of it after a
 * call that it refused.
 */
#include "mmu_internal.h"
#include "weir/trace.h"

HOT_APART const struct weir_effects *weir_mmu_invalid(void)
{
    static const struct weir_effects invalid = {
        .reason = WEIR_REASON_INVALID, .account = {UINT32_MAX}, .blocked_until = WEIR_NEVER};
    return &invalid;
}

const struct weir_view *weir_mmu_view(const struct weir_mmu *m)
{
    return &m->egress.view;
}

const struct weir_view *weir_mmu_ingress_view(const struct weir_mmu *m)
{
    return m->ingress.policy ? &m->ingress.view : NULL;
}

const struct weir_policy *weir_mmu_policy(const struct weir_mmu *m)
{
    return m->egress.policy;
}

uint32_t weir_mmu_packets(const struct weir_mmu *m)
{
    return m->packets;
}

bool weir_mmu_sees_flows(const struct weir_mmu *m)
{
    return m->sees_flows;
}

bool weir_mmu_has_events(const struct weir_mmu *m)
{
    return m->events;
}

void weir_mmu_cells_by_input(const struct weir_mmu *m, weir_account account, weir_cells *held)
{
    assert(held);
    if (!m->ingress.policy || account.i >= m->egress.view.geometry.accounts)
        return;
    for (uint32_t d = m->egress.account[account.i].head; d != WEIR_NO_DESCRIPTOR; d = m->descriptor[d].next)
        held[m->descriptor[d].input] += m->descriptor[d].cells;
}

static weir_cells look_threshold(const struct weir_side *side, weir_account account)
{
    if (!side->policy || !side->policy->threshold || account.i >= side->view.geometry.accounts)
        return 0;
    return side->policy->threshold(side->state, &side->view, account);
}

weir_cells weir_mmu_threshold(const struct weir_mmu *m, weir_account account)
{
    return look_threshold(&m->egress, account);
}

weir_cells weir_mmu_ingress_threshold(const struct weir_mmu *m, weir_account account)
{
    return look_threshold(&m->ingress, account);
}

const char *weir_mmu_mode(const struct weir_mmu *m, weir_account account)
{
    const struct weir_side *side = &m->egress;
    if (!side->policy->mode || account.i >= side->view.geometry.accounts)
        return NULL;
    return side->policy->mode(side->state, &side->view, account);
}

weir_cells weir_mmu_headroom_limit(const struct weir_mmu *m, weir_port input)
{
    const struct weir_side *side = &m->ingress;
    if (!side->policy || input.i >= side->view.geometry.ports)
        return 0;
    weir_cells pool = side->view.geometry.headroom_cells;
    weir_cells limit = side->policy->headroom_limit ? side->policy->headroom_limit(side->state, &side->view, input)
                                                    : side->view.uplink[input.i].headroom_cells;
    return limit < pool ? limit : pool;
}

uint64_t weir_mmu_hash(const struct weir_mmu *m)
{
    uint64_t hash = weir_state_hash_start();
    for (uint32_t i = 0; i < m->egress.view.geometry.accounts; i++) {
        const struct weir_account_state *a = &m->egress.account[i];
        hash = weir_state_hash_account(hash, (weir_account){i}, a->held.cells);
        for (uint32_t d = a->head; d != WEIR_NO_DESCRIPTOR; d = m->descriptor[d].next)
            hash = weir_state_hash_packet(hash, m->descriptor[d].index, m->descriptor[d].cells);
    }
    return weir_state_hash_finish(hash, &m->pools);
}
