/*
 * naive_virtual.c - an LQD buffer in numbers beside the real one, whose lengths are the thresholds of followlqd and
 * credence.
 *
 * An arrival enters the virtual buffer first, taking cells from the longest virtual account if there is no room and
 * that one is longer. Virtual ports send along with the real ones while these send, and by themselves, a quantum at
 * a time at the port's rate, while these are idle; or (drain = dequeue) only what the real accounts send.
 */
#include "naive_virtual.h"

size_t naive_virtual_size(const struct weir_naive *n)
{
    return n->account_count * sizeof(struct naive_virtual);
}

weir_cells naive_virtual_used(const struct weir_naive *n)
{
    const struct naive_virtual *v = n->state;
    weir_cells used = 0;
    for (uint32_t a = 0; a < n->account_count; a++)
        used += v[a].cells;
    return used;
}

static weir_cells virtual_backlog(const struct weir_naive *n, uint32_t port)
{
    const struct naive_virtual *v = n->state;
    weir_cells backlog = 0;
    for (uint32_t a = port; a < n->account_count; a += n->config.ports)
        backlog += v[a].cells;
    return backlog;
}

static uint32_t virtual_longest(const struct weir_naive *n)
{
    const struct naive_virtual *v = n->state;
    uint32_t longest = 0;
    for (uint32_t a = 1; a < n->account_count; a++)
        if (v[a].cells > v[longest].cells)
            longest = a;
    return longest;
}

void naive_virtual_arrive(struct weir_naive *n, const struct weir_arrival *arrival)
{
    struct naive_virtual *v = n->state, *own = &v[arrival->account.i], *longest = &v[virtual_longest(n)];
    weir_cells over = naive_virtual_used(n) + arrival->cells - naive_shared_size(n);
    if (over > 0 && (longest == own || longest->cells <= own->cells + arrival->cells))
        return;
    if (over > 0)
        longest->cells -= over;
    if (virtual_backlog(n, arrival->port.i) == 0)
        v[arrival->port.i].backlog_since_ps = arrival->now;
    own->cells += arrival->cells;
}

/* Takes up to `cells` from an account; returns what is left to take elsewhere. */
static weir_cells virtual_take(struct naive_virtual *account, weir_cells cells)
{
    weir_cells taken = account->cells < cells ? account->cells : cells;
    account->cells -= taken;
    return cells - taken;
}

void naive_average_move(int64_t *average_q8, weir_ps *at_ps, weir_cells cells, weir_ps tau, weir_ps now)
{
    weir_ps passed = now - *at_ps < tau ? now - *at_ps : tau;
    weir_q16 gain = passed * WEIR_Q16_ONE / tau;
    *average_q8 += ((cells * 256 - *average_q8) * gain) >> 16;
    *at_ps = now;
}

/* An account has sent: the averages of a policy that has any move. */
static void virtual_sent(struct weir_naive *n, uint32_t a, weir_ps now)
{
    struct naive_virtual *v = n->state;
    if (weir_param_find(n->config.egress, "tau") < 0)
        return;
    weir_ps tau = naive_value(n, "tau", 0);
    naive_average_move(&v[a].average_q8, &v[a].average_ps, v[a].cells, tau, now);
    naive_average_move(&v[0].used_q8, &v[0].used_ps, naive_virtual_used(n), tau, now);
}

/* When the port may next send by itself; never while it follows the real port or has nothing. */
static weir_ps virtual_next_ps(const struct weir_naive *n, uint32_t p)
{
    const struct naive_virtual *port = (const struct naive_virtual *)n->state + p;
    if (port->locked || virtual_backlog(n, p) == 0)
        return WEIR_NEVER;
    return port->due_ps > port->backlog_since_ps ? port->due_ps : port->backlog_since_ps;
}

/* The first class with anything sends at most a quantum, starting at `start`. */
static void virtual_send_alone(struct weir_naive *n, uint32_t p, weir_ps start)
{
    struct naive_virtual *v = n->state;
    uint32_t a = p;
    while (v[a].cells == 0)
        a += n->config.ports;
    weir_cells quantum = naive_space(n, "quantum", 0, 0);
    weir_cells sent = quantum - virtual_take(&v[a], quantum);
    naive_wide took_ps = (naive_wide)sent * n->config.cell_bytes * 8 * WEIR_PS_PER_S / n->port[p].rate_bps;
    v[p].due_ps = start + (took_ps > 0 ? (weir_ps)took_ps : 1);
    virtual_sent(n, a, start);
}

void naive_virtual_on_time(struct weir_naive *n, weir_ps now)
{
    if (!naive_chooses(n, "drain", "rate"))
        return;
    for (;;) {
        uint32_t first = 0;
        for (uint32_t p = 1; p < n->config.ports; p++)
            if (virtual_next_ps(n, p) < virtual_next_ps(n, first))
                first = p;
        if (virtual_next_ps(n, first) >= now)
            return;
        virtual_send_alone(n, first, virtual_next_ps(n, first));
    }
}

/* The account sends up to `cells` along with its real port; returns what is left to send elsewhere. */
static weir_cells virtual_send_along(struct weir_naive *n, uint32_t a, weir_cells cells, weir_ps now)
{
    struct naive_virtual *v = n->state;
    weir_cells left = virtual_take(&v[a], cells);
    if (left < cells)
        virtual_sent(n, a, now);
    return left;
}

void naive_virtual_on_dequeue(struct weir_naive *n, const struct weir_event *event)
{
    struct naive_virtual *v = n->state;
    uint32_t own = event->account.i;
    if (naive_chooses(n, "drain", "dequeue")) {
        virtual_send_along(n, own, n->account[own].cells == 0 ? v[own].cells : event->cells, event->now);
        return;
    }
    weir_cells left = virtual_send_along(n, own, event->cells, event->now);
    for (uint32_t a = event->port.i; a < n->account_count; a += n->config.ports)
        left = virtual_send_along(n, a, left, event->now);
    v[event->port.i].locked = true;
}

/* A dead link loses LQD's packets too, and leaves the virtual port to itself. */
void naive_virtual_on_drop(struct weir_naive *n, const struct weir_event *event)
{
    struct naive_virtual *v = n->state, *p = &v[event->port.i];
    if (event->cause != WEIR_CAUSE_FLUSHED)
        return;
    v[event->account.i].cells = 0;
    if (p->locked) {
        p->locked = false;
        p->due_ps = event->now;
    }
}

void naive_virtual_on_idle(struct weir_naive *n, weir_port port, weir_ps now)
{
    struct naive_virtual *p = (struct naive_virtual *)n->state + port.i;
    if (!naive_chooses(n, "drain", "rate"))
        return;
    if (p->locked) {
        p->locked = false;
        p->due_ps = now;
    }
    if (virtual_next_ps(n, port.i) <= now)
        virtual_send_alone(n, port.i, virtual_next_ps(n, port.i));
}

bool naive_virtual_over(const struct weir_naive *n, const struct weir_arrival *arrival)
{
    const struct naive_virtual *v = n->state;
    weir_cells need = naive_need(n, arrival->account, arrival->cells);
    return n->account[arrival->account.i].shared_cells + need > v[arrival->account.i].cells;
}
