/*
 * mmu_time.c - time passing at an MMU: policy ticks that are due, parameters that change, and when the MMU next wants
 * to be called.
 *
 * Policies see time before they see what happens at it: every entry point with a new `now` ticks them first, so a
 * sample of the state at some boundary is taken before the events after it, whenever the call comes.
 */
#include <string.h>

#include "mmu_internal.h"
#include "trace_internal.h"

static void time_tick_side(struct weir_side *side, weir_ps now)
{
    if (side->policy && side->policy->on_tick)
        side->policy->on_tick(side->state, &side->view, now);
}

void weir_mmu_tick_policies(struct weir_mmu *m, weir_ps now)
{
    assert(now > m->now);
    time_tick_side(&m->egress, now);
    time_tick_side(&m->ingress, now);
    m->now = now;
}

const struct weir_effects *weir_mmu_advance(struct weir_mmu *m, weir_ps now)
{
    weir_mmu_begin(m, now);
    if (m->trace)
        weir_trace_advance(m->trace, now);
    return weir_mmu_finish(m, false);
}

const struct weir_effects *weir_mmu_change(struct weir_mmu *m, bool ingress, const struct weir_values *values,
                                           weir_ps now)
{
    struct weir_side *side = ingress ? &m->ingress : &m->egress;
    assert(m);
    if (!side->policy || !side->policy->change)
        return NULL;
    assert(values);
    for (uint32_t tc = 0; side->policy->group && tc < side->view.geometry.classes; tc++)
        if (side->policy->group(&side->view.geometry, values, tc) != m->group[tc])
            return NULL;
    if (!ingress && m->sees_flows && side->policy->flow_table) {
        struct weir_flow_shape shape = side->policy->flow_table(&side->view.geometry, values);
        if (memcmp(&shape, &m->flows.shape, sizeof shape) != 0)
            return NULL;
    }
    weir_mmu_begin(m, now);
    side->policy->change(side->state, &side->view, values);
    weir_mmu_find_calm(m);
    for (uint32_t i = 0; m->ingress.policy && i < m->ingress.view.geometry.ports; i++)
        weir_mmu_test_pause(m, (weir_port){i}, m->ingress.view.geometry.lossless_mask);
    if (m->trace)
        weir_trace_change(m->trace, ingress, values, now);
    return weir_mmu_finish(m, false);
}

/* When the waiting expulsion, if any, has its tokens. */
static weir_ps time_of_expulsion(const struct weir_mmu *m)
{
    struct weir_victim victim;
    uint32_t descriptor = weir_mmu_expel_candidate(m, m->now, &victim);
    if (descriptor == WEIR_NO_DESCRIPTOR)
        return WEIR_NEVER;
    weir_ps cost_ps = weir_arbiter_cost_ps(&m->arbiter, m->descriptor[descriptor].bytes);
    return weir_arbiter_ready_ps(&m->arbiter, cost_ps, m->now);
}

static weir_ps time_of_tick(const struct weir_side *side)
{
    return side->policy && side->policy->next_tick ? side->policy->next_tick(side->state, &side->view) : WEIR_NEVER;
}

HOT_APART static weir_ps next_event_of_many(const struct weir_mmu *m)
{
    weir_ps next = m->expels ? time_of_expulsion(m) : WEIR_NEVER;
    weir_ps egress = time_of_tick(&m->egress), ingress = time_of_tick(&m->ingress);
    next = egress < next ? egress : next;
    return ingress < next ? ingress : next;
}

/* Simulators ask after every packet, and nearly always there is nothing: no call, no registers to save. */
weir_ps weir_mmu_next_event(const struct weir_mmu *m)
{
    if (!m->appoints && weir_view_shared_used(&m->egress.view) <= m->calm_cells)
        return WEIR_NEVER;
    return m->events ? next_event_of_many(m) : WEIR_NEVER;
}
