/*
 * mmu_pause.c - flow control in both directions: pauses the peers of output ports have asked of us, and pauses we ask
 * of the peers of input ports. The ingress policy says what ought to be paused; the edges are found here. XOFF is
 * tested after arrivals of the class from the input port, XON whenever memory was freed.
 *
 * Many inputs may be paused at once, and each departure frees memory: so the input that the packet came from is tested
 * if what is paused there held it, and the others only when the shared pool has fallen to the level at which the first
 * of them could resume.
 */
#include <assert.h>

#include "mmu_internal.h"
#include "trace_internal.h"

#define PAUSE_NO_INPUT UINT32_MAX

uint32_t weir_mmu_unpaused_mask(struct weir_mmu *m, weir_port port)
{
    const struct weir_geometry *g = &m->egress.view.geometry;
    struct weir_port_state *p = &m->egress.port[port.i];
    m->effects.blocked_until = WEIR_NEVER;
    for (uint32_t left = p->paused_mask; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        weir_ps until = m->paused_until[weir_account_of(g, port, (weir_class){tc}).i];
        if (until <= m->now)
            p->paused_mask &= ~(1u << tc);
        else if (p->backlog_mask >> tc & 1 && until < m->effects.blocked_until)
            m->effects.blocked_until = until;
    }
    return p->backlog_mask & ~p->paused_mask;
}

const struct weir_effects *weir_mmu_pause_received(struct weir_mmu *m, weir_port port, uint32_t class_mask,
                                                   weir_ps until, weir_ps now)
{
    const struct weir_geometry *g = &m->egress.view.geometry;
    if (port.i >= g->ports)
        return weir_mmu_invalid();
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

static void pause_count(struct weir_mmu *m, const struct weir_pause_edge *edge)
{
    const struct weir_geometry *g = &m->ingress.view.geometry;
    for (uint32_t left = edge->pause_mask | edge->resume_mask; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        struct weir_group_tally *tally = &m->group_tally[weir_account_of(g, edge->port, (weir_class){tc}).i];
        tally->pauses += edge->pause_mask >> tc & 1;
        tally->resumes += edge->resume_mask >> tc & 1;
    }
    m->port_tally[edge->port.i].pauses += edge->port_pause;
    m->port_tally[edge->port.i].resumes += edge->port_resume;
}

/* What is paused at an input port changes. */
static void pause_change(struct weir_mmu *m, weir_port input, uint32_t mask, bool port_level)
{
    struct weir_port_state *p = &m->ingress.port[input.i];
    struct weir_pause_edge edge = {
        .port = input,
        .pause_mask = mask & ~p->paused_mask,
        .resume_mask = p->paused_mask & ~mask,
        .port_pause = port_level && !p->paused,
        .port_resume = !port_level && p->paused,
    };
    bool was_paused = p->paused_mask || p->paused, is_paused = mask || port_level;
    p->paused_mask = mask;
    p->paused = port_level;
    m->paused_inputs += (uint32_t)is_paused - (uint32_t)was_paused;
    m->paused_input[input.i / 64] ^= (uint64_t)(is_paused != was_paused) << input.i % 64;
    pause_count(m, &edge);
    assert(m->effects.edge_count < m->ingress.view.geometry.ports);
    m->edge[m->effects.edge_count++] = edge;
}

void weir_mmu_settle_pause(struct weir_mmu *m, weir_port input, uint32_t mask, bool port_level)
{
    const struct weir_side *side = &m->ingress;
    const struct weir_port_state *p = &side->port[input.i];
    assert(input.i < side->view.geometry.ports && !(mask & ~side->view.geometry.lossless_mask));
    if (mask != p->paused_mask || port_level != p->paused)
        pause_change(m, input, mask, port_level);
    if (!mask && !port_level)
        return;
    weir_cells level = side->policy->resume_level ? side->policy->resume_level(side->state, &side->view, input)
                                                  : WEIR_BUFFER_CELLS_MAX;
    m->resume_cells[input.i] = level;
    m->wake_cells = level > m->wake_cells ? level : m->wake_cells;
}

/* Memory was freed: what is paused may be resumed, and nothing is paused that is not. */
static void pause_test_resume(struct weir_mmu *m, weir_port input)
{
    const struct weir_side *side = &m->ingress;
    const struct weir_port_state *p = &side->port[input.i];
    bool port_level = false;
    uint32_t answer = side->policy->pause_mask(side->state, &side->view, input, p->paused_mask, &port_level);
    weir_mmu_settle_pause(m, input, p->paused_mask & answer, p->paused && port_level);
}

/* Tests the paused input ports whose level the pool has reached, or all of them, but not one that has been tested; and
 * finds the next level. */
HOT_APART static void pause_wake(struct weir_mmu *m, bool all, uint32_t except)
{
    m->wake_cells = -1;
    for (uint32_t word = 0; word < (m->ingress.view.geometry.ports + 63) / 64; word++) {
        for (uint64_t left = m->paused_input[word]; left; left &= left - 1) {
            uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(left);
            if (i != except && (all || m->pools.shared_cells <= m->resume_cells[i]))
                pause_test_resume(m, (weir_port){i});
            else if (m->resume_cells[i] > m->wake_cells)
                m->wake_cells = m->resume_cells[i];
        }
    }
}

void weir_mmu_test_resume(struct weir_mmu *m, weir_port input, weir_class tc)
{
    const struct weir_port_state *p = &m->ingress.port[input.i];
    assert(input.i < m->ingress.view.geometry.ports);
    bool concerned = p->paused_mask >> tc.i & 1 || (p->paused && weir_mmu_is_lossless(m, tc));
    if (concerned)
        pause_test_resume(m, input);
    if (m->pools.shared_cells <= m->wake_cells)
        pause_wake(m, false, concerned ? input.i : PAUSE_NO_INPUT);
}

void weir_mmu_test_resume_all(struct weir_mmu *m)
{
    pause_wake(m, true, PAUSE_NO_INPUT);
}
