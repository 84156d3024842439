/*
 * mmu_pause.c - flow control in both directions: pauses the peers of output ports have asked of us, and pauses we ask
 * of the peers of input ports. The ingress policy says what ought to be paused; the edges are found here. XOFF is
 * tested after arrivals from the input port, XON for every paused input port whenever memory was freed.
 */
#include <assert.h>

#include "mmu_internal.h"
#include "trace_internal.h"

uint32_t weir_mmu_paused_mask(struct weir_mmu *m, weir_port port, weir_ps now)
{
    const struct weir_geometry *g = &m->egress.view.geometry;
    struct weir_port_state *p = &m->egress.port[port.i];
    m->effects.blocked_until = WEIR_NEVER;
    for (uint32_t left = p->paused_mask; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        weir_ps until = m->paused_until[weir_account_of(g, port, (weir_class){tc}).i];
        if (until <= now)
            p->paused_mask &= ~(1u << tc);
        else if (p->backlog_mask >> tc & 1 && until < m->effects.blocked_until)
            m->effects.blocked_until = until;
    }
    return p->paused_mask;
}

const struct weir_effects *weir_mmu_pause_received(struct weir_mmu *m, weir_port port, uint32_t class_mask,
                                                   weir_ps until, weir_ps now)
{
    const struct weir_geometry *g = &m->egress.view.geometry;
    assert(port.i < g->ports);
    weir_mmu_begin(m, now);
    for (uint32_t tc = 0; tc < g->classes; tc++) {
        if (!(class_mask >> tc & 1))
            continue;
        m->paused_until[weir_account_of(g, port, (weir_class){tc}).i] = until;
        if (until > now)
            m->egress.port[port.i].paused_mask |= 1u << tc;
        else
            m->egress.port[port.i].paused_mask &= ~(1u << tc);
    }
    if (m->trace)
        weir_trace_pause(m->trace, port, class_mask, until, now);
    return weir_mmu_finish(m, false);
}

void weir_mmu_test_pause(struct weir_mmu *m, weir_port input)
{
    struct weir_side *side = &m->ingress;
    struct weir_port_state *p = &side->port[input.i];
    bool port_level = false;
    if (!side->policy->pause_mask)
        return;
    uint32_t mask = side->policy->pause_mask(side->state, &side->view, input, &port_level);
    if (mask == p->paused_mask && port_level == p->paused)
        return;

    struct weir_pause_counters *tally = &m->pause_tally[input.i];
    struct weir_pause_edge edge = {
        .port = input,
        .pause_mask = mask & ~p->paused_mask,
        .resume_mask = p->paused_mask & ~mask,
        .port_pause = port_level && !p->paused,
        .port_resume = !port_level && p->paused,
    };
    tally->class_pauses += (uint32_t)__builtin_popcount(edge.pause_mask);
    tally->class_resumes += (uint32_t)__builtin_popcount(edge.resume_mask);
    tally->port_pauses += edge.port_pause;
    tally->port_resumes += edge.port_resume;
    m->paused_inputs -= p->paused_mask || p->paused;
    p->paused_mask = mask;
    p->paused = port_level;
    m->paused_inputs += p->paused_mask || p->paused;
    m->edge[m->effects.edge_count++] = edge;
}

void weir_mmu_test_resume(struct weir_mmu *m, uint32_t except)
{
    uint32_t left = m->paused_inputs;
    for (uint32_t i = 0; left > 0; i++) {
        const struct weir_port_state *p = &m->ingress.port[i];
        if (!p->paused_mask && !p->paused)
            continue;
        left--;
        if (i != except)
            weir_mmu_test_pause(m, (weir_port){i});
    }
}
